//! The inbox: a message is stored once, and most often with the turns that answer it.

use std::sync::Arc;

use greenroom_core::{Author, Message, MessageId};
use greenroom_store::{Accepted, Embedded, NewTurn, Plan, SESSION_GAP, StoreError};
use sqlx::SqliteConnection;

use crate::{
    SqliteStore,
    error::Fault,
    messages::{MESSAGE_COLUMNS, channel_id, message, message_columns},
    plans::{self, Planned, Trigger},
    sessions::touch,
    values::column,
    vectors::{self, put_vector},
};

/// The message that is stored for an event, the channel as far as it is known, and the next id: one row.
/// Whether an event is new is read here, from its own row, and decided in Rust. The writer holds the lock, so
/// it is still true when the message is written.
const KNOWN: &str = concat!(
    "SELECT ",
    message_columns!(),
    ", c.id, ids.last + 1 FROM message_ids ids LEFT JOIN channels c ON c.key = $1
     LEFT JOIN messages m ON m.channel_id = c.id AND m.event_id = $2 AND m.turn_id IS NULL"
);

/// Writes a message that is new; the row says where the journal ends. (OR FAIL: a failure undoes the whole
/// transaction, so SQLite need not keep copies of pages to undo the statement alone.)
macro_rules! write {
    ($session:expr) => {
        concat!(
            "INSERT OR FAIL INTO messages
                 (channel_id, id, unhandled, event_id, author, author_id, author_name, text, at, reply_to)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);",
            $session,
            "SELECT max(seq) FROM changes"
        )
    };
}

/// What a persona said.
const SAID: &str = write!("");
/// What a person said.
const HEARD: &str = write!(touch!());

/// The same, embedded and answered: with its vector and the first turn, which is what most messages come with.
const ANSWERED: &str = concat!(
    write!(touch!()),
    ";",
    put_vector!("$2", "$14", "$15", "$16"),
    ";",
    plans::add_turn!("$1", "$2", "$17", "$18, $19, $20, $21")
);

/// A message to be accepted, with what is settled of it, if it is.
pub(crate) struct Receiving {
    pub(crate) message: Message,
    pub(crate) plan: Option<Plan>,
}

/// See [`greenroom_store::InboxStore::accept`] and [`greenroom_store::InboxStore::accept_planned`].
pub(crate) async fn receive(store: &SqliteStore, receiving: Receiving) -> Result<Accepted, StoreError> {
    if matches!(receiving.message.author, Author::Persona { .. }) && !receiving.turns().is_empty() {
        return Err(StoreError::Invalid("what a persona said is answered by nobody".into()));
    }
    let received = store.write_noting(
        receiving,
        |conn, receiving| Box::pin(accept(conn, receiving)),
        |held, receiving, received| held.received(received, receiving.vector()),
    );
    let received = received.await?;
    Ok(Accepted { message: Arc::unwrap_or_clone(received.message), duplicate: received.duplicate })
}

async fn accept(conn: &mut SqliteConnection, receiving: &Receiving) -> Result<Received, Fault> {
    let new = &receiving.message;
    let row = sqlx::query(KNOWN)
        .bind(new.channel.as_str())
        .bind(new.event_id.as_str())
        .fetch_one(&mut *conn)
        .await?;
    if column::<Option<i64>>(&row, 0)?.is_some() {
        let message = Arc::new(message(&row)?);
        return Ok(Received { message, duplicate: true, end: 0, planned: None });
    }
    let channel = match column(&row, MESSAGE_COLUMNS)? {
        Some(known) => known,
        None => channel_id(conn, &new.channel).await?,
    };
    let id = MessageId(column(&row, MESSAGE_COLUMNS + 1)?);
    receiving.write(conn, id, channel).await
}

impl Receiving {
    fn turns(&self) -> &[NewTurn] {
        self.plan.as_ref().map_or(&[], |plan| &plan.turns)
    }

    fn vector(&self) -> Option<&Embedded> {
        self.plan.as_ref().and_then(|plan| plan.vector.as_ref())
    }

    /// Writes the message, which is new, under this id, with all that is settled of it.
    async fn write(
        &self,
        conn: &mut SqliteConnection,
        id: MessageId,
        channel: i64,
    ) -> Result<Received, Fault> {
        let new = &self.message;
        let trigger = Trigger { id, channel, key: &new.channel };
        // what a persona said has no turns
        let answered = self.plan.as_ref().and_then(|plan| {
            let (first, left) = plan.turns.split_first()?;
            Some((plan, plan.vector.as_ref()?, first, left))
        });
        let (sql, author, author_id) = match &new.author {
            Author::User { id, .. } if answered.is_some() => (ANSWERED, "user", id.as_str()),
            Author::User { id, .. } => (HEARD, "user", id.as_str()),
            Author::Persona { name } => (SAID, "persona", name.as_str()),
        };
        let mut query = sqlx::query(sql)
            .bind(channel)
            .bind(id.0)
            .bind(self.plan.is_none())
            .bind(new.event_id.as_str())
            .bind(author)
            .bind(author_id)
            .bind(new.author.name())
            .bind(new.text.as_str())
            .bind(new.at.0)
            .bind(new.reply_to.as_deref());
        if matches!(new.author, Author::User { .. }) {
            query = query
                .bind(new.channel.provider())
                .bind(new.channel.chat_id())
                .bind(new.at.before(SESSION_GAP).0);
        }
        if let Some((_, vector, first, _)) = answered {
            query = plans::adding(vectors::putting(query, vector), first);
        }
        let rows = query.fetch_all(&mut *conn).await?;
        let row = |n: usize| rows.get(n).ok_or(sqlx::Error::RowNotFound);
        let end = column(row(0)?, 0)?;
        let planned = match (answered, &self.plan) {
            (Some((plan, _, _, left)), _) => {
                let mut done = Planned { embedded: column(row(1)?, 0)?, end, moved: false };
                done.added(row(2)?)?;
                plans::settle_rest(conn, &trigger, plan, left, &mut done).await?;
                Some(done)
            }
            (None, Some(plan)) => Some(plans::settle(conn, &trigger, plan, end).await?),
            (None, None) => None,
        };
        let message = Arc::new(Message { id, ..new.clone() });
        Ok(Received { message, duplicate: false, end, planned })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_message_is_written_without_copies_of_pages() {
        for sql in [SAID, HEARD, ANSWERED] {
            crate::explained::assert_cheap(sql).await;
        }
    }

    /// Asked with every message: it must not grow with what was said in the channel.
    #[tokio::test]
    async fn gr6_a_repeat_is_looked_up_by_its_event() {
        let steps = crate::explained::plan(KNOWN).await;
        let found = "SEARCH m USING INDEX messages_by_event (channel_id=? AND event_id=?) LEFT-JOIN";
        assert!(steps.iter().any(|step| step == found), "{steps:#?}");
    }
}
