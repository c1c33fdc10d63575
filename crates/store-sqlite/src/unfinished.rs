//! What a crash left, or a process that still runs: messages nobody has settled, turns that have not ended.

use greenroom_core::{ChannelKey, ErrorCode, Timestamp};
use greenroom_store::Unfinished;
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    messages::{MESSAGE_COLUMNS, message, message_columns},
    values::{column, parsed},
};

/// What is unfinished, of the channels that are named. There is little of it at any time, and much else: it
/// is looked up where only it stands, in the order that is written here, which the planner does not always see.
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
    let unfinished = |row: &SqliteRow| {
        let turn: Option<&str> = column(row, MESSAGE_COLUMNS)?;
        let turn = match turn {
            Some(id) => Some((parsed(id)?, parsed(column(row, MESSAGE_COLUMNS + 1)?)?)),
            None => None,
        };
        Ok(Unfinished { message: message(row)?, turn })
    };
    query.fetch_all(conn).await?.iter().map(unfinished).collect()
}

/// See [`greenroom_store::InboxStore::close_unfinished`].
pub(crate) async fn close_unfinished(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    at: Timestamp,
) -> Result<Vec<Unfinished>, Fault> {
    let mut found = unfinished(conn, Some(channel)).await?;
    found.retain(|left| left.message.channel == *channel);
    sqlx::query(
        "UPDATE messages INDEXED BY messages_unhandled SET unhandled = 0
         WHERE unhandled AND author = 'user' AND channel_id = (SELECT id FROM channels WHERE key = ?)",
    )
    .bind(channel.as_str())
    .execute(&mut *conn)
    .await?;
    sqlx::query(
        "UPDATE turns SET state = 'failed', code = ?3, note = ?4, ended_at = ?2
         WHERE ended_at IS NULL AND channel_id = (SELECT id FROM channels WHERE key = ?1)",
    )
    .bind(channel.as_str())
    .bind(at.0)
    .bind(ErrorCode::Interrupted.as_str())
    .bind("the program ended in the middle of it")
    .execute(conn)
    .await?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explained::plan;

    /// Asked whenever a chat is opened: it must not grow with what was ever said.
    #[tokio::test]
    async fn s1_what_is_unfinished_is_looked_up_where_nothing_else_stands() {
        for query in [EVERYWHERE, OF_CHAT] {
            let steps = plan(query).await;
            let few = ["turns_open", "messages_unhandled"];
            let walked = |step: &&String| {
                let walks = step.starts_with("SCAN") || step.contains("(channel_id");
                walks && !few.iter().any(|index| step.contains(index))
            };
            assert_eq!(steps.iter().find(walked), None, "{steps:#?}");
            assert!(few.iter().all(|index| steps.iter().any(|step| step.contains(index))), "{steps:#?}");
        }
    }
}
