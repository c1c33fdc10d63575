//! The outbox of replies that are not delivered yet, and the dead letters: messages for which every turn failed (S8).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MessageId, PersonaName, Timestamp};

use crate::{DeadLetter, OutboxEntry, Result};

/// Undelivered replies, and dead letters.
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// The undelivered replies of a channel, oldest first.
    async fn outbox(&self, channel: &ChannelKey) -> Result<Vec<OutboxEntry>>;

    /// Marks a reply as delivered.
    async fn delivered(&self, entry: i64, at: Timestamp) -> Result<()>;

    /// Messages for which every turn of a persona broke, at least [`TRIES`](crate::TRIES) of them, newest first (S8).
    /// None of these turns is in progress or has a reply. Dismissed dead letters are excluded.
    async fn dead_letters(&self, limit: usize) -> Result<Vec<DeadLetter>>;

    /// The dead letter of this message for this persona, dismissed or not; `None` if it is none.
    async fn dead_letter(&self, message: MessageId, persona: &PersonaName) -> Result<Option<DeadLetter>>;

    /// Dismisses a dead letter for an operator: it is no longer listed. Returns false if there is none.
    async fn dismiss(&self, message: MessageId, persona: &PersonaName, at: Timestamp) -> Result<bool>;
}
