//! Where a turn's conversation comes from and where its result goes.
//!
//! There are two kinds: the conversation of a channel, which the store keeps (`stored.rs`), and one that comes with the
//! request and is not stored (`given.rs`). A turn runs the same code with both.

use std::sync::Arc;

use async_trait::async_trait;
use greenroom_context::{HistoryEntry, Speakers};
use greenroom_core::{ChatMessage, Message, Offered, ToolCall, UserId};
use greenroom_persona::Persona;
use greenroom_store::{Past, Sources, StoreError};

use super::{ending::Ending, event_sink::EventSink, failure::Failure, progress::Progress};
use crate::{capture_queue::Exchange, cue::Cue, services::Services};

/// The conversation of a turn.
#[async_trait]
pub(crate) trait Conversation: Send + Sync {
    /// Whether the store keeps the conversation. If not, nothing of the turn is stored or captured.
    fn is_stored(&self) -> bool;

    /// The stored items that the turn has seen when it begins.
    fn seen(&self, burst: &[Arc<Cue>]) -> Sources;

    /// Marks the turn as running.
    async fn begin(&self, services: &Services, burst: &[Arc<Cue>]) -> Result<(), StoreError>;

    /// The person whom the persona answers, if it is known.
    fn user<'a>(&'a self, trigger: &'a Message) -> Option<&'a UserId>;

    /// Reads the conversation up to the messages that are answered.
    async fn read(&self, query: &ConversationQuery<'_>) -> Result<ReadConversation, Failure>;

    /// Puts the tool calls of the conversation into its history.
    fn add_calls(&self, _history: &mut [HistoryEntry]) {}

    /// What the persona said and what tools answered after the message that is answered.
    fn since(&self) -> Vec<ChatMessage> {
        Vec::new()
    }

    /// Tools of the client. They replace the persona's tools of the same name.
    fn client_tools(&self) -> &[Offered] {
        &[]
    }

    /// The calls that the client has to make itself.
    fn client_calls(&self, calls: &[ToolCall]) -> Vec<ToolCall> {
        let is_theirs = |call: &&ToolCall| self.client_tools().iter().any(|tool| tool.name == call.name);
        calls.iter().filter(is_theirs).cloned().collect()
    }

    /// Ends the turn. Returns the stored reply, if there is one.
    async fn conclude(
        &self,
        services: &Services,
        trigger: &Cue,
        sink: &EventSink,
        end: TurnEnd,
    ) -> Option<Arc<Message>>;
}

/// The query for a conversation.
pub(crate) struct ConversationQuery<'a> {
    pub(crate) services: &'a Services,
    pub(crate) persona: &'a Persona,
    /// The messages that are answered, oldest first.
    pub(crate) burst: &'a [&'a Message],
    /// The last one of them.
    pub(crate) trigger: &'a Message,
}

/// A conversation as the persona sees it.
pub(crate) struct ReadConversation {
    pub(crate) past: Past,
    /// Whether there is more history than is considered.
    pub(crate) cut: bool,
    /// What the speakers are called.
    pub(crate) labels: Arc<Speakers>,
    /// The stored items in it, which an erasure may concern.
    pub(crate) sources: Sources,
}

/// How a turn ended and what it leaves.
pub(crate) struct TurnEnd {
    pub(crate) progress: Progress,
    pub(crate) ending: Ending,
    /// The exchange to be captured.
    pub(crate) exchange: Option<Exchange>,
}
