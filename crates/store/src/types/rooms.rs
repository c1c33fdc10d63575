//! Rooms: the members of a channel (RM1), and the decisions who answers there (RM2).

use greenroom_core::{MessageId, PersonaName, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How a persona came to belong to a channel (RM1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JoinReason {
    /// Its persona file names the channel.
    File,
    /// The settings of the channel say so.
    Settings,
    /// A person invited it.
    Invited,
    /// A message addressed it there.
    Addressed,
    /// It is the only persona there is.
    Alone,
}

/// Why a persona no longer belongs to a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Departure {
    /// A person dismissed it. It comes back when it is invited or addressed.
    Left,
    /// It was stopped. It comes back when it is started.
    Stopped,
    /// Its file, or what had made it a member, was deleted. It comes back with that.
    Removed,
}

/// A present or former member persona of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The persona.
    pub persona: PersonaName,
    /// How it joined the last time, if known.
    pub via: Option<JoinReason>,
    /// Whether it is a member now.
    pub is_member: bool,
    /// Why it is no longer a member, if known.
    pub ended: Option<Departure>,
    /// When the first message was said that it heard since it joined.
    pub since: Option<Timestamp>,
}

/// The stored data of a room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomRecord {
    /// Its present and former members, sorted by name.
    pub members: Vec<Membership>,
    /// Its state, in the runtime's own format.
    pub state: Option<String>,
}

/// The personas that join and leave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MembershipChange {
    /// Personas that hear the messages from now on.
    pub joins: Vec<(PersonaName, JoinReason)>,
    /// Personas that do not hear them any more.
    pub leaves: Vec<(PersonaName, Departure)>,
}

impl MembershipChange {
    /// Whether no persona joins or leaves.
    pub fn is_empty(&self) -> bool {
        self.joins.is_empty() && self.leaves.is_empty()
    }
}

/// A stored decision who answers a message, in the runtime's own format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDecision {
    /// The newest message that was known when the decision was made.
    pub after: MessageId,
    /// The decision.
    pub decision: String,
}
