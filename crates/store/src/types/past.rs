//! What a persona's context in a channel is made of: what was said, sittings, presence, summaries.

use std::{sync::Arc, time::Duration};

use greenroom_core::{ChannelKey, Message, MessageId, PersonaName, Timestamp, UserId, UserRef};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A stretch of a channel a persona was present for (GR2): from one message, until before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Presence {
    /// The first message it heard.
    pub from: MessageId,
    /// The first one it did not hear any more; `None` while it is present.
    pub until: Option<MessageId>,
}

/// A session of a person in a chat (AS5): another begins after a pause of [`SESSION_GAP`] (JV1).
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Session {
    /// The store's id.
    pub id: i64,
    /// The platform.
    pub provider: String,
    /// The platform's chat.
    pub chat_id: String,
    /// The person.
    pub user: UserId,
    /// First message.
    pub started_at: Timestamp,
    /// Last message.
    pub last_at: Timestamp,
}

/// So long nobody says anything until a session has ended (JV1).
pub const SESSION_GAP: Duration = Duration::from_secs(30 * 60);

/// What became of history that no longer fits: told in short, nothing deleted (FG12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistorySummary {
    /// The last message it covers: the boundary.
    pub until: MessageId,
    /// The summary.
    pub text: String,
    /// When it was made.
    pub at: Timestamp,
}

/// Whose past, where, and how much of it.
#[derive(Debug, Clone)]
pub struct AskedPast {
    /// The persona.
    pub persona: PersonaName,
    /// The channel.
    pub channel: ChannelKey,
    /// The person it answers, and their session.
    pub user: Option<UserId>,
    /// Only what the persona heard: what it was present for, and what it said itself (GR2).
    pub heard: bool,
    /// With the summary of what was said before, and only what came after it (FG12).
    pub summarised: bool,
    /// With the other chats of the person (MP1).
    pub other_chats: bool,
    /// So many messages, the newest.
    pub limit: usize,
    /// The present moment.
    pub now: Timestamp,
}

/// An account, and the other accounts of the same person (MP1).
#[derive(Debug, Clone, PartialEq)]
pub struct Linked {
    /// The account.
    pub account: UserRef,
    /// The others, in order.
    pub others: Vec<UserRef>,
}

/// Another chat in which a person talks with a persona alone (MP1): no group, and the persona has been present there.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherChat {
    /// The channel.
    pub channel: ChannelKey,
    /// What the persona was present for, in order.
    pub presence: Vec<Presence>,
    /// The names under which the person spoke there, the one of most messages first.
    pub names: Vec<String>,
    /// How many messages they are.
    pub messages: i64,
}

/// The greatest number of other chats that are considered: those in which the person said most, the newer of two equals
/// first. Each is searched with every recall.
pub const OTHER_CHATS: usize = 64;

/// A channel's past as a persona has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// What was said since the context began: after the last reset, and after what is summarised;
    /// oldest first.
    pub messages: Vec<Arc<Message>>,
    /// The summary, if it was made after the last reset: one made before tells what was to be left
    /// behind (WB14).
    pub summary: Option<HistorySummary>,
    /// The last session of the person.
    pub session: Option<Session>,
    /// The accounts of the person.
    pub linked: Option<Linked>,
    /// What the persona was present for, in order.
    pub presence: Vec<Presence>,
    /// Where else the person talks with the persona alone, from this account; `None` where that was not asked for, or there
    /// is no person.
    pub other_chats: Option<Vec<OtherChat>>,
    /// The number of the newest erasure when this was read ([`Sources::erased`](crate::Sources::erased)).
    pub erased: i64,
}
