//! Finds the items of a person, of a channel, or from before a moment. Every call searches again.

use greenroom_core::{ChannelKey, MessageId, PersonaName, Timestamp, UserRef};
use greenroom_store::Erase;
use sqlx::SqliteConnection;

use super::ItemsToErase;
use crate::{error::Fault, links::linked, values::list};

/// All items to erase.
pub(super) async fn all(conn: &mut SqliteConnection, what: &Erase) -> Result<ItemsToErase, Fault> {
    let found = match what {
        Erase::Person(person) => {
            let mut found = of_person(conn, person).await?;
            for account in linked(conn, person).await? {
                let other = of_person(conn, &account).await?;
                found.messages.extend(other.messages);
                found.memories.extend(other.memories);
                found.sessions.extend(other.sessions);
            }
            found
        }
        Erase::Own { person, chat } => own(conn, person, chat).await?,
        Erase::Channel(channel) => of_channel(conn, channel).await?,
        Erase::Message(message) => ItemsToErase { messages: vec![message.0], ..ItemsToErase::default() },
        Erase::Older { persona, channel, before } => older(conn, persona, channel, *before).await?,
    };
    with_what_follows(conn, what, &found).await
}

/// The existing ones of these items, with everything that depends on the messages: replies, replies to replies,
/// memories learned from any of them, and the summaries of the sessions of a single message. An erasure by age alone
/// adds nothing.
pub(super) async fn with_what_follows(
    conn: &mut SqliteConnection,
    what: &Erase,
    found: &ItemsToErase,
) -> Result<ItemsToErase, Fault> {
    let follow = !matches!(what, Erase::Older { .. });
    let but_the_operators = matches!(what, Erase::Own { .. } | Erase::Message(_));
    let messages: Vec<i64> = sqlx::query_scalar(
        "WITH RECURSIVE doomed (id) AS (
             SELECT value FROM json_each(?1)
             UNION SELECT t.reply_id FROM doomed d JOIN turns t ON t.trigger_id = d.id
             WHERE t.reply_id IS NOT NULL AND ?2)
         SELECT d.id FROM doomed d JOIN messages m ON m.id = d.id ORDER BY d.id",
    )
    .bind(list(found.messages.iter().copied()))
    .bind(follow)
    .fetch_all(&mut *conn)
    .await?;
    let mut memories: Vec<i64> = sqlx::query_scalar(
        "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(?1))
         UNION SELECT id FROM memories
         WHERE ?3 AND source_message IN (SELECT value FROM json_each(?2))
             AND NOT (?4 AND trust = 'operator') ORDER BY 1",
    )
    .bind(list(found.memories.iter().copied()))
    .bind(list(messages.iter().copied()))
    .bind(follow)
    .bind(but_the_operators)
    .fetch_all(&mut *conn)
    .await?;
    if let Erase::Message(message) = what {
        memories.extend(summaries_with(conn, *message).await?);
        memories.sort_unstable();
        memories.dedup();
    }
    let sessions = sqlx::query_scalar(
        "SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
    )
    .bind(list(found.sessions.iter().copied()))
    .fetch_all(conn)
    .await?;
    Ok(ItemsToErase { messages, memories, sessions })
}

/// The summaries of the chat's sessions that were open when a message was said. The SQL here and below builds their
/// keys like [`session_summary_key`](greenroom_store::rules::summaries::session_summary_key).
pub(super) async fn summaries_with(
    conn: &mut SqliteConnection,
    message: MessageId,
) -> Result<Vec<i64>, Fault> {
    let summaries = sqlx::query_scalar(
        "SELECT id FROM memories WHERE key IN (
             SELECT 'session_' || s.id || '_summary' FROM messages m JOIN channels c ON c.id = m.channel_id
                 JOIN sessions s ON s.provider = c.provider AND s.chat_id = c.chat_id
                     AND s.started_at <= m.at + ?2 AND s.last_at >= m.at - ?2
             WHERE m.id = ?1)",
    )
    .bind(message.0)
    .bind(session_gap())
    .fetch_all(conn)
    .await?;
    Ok(summaries)
}

/// A person's messages on their platform, the memories about or learned from them there, and the summaries of every
/// session they took part in. A memory names the person without the platform; its scope, or the message it was
/// learned from, names the platform. If neither exists any more, the memory is erased for every person with this id:
/// erasing too much is better than too little.
async fn of_person(conn: &mut SqliteConnection, person: &UserRef) -> Result<ItemsToErase, Fault> {
    let (provider, user) = person.as_str().split_once(':').unwrap_or_default();
    let messages = sqlx::query_scalar(
        "SELECT m.id FROM channels c CROSS JOIN messages m ON m.channel_id = c.id
         WHERE c.provider = ? AND m.author = 'user' AND m.author_id = ?",
    )
    .bind(provider)
    .bind(user)
    .fetch_all(&mut *conn)
    .await?;
    let memories = sqlx::query_scalar(
        "SELECT id FROM memories WHERE (scope IN ('user', 'private') AND scope_of = ?1 || ':' || ?2)
             OR (source_user = ?2 AND substr(scope_of, 1, length(?1) + 1) = ?1 || ':')
             OR (source_user = ?2 AND scope = 'global'
                 AND NOT EXISTS (SELECT 1 FROM messages WHERE id = source_message))
             OR key IN (
                 SELECT 'session_' || other.id || '_summary' FROM sessions own JOIN sessions other
                     ON other.provider = own.provider AND other.chat_id = own.chat_id
                     AND other.started_at <= own.last_at + ?3 AND other.last_at >= own.started_at - ?3
                 WHERE own.provider = ?1 AND own.user_id = ?2)",
    )
    .bind(provider)
    .bind(user)
    .bind(session_gap())
    .fetch_all(&mut *conn)
    .await?;
    let sessions = sqlx::query_scalar("SELECT id FROM sessions WHERE provider = ? AND user_id = ?")
        .bind(provider)
        .bind(user)
        .fetch_all(conn)
        .await?;
    Ok(ItemsToErase { messages, memories, sessions })
}

