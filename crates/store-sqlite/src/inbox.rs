//! The inbox: stores each message once, usually together with the turns that answer it.

use std::collections::HashSet;

use async_trait::async_trait;
use greenroom_core::{Author, ChannelKey, Message, MessageId, Timestamp};
use greenroom_store::{
    Accepted, InboxStore, ItemId, Plan, Result, SESSION_GAP, StoreError, StoredDecision, Unfinished,
    rules::vectors::{checked_new, checked_with},
};
use sqlx::SqliteConnection;

use crate::{
    SqliteStore,
    batch::{self, Batch},
    erasures::{self, newest_erasure},
    error::Fault,
    groups,
    messages::{self, MESSAGE_COLUMNS, channel_id, message, message_columns},
    plans::{self, Trigger},
    rooms, sessions, summaries, unfinished,
    values::column,
    vectors,
};

#[async_trait]
impl InboxStore for SqliteStore {
    async fn accept(&self, message: Message) -> Result<Accepted> {
        self.write(message, |conn, message| Box::pin(accept(conn, message, None))).await
    }

    async fn accept_planned(&self, message: Message, mut plan: Plan) -> Result<Accepted> {
        if matches!(message.author, Author::Persona { .. }) && !plan.turns.is_empty() {
            return Err(StoreError::Invalid("what a persona said is answered by nobody".into()));
        }
        plan.vector = plan.vector.map(checked_new).transpose()?;
        self.write((message, plan), |conn, (message, plan)| Box::pin(accept(conn, message, Some(plan)))).await
    }

    async fn plan_turns(&self, message: MessageId, mut plan: Plan) -> Result<()> {
        let checked = |new| checked_with(ItemId::Message(message), new);
        plan.vector = plan.vector.map(checked).transpose()?;
        self.write((message, plan), |conn, (message, plan)| Box::pin(plans::plan(conn, *message, plan))).await
    }

    async fn set_aside(&self, message: MessageId) -> Result<()> {
        self.write(message, |conn, message| Box::pin(summaries::set_aside(conn, *message))).await
    }

    async fn note_decision(&self, message: MessageId, after: MessageId, decision: &str) -> Result<()> {
        self.write((message, after, decision.to_owned()), |conn, (message, after, decision)| {
            Box::pin(async move {
                let mut batch = Batch::default();
                rooms::note(&mut batch, *message, *after, decision);
                batch::run(conn, batch).await
            })
        })
        .await
    }

    async fn decisions(&self, message: MessageId) -> Result<Vec<StoredDecision>> {
        self.with_store_error(rooms::decisions(&mut *self.reader().await?, message).await)
    }

    async fn unfinished(&self, chat: Option<&ChannelKey>) -> Result<Vec<Unfinished>> {
        self.with_store_error(unfinished::unfinished(&mut *self.reader().await?, chat).await)
    }

    async fn close_unfinished(&self, channel: &ChannelKey, at: Timestamp) -> Result<Vec<Unfinished>> {
        let closing = (channel.clone(), at);
        self.write(closing, |conn, (channel, at)| Box::pin(unfinished::close_unfinished(conn, channel, *at)))
            .await
    }

    async fn unanswered_since(&self, since: Timestamp) -> Result<Vec<Unfinished>> {
        self.with_store_error(unfinished::unanswered_since(&mut *self.reader().await?, since).await)
    }
}

/// The state before a message is written, in one row: the message of the same event, the channel, the next id, the
/// newest erasure, the author's current session, the space of its vector, whether the channel is a group, and whether
/// another person has spoken in its chat. The last is looked up in the index of sessions, before and after the author.
/// Whether the event is new is read here and decided in Rust (GR6): the writer has the lock, so it is still true when
/// the message is written.
const BEFORE: &str = concat!(
    "SELECT ",
    message_columns!(),
    ", c.id, ids.last + 1, ",
    newest_erasure!(),
    ",
         (SELECT id FROM (SELECT id, last_at FROM sessions WHERE provider = ?3 AND chat_id = ?4 AND user_id = ?5
             ORDER BY last_at DESC, id DESC LIMIT 1) WHERE last_at >= ?6),
         (SELECT id FROM spaces WHERE model = ?7 AND dimension = ?8),
         c.group_since IS NOT NULL,
         EXISTS (SELECT 1 FROM sessions WHERE provider = ?3 AND chat_id = ?4 AND user_id < ?5)
             OR EXISTS (SELECT 1 FROM sessions WHERE provider = ?3 AND chat_id = ?4 AND user_id > ?5)
     FROM message_ids ids LEFT JOIN channels c ON c.key = ?1
     LEFT JOIN messages m ON m.channel_id = c.id AND m.event_id = ?2 AND m.turn_id IS NULL"
);

