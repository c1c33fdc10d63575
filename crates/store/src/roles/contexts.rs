//! What a persona's context in a channel is made of: where it begins, what was said since, the summary of what was said
//! before (FG12).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, MessageId, PersonaName, UserRef, Viewer};

use crate::{AskedPast, HistorySummary, OtherChat, Past, Result, Sources};

/// The past of a channel as a persona has it.
#[async_trait]
pub trait ContextStore: Send + Sync {
    /// What a persona's context in a channel is made of, read at once because every turn needs it.
    async fn past(&self, asked: &AskedPast) -> Result<Past>;

    /// Where else, beside a channel, an account talks with a persona alone: at most
    /// [`OTHER_CHATS`](crate::OTHER_CHATS), those in which the person said most first.
    async fn other_chats(
        &self,
        persona: &PersonaName,
        account: &UserRef,
        beside: &ChannelKey,
    ) -> Result<Vec<OtherChat>>;

    /// Of these messages those that the viewer's person said to its persona alone, in another channel and from any of
    /// their accounts, in the order of the ids (MP1). Nothing for a viewer where others listen, and in a channel that is
    /// known as a group. What was said with memory switched off, what the persona was not present for, and what was learned from and then
    /// forgotten, corrected or replaced, is not among them (BD6, GR2, GR10).
    async fn told_alone(&self, viewer: &Viewer, messages: &[MessageId]) -> Result<Vec<Message>>;

    /// Other chats are not told this part of a message any more, and nothing of it where the part is not in it: a memory
    /// tells the same, and would be told after it was forgotten (GR10).
    async fn take_back(&self, message: MessageId, part: &str) -> Result<()>;

    /// From which message on a persona's context in a channel begins; `None` before any reset.
    async fn context_start(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Option<MessageId>>;

    /// Starts the context afresh: history up to and including `after` is no longer assembled. It
    /// stays stored and can be recalled (WB14).
    async fn reset_context(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: MessageId,
    ) -> Result<()>;

    /// What a persona's next summary is made of: the oldest `limit` messages of a channel after `after`,
    /// those set aside and the replies to them left out; all of them, or what it has heard alone (FG12).
    async fn unsummarised(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: Option<MessageId>,
        heard: bool,
        limit: usize,
    ) -> Result<Vec<Message>>;

    /// Records a summary and its boundary, in place of the last one. One that reaches less far than
    /// the last changes nothing. One of whose sources something was erased since they were read is refused
    /// (GR10).
    async fn put_summary(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        summary: HistorySummary,
        sources: Sources,
    ) -> Result<()>;
}
