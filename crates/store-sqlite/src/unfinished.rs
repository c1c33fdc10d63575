//! Unfinished work after a crash, or of a process that still runs: unhandled messages, and turns that have not ended.

use greenroom_core::{ChannelKey, ErrorCode, Timestamp};
use greenroom_store::{ENDED_BEFORE_TURN, ENDED_DURING_TURN, Unfinished};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    messages::{MESSAGE_COLUMNS, message, message_columns},
    values::{column, parsed},
};

/// The unfinished work of some channels. At any time there is little of it in a large store. The query names the
/// indexes that contain only unfinished rows, and fixes the order of the joins, because the planner does not always
/// choose it.
macro_rules! unfinished {
    ($channels:literal) => {
        concat!(
            "SELECT ",
            message_columns!(),
            ", t.id, t.persona FROM turns t INDEXED BY turns_open CROSS JOIN messages m ON m.id = t.trigger_id
              CROSS JOIN channels c ON c.id = t.channel_id WHERE t.ended_at IS NULL AND t.channel_id ",
            $channels,
            " UNION ALL SELECT ",
            message_columns!(),
            ", NULL, NULL FROM messages m INDEXED BY messages_unhandled CROSS JOIN channels c ON c.id = m.channel_id
              WHERE m.unhandled AND m.channel_id ",
            $channels,
            " ORDER BY 1, 10"
        )
    };
}

const EVERYWHERE: &str = unfinished!("IS NOT NULL");
const OF_CHAT: &str = unfinished!("IN (SELECT id FROM channels WHERE provider = ?1 AND chat_id = ?2)");

/// See [`greenroom_store::InboxStore::unfinished`].
pub(crate) async fn unfinished(
    conn: &mut SqliteConnection,
    chat: Option<&ChannelKey>,
) -> Result<Vec<Unfinished>, Fault> {
    let query = match chat {
        None => sqlx::query(EVERYWHERE),
        Some(channel) => sqlx::query(OF_CHAT).bind(channel.provider()).bind(channel.chat_id()),
    };
    query.fetch_all(conn).await?.iter().map(read).collect()
}

/// A message with its turn, if it has one.
fn read(row: &SqliteRow) -> Result<Unfinished, Fault> {
    let turn: Option<&str> = column(row, MESSAGE_COLUMNS)?;
    let turn = match turn {
        Some(id) => Some((parsed(id)?, parsed(column(row, MESSAGE_COLUMNS + 1)?)?)),
        None => None,
    };
    Ok(Unfinished { message: message(row)?, turn })
}

/// The messages since ?1 whose last turn of a persona was interrupted by a crash, and the unhandled messages. There are
/// few of either, and the named indexes contain no other rows.
const OWED: &str = concat!(
    "WITH broken AS MATERIALIZED (
         SELECT trigger_id, persona, max(rowid) AS newest FROM turns INDEXED BY turns_broken
         WHERE code IN ('internal', 'interrupted') GROUP BY trigger_id, persona)
     SELECT ",
    message_columns!(),
    ", t.id, t.persona FROM broken b CROSS JOIN turns t ON t.rowid = b.newest AND t.code = 'interrupted'
         CROSS JOIN messages m ON m.id = b.trigger_id CROSS JOIN channels c ON c.id = m.channel_id
     WHERE m.author = 'user' AND m.at >= ?1 AND NOT EXISTS (SELECT 1 FROM turns later
         WHERE later.trigger_id = b.trigger_id AND later.persona = b.persona AND later.rowid > b.newest)
     UNION ALL SELECT ",
    message_columns!(),
    ", NULL, NULL FROM messages m INDEXED BY messages_unhandled CROSS JOIN channels c ON c.id = m.channel_id
     WHERE m.unhandled AND m.author = 'user' AND m.at >= ?1
     ORDER BY 1, 10"
);

/// See [`greenroom_store::InboxStore::unanswered_since`].
pub(crate) async fn unanswered_since(
    conn: &mut SqliteConnection,
    since: Timestamp,
) -> Result<Vec<Unfinished>, Fault> {
    let rows = sqlx::query(OWED).bind(since.0).fetch_all(conn).await?;
    let mut unanswered: Vec<Unfinished> = rows.iter().map(read).collect::<Result<_, _>>()?;
    unanswered.retain(|left| left.message.channel.has_accounts());
    Ok(unanswered)
}

/// See [`greenroom_store::InboxStore::close_unfinished`].
pub(crate) async fn close_unfinished(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    at: Timestamp,
) -> Result<Vec<Unfinished>, Fault> {
    let mut found = unfinished(conn, Some(channel)).await?;
    found.retain(|left| left.message.channel == *channel);
    if !channel.has_accounts() {
        sqlx::query(
            "UPDATE messages INDEXED BY messages_unhandled SET unhandled = 0
             WHERE unhandled AND author = 'user' AND channel_id = (SELECT id FROM channels WHERE key = ?)",
        )
        .bind(channel.as_str())
        .execute(&mut *conn)
        .await?;
    }
    sqlx::query(
        "UPDATE turns SET state = 'failed', code = ?3, note = iif(state = 'waiting', ?5, ?4), ended_at = ?2
         WHERE ended_at IS NULL AND channel_id = (SELECT id FROM channels WHERE key = ?1)",
    )
    .bind(channel.as_str())
    .bind(at.0)
    .bind(ErrorCode::Interrupted.as_str())
    .bind(ENDED_DURING_TURN)
    .bind(ENDED_BEFORE_TURN)
    .execute(conn)
    .await?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explained::plan;

    /// This query runs whenever a chat is opened, so its cost must not grow with the history.
    #[tokio::test]
    async fn s1_what_is_unfinished_is_looked_up_where_nothing_else_stands() {
        for query in [EVERYWHERE, OF_CHAT, OWED] {
            let steps = plan(query).await;
            let few = ["turns_open", "turns_broken", "messages_unhandled", "SCAN b"];
            let walked = |step: &&String| {
                let walks = step.starts_with("SCAN") || step.contains("(channel_id");
                walks && !few.iter().any(|index| step.contains(index))
            };
            assert_eq!(steps.iter().find(walked), None, "{steps:#?}");
            assert!(steps.iter().any(|step| step.contains("messages_unhandled")), "{steps:#?}");
        }
    }
}
