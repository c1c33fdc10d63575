//! Checks which source message and session of an imported memory are valid in this store.
//!
//! Each store numbers its messages and sessions. An id from another store may belong to another person here. Then
//! forgetting that person would also erase the memory, and forgetting its own person would leave it (GR10).

use greenroom_core::{Memory, Scope};
use greenroom_store::rules::imports::session_of_summary;
use sqlx::SqliteConnection;

use super::MAX_ID;
use crate::{error::Fault, scope::scope_of};

/// The memory with the source message and the session that are valid here.
pub(super) async fn ours(conn: &mut SqliteConnection, memory: &Memory) -> Result<Memory, Fault> {
    let mut ours = memory.clone();
    if let Some(message) = memory.source.message
        && !message_holds(conn, memory, message.0).await?
    {
        ours.source.message = None;
    }
    if let (Some(key), Some(session)) = (&memory.key, session_of_summary(memory))
        && !session_holds(conn, memory, session).await?
    {
        ours.key = Some(format!("{key}@{}", memory.id));
    }
    Ok(ours)
}

/// Reserves the ids of source messages and sessions, so that no later message or session gets one of them.
pub(super) async fn reserve<'a>(
    conn: &mut SqliteConnection,
    memories: impl Iterator<Item = &'a Memory> + Clone,
) -> Result<(), Fault> {
    if let Some(message) = memories.clone().filter_map(|memory| memory.source.message).max() {
        sqlx::query("UPDATE message_ids SET last = max(last, ?)").bind(message.0).execute(&mut *conn).await?;
    }
    if let Some(session) = memories.filter_map(session_of_summary).max() {
        sqlx::query(
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'sessions', 0
                 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'sessions');
             UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'sessions'",
        )
        .bind(session)
        .execute(conn)
        .await?;
    }
    Ok(())
}

/// Whether the message with this id belongs to the memory's place or person, or no message has had this id yet.
async fn message_holds(conn: &mut SqliteConnection, memory: &Memory, message: i64) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar(
        "SELECT (?1 > (SELECT last FROM message_ids) AND ?1 <= ?2) OR EXISTS (
             SELECT 1 FROM messages g JOIN channels c ON c.id = g.channel_id
             WHERE g.id = ?1 AND g.at <= ?3 AND CASE ?4
                 WHEN 'private' THEN g.author = 'user' AND c.provider || ':' || g.author_id = ?5
                 WHEN 'channel' THEN c.key = ?5
                 WHEN 'user' THEN g.author = 'user' AND c.provider || ':' || g.author_id = ?5
                 ELSE g.author = 'user' AND g.author_id = ?6 END)",
    )
    .bind(message)
    .bind(MAX_ID)
    .bind(memory.updated_at.0)
    .bind(memory.scope.name())
    .bind(scope_of(&memory.scope))
    .bind(memory.source.user.as_ref().map(|user| user.as_str()))
    .fetch_one(conn)
    .await?)
}

/// Whether the session with this id belongs to the memory's chat or person, or no session has had this id yet. False if
/// a memory here already has the key.
async fn session_holds(conn: &mut SqliteConnection, memory: &Memory, session: i64) -> Result<bool, Fault> {
    let (provider, chat, user) = match &memory.scope {
        Scope::Channel(channel) => (channel.provider(), Some(channel.chat_id()), None),
        Scope::User(user) | Scope::Private(user) => {
            let (provider, user) = user.as_str().split_once(':').unwrap_or_default();
            (provider, None, Some(user))
        }
        Scope::Global => ("", None, None),
    };
    Ok(sqlx::query_scalar(
        "SELECT NOT EXISTS (SELECT 1 FROM memories
                 WHERE persona = ?7 AND scope = ?8 AND scope_of = ?9 AND key = ?10)
             AND ((?1 > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'sessions'), 0) AND ?1 <= ?2)
                 OR EXISTS (SELECT 1 FROM sessions WHERE id = ?1 AND started_at <= ?3 AND provider = ?4
                     AND (chat_id = ?5 OR user_id = ?6)))",
    )
    .bind(session)
    .bind(MAX_ID)
    .bind(memory.updated_at.0)
    .bind(provider)
    .bind(chat)
    .bind(user)
    .bind(memory.persona.as_str())
    .bind(memory.scope.name())
    .bind(scope_of(&memory.scope))
    .bind(memory.key.as_deref())
    .fetch_one(conn)
    .await?)
}
