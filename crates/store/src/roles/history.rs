//! The history: the messages of each channel, with authors and sessions.
//!
//! For people and programs that read a channel. [`ContextStore`](crate::ContextStore) returns the part that a persona
//! may know.

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

    /// The replies among these messages, each with the message that its turn answers.
    async fn triggers(&self, messages: &[MessageId]) -> Result<Vec<(MessageId, MessageId)>>;

    /// The channels without messages to which a persona is invited, at most `limit`, sorted by their keys. With `chat`, a
    /// `(provider, chat id)`, only the channels of that chat.
    async fn invited(&self, chat: Option<(&str, &str)>, limit: usize) -> Result<Vec<ChannelKey>>;

    /// The channels that have messages, the one with the newest message first, at most `limit`. Only channels whose
    /// newest message is older than `before`. With `chat`, a `(provider, chat id)`, only the channels of that chat.
    async fn channels(
        &self,
        chat: Option<(&str, &str)>,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Vec<ChannelEntry>>;

    /// The authors of a channel's messages, in the order of their first messages. A person has one entry for each name
    /// they used.
    async fn participants(&self, channel: &ChannelKey) -> Result<Vec<Author>>;

    /// The message from which on a channel is known as a group: the first message of a second person in its chat, or
    /// the first message for which the platform reports a group ([`Plan::group`](crate::Plan::group)). `None` if the
    /// channel is no group (MP1). A chat that was once a group stays a group with all its threads, even when the person
    /// who made it one is forgotten.
    async fn group_since(&self, channel: &ChannelKey) -> Result<Option<MessageId>>;

    /// The sessions of a channel, newest first (AS5).
    async fn sessions(&self, channel: &ChannelKey) -> Result<Vec<Session>>;

    /// The last session of a person in a channel that had begun by the moment `at` (AS5).
    async fn session(&self, channel: &ChannelKey, user: &UserId, at: Timestamp) -> Result<Option<Session>>;
}
