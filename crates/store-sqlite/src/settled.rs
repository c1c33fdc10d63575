//! What accounts on chat platforms ask about the past: replies to delete there, events that no longer have an effect,
//! and recent messages of people.

use greenroom_core::{ChannelKey, PersonaName, Platform, Timestamp};
use greenroom_store::{MAX_COUNTED_MESSAGES, PersonActivity, Retraction};
use sqlx::SqliteConnection;

use crate::{
    error::Fault,
    values::{column, parsed},
};

/// See [`greenroom_store::AccountStore::retractions`].
pub(crate) async fn retractions(
    conn: &mut SqliteConnection,
    platform: Platform,
    after: i64,
    limit: usize,
) -> Result<Vec<Retraction>, Fault> {
    let rows = sqlx::query(
        "SELECT id, channel, persona, event_id FROM retractions
         WHERE substr(channel, 1, length(?1) + 1) = ?1 || ':' AND id > ?2 ORDER BY id LIMIT ?3",
    )
    .bind(platform.as_str())
    .bind(after)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(conn)
    .await?;
    let retraction = |row| {
        Ok(Retraction {
            id: column(row, 0)?,
            channel: parsed(column(row, 1)?)?,
            persona: parsed(column(row, 2)?)?,
            event_id: column(row, 3)?,
        })
    };
    rows.iter().map(retraction).collect()
}

/// See [`greenroom_store::AccountStore::retract`].
pub(crate) async fn retract(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    persona: &PersonaName,
    event_id: &str,
) -> Result<(), Fault> {
    sqlx::query("INSERT INTO retractions (channel, persona, event_id) VALUES (?, ?, ?)")
        .bind(channel.as_str())
        .bind(persona.as_str())
        .bind(event_id)
        .execute(conn)
        .await?;
    Ok(())
}

/// See [`greenroom_store::AccountStore::retracted`].
pub(crate) async fn retracted(conn: &mut SqliteConnection, retraction: i64) -> Result<(), Fault> {
    sqlx::query("DELETE FROM retractions WHERE id = ?").bind(retraction).execute(conn).await?;
    Ok(())
}

/// See [`greenroom_store::AccountStore::settle`].
pub(crate) async fn settle(
    conn: &mut SqliteConnection,
    marks: &[String],
    at: Timestamp,
    keep_from: Timestamp,
) -> Result<(), Fault> {
    for mark in marks {
        sqlx::query(
            "INSERT INTO settled (mark, at) VALUES (?, ?)
             ON CONFLICT (mark) DO UPDATE SET at = max(at, excluded.at)",
        )
        .bind(mark)
        .bind(at.0)
        .execute(&mut *conn)
        .await?;
    }
    sqlx::query("DELETE FROM settled WHERE at < ?").bind(keep_from.0).execute(conn).await?;
    Ok(())
}

const SETTLED: &str =
    "SELECT mark, at FROM settled WHERE mark IN (SELECT value FROM json_each(?)) ORDER BY mark";

/// See [`greenroom_store::AccountStore::settled`].
pub(crate) async fn settled(
    conn: &mut SqliteConnection,
    marks: &[String],
) -> Result<Vec<(String, Timestamp)>, Fault> {
    let rows = sqlx::query(SETTLED).bind(serde_json::json!(marks).to_string()).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((column(row, 0)?, Timestamp(column(row, 1)?)))).collect()
}

const HEARD_SINCE: &str = "SELECT c.key, m.author_id, count(*),
         sum(EXISTS (SELECT 1 FROM turns WHERE trigger_id = m.id)),
         NOT EXISTS (SELECT 1 FROM channels o JOIN messages p ON p.channel_id = o.id
             WHERE o.provider = c.provider AND o.chat_id = c.chat_id AND p.at < ?2)
     FROM messages m JOIN channels c ON c.id = m.channel_id
     WHERE m.id > (SELECT last FROM message_ids) - ?3 AND m.at >= ?2 AND m.author = 'user' AND c.provider = ?1
     GROUP BY c.key, m.author_id ORDER BY c.key, m.author_id";

/// See [`greenroom_store::AccountStore::activity_since`].
pub(crate) async fn activity_since(
    conn: &mut SqliteConnection,
    platform: Platform,
    since: Timestamp,
) -> Result<Vec<PersonActivity>, Fault> {
    let rows = sqlx::query(HEARD_SINCE)
        .bind(platform.as_str())
        .bind(since.0)
        .bind(MAX_COUNTED_MESSAGES)
        .fetch_all(conn)
        .await?;
    let heard = |row| {
        Ok(PersonActivity {
            channel: parsed(column(row, 0)?)?,
            user: parsed(column(row, 1)?)?,
            messages: column::<i64>(row, 2)?.unsigned_abs(),
            answered: column::<i64>(row, 3)?.unsigned_abs(),
            is_new: column(row, 4)?,
        })
    };
    rows.iter().map(heard).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These queries run for every event.
    #[tokio::test]
    async fn ad3_marks_and_the_last_messages_are_found_by_indexes() {
        for (sql, index) in [(SETTLED, "PRIMARY KEY (mark=?)"), (HEARD_SINCE, "(channel_id=? AND id>?)")] {
            let steps = crate::explained::plan(sql).await;
            assert!(
                steps.iter().any(|step| step.starts_with("SEARCH") && step.contains(index)),
                "{steps:#?}"
            );
        }
    }
}
