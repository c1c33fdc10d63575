//! What accounts on chat platforms keep: how far a reply is delivered, and where they go on after a restart (AD1).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, PersonaName, Platform, Timestamp};

use crate::{Delivery, DeliveryStep, OpenDelivery, PersonActivity, Result, Retraction};

/// Deliveries and cursors of accounts.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// The next reply of each channel of a platform that is to be delivered, the oldest first, at most `limit`. A reply
    /// that is dead holds no other up. `after`: the id of the last delivery of the page before; 0 for the first page.
    async fn next_deliveries(&self, platform: Platform, after: i64, limit: usize) -> Result<Vec<Delivery>>;

    /// Notes a step of a delivery ([`rules::deliveries`](crate::rules::deliveries)). False where it changes nothing: the
    /// delivery is gone, or in another state.
    async fn step_delivery(&self, delivery: i64, step: DeliveryStep, at: Timestamp) -> Result<bool>;

    /// Deliveries that wait, are dead or uncertain, on every platform that has accounts, the oldest first, at most `limit`.
    async fn open_deliveries(&self, limit: usize) -> Result<Vec<OpenDelivery>>;

    /// The message of a channel that the platform knows by this id: what a person said, or a reply of which a part was
    /// sent under it.
    async fn message_of_event(&self, channel: &ChannelKey, event_id: &str) -> Result<Option<Message>>;

    /// What a person said in any channel of a chat, by the platform's id. Some platforms do not say in which thread a message
    /// is that was changed.
    async fn message_in_chat(&self, chat: &ChannelKey, event_id: &str) -> Result<Option<Message>>;

    /// What a platform is to delete, the oldest first, at most `limit`: the parts that were sent of each reply that
    /// [`Erase::Message`](crate::Erase::Message) erased, and what [`retract`](Self::retract) was told. `after`: the id of the
    /// last retraction of the page before; 0 for the first page.
    async fn retractions(&self, platform: Platform, after: i64, limit: usize) -> Result<Vec<Retraction>>;

    /// Notes that a platform is to delete a part of a reply that was erased while it was sent.
    async fn retract(&self, channel: &ChannelKey, persona: &PersonaName, event_id: &str) -> Result<()>;

    /// A platform has deleted it, or never will.
    async fn retracted(&self, retraction: i64) -> Result<()>;

    /// Keeps marks of what has no effect any more, with a moment, and drops those of before `keep_from`. Of two moments of
    /// a mark the later one counts.
    async fn settle(&self, marks: Vec<String>, at: Timestamp, keep_from: Timestamp) -> Result<()>;

    /// Those of the marks that are kept, with their moments, in the order of the marks' letters.
    async fn settled(&self, marks: &[String]) -> Result<Vec<(String, Timestamp)>>;

    /// What people said on a platform since a moment, by channel and person, as far as it is among the last 100,000
    /// messages ([`MAX_COUNTED_MESSAGES`](crate::MAX_COUNTED_MESSAGES)).
    async fn heard_since(&self, platform: Platform, since: Timestamp) -> Result<Vec<PersonActivity>>;

    /// A value that the adapter of an account keeps, as `next_batch`.
    async fn cursor(&self, account: &str, name: &str) -> Result<Option<String>>;

    /// Keeps such a value.
    async fn keep_cursor(&self, account: &str, name: &str, value: &str) -> Result<()>;
}
