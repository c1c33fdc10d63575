//! What a persona's context in a channel consists of: its start, the messages since then, and the summary of the
//! messages before (FG12).

use std::collections::BTreeMap;

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, MessageId, PersonaName, UserRef, Viewer};

use crate::{AskedPast, HistorySummary, OtherChat, Past, Result, Sources};

/// A channel's past from the point of view of a persona.
#[async_trait]
pub trait ContextStore: Send + Sync {
    /// Everything that a persona's context in a channel consists of. One read, because every turn needs all of it.
    async fn past(&self, asked: &AskedPast) -> Result<Past>;

    /// The other chats in which an account talks with a persona alone, without the channel `beside`: at most
    /// [`OTHER_CHATS`](crate::OTHER_CHATS), those with the most messages of the person first.
    async fn other_chats(
        &self,
        persona: &PersonaName,
        account: &UserRef,
        beside: &ChannelKey,
    ) -> Result<Vec<OtherChat>>;

    /// The messages among these that the viewer's person, with any of their accounts, said to its persona alone in
    /// another channel (MP1). In the order of the ids. Empty if others listen to the viewer, or if its channel is known
    /// as a group. Excluded are messages with memory switched off (BD6), and messages for which the persona was not
    /// present (GR2). A statement is removed from its message if a memory learned from it was forgotten, corrected or
    /// replaced (GR10).
    async fn said_one_to_one(&self, viewer: &Viewer, messages: &[MessageId]) -> Result<Vec<Message>>;

    /// No longer shows this part of a message in other chats; if the message does not contain the part, shows nothing
    /// of the message there. A memory contains the same statement, and the message would still reveal it after the
    /// memory is forgotten (GR10).
    async fn take_back(&self, message: MessageId, part: &str) -> Result<()>;

    /// The parts of these messages that were taken back: by [`take_back`](Self::take_back), or because a memory learned
    /// from them was forgotten, corrected or replaced. An empty part stands for the whole message. Messages without such
    /// a part are omitted (GR10).
    async fn taken_back(&self, messages: &[MessageId]) -> Result<BTreeMap<MessageId, Vec<String>>>;

    /// The last message before a persona's context in a channel begins; `None` before any reset.
    async fn context_start(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Option<MessageId>>;

    /// Restarts the context: history up to and including `after` is no longer assembled. The history stays stored and
    /// can be recalled (WB14).
    async fn reset_context(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: MessageId,
    ) -> Result<()>;

    /// The input of a persona's next summary: the oldest `limit` messages of a channel after `after`. Messages that
    /// were set aside, and the replies to them, are excluded. With `heard`, only messages that the persona heard
    /// (FG12).
    async fn unsummarised(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: Option<MessageId>,
        heard: bool,
        limit: usize,
    ) -> Result<Vec<Message>>;

    /// Stores a summary and its boundary in place of the last one. A summary that ends before the last one changes
    /// nothing. A summary is refused if one of its sources was erased since it was read (GR10).
    async fn put_summary(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        summary: HistorySummary,
        sources: Sources,
    ) -> Result<()>;
}
