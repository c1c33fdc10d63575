//! Sessions: a person's messages in a chat, until a pause ends the session (AS5, JV1).

use greenroom_core::{ChannelKey, Timestamp, UserId};
use greenroom_store::Session;
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    batch::Batch,
    error::Fault,
    values::{column, parsed},
};

/// Extends the current session of a person by a new message, or opens one if there is none. A message that is delivered
/// late belongs to the current session.
pub(crate) fn prolong(
    batch: &mut Batch,
    running: Option<i64>,
    channel: &ChannelKey,
    user: &UserId,
    at: Timestamp,
) {
    if let Some(session) = running {
        batch.push("UPDATE sessions SET last_at = max(last_at, ").push_bind(at.0);
        batch.push(") WHERE id = ").push_bind(session).push(";");
        return;
    }
    batch.push("INSERT INTO sessions (provider, chat_id, user_id, started_at, last_at) VALUES (");
    batch
        .separated(", ")
        .push_bind(channel.provider())
        .push_bind(channel.chat_id())
        .push_bind(user.as_str())
        .push_bind(at.0)
        .push_bind(at.0)
        .push_unseparated(");");
}

/// See [`greenroom_store::HistoryStore::sessions`].
pub(crate) async fn sessions(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
) -> Result<Vec<Session>, Fault> {
    let rows = sqlx::query(
        "SELECT id, user_id, started_at, last_at FROM sessions WHERE provider = ? AND chat_id = ?
         ORDER BY last_at DESC, id DESC",
    )
    .bind(channel.provider())
    .bind(channel.chat_id())
    .fetch_all(conn)
    .await?;
    rows.iter().map(|row| session_in(channel, row, 0)).collect()
}

/// See [`greenroom_store::HistoryStore::session`].
pub(crate) async fn session(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    user: &UserId,
    at: Timestamp,
) -> Result<Option<Session>, Fault> {
    let row = sqlx::query(
        "SELECT id, user_id, started_at, last_at FROM sessions
         WHERE provider = ? AND chat_id = ? AND user_id = ? AND started_at <= ?
         ORDER BY last_at DESC, id DESC LIMIT 1",
    )
    .bind(channel.provider())
    .bind(channel.chat_id())
    .bind(user.as_str())
    .bind(at.0)
    .fetch_optional(conn)
    .await?;
    row.as_ref().map(|row| session_in(channel, row, 0)).transpose()
}

/// The session of a row: id, user, beginning and last message from column `first` on.
pub(crate) fn session_in(channel: &ChannelKey, row: &SqliteRow, first: usize) -> Result<Session, Fault> {
    Ok(Session {
        id: column(row, first)?,
        provider: channel.provider().to_owned(),
        chat_id: channel.chat_id().to_owned(),
        user: parsed(column(row, first + 1)?)?,
        started_at: Timestamp(column(row, first + 2)?),
        last_at: Timestamp(column(row, first + 3)?),
    })
}
