//! The inbox: a message is stored once, and most often with the turns that answer it.

use std::sync::{Arc, LazyLock};

use greenroom_core::{Author, Message, MessageId};
use greenroom_store::{Accepted, Embedded, NewMessage, NewTurn, Plan, SESSION_GAP, StoreError};
use sqlx::{
    Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{
    SqliteStore,
    error::Fault,
    messages::{message, message_columns},
    plans::{self, Planned},
    sessions::touch,
    together::Together,
    values::column,
    words,
};

/// Writes a message unless it is known. The one row is whether it was new, its id, and where the journal ends.
/// (RETURNING would cost a table of its own.)
macro_rules! accept {
    () => {
        "INSERT OR IGNORE INTO channels (key, provider, chat_id, thread) VALUES ($1, $2, $3, $4);
         INSERT OR IGNORE INTO messages
             (channel_id, id, unhandled, event_id, author, author_id, author_name, text, at)
         VALUES ((SELECT id FROM channels WHERE key = $1), (SELECT last + 1 FROM message_ids),
             $5, $6, $7, $8, $9, $10, $11);
         UPDATE message_ids SET fresh = changes();
         SELECT fresh, last, (SELECT max(seq) FROM changes) FROM message_ids"
    };
}

static ACCEPT: LazyLock<Together> = LazyLock::new(|| Together::of(accept!()));
static HEAR: LazyLock<Together> = LazyLock::new(|| Together::of(concat!(accept!(), ";", touch!())));
static HEAR_AND_ANSWER: LazyLock<Together> =
    LazyLock::new(|| Together::of(concat!(accept!(), ";", touch!(), ";", plans::answer!())));

/// A message to be accepted, with what is settled of it, if it is.
pub(crate) struct Receiving {
    pub(crate) message: NewMessage,
    pub(crate) plan: Option<Plan>,
}

/// See [`greenroom_store::Store::accept`] and [`greenroom_store::Store::accept_planned`].
pub(crate) async fn receive(store: &SqliteStore, receiving: Receiving) -> Result<Accepted, StoreError> {
    if matches!(receiving.message.author, Author::Persona { .. }) && !receiving.turns().is_empty() {
        return Err(StoreError::State("what a persona said is answered by nobody".into()));
    }
    let received = store.writer.write_together(
        receiving,
        |conn, receiving| Box::pin(accept(conn, receiving)),
        |held, receiving, received| held.received(received, receiving.vector()),
    );
    let received = received.await?;
    Ok(Accepted { message: Arc::unwrap_or_clone(received.message), duplicate: received.duplicate })
}

/// Accepts messages one after the other, those of a kind in one call: whatever it finds, each statement does
/// something only where the one before it did.
async fn accept(conn: &mut SqliteConnection, receiving: &[Receiving]) -> Result<Vec<Received>, Fault> {
    let mut received = Vec::with_capacity(receiving.len());
    for alike in receiving.chunk_by(Receiving::is_like) {
        let Some(kind) = alike.first().map(Receiving::kind) else { continue };
        for (sql, these) in kind.calls(alike) {
            let query = these.iter().fold(sqlx::query(sql), |query, one| one.bound(query));
            let rows = query.fetch_all(&mut *conn).await?;
            let each = rows.chunks((rows.len() / these.len()).max(1));
            for (one, rows) in these.iter().zip(each) {
                received.push(one.received(conn, rows).await?);
            }
        }
    }
    words::keep_up(conn, received.iter().map(|received| received.message.id)).await?;
    Ok(received)
}

impl Receiving {
    fn turns(&self) -> &[NewTurn] {
        self.plan.as_ref().map_or(&[], |plan| &plan.turns)
    }

    fn vector(&self) -> Option<&Embedded> {
        self.plan.as_ref().and_then(|plan| plan.vector.as_ref())
    }

    fn kind(&self) -> &'static Together {
        match (&self.message.author, self.turns()) {
            (Author::Persona { .. }, _) => &ACCEPT,
            (Author::User { .. }, []) => &HEAR,
            (Author::User { .. }, [_, ..]) => &HEAR_AND_ANSWER,
        }
    }

    /// Whether two are written by the same statements. Turns behind the first, whoever else comes or goes, and that
    /// it is set aside have statements of their own, and no other message may come before those.
    fn is_like(&self, other: &Self) -> bool {
        let plain = |one: &Self| one.plan.as_ref().is_none_or(is_plain);
        plain(self) && plain(other) && std::ptr::eq(self.kind(), other.kind())
    }

    fn bound<'a>(&'a self, query: Query<'a, Sqlite, SqliteArguments>) -> Query<'a, Sqlite, SqliteArguments> {
        let new = &self.message;
        let (author, author_id) = match &new.author {
            Author::User { id, .. } => ("user", id.as_str()),
            Author::Persona { name } => ("persona", name.as_str()),
        };
        let query = query
            .bind(new.channel.as_str())
            .bind(new.channel.provider())
            .bind(new.channel.chat_id())
            .bind(new.channel.thread())
            .bind(self.plan.is_none())
            .bind(new.event_id.as_str())
            .bind(author)
            .bind(author_id)
            .bind(new.author.name())
            .bind(new.text.as_str())
            .bind(new.at.0);
        let query = match new.author {
            Author::User { .. } => query.bind(new.at.before(SESSION_GAP).0),
            Author::Persona { .. } => query,
        };
        match self.turns().first() {
            Some(turn) => plans::answering(query, turn, self.vector()),
            None => query,
        }
    }

    /// What the rows of one say.
    async fn received(&self, conn: &mut SqliteConnection, rows: &[SqliteRow]) -> Result<Received, Fault> {
        let new = &self.message;
        let (row, answer) = rows.split_first().ok_or(sqlx::Error::RowNotFound)?;
        if !column::<bool>(row, 0)? {
            let message = Arc::new(known(conn, new).await?);
            return Ok(Received { message, duplicate: true, end: 0, planned: None, moved: false });
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
        let embedded = self.vector().is_some();
        let planned = match answer.first() {
            None => None,
            Some(row) => Some(plans::answered(conn, &message, self.turns(), embedded, row).await?),
        };
        let moved = match &self.plan {
            Some(plan) => plans::settle_beside(conn, message.id, &message.channel, plan).await?,
            None => false,
        };
        Ok(Received { message, duplicate: false, end: column(row, 2)?, planned, moved })
    }
}

/// Whether a plan is at most one turn.
fn is_plain(plan: &Plan) -> bool {
    let Plan { turns, vector: _, come, gone, aside } = plan;
    turns.len() < 2 && come.is_empty() && gone.is_empty() && !aside
}

/// A message that was accepted.
pub(crate) struct Received {
    pub(crate) message: Arc<Message>,
    pub(crate) duplicate: bool,
    /// Where the journal ended after it, where it was new.
    pub(crate) end: i64,
    /// What was planned with it.
    pub(crate) planned: Option<Planned>,
    /// Whether somebody came or went with it who does not answer.
    pub(crate) moved: bool,
}

/// The message that was stored for an event before.
async fn known(conn: &mut SqliteConnection, new: &NewMessage) -> Result<Message, Fault> {
    let row = sqlx::query(concat!(
        "SELECT ",
        message_columns!(),
        " FROM channels c JOIN messages m ON m.channel_id = c.id WHERE c.key = ? AND m.event_id = ?
         AND m.turn_id IS NULL"
    ))
    .bind(new.channel.as_str())
    .bind(new.event_id.as_str())
    .fetch_one(conn)
    .await?;
    message(&row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_message_is_written_without_copies_of_pages() {
        for kind in [&ACCEPT, &HEAR, &HEAR_AND_ANSWER] {
            crate::explained::assert_cheap(kind).await;
        }
    }
}
