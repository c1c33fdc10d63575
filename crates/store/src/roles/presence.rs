//! Presence: which stretches of a channel a persona was there for (GR2). Who is present is a member of the channel (RM1).
//!
//! A persona knows what it was present for. Who answers a message is present from that message on.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MessageId, PersonaName};

use crate::{Attendance, Departure, Presence, Result, RoomRecord};

/// Who is present in which channel, and was when.
#[async_trait]
pub trait PresenceStore: Send + Sync {
    /// The persona is present in the channel from this message on; nothing changes when it is.
    /// [`InboxStore::plan_turns`](crate::InboxStore::plan_turns) does the same for those who answer.
    async fn enter(&self, persona: &PersonaName, channel: &ChannelKey, from: MessageId) -> Result<()>;

    /// The persona left: it does not hear this message any more.
    async fn leave(&self, persona: &PersonaName, channel: &ChannelKey, until: MessageId) -> Result<()>;

    /// Some personas come and others go, between two messages: from now on the first hear what is said in the
    /// channel and the others do not. Nothing changes for one that is present already, or is not; one that is
    /// away is noted as gone for the new reason.
    async fn attend(&self, channel: &ChannelKey, attendance: &Attendance) -> Result<()>;

    /// A persona goes from every channel at this moment (RM1): it is stopped, or its file is gone.
    async fn leave_everywhere(&self, persona: &PersonaName, why: Departure) -> Result<()>;

    /// A persona comes back to every channel that it went from as stopped or removed.
    async fn return_everywhere(&self, persona: &PersonaName) -> Result<()>;

    /// Who is present in the channel now.
    async fn present(&self, channel: &ChannelKey) -> Result<Vec<PersonaName>>;

    /// Who belongs to a channel or did, and the state of its room, read at once.
    async fn room(&self, channel: &ChannelKey) -> Result<RoomRecord>;

    /// Stores the state of a room. [`Plan::room`](crate::Plan) does the same with a plan.
    async fn put_room(&self, channel: &ChannelKey, state: &str) -> Result<()>;

    /// What the persona was present for, oldest first.
    async fn presence(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Vec<Presence>>;
}
