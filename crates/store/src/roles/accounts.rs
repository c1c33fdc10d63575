//! What accounts on chat platforms keep: how far a reply is delivered, and where they go on after a restart (AD1).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, MessageId, PersonaName, Platform, Timestamp};

use crate::{Delivery, DeliveryStep, OpenDelivery, Result};

/// Deliveries and cursors of accounts.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// The next reply of each channel of a platform that is to be delivered, the oldest first, at most `limit`. A reply
    /// that is dead holds no other up.
    async fn next_deliveries(&self, platform: Platform, limit: usize) -> Result<Vec<Delivery>>;

    /// Notes a step of a delivery ([`rules::deliveries`](crate::rules::deliveries)). False where it changes nothing: the
    /// delivery is gone, or in another state.
    async fn step_delivery(&self, delivery: i64, step: DeliveryStep, at: Timestamp) -> Result<bool>;

    /// Deliveries that wait, are dead or uncertain, on every platform that has accounts, the oldest first, at most `limit`.
    async fn open_deliveries(&self, limit: usize) -> Result<Vec<OpenDelivery>>;

    /// The message of a channel that the platform knows by this id: what a person said, or a reply of which a part was
    /// sent under it.
    async fn message_of_event(&self, channel: &ChannelKey, event_id: &str) -> Result<Option<Message>>;

    /// The platform's ids of the replies that [`Erase::Message`](crate::Erase::Message) would erase with a message: those to
    /// it, those to these, and so on. Each with the persona that said it.
    async fn sent_events(&self, message: MessageId) -> Result<Vec<(PersonaName, String)>>;

    /// A value that the adapter of an account keeps, as `next_batch`.
    async fn cursor(&self, account: &str, name: &str) -> Result<Option<String>>;

    /// Keeps such a value.
    async fn keep_cursor(&self, account: &str, name: &str, value: &str) -> Result<()>;
}
