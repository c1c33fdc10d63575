//! The inbox: people's messages, and the plan that determines which personas answer each.
//!
//! A message is stored once, before anything acts on it; a repeated event is reported as a duplicate (GR6). A message's
//! plan determines which personas hear it and which answer it. The plan is stored with the message or later. After a
//! crash, unfinished work is found here (S1).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, MessageId, Timestamp};

use crate::{Accepted, Plan, Result, StoredDecision, Unfinished};

/// Messages from people, and the plan for each.
#[async_trait]
pub trait InboxStore: Send + Sync {
    /// Stores a message before anything acts on it. If the `(channel, event_id)` is already stored, changes nothing and
    /// reports a duplicate (GR6). Extends the session of the author, or opens another if the last one ended
    /// [`SESSION_GAP`](crate::SESSION_GAP) ago (AS5, JV1).
    async fn accept(&self, message: Message) -> Result<Accepted>;

    /// Stores a message together with its plan: [`accept`](Self::accept) and [`plan_turns`](Self::plan_turns) in one
    /// transaction. The plan of a duplicate is ignored. A plan with turns is refused for a message whose author is a
    /// persona.
    async fn accept_planned(&self, message: Message, plan: Plan) -> Result<Accepted>;

    /// Applies the plan of a stored message: who hears it, and one turn for each persona that answers. From then on the
    /// message no longer counts as unhandled. If the vector is refused as by
    /// [`VectorStore::put_vectors`](crate::VectorStore::put_vectors), nothing is stored.
    async fn plan_turns(&self, message: MessageId, plan: Plan) -> Result<()>;

    /// Excludes a message and the replies to it from later summaries (BD6). Does nothing if the message no longer
    /// exists.
    async fn set_aside(&self, message: MessageId) -> Result<()>;

    /// Messages without a plan, and turns that are waiting or running: the work that a start after a crash has to deal
    /// with (S1). With `chat`, only those of that chat with all its threads.
    async fn unfinished(&self, chat: Option<&ChannelKey>) -> Result<Vec<Unfinished>>;

    /// Stores why personas answer a message or not, as decided after the message `after`. Replaces the decision for the
    /// same two messages. Does nothing if the message no longer exists.
    async fn note_decision(&self, message: MessageId, after: MessageId, decision: &str) -> Result<()>;

    /// Why personas answered a message or not, in the order of the decisions.
    async fn decisions(&self, message: MessageId) -> Result<Vec<StoredDecision>>;

    /// Ends every unfinished turn of a channel as interrupted, and marks its unhandled messages as handled. Replies
    /// stay unhandled, because who answers them is still to be decided (RM4). Messages of chat platforms stay unhandled
    /// too, because their authors still wait (see [`unanswered_since`](Self::unanswered_since)). Returns what it found. Only the owner of the
    /// channel may call this.
    async fn close_unfinished(&self, channel: &ChannelKey, at: Timestamp) -> Result<Vec<Unfinished>>;

    /// People's messages on chat platforms since a time that a crash left unanswered (AD1): each message whose last
    /// turn of a persona was interrupted, with that turn, and each unhandled message. The result is read from stored
    /// rows, so that a second crash before the answers begin loses none of them.
    async fn unanswered_since(&self, since: Timestamp) -> Result<Vec<Unfinished>>;
}