/// See [`InboxStore::accept`] and [`InboxStore::accept_planned`].
async fn accept(conn: &mut SqliteConnection, new: &Message, plan: Option<&Plan>) -> Result<Accepted, Fault> {
    let user = match &new.author {
        Author::User { id, .. } => Some(id),
        Author::Persona { .. } => None,
    };
    let vector = plan.and_then(|plan| plan.vector.as_ref());
    let (model, dimension) = plans::space(vector);
    let row = sqlx::query(BEFORE)
        .bind(new.channel.as_str())
        .bind(new.event_id.as_str())
        .bind(new.channel.provider())
        .bind(new.channel.chat_id())
        .bind(user.map(|user| user.as_str()))
        .bind(new.at.before(SESSION_GAP).0)
        .bind(model)
        .bind(dimension)
        .fetch_one(&mut *conn)
        .await?;
    let erased = column(&row, MESSAGE_COLUMNS + 2)?;
    let known_as_group: bool = column(&row, MESSAGE_COLUMNS + 5)?;
    if column::<Option<i64>>(&row, 0)?.is_some() {
        return Ok(Accepted { message: message(&row)?, duplicate: true, erased, group: known_as_group });
    }
    let (channel, known_as_group) = match column(&row, MESSAGE_COLUMNS)? {
        Some(known) => (known, known_as_group),
        None => {
            // a new thread belongs to a chat, which may already be a group
            let made = channel_id(conn, &new.channel).await?;
            (made, groups::is_marked(conn, made).await?)
        }
    };
    let message = Message { id: MessageId(column(&row, MESSAGE_COLUMNS + 1)?), turn_id: None, ..new.clone() };
    let without_memory = plan.is_some_and(|plan| plan.without_memory);
    let space = vectors::space_of(conn, column(&row, MESSAGE_COLUMNS + 4)?, vector).await?;
    let mut batch = Batch::default();
    let unhandled = plan.is_none_or(|plan| plan.undecided);
    messages::insert(&mut batch, channel, &message, unhandled, without_memory);
    let others: bool = column(&row, MESSAGE_COLUMNS + 6)?;
    let group = known_as_group || others || plan.is_some_and(|plan| plan.group);
    if let Some(user) = user {
        let running: Option<i64> = column(&row, MESSAGE_COLUMNS + 3)?;
        sessions::prolong(&mut batch, running, &new.channel, user, new.at);
    }
    let becomes_group = group && !known_as_group;
    if becomes_group {
        groups::mark(&mut batch, channel, message.id);
    }
    if let Some(plan) = plan {
        let trigger = Trigger { id: message.id, channel, space, answering: HashSet::new() };
        plans::settle(&mut batch, trigger, plan)?;
    }
    batch::run(&mut *conn, batch).await?;
    // the new erasure must reach followers: private items may no longer be shown there
    let erased = if becomes_group { erasures::newest(conn).await? } else { erased };
    Ok(Accepted { message, duplicate: false, erased, group })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This query runs for every message, so its cost must not grow with the number of messages of the channel.
    #[tokio::test]
    async fn gr6_a_repeat_is_looked_up_by_its_event() {
        let steps = crate::explained::plan(BEFORE).await;
        let found = "SEARCH m USING INDEX messages_by_event (channel_id=? AND event_id=?) LEFT-JOIN";
        assert!(steps.iter().any(|step| step == found), "{steps:#?}");
    }

    /// Its cost must not grow with the number of a person's sessions either.
    #[tokio::test]
    async fn mp1_another_person_is_looked_up_beside_the_author() {
        let steps = crate::explained::plan(BEFORE).await;
        let index =
            "SEARCH sessions USING COVERING INDEX sessions_by_person (provider=? AND chat_id=? AND user_id";
        for beside in ["<?)", ">?)"] {
            assert!(steps.contains(&format!("{index}{beside}")), "{steps:#?}");
        }
    }
}
