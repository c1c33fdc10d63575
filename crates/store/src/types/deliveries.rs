//! Replies on their way to a chat platform (AD1).

use greenroom_core::{ChannelKey, Message, PersonaName, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The next reply of a channel that is to be delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// The row of the outbox.
    pub id: i64,
    /// The reply.
    pub reply: Message,
    /// The message that it answers; none where that is erased, or is a reply that the platform has no part of.
    pub answers: Option<AnsweredEvent>,
    /// The parts that are over, by their numbers from 0: sent, or uncertain.
    pub over: Vec<u32>,
    /// When a part was begun whose end is not stored: the process ended meanwhile.
    pub begun_at: Option<Timestamp>,
}

/// A message that a reply answers, as the platform knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredEvent {
    /// The platform's id: of a reply that of its last part.
    pub event_id: String,
    /// The persona whose reply it is; none for what a person or a bot of others said.
    pub persona: Option<PersonaName>,
}

/// A reply that a platform has and that was erased here: the platform is asked to delete it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retraction {
    /// Its number.
    pub id: i64,
    /// Where it was said.
    pub channel: ChannelKey,
    /// Who said it.
    pub persona: PersonaName,
    /// The platform's id.
    pub event_id: String,
}

/// The greatest number of messages that [`AccountStore::heard_since`](crate::AccountStore::heard_since) counts.
pub const MAX_COUNTED_MESSAGES: i64 = 100_000;

/// The messages of a person in a channel since a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonActivity {
    /// The channel.
    pub channel: ChannelKey,
    /// The person.
    pub user: UserId,
    /// Their messages.
    pub messages: u64,
    /// Those of them that a persona answered, or was to answer.
    pub answered: u64,
    /// Whether nothing was said in the channel before.
    pub is_new: bool,
}

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It waits for its turn, or for the next attempt.
    Waiting,
    /// A part of it is being sent.
    Sending,
    /// The platform has all of it.
    Delivered,
    /// It was sent, and for at least one part it is not known whether it arrived.
    Uncertain,
    /// The platform refuses it, or every attempt failed.
    Dead,
    /// An operator gave it up.
    Dropped,
}

/// What happens to a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryStep {
    /// A part is about to be sent.
    Begun,
    /// A part is over.
    Part {
        /// Its number, from 0.
        number: u32,
        /// The platform's id of it, where there is one.
        event_id: Option<String>,
        /// Why it is not known whether it arrived, where that is so.
        uncertain: Option<String>,
        /// Whether it was the last one.
        last: bool,
    },
    /// The part that was begun surely was not sent.
    NotSent,
    /// It is given up, and why.
    Dead(String),
    /// An operator has it sent again: what is dead, and the parts that are uncertain.
    Resend,
    /// An operator gives it up.
    Drop,
}

/// A delivery that is not over, or went wrong, for operators (AD8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OpenDelivery {
    /// The row of the outbox.
    pub id: i64,
    /// Where it goes.
    pub channel: ChannelKey,
    /// Who said it.
    pub persona: PersonaName,
    /// What was said.
    pub text: String,
    /// Where it stands.
    pub state: DeliveryState,
    /// Why it is dead or uncertain.
    pub why: Option<String>,
    /// When it was said, in microseconds.
    pub at: Timestamp,
}
