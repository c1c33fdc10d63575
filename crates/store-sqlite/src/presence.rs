//! Who was there, and who spoke (GR2).

use greenroom_core::{Author, ChannelKey, MessageId, PersonaName};
use greenroom_store::Presence;
use serde_json::json;
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    messages::{author, channel_id},
    values::{column, parsed},
};

/// See [`greenroom_store::PresenceStore::enter`].
pub(crate) async fn enter(
    conn: &mut SqliteConnection,
    (persona, channel, from): &(PersonaName, ChannelKey, MessageId),
) -> Result<(), Fault> {
    let channel = channel_id(conn, channel).await?;
    sqlx::query(arrive!("$1", "$2", "$3"))
        .bind(persona.as_str())
        .bind(channel)
        .bind(from.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Opens a stretch of a persona in a channel from a message on, unless one is open. It begins no earlier than
/// the last one ended. Where one is open, or `$from` is nothing, there is no beginning, and the row is ignored.
macro_rules! arrive {
    ($persona:literal, $channel:literal, $from:literal) => {
        concat!(
            "INSERT OR IGNORE INTO presence (persona, channel_id, from_id) VALUES (",
            $crate::presence::stretch!($persona, $channel, $from),
            ")"
        )
    };
}
pub(crate) use arrive;

/// The values of a row of `arrive!()`.
macro_rules! stretch {
    ($persona:literal, $channel:literal, $from:literal) => {
        concat!(
            $persona,
            ", ",
            $channel,
            ", (SELECT max(",
            $from,
            ", coalesce(max(until_id), ",
            $from,
            ")) FROM presence WHERE persona = ",
            $persona,
            " AND channel_id = ",
            $channel,
            " HAVING count(*) = count(until_id))"
        )
    };
}
pub(crate) use stretch;

/// The same as [`enter`] for several, in a channel that is known.
pub(crate) async fn arrive_all(
    conn: &mut SqliteConnection,
    personas: &[PersonaName],
    channel: &ChannelKey,
    from: MessageId,
) -> Result<(), Fault> {
    sqlx::query(concat!(
        "INSERT OR IGNORE INTO presence (persona, channel_id, from_id) SELECT ",
        stretch!("who.value", "c.id", "$3"),
        " FROM channels c, json_each($2) who WHERE c.key = $1"
    ))
    .bind(channel.as_str())
    .bind(json!(personas).to_string())
    .bind(from.0)
    .execute(conn)
    .await?;
    Ok(())
}

/// See [`greenroom_store::PresenceStore::leave`].
pub(crate) async fn leave(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    channel: &ChannelKey,
    until: MessageId,
) -> Result<(), Fault> {
    let channel = channel_id(conn, channel).await?;
    end(conn, persona, channel, until).await
}

/// Ends the stretch of a persona that is open. One in which nothing was heard is none.
async fn end(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    channel: i64,
    until: MessageId,
) -> Result<(), Fault> {
    sqlx::query(
        "DELETE FROM presence
         WHERE persona = ?1 AND channel_id = ?2 AND until_id IS NULL AND from_id >= ?3;
         UPDATE presence SET until_id = ?3
         WHERE persona = ?1 AND channel_id = ?2 AND until_id IS NULL",
    )
    .bind(persona.as_str())
    .bind(channel)
    .bind(until.0)
    .execute(conn)
    .await?;
    Ok(())
}

/// See [`greenroom_store::PresenceStore::attend`]. Ids of messages grow over all channels: whatever is said from now on
/// has the next one or a later one.
pub(crate) async fn attend(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    come: &[PersonaName],
    gone: &[PersonaName],
) -> Result<(), Fault> {
    let known: Option<(i64, i64)> =
        sqlx::query_as("SELECT c.id, i.last + 1 FROM channels c, message_ids i WHERE c.key = ?")
            .bind(channel.as_str())
            .fetch_optional(&mut *conn)
            .await?;
    let Some((channel_id, next)) = known else { return Ok(()) };
    for persona in gone {
        end(conn, persona, channel_id, MessageId(next)).await?;
    }
    if !come.is_empty() {
        arrive_all(conn, come, channel, MessageId(next)).await?;
    }
    Ok(())
}

/// See [`greenroom_store::PresenceStore::presence`].
pub(crate) async fn presence(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    channel: &ChannelKey,
) -> Result<Vec<Presence>, Fault> {
    let rows = sqlx::query(
        "SELECT from_id, until_id FROM presence
         WHERE persona = ? AND channel_id = (SELECT id FROM channels WHERE key = ?) ORDER BY from_id",
    )
    .bind(persona.as_str())
    .bind(channel.as_str())
    .fetch_all(conn)
    .await?;
    let stretch = |row: &SqliteRow| {
        Ok(Presence {
            from: MessageId(column(row, 0)?),
            until: column::<Option<i64>>(row, 1)?.map(MessageId),
        })
    };
    rows.iter().map(stretch).collect()
}

/// See [`greenroom_store::PresenceStore::present`].
pub(crate) async fn present(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
) -> Result<Vec<PersonaName>, Fault> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT persona FROM presence
         WHERE channel_id = (SELECT id FROM channels WHERE key = ?) AND until_id IS NULL ORDER BY persona",
    )
    .bind(channel.as_str())
    .fetch_all(conn)
    .await?;
    names.iter().map(|name| parsed(name)).collect()
}

/// See [`greenroom_store::HistoryStore::participants`].
pub(crate) async fn participants(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
) -> Result<Vec<Author>, Fault> {
    let rows = sqlx::query(
        "SELECT author, author_id, name FROM speakers
         WHERE channel_id = (SELECT id FROM channels WHERE key = ?) ORDER BY since",
    )
    .bind(channel.as_str())
    .fetch_all(conn)
    .await?;
    rows.iter().map(|row| author(column(row, 0)?, column(row, 1)?, column(row, 2)?)).collect()
}
