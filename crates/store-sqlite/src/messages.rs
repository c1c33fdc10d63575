//! The inbox and the history.

use std::sync::Arc;

use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName, Timestamp};
use greenroom_store::{Accepted, ChannelEntry, Embedded, NewMessage, NewTurn, SESSION_GAP};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    sessions::touch,
    turns::{self, Planned},
    values::{column, parsed},
};

/// The columns of a message `m` whose channel is known, in the order [`message_in`] reads them.
macro_rules! said_columns {
    () => {
        "m.id, m.event_id, m.author, m.author_id, m.author_name, m.text, m.at, m.turn_id"
    };
}
pub(crate) use said_columns;

/// How many they are.
pub(crate) const SAID_COLUMNS: usize = 8;

/// The columns of a message `m` in the channel `c`, in the order [`message`] reads them.
macro_rules! message_columns {
    () => {
        concat!($crate::messages::said_columns!(), ", c.key")
    };
}
pub(crate) use message_columns;

/// How many columns a message has: what a statement adds to them begins here.
pub(crate) const MESSAGE_COLUMNS: usize = SAID_COLUMNS + 1;

/// The message of a row that begins with `message_columns!()`.
pub(crate) fn message(row: &SqliteRow) -> Result<Message, Fault> {
    message_in(&parsed(column(row, SAID_COLUMNS)?)?, row)
}

/// The message of a row that begins with `said_columns!()`.
pub(crate) fn message_in(channel: &ChannelKey, row: &SqliteRow) -> Result<Message, Fault> {
    let author_id: &str = column(row, 3)?;
    let author = match column(row, 2)? {
        "persona" => Author::Persona { name: parsed(author_id)? },
        _ => Author::User { id: parsed(author_id)?, name: column(row, 4)? },
    };
    let turn: Option<&str> = column(row, 7)?;
    Ok(Message {
        id: MessageId(column(row, 0)?),
        channel: channel.clone(),
        event_id: column(row, 1)?,
        author,
        text: column(row, 5)?,
        at: Timestamp(column(row, 6)?),
        turn_id: turn.map(parsed).transpose()?,
    })
}

/// Writes a message unless it is known. The one row is whether it was new, its id, and where the journal ends.
/// (RETURNING would cost a table of its own.)
macro_rules! accept {
    () => {
        "INSERT OR IGNORE INTO channels (key, provider, chat_id, thread) VALUES ($1, $2, $3, $4);
         INSERT INTO messages (channel_id, id, unhandled, event_id, author, author_id, author_name, text, at)
         SELECT c.id, i.last + 1, $5, $6, $7, $8, $9, $10, $11
         FROM channels c, message_ids i WHERE c.key = $1
         ON CONFLICT (channel_id, event_id) DO NOTHING;
         SELECT changes(), last, (SELECT max(seq) FROM changes) FROM message_ids"
    };
}

/// See [`greenroom_store::Store::accept`] and [`greenroom_store::Store::accept_planned`].
///
/// One call whatever it finds: each statement does something only where the one before it did.
pub(crate) async fn accept(
    conn: &mut SqliteConnection,
    new: &NewMessage,
    planned: Option<(&[NewTurn], Option<&Embedded>)>,
) -> Result<Received, Fault> {
    let (turns, vector) = planned.unwrap_or_default();
    let first = turns.first();
    let (statements, author, author_id) = match (&new.author, first) {
        (Author::User { id, .. }, None) => (concat!(accept!(), ";", touch!()), "user", id.as_str()),
        (Author::User { id, .. }, Some(_)) => {
            (concat!(accept!(), ";", touch!(), ";", turns::answer!()), "user", id.as_str())
        }
        (Author::Persona { name }, None) => (accept!(), "persona", name.as_str()),
        (Author::Persona { .. }, Some(_)) => {
            return Err(Fault::state("what a persona said is answered by nobody".into()));
        }
    };
    let query = sqlx::query(statements)
        .bind(new.channel.as_str())
        .bind(new.channel.provider())
        .bind(new.channel.chat_id())
        .bind(new.channel.thread())
        .bind(planned.is_none())
        .bind(new.event_id.as_str())
        .bind(author)
        .bind(author_id)
        .bind(new.author.name())
        .bind(new.text.as_str())
        .bind(new.at.0)
        .bind(new.at.before(SESSION_GAP).0);
    let query = match first {
        Some(turn) => turns::answering(query, turn, vector),
        None => query,
    };
    // all rows: who takes the first alone leaves the statements behind it undone
    let rows = query.fetch_all(&mut *conn).await?;
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    if !column::<bool>(row, 0)? {
        let message = Arc::new(known(conn, new).await?);
        return Ok(Received { message, duplicate: true, end: 0, planned: None });
    }
    let message = Arc::new(Message {
        id: MessageId(column(row, 1)?),
        channel: new.channel.clone(),
        event_id: new.event_id.clone(),
        author: new.author.clone(),
        text: new.text.clone(),
        at: new.at,
        turn_id: None,
    });
    let end = column(row, 2)?;
    let planned = match rows.get(1..) {
        Some(answer @ [_, ..]) => Some(turns::answered(conn, &message, turns, answer).await?),
        _ => None,
    };
    Ok(Received { message, duplicate: false, end, planned })
}

/// A message that was accepted.
pub(crate) struct Received {
    pub(crate) message: Arc<Message>,
    pub(crate) duplicate: bool,
    /// Where the journal ended after it, where it was new.
    pub(crate) end: i64,
    /// What was planned with it.
    pub(crate) planned: Option<Planned>,
}

impl From<Received> for Accepted {
    fn from(received: Received) -> Self {
        Self { message: Arc::unwrap_or_clone(received.message), duplicate: received.duplicate }
    }
}

/// The message that was stored for an event before.
async fn known(conn: &mut SqliteConnection, new: &NewMessage) -> Result<Message, Fault> {
    let row = sqlx::query(concat!(
        "SELECT ",
        message_columns!(),
        " FROM channels c JOIN messages m ON m.channel_id = c.id WHERE c.key = ? AND m.event_id = ?"
    ))
    .bind(new.channel.as_str())
    .bind(new.event_id.as_str())
    .fetch_one(conn)
    .await?;
    message(&row)
}

/// The row of a channel, made on first sight.
pub(crate) async fn channel_id(conn: &mut SqliteConnection, channel: &ChannelKey) -> Result<i64, Fault> {
    let known = sqlx::query_scalar("SELECT id FROM channels WHERE key = ?")
        .bind(channel.as_str())
        .fetch_optional(&mut *conn)
        .await?;
    if let Some(id) = known {
        return Ok(id);
    }
    let made = sqlx::query_scalar(
        "INSERT INTO channels (key, provider, chat_id, thread) VALUES (?, ?, ?, ?) RETURNING id",
    )
    .bind(channel.as_str())
    .bind(channel.provider())
    .bind(channel.chat_id())
    .bind(channel.thread())
    .fetch_one(conn)
    .await?;
    Ok(made)
}

/// See [`greenroom_store::Store::history`].
pub(crate) async fn history(
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

/// See [`greenroom_store::Store::page`].
pub(crate) async fn page(
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

/// See [`greenroom_store::Store::message`].
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

/// See [`greenroom_store::Store::channels`].
pub(crate) async fn channels(
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

/// See [`greenroom_store::Store::context_start`].
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

/// See [`greenroom_store::Store::reset_context`]. A late reset never brings back what an earlier
/// one put aside.
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
