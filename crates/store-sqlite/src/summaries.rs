//! Summaries of history that a persona's context in a channel no longer contains (FG12).

use greenroom_core::{ChannelKey, Message, MessageId, PersonaName};
use greenroom_store::{HistorySummary, Sources};
use sqlx::SqliteConnection;

use crate::{
    erasures,
    error::Fault,
    messages::{message_in, said_columns},
    scope::{heard, witnessed},
};

/// See [`greenroom_store::ContextStore::put_summary`].
pub(crate) async fn put(
    conn: &mut SqliteConnection,
    (persona, channel, summary, sources): &(PersonaName, ChannelKey, HistorySummary, Sources),
) -> Result<(), Fault> {
    erasures::check(conn, sources).await?;
    sqlx::query(
        "INSERT INTO summaries (persona, channel_id, until_id, text, at)
         SELECT ?1, id, ?3, ?4, ?5 FROM channels WHERE key = ?2
         ON CONFLICT DO UPDATE SET until_id = excluded.until_id, text = excluded.text, at = excluded.at
         WHERE excluded.until_id >= until_id",
    )
    .bind(persona.as_str())
    .bind(channel.as_str())
    .bind(summary.until.0)
    .bind(summary.text.as_str())
    .bind(summary.at.0)
    .execute(conn)
    .await?;
    Ok(())
}

/// See [`greenroom_store::ContextStore::unsummarised`].
pub(crate) async fn unsummarised(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    channel: &ChannelKey,
    after: Option<MessageId>,
    heard: bool,
    limit: usize,
) -> Result<Vec<Message>, Fault> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        said_columns!(),
        " FROM channels c JOIN messages m ON m.channel_id = c.id WHERE c.key = ?2 AND m.id > ?3 AND ",
        heard!("?5"),
        " AND NOT m.without_memory
          AND NOT EXISTS (SELECT 1 FROM turns t JOIN messages a ON a.id = t.trigger_id
              WHERE t.reply_id = m.id AND a.without_memory)
          ORDER BY m.id LIMIT ?4"
    ))
    .bind(persona.as_str())
    .bind(channel.as_str())
    .bind(after.map_or(0, |id| id.0))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .bind(heard)
    .fetch_all(conn)
    .await?;
    rows.iter().map(|row| message_in(channel, row)).collect()
}

/// See [`greenroom_store::InboxStore::set_aside`].
pub(crate) async fn set_aside(conn: &mut SqliteConnection, message: MessageId) -> Result<(), Fault> {
    sqlx::query("UPDATE messages SET without_memory = 1 WHERE id = ?").bind(message.0).execute(conn).await?;
    Ok(())
}
