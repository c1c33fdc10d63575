//! The inbox and the history.

use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName, Timestamp};
use greenroom_store::{Accepted, ChannelEntry, NewMessage, SESSION_GAP};
use sqlx::{
    Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{
    error::Fault,
    sessions::touch,
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

/// See [`greenroom_store::Store::accept`]. With where the journal ends after a message that was new.
pub(crate) async fn accept(conn: &mut SqliteConnection, new: &NewMessage) -> Result<(Accepted, i64), Fault> {
    let known = sqlx::query(concat!(
        "SELECT ",
        message_columns!(),
        ", c.id FROM channels c LEFT JOIN messages m ON m.channel_id = c.id AND m.event_id = ?2 WHERE c.key = ?1"
    ))
    .bind(new.channel.as_str())
    .bind(new.event_id.as_str())
    .fetch_optional(&mut *conn)
    .await?;
    let channel = match &known {
        Some(row) if column::<Option<i64>>(row, 0)?.is_some() => {
            return Ok((Accepted { message: message(row)?, duplicate: true }, 0));
        }
        Some(row) => column(row, MESSAGE_COLUMNS)?,
        None => channel_id(conn, &new.channel).await?,
    };
    let mut message = Message {
        id: MessageId(0),
        channel: new.channel.clone(),
        event_id: new.event_id.clone(),
        author: new.author.clone(),
        text: new.text.clone(),
        at: new.at,
        turn_id: None,
    };
    // all rows: who takes the first alone leaves the statements behind it undone
    let rows = match &message.author {
        Author::User { .. } => {
            let statement = concat!(insert_message!(""), ";", touch!("?6", "?10", "?11", "?9", "?12"));
            inserting(statement, channel, &message, true)
                .bind(message.channel.provider().to_owned())
                .bind(message.channel.chat_id().to_owned())
                .bind(message.at.before(SESSION_GAP).0)
                .fetch_all(conn)
                .await?
        }
        Author::Persona { .. } => {
            inserting(insert_message!(""), channel, &message, true).fetch_all(conn).await?
        }
    };
    let (id, end) = inserted(rows.first())?;
    message.id = id;
    Ok((Accepted { message, duplicate: false }, end))
}

/// Writes the message that [`inserting`] binds to ?1 to ?9, and then `$then`; the one row is its id and where
/// the journal ends. (RETURNING would cost a table of its own.)
macro_rules! insert_message {
    ($then:expr) => {
        concat!(
            "INSERT INTO messages
                 (channel_id, id, turn_id, unhandled, event_id, author, author_id, author_name, text, at)
             VALUES (?1, (SELECT last + 1 FROM message_ids), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);",
            $then,
            "SELECT last, (SELECT max(seq) FROM changes) FROM message_ids"
        )
    };
}
pub(crate) use insert_message;

/// Statements that begin with `insert_message!()`; the id the message carries is not looked at. The channel
/// is ?1, the turn ?2; the next parameter is ?10. The numbers that the statements behind it leave out must
/// not be more than there are parameters: sqlx binds something to each of those, too, and then nothing more.
pub(crate) fn inserting(
    sql: &'static str,
    channel: i64,
    message: &Message,
    unhandled: bool,
) -> Query<'static, Sqlite, SqliteArguments> {
    let (author, author_id) = match &message.author {
        Author::User { id, .. } => ("user", id.as_str()),
        Author::Persona { name } => ("persona", name.as_str()),
    };
    sqlx::query(sql)
        .bind(channel)
        .bind(message.turn_id.map(|turn| turn.to_string()))
        .bind(unhandled)
        .bind(message.event_id.clone())
        .bind(author)
        .bind(author_id.to_owned())
        .bind(message.author.name().to_owned())
        .bind(message.text.clone())
        .bind(message.at.0)
}

/// The id of the message that was written, and where the journal ends.
pub(crate) fn inserted(row: Option<&SqliteRow>) -> Result<(MessageId, i64), Fault> {
    let row = row.ok_or(sqlx::Error::RowNotFound)?;
    Ok((MessageId(column(row, 0)?), column(row, 1)?))
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
