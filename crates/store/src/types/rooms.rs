//! Rooms: who belongs to a channel (RM1), and what was decided there (RM2).

use greenroom_core::{MessageId, PersonaName, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How a persona came to belong to a channel (RM1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// Its file says so.
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
    /// A person let it go. It comes back when it is invited or addressed.
    Left,
    /// It was stopped. It comes back when it is started.
    Stopped,
    /// Its file went, or what had made it a member. It comes back with that.
    Removed,
}

/// A persona that belongs to a channel, or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The persona.
    pub persona: PersonaName,
    /// How it came the last time, where that is known.
    pub via: Option<Via>,
    /// Whether it is a member now.
    pub is_member: bool,
    /// Why it is no member, where that is known.
    pub ended: Option<Departure>,
    /// When the first message was said that it heard since it came.
    pub since: Option<Timestamp>,
}

/// What is stored of a room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomRecord {
    /// Who belongs to it or did, in the order of the names.
    pub members: Vec<Membership>,
    /// Its state, as the runtime wrote it.
    pub state: Option<String>,
}

/// Who comes and who goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attendance {
    /// The first hear what is said from now on.
    pub come: Vec<(PersonaName, Via)>,
    /// The others do not.
    pub gone: Vec<(PersonaName, Departure)>,
}

impl Attendance {
    /// Whether nobody comes or goes.
    pub fn is_empty(&self) -> bool {
        self.come.is_empty() && self.gone.is_empty()
    }
}

/// A decision about a message, as the runtime wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDecision {
    /// The newest message that was known when it was made.
    pub after: MessageId,
    /// The decision.
    pub decision: String,
}
