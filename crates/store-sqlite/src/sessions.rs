//! Sittings: a person in a chat, until they say nothing for a while (AS5, JV1).

use greenroom_core::{ChannelKey, Timestamp, UserId};
use greenroom_store::Session;
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    values::{column, parsed},
};

/// Prolongs the session of a person whose message is new, or opens one when the last has ended. A late
/// delivery belongs to the last. Follows `write!()` of [`crate::inbox`], which binds the person and the time; the
/// provider is $11, the chat $12, the moment after which a session still goes on $13.
macro_rules! touch {
    () => {
        "INSERT OR FAIL INTO sessions (id, provider, chat_id, user_id, started_at, last_at)
         VALUES ((SELECT id FROM (SELECT id, last_at FROM sessions
                     WHERE provider = $11 AND chat_id = $12 AND user_id = $6
                     ORDER BY last_at DESC, id DESC LIMIT 1)
                 WHERE last_at >= $13),
             $11, $12, $6, $9, $9)
         ON CONFLICT (id) DO UPDATE SET last_at = max(last_at, excluded.last_at);"
    };
}
pub(crate) use touch;

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
    rows.iter().map(|row| session_in(channel, row)).collect()
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
    row.as_ref().map(|row| session_in(channel, row)).transpose()
}

/// The session of a row: id, user, beginning, last message.
pub(crate) fn session_in(channel: &ChannelKey, row: &SqliteRow) -> Result<Session, Fault> {
    Ok(Session {
        id: column(row, 0)?,
        provider: channel.provider().to_owned(),
        chat_id: channel.chat_id().to_owned(),
        user: parsed(column(row, 1)?)?,
        started_at: Timestamp(column(row, 2)?),
        last_at: Timestamp(column(row, 3)?),
    })
}
