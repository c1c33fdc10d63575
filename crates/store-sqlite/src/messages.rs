//! The history, and the list of channels.

use async_trait::async_trait;
use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName, Timestamp, UserId};
use greenroom_store::{ChannelEntry, HistoryStore, Result, Session};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    batch::Batch,
    error::Fault,
    groups, presence, rooms, sessions,
    values::{column, list, parsed},
};

#[async_trait]
impl HistoryStore for SqliteStore {
    async fn history(
        &self,
        channel: &ChannelKey,
        after: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>> {
        self.with_store_error(history(&mut *self.reader().await?, channel, after, limit).await)
    }

    async fn page(
        &self,
        channel: &ChannelKey,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>> {
        self.with_store_error(page(&mut *self.reader().await?, channel, before, limit).await)
    }

    async fn message(&self, id: MessageId) -> Result<Option<Message>> {
        self.with_store_error(by_id(&mut *self.reader().await?, id).await)
    }

    async fn triggers(&self, messages: &[MessageId]) -> Result<Vec<(MessageId, MessageId)>> {
        self.with_store_error(triggers(&mut *self.reader().await?, messages).await)
    }

    async fn invited(&self, chat: Option<(&str, &str)>, limit: usize) -> Result<Vec<ChannelKey>> {
        self.with_store_error(rooms::invited(&mut *self.reader().await?, chat, limit).await)
    }

    async fn channels(
        &self,
        chat: Option<(&str, &str)>,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<ChannelEntry>> {
        self.with_store_error(channels(&mut *self.reader().await?, chat, before, limit).await)
    }

    async fn participants(&self, channel: &ChannelKey) -> Result<Vec<Author>> {
        self.with_store_error(presence::participants(&mut *self.reader().await?, channel).await)
    }

    async fn group_since(&self, channel: &ChannelKey) -> Result<Option<MessageId>> {
        self.with_store_error(groups::since(&mut *self.reader().await?, channel).await)
    }

    async fn sessions(&self, channel: &ChannelKey) -> Result<Vec<Session>> {
        self.with_store_error(sessions::sessions(&mut *self.reader().await?, channel).await)
    }

    async fn session(&self, channel: &ChannelKey, user: &UserId, at: Timestamp) -> Result<Option<Session>> {
        self.with_store_error(sessions::session(&mut *self.reader().await?, channel, user, at).await)
    }
}

/// The columns of a message `m` whose channel is known, in the order [`message_in`] reads them.
macro_rules! said_columns {
    () => {
        "m.id, m.event_id, m.author, m.author_id, m.author_name, m.text, m.at, m.turn_id, m.reply_to"
    };
}
pub(crate) use said_columns;

/// The number of these columns.
pub(crate) const SAID_COLUMNS: usize = 9;

/// The columns of a message `m` in the channel `c`, in the order [`message`] reads them.
macro_rules! message_columns {
    () => {
        concat!($crate::messages::said_columns!(), ", c.key")
    };
}
pub(crate) use message_columns;

/// The number of columns of a message; further columns of a statement begin at this index.
pub(crate) const MESSAGE_COLUMNS: usize = SAID_COLUMNS + 1;

/// The message of a row that begins with `message_columns!()`.
pub(crate) fn message(row: &SqliteRow) -> Result<Message, Fault> {
    message_in(&parsed(column(row, SAID_COLUMNS)?)?, row)
}

/// The message of a row that begins with `said_columns!()`.
pub(crate) fn message_in(channel: &ChannelKey, row: &SqliteRow) -> Result<Message, Fault> {
    let author = author(column(row, 2)?, column(row, 3)?, column(row, 4)?)?;
    let turn: Option<&str> = column(row, 7)?;
    Ok(Message {
        id: MessageId(column(row, 0)?),
        channel: channel.clone(),
        event_id: column(row, 1)?,
        reply_to: column(row, 8)?,
        author,
        text: column(row, 5)?,
        at: Timestamp(column(row, 6)?),
        turn_id: turn.map(parsed).transpose()?,
    })
}

/// Inserts a new message. OR FAIL: see `explained.rs`.
pub(crate) fn insert(
    batch: &mut Batch,
    channel: i64,
    message: &Message,
    unhandled: bool,
    without_memory: bool,
) {
    let (author, author_id) = match &message.author {
        Author::User { id, .. } => ("user", id.as_str()),
        Author::Persona { name } => ("persona", name.as_str()),
    };
    batch.push(
        "INSERT OR FAIL INTO messages (channel_id, id, event_id, author, author_id, author_name, text, at, reply_to,
         turn_id, unhandled, without_memory) VALUES (",
    );
    batch
        .separated(", ")
        .push_bind(channel)
        .push_bind(message.id.0)
        .push_bind(message.event_id.as_str())
        .push_bind(author)
        .push_bind(author_id)
        .push_bind(message.author.name())
        .push_bind(message.text.as_str())
        .push_bind(message.at.0)
        .push_bind(message.reply_to.as_deref())
        .push_bind(message.turn_id.map(|turn| turn.to_string()))
        .push_bind(unhandled)
        .push_bind(without_memory)
        .push_unseparated(");");
}

/// The author from the columns `author`, `author_id` and a name.
pub(crate) fn author(kind: &str, id: &str, name: String) -> Result<Author, Fault> {
    Ok(match kind {
        "persona" => Author::Persona { name: parsed(id)? },
        _ => Author::User { id: parsed(id)?, name },
    })
}

/// The row id of a channel; creates the row if needed.
pub(crate) async fn channel_id(conn: &mut SqliteConnection, channel: &ChannelKey) -> Result<i64, Fault> {
    let known = sqlx::query_scalar("SELECT id FROM channels WHERE key = ?")
        .bind(channel.as_str())
        .fetch_optional(&mut *conn)
        .await?;
    if let Some(id) = known {
        return Ok(id);
    }
    let made = sqlx::query_scalar(
        "INSERT INTO channels (key, provider, chat_id, thread, group_since) VALUES (?1, ?2, ?3, ?4,
             (SELECT min(group_since) FROM channels WHERE provider = ?2 AND chat_id = ?3)) RETURNING id",
    )
    .bind(channel.as_str())
    .bind(channel.provider())
    .bind(channel.chat_id())
    .bind(channel.thread())
    .fetch_one(conn)
    .await?;
    Ok(made)
}

/// See [`greenroom_store::HistoryStore::history`].
async fn history(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    after: Option<MessageId>,
    limit: usize,
) -> Result<Vec<Message>, Fault> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        said_columns!(),
        " FROM channels c JOIN messages m ON m.channel_id = c.id
          WHERE c.key = ? AND m.id > ? ORDER BY m.id DESC LIMIT ?"
    ))
    .bind(channel.as_str())
    .bind(after.map_or(0, |id| id.0))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(conn)
    .await?;
    rows.iter().rev().map(|row| message_in(channel, row)).collect()
}

