//! Presence: the parts of a channel's history for which a persona was present (GR2). A persona that is present is a
//! member of the channel (RM1).
//!
//! A persona knows the messages for which it was present. A persona that answers a message is present from that message
//! on.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MessageId, PersonaName};

use crate::{Departure, MembershipChange, Presence, Result, RoomRecord};

/// Which personas are, and were, present in which channel.
#[async_trait]
pub trait PresenceStore: Send + Sync {
    /// Makes the persona present in the channel from this message on. Changes nothing if it is present already.
    /// [`InboxStore::plan_turns`](crate::InboxStore::plan_turns) does the same for those who answer.
    async fn enter(&self, persona: &PersonaName, channel: &ChannelKey, from: MessageId) -> Result<()>;

    /// Ends the persona's presence: it does not hear the message `until` or later ones.
    async fn leave(&self, persona: &PersonaName, channel: &ChannelKey, until: MessageId) -> Result<()>;

    /// Makes some personas present and ends the presence of others, between two messages. Changes nothing for a persona
    /// that is already present or absent, except that an absent persona that is dismissed gets the new reason.
    async fn attend(&self, channel: &ChannelKey, attendance: &MembershipChange) -> Result<()>;

    /// Ends the presence of a persona in every channel at this moment (RM1): it was stopped, or its file was deleted.
    async fn leave_everywhere(&self, persona: &PersonaName, why: Departure) -> Result<()>;

    /// Makes a persona present again in every channel that it left as stopped or removed.
    async fn return_everywhere(&self, persona: &PersonaName) -> Result<()>;

    /// The personas that are present in the channel now.
    async fn present(&self, channel: &ChannelKey) -> Result<Vec<PersonaName>>;

    /// The present and former members of a channel, and the state of its room, in one read.
    async fn room(&self, channel: &ChannelKey) -> Result<RoomRecord>;

    /// Stores the state of a room. [`Plan::room`](crate::Plan) does the same with a plan.
    async fn put_room(&self, channel: &ChannelKey, state: &str) -> Result<()>;

    /// The parts of the channel for which the persona was present, oldest first.
    async fn presence(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Vec<Presence>>;
}
