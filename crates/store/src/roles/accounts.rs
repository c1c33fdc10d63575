//! What the accounts on chat platforms store: the delivery state of replies, and cursors to continue from after a
//! restart (AD1).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, PersonaName, Platform, Timestamp};

use crate::{Delivery, DeliveryStep, OpenDelivery, PersonActivity, Result, Retraction};

/// Deliveries and cursors of accounts.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// The next reply to deliver in each channel of a platform, oldest first, at most `limit`. A dead reply does not
    /// block later ones. `after` is the id of the last delivery of the previous page, 0 for the first page.
    async fn next_deliveries(&self, platform: Platform, after: i64, limit: usize) -> Result<Vec<Delivery>>;

    /// Records a step of a delivery ([`rules::deliveries`](crate::rules::deliveries)). Returns false if the step
    /// changes nothing: the delivery no longer exists, or is in another state.
    async fn step_delivery(&self, delivery: i64, step: DeliveryStep, at: Timestamp) -> Result<bool>;

    /// Waiting, dead and uncertain deliveries of every platform that has accounts, oldest first, at most `limit`.
    async fn open_deliveries(&self, limit: usize) -> Result<Vec<OpenDelivery>>;

    /// The message of a channel with this platform id: a person's message, or the reply of which a part was sent under
    /// this id.
    async fn message_of_event(&self, channel: &ChannelKey, event_id: &str) -> Result<Option<Message>>;

    /// A person's message with this platform id, in any channel of the chat. Some platforms report a change of a
    /// message without its thread.
    async fn message_in_chat(&self, chat: &ChannelKey, event_id: &str) -> Result<Option<Message>>;

    /// The messages that a platform has to delete, oldest first, at most `limit`: the sent parts of each reply that
    /// [`Erase::Message`](crate::Erase::Message) erased, and the parts that [`retract`](Self::retract) recorded.
    /// `after` is the id of the last retraction of the previous page, 0 for the first page.
    async fn retractions(&self, platform: Platform, after: i64, limit: usize) -> Result<Vec<Retraction>>;

    /// Records that a platform has to delete a part of a reply that was erased while it was being sent.
    async fn retract(&self, channel: &ChannelKey, persona: &PersonaName, event_id: &str) -> Result<()>;

    /// Removes a retraction: the platform has deleted the part, or never will.
    async fn retracted(&self, retraction: i64) -> Result<()>;

    /// Stores marks with a moment, and deletes the marks from before `keep_from`. A mark identifies an event or an
    /// author whose repeated delivery has no effect. If a mark has two moments, the later one counts.
    async fn settle(&self, marks: Vec<String>, at: Timestamp, keep_from: Timestamp) -> Result<()>;

    /// The marks among these that are stored, with their moments, sorted by mark.
    async fn settled(&self, marks: &[String]) -> Result<Vec<(String, Timestamp)>>;

    /// The number of messages that people sent on a platform since a moment, by channel and person. Only the last
    /// 100,000 messages are counted ([`MAX_COUNTED_MESSAGES`](crate::MAX_COUNTED_MESSAGES)).
    async fn activity_since(&self, platform: Platform, since: Timestamp) -> Result<Vec<PersonActivity>>;

    /// A value that the adapter of an account stores, such as `next_batch`.
    async fn cursor(&self, account: &str, name: &str) -> Result<Option<String>>;

    /// Stores such a value.
    async fn keep_cursor(&self, account: &str, name: &str, value: &str) -> Result<()>;
}