/// See [`greenroom_store::HistoryStore::page`].
async fn page(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    before: Option<MessageId>,
    limit: usize,
) -> Result<Vec<Message>, Fault> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        said_columns!(),
        " FROM channels c JOIN messages m ON m.channel_id = c.id
          WHERE c.key = ? AND m.id < ? ORDER BY m.id DESC LIMIT ?"
    ))
    .bind(channel.as_str())
    .bind(before.map_or(i64::MAX, |id| id.0))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(conn)
    .await?;
    rows.iter().rev().map(|row| message_in(channel, row)).collect()
}

/// See [`greenroom_store::HistoryStore::message`].
pub(crate) async fn by_id(conn: &mut SqliteConnection, id: MessageId) -> Result<Option<Message>, Fault> {
    let row = sqlx::query(concat!(
        "SELECT ",
        message_columns!(),
        " FROM messages m JOIN channels c ON c.id = m.channel_id WHERE m.id = ?"
    ))
    .bind(id.0)
    .fetch_optional(conn)
    .await?;
    row.as_ref().map(message).transpose()
}

/// See [`greenroom_store::HistoryStore::triggers`].
async fn triggers(
    conn: &mut SqliteConnection,
    messages: &[MessageId],
) -> Result<Vec<(MessageId, MessageId)>, Fault> {
    let rows: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT m.id, t.trigger_id FROM messages m JOIN turns t ON t.id = m.turn_id
          WHERE m.id IN (SELECT value FROM json_each(?)) ORDER BY m.id",
    )
    .bind(list(messages.iter().map(|id| id.0)))
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|(reply, trigger)| (MessageId(reply), MessageId(trigger))).collect())
}

/// See [`greenroom_store::HistoryStore::channels`].
async fn channels(
    conn: &mut SqliteConnection,
    chat: Option<(&str, &str)>,
    before: Option<MessageId>,
    limit: usize,
) -> Result<Vec<ChannelEntry>, Fault> {
    let (provider, chat_id) = chat.unzip();
    let rows = sqlx::query(
        "SELECT c.key, m.id, m.at FROM channels c
         JOIN messages m ON m.channel_id = c.id
             AND m.id = (SELECT max(id) FROM messages WHERE channel_id = c.id)
         WHERE (?1 IS NULL OR c.provider = ?1 AND c.chat_id = ?2) AND m.id < ?3
         ORDER BY m.id DESC LIMIT ?4",
    )
    .bind(provider)
    .bind(chat_id)
    .bind(before.map_or(i64::MAX, |id| id.0))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(conn)
    .await?;
    let entry = |row: &SqliteRow| {
        Ok(ChannelEntry {
            channel: parsed(column(row, 0)?)?,
            newest: MessageId(column(row, 1)?),
            at: Timestamp(column(row, 2)?),
        })
    };
    rows.iter().map(entry).collect()
}

/// See [`greenroom_store::ContextStore::context_start`].
pub(crate) async fn context_start(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    channel: &ChannelKey,
) -> Result<Option<MessageId>, Fault> {
    let after = sqlx::query_scalar(
        "SELECT after_id FROM contexts
         WHERE persona = ? AND channel_id = (SELECT id FROM channels WHERE key = ?)",
    )
    .bind(persona.as_str())
    .bind(channel.as_str())
    .fetch_optional(conn)
    .await?;
    Ok(after.map(MessageId))
}

/// See [`greenroom_store::ContextStore::reset_context`]. A late reset never moves the start of the context back.
pub(crate) async fn reset_context(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    channel: &ChannelKey,
    after: MessageId,
) -> Result<(), Fault> {
    let channel = channel_id(conn, channel).await?;
    sqlx::query(
        "INSERT INTO contexts (persona, channel_id, after_id) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET after_id = max(after_id, excluded.after_id)",
    )
    .bind(persona.as_str())
    .bind(channel)
    .bind(after.0)
    .execute(conn)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_message_is_written_without_copies_of_pages() {
        let author = Author::User { id: "bo".parse().unwrap(), name: "Bo".into() };
        let message = Message::new("terminal:default".parse().unwrap(), "e1", author, "hello");
        let mut batch = Batch::default();
        insert(&mut batch, 1, &message, true, false);
        crate::explained::assert_cheap(batch.sql().as_str()).await;
    }
}