fn session_gap() -> i64 {
    i64::try_from(greenroom_store::SESSION_GAP.as_micros()).unwrap_or(i64::MAX)
}

/// The items that a person may erase without the operator. A global memory belongs to the person who wrote its source
/// message.
async fn own(
    conn: &mut SqliteConnection,
    person: &UserRef,
    chat: &ChannelKey,
) -> Result<ItemsToErase, Fault> {
    let (provider, user) = person.as_str().split_once(':').unwrap_or_default();
    let messages = sqlx::query_scalar(
        "SELECT m.id FROM channels c CROSS JOIN messages m ON m.channel_id = c.id
         WHERE c.provider = ? AND c.chat_id = ? AND m.author = 'user' AND m.author_id = ?",
    )
    .bind(chat.provider())
    .bind(chat.chat_id())
    .bind(user)
    .fetch_all(&mut *conn)
    .await?;
    // a channel's key is `provider:chat_id`, for a thread followed by a colon and the thread
    let memories = sqlx::query_scalar(
        "SELECT id FROM memories WHERE trust <> 'operator' AND (
             (scope IN ('user', 'private') AND scope_of = ?1 || ':' || ?2)
             OR (source_user = ?2 AND scope = 'channel'
                 AND substr(scope_of || ':', 1, length(?3 || ':' || ?4) + 1) = ?3 || ':' || ?4 || ':')
             OR (scope = 'channel'
                 AND substr(scope_of || ':', 1, length(?3 || ':' || ?4) + 1) = ?3 || ':' || ?4 || ':'
                 AND key IN (
                     SELECT 'session_' || other.id || '_summary' FROM sessions own JOIN sessions other
                         ON other.provider = own.provider AND other.chat_id = own.chat_id
                         AND other.started_at <= own.last_at + ?5 AND other.last_at >= own.started_at - ?5
                     WHERE own.provider = ?3 AND own.chat_id = ?4 AND own.user_id = ?2)))",
    )
    .bind(provider)
    .bind(user)
    .bind(chat.provider())
    .bind(chat.chat_id())
    .bind(session_gap())
    .fetch_all(&mut *conn)
    .await?;
    let sessions =
        sqlx::query_scalar("SELECT id FROM sessions WHERE provider = ? AND chat_id = ? AND user_id = ?")
            .bind(chat.provider())
            .bind(chat.chat_id())
            .bind(user)
            .fetch_all(conn)
            .await?;
    Ok(ItemsToErase { messages, memories, sessions })
}

/// The messages of a channel and the memories about it. Sessions belong to the whole chat: they are erased with the
/// last of its channels that contains messages, their summaries with the first.
async fn of_channel(conn: &mut SqliteConnection, channel: &ChannelKey) -> Result<ItemsToErase, Fault> {
    let messages = sqlx::query_scalar(
        "SELECT id FROM messages WHERE channel_id = (SELECT id FROM channels WHERE key = ?)",
    )
    .bind(channel.as_str())
    .fetch_all(&mut *conn)
    .await?;
    let memories = sqlx::query_scalar(
        "SELECT id FROM memories WHERE (scope = 'channel' AND scope_of = ?1)
             OR (scope <> 'channel' AND key IN (SELECT 'session_' || id || '_summary' FROM sessions
                                                WHERE provider = ?2 AND chat_id = ?3))",
    )
    .bind(channel.as_str())
    .bind(channel.provider())
    .bind(channel.chat_id())
    .fetch_all(&mut *conn)
    .await?;
    Ok(ItemsToErase { messages, memories, sessions: sessions(conn, channel, Timestamp(i64::MAX)).await? })
}

/// The messages of a channel, and a persona's memories last written there, before a moment.
async fn older(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    channel: &ChannelKey,
    before: Timestamp,
) -> Result<ItemsToErase, Fault> {
    let messages = sqlx::query_scalar(
        "SELECT id FROM messages WHERE channel_id = (SELECT id FROM channels WHERE key = ?) AND at < ?",
    )
    .bind(channel.as_str())
    .bind(before.0)
    .fetch_all(&mut *conn)
    .await?;
    let memories = sqlx::query_scalar(
        "SELECT id FROM memories
         WHERE persona = ? AND scope = 'channel' AND scope_of = ? AND updated_at < ?",
    )
    .bind(persona.as_str())
    .bind(channel.as_str())
    .bind(before.0)
    .fetch_all(&mut *conn)
    .await?;
    Ok(ItemsToErase { messages, memories, sessions: sessions(conn, channel, before).await? })
}

/// The sessions of a channel's chat that ended before a moment, unless another channel of the chat contains messages.
async fn sessions(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    before: Timestamp,
) -> Result<Vec<i64>, Fault> {
    let sessions = sqlx::query_scalar(
        "SELECT id FROM sessions WHERE provider = ?1 AND chat_id = ?2 AND last_at < ?4
         AND NOT EXISTS (SELECT 1 FROM channels c JOIN messages m ON m.channel_id = c.id
                         WHERE c.provider = ?1 AND c.chat_id = ?2 AND c.key <> ?3)",
    )
    .bind(channel.provider())
    .bind(channel.chat_id())
    .bind(channel.as_str())
    .bind(before.0)
    .fetch_all(conn)
    .await?;
    Ok(sessions)
}
