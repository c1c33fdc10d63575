//! Presence: which stretches of a channel a persona was there for (GR2).
//!
//! A persona knows what it was present for. Who answers a message is present from that message on.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MessageId, PersonaName};

use crate::{Presence, Result};

/// Who is present in which channel, and was when.
#[async_trait]
pub trait PresenceStore: Send + Sync {
    /// The persona is present in the channel from this message on; nothing changes when it is.
    /// [`InboxStore::plan_turns`](crate::InboxStore::plan_turns) does the same for those who answer.
    async fn enter(&self, persona: &PersonaName, channel: &ChannelKey, from: MessageId) -> Result<()>;

    /// The persona left: it does not hear this message any more.
    async fn leave(&self, persona: &PersonaName, channel: &ChannelKey, until: MessageId) -> Result<()>;

    /// Some personas come and others go, between two messages: from now on the first hear what is said in the
    /// channel and the others do not. Nothing changes for one that is present already, or is not, and nothing
    /// in a channel where nobody ever spoke.
    async fn attend(&self, channel: &ChannelKey, come: &[PersonaName], gone: &[PersonaName]) -> Result<()>;

    /// Who is present in the channel now.
    async fn present(&self, channel: &ChannelKey) -> Result<Vec<PersonaName>>;

    /// What the persona was present for, oldest first.
    async fn presence(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Vec<Presence>>;
}
