//! What a persona's context in a channel consists of: messages, sessions, presence, summaries.

use std::{sync::Arc, time::Duration};

use greenroom_core::{ChannelKey, Message, MessageId, PersonaName, Timestamp, UserId, UserRef};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A part of a channel's history for which a persona was present (GR2): from one message up to and excluding another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Presence {
    /// The first message it heard.
    pub from: MessageId,
    /// The first message that it did not hear any more; `None` while it is present.
    pub until: Option<MessageId>,
}

/// A session of a person in a chat (AS5). A pause of [`SESSION_GAP`] ends it (JV1).
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

/// The length of the pause that ends a session (JV1).
pub const SESSION_GAP: Duration = Duration::from_secs(30 * 60);

/// A summary of history that no longer fits the context; the history itself is not deleted (FG12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistorySummary {
    /// The last message it covers: the boundary.
    pub until: MessageId,
    /// The summary.
    pub text: String,
    /// When it was made.
    pub at: Timestamp,
}

/// Which past to read.
#[derive(Debug, Clone)]
pub struct AskedPast {
    /// The persona.
    pub persona: PersonaName,
    /// The channel.
    pub channel: ChannelKey,
    /// The person whom the persona answers, and whose session is read.
    pub user: Option<UserId>,
    /// Only messages that the persona heard: those for which it was present, and its own (GR2).
    pub heard: bool,
    /// Includes the summary of earlier messages, and returns only the messages after it (FG12).
    pub summarised: bool,
    /// Includes the other chats of the person (MP1).
    pub other_chats: bool,
    /// The greatest number of messages: the newest.
    pub limit: usize,
    /// The present moment.
    pub now: Timestamp,
}

/// An account, and the other accounts of the same person (MP1).
#[derive(Debug, Clone, PartialEq)]
pub struct Linked {
    /// The account.
    pub account: UserRef,
    /// The other accounts, sorted.
    pub others: Vec<UserRef>,
}

/// Another chat in which a person talks with a persona alone (MP1): no group, and the persona was present there.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherChat {
    /// The channel.
    pub channel: ChannelKey,
    /// The parts for which the persona was present, in order.
    pub presence: Vec<Presence>,
    /// The names that the person used there, the one with the most messages first.
    pub names: Vec<String>,
    /// The number of their messages.
    pub messages: i64,
}

/// The greatest number of other chats: those with the most messages of the person, the newer of two equals first. Each
/// is searched with every recall.
pub const OTHER_CHATS: usize = 64;

/// A channel's past from the point of view of a persona.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// The messages since the context began, after the last reset and after the summarised part; oldest first.
    pub messages: Vec<Arc<Message>>,
    /// The summary, if it was made after the last reset. An earlier summary would tell what the reset was to leave
    /// behind (WB14).
    pub summary: Option<HistorySummary>,
    /// The last session of the person.
    pub session: Option<Session>,
    /// The accounts of the person.
    pub linked: Option<Linked>,
    /// The parts of the channel for which the persona was present, in order.
    pub presence: Vec<Presence>,
    /// The other chats in which the person talks with the persona alone, from this account; `None` if they were not
    /// requested, or there is no person.
    pub other_chats: Option<Vec<OtherChat>>,
    /// The number of the newest erasure when this was read ([`Sources::erased`](crate::Sources::erased)).
    pub erased: i64,
}
