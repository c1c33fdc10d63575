//! The history: what was said in which channel, by whom, in which session.
//!
//! For people and programs who read a channel. What a persona may know of it is in [`ContextStore`](crate::ContextStore).

use async_trait::async_trait;
use greenroom_core::{Author, ChannelKey, Message, MessageId, Timestamp, UserId};

use crate::{ChannelEntry, Result, Session};

/// Messages, channels, speakers and sessions.
#[async_trait]
pub trait HistoryStore: Send + Sync {
    /// The newest `limit` messages of a channel after `after`, oldest first.
    async fn history(
        &self,
        channel: &ChannelKey,
        after: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>>;

    /// A page of a channel: the newest `limit` messages before `before`, oldest first.
    async fn page(
        &self,
        channel: &ChannelKey,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<Message>>;

    /// One message.
    async fn message(&self, id: MessageId) -> Result<Option<Message>>;

    /// Of these messages the replies, by id, each with the message that its turn answers.
    async fn triggers(&self, messages: &[MessageId]) -> Result<Vec<(MessageId, MessageId)>>;

    /// The channels where something was said, the one with the newest message first: those whose newest
    /// message is older than `before`, at most `limit`. Those of one chat of a platform where one is
    /// given, as `(provider, chat id)`.
    async fn channels(
        &self,
        chat: Option<(&str, &str)>,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<ChannelEntry>>;

    /// Those who spoke in a channel, in the order in which they first did. A person is there once for every name
    /// they spoke under.
    async fn participants(&self, channel: &ChannelKey) -> Result<Vec<Author>>;

    /// From which message on a channel is known as a group: the first of a second person in its chat, or the first
    /// of which the platform says so ([`Plan::group`](crate::Plan::group)); `None` where it is not (MP1). A chat that
    /// is a group once stays one, with all its threads, also when who made it one is forgotten.
    async fn group_since(&self, channel: &ChannelKey) -> Result<Option<MessageId>>;

    /// The sessions of a channel, newest first (AS5).
    async fn sessions(&self, channel: &ChannelKey) -> Result<Vec<Session>>;

    /// The last session of a person in a channel that had begun `at` that moment (AS5).
    async fn session(&self, channel: &ChannelKey, user: &UserId, at: Timestamp) -> Result<Option<Session>>;
}
