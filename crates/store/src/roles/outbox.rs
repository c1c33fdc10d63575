//! What is still owed to people: replies that were not delivered yet, and messages that broke every turn (S8).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MessageId, PersonaName, Timestamp};

use crate::{DeadLetter, OutboxEntry, Result};

/// Replies on their way out, and dead letters.
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// Replies of a channel that were not delivered yet, oldest first.
    async fn outbox(&self, channel: &ChannelKey) -> Result<Vec<OutboxEntry>>;

    /// A reply was delivered.
    async fn delivered(&self, entry: i64, at: Timestamp) -> Result<()>;

    /// Messages that broke every turn of a persona that was to answer them, at least [`TRIES`](crate::TRIES), the newest first
    /// (S8): none of those turns is under way or has a reply. Without those that were dismissed.
    async fn dead_letters(&self, limit: usize) -> Result<Vec<DeadLetter>>;

    /// Whether this message is one for this persona, dismissed or not.
    async fn dead_letter(&self, message: MessageId, persona: &PersonaName) -> Result<Option<DeadLetter>>;

    /// An operator does not want it answered: it is listed no more. False where it is none.
    async fn dismiss(&self, message: MessageId, persona: &PersonaName, at: Timestamp) -> Result<bool>;
}
