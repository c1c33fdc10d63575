//! The inbox: what people said, and who is to answer it.
//!
//! A message is stored before anything acts on it, and once: the same event again is told as a repeat (GR6). Who hears
//! it and who answers it is its plan, settled with the message or later. What a crash leaves half done is found here
//! (S1).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, MessageId, Timestamp};

use crate::{Accepted, Plan, Result, StoredDecision, Unfinished};

/// Messages from people, and the plan for each.
#[async_trait]
pub trait InboxStore: Send + Sync {
    /// Stores a message before anything acts on it. The same `(channel, event_id)` again changes
    /// nothing and says so (GR6). The session of its author is prolonged with it, or another opened
    /// when the last ended [`SESSION_GAP`](crate::SESSION_GAP) ago (AS5, JV1).
    async fn accept(&self, message: Message) -> Result<Accepted>;

    /// Stores a message and settles in the same moment who hears and who answers it: [`accept`](Self::accept) and then
    /// [`plan_turns`](Self::plan_turns). Where the message is known nothing is settled. What a persona said is answered by
    /// nobody.
    async fn accept_planned(&self, message: Message, plan: Plan) -> Result<Accepted>;

    /// Settles who hears an accepted message, and who answers it: one turn for each, or none. From here on
    /// the message no longer counts as unhandled. A vector that must not be stored is refused as by
    /// [`VectorStore::put_vectors`](crate::VectorStore::put_vectors), and nothing is settled then.
    async fn plan_turns(&self, message: MessageId, plan: Plan) -> Result<()>;

    /// Keeps a message and the replies to it out of summaries from now on (BD6). Of one that is gone nothing is kept.
    async fn set_aside(&self, message: MessageId) -> Result<()>;

    /// Messages accepted but never settled, and turns waiting or running: what a start after a
    /// crash has to deal with (S1). Where a channel is given, only those of its chat, all its threads.
    async fn unfinished(&self, chat: Option<&ChannelKey>) -> Result<Vec<Unfinished>>;

    /// Notes why personas answer a message or do not, as it stood after another one, in place of what was noted for
    /// the two. Nothing where the message is gone.
    async fn note_decision(&self, message: MessageId, after: MessageId, decision: &str) -> Result<()>;

    /// Why personas answered a message or did not, in the order in which it was decided.
    async fn decisions(&self, message: MessageId) -> Result<Vec<StoredDecision>>;

    /// Ends every unfinished turn of a channel as interrupted and settles its unhandled messages. Replies stay unhandled,
    /// since who answers them is still to be decided (RM4), and so do messages of chat platforms, whose authors still wait
    /// (see [`owed`](Self::owed)). Returns what it found. Only the owner of the channel may call it.
    async fn close_unfinished(&self, channel: &ChannelKey, at: Timestamp) -> Result<Vec<Unfinished>>;

    /// What people have said on chat platforms since a time and a crash left unanswered (AD1): each message whose last
    /// turn of a persona was interrupted, with that turn, and each that is unhandled. It is read from what is stored, so
    /// that a second crash before the answers begin loses none of them.
    async fn owed(&self, since: Timestamp) -> Result<Vec<Unfinished>>;
}
