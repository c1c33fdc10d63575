//! Replies on their way to a chat platform (AD1).

use greenroom_core::{ChannelKey, Message, PersonaName, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The next reply of a channel to deliver.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// The row of the outbox.
    pub id: i64,
    /// The reply.
    pub reply: Message,
    /// The message that it answers. `None` if that message was erased, or if it is a reply of which the platform has no
    /// part.
    pub answers: Option<AnsweredEvent>,
    /// The numbers, from 0, of the parts that were sent or are uncertain.
    pub over: Vec<u32>,
    /// When a part was begun whose end is not stored, because the process ended before.
    pub begun_at: Option<Timestamp>,
}

/// The message that a reply answers, as the platform identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredEvent {
    /// The platform's id; for a reply, that of its last part.
    pub event_id: String,
    /// The persona that said it; `None` for a person, or for a bot that is not ours.
    pub persona: Option<PersonaName>,
}

/// A reply that was erased here while the platform still has it: the platform is asked to delete it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retraction {
    /// Its number.
    pub id: i64,
    /// The channel in which it was said.
    pub channel: ChannelKey,
    /// The persona that said it.
    pub persona: PersonaName,
    /// The platform's id.
    pub event_id: String,
}

/// The greatest number of messages that [`AccountStore::activity_since`](crate::AccountStore::activity_since) counts.
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
    /// How many of them a persona answered, or was to answer.
    pub answered: u64,
    /// Whether the chat, with all its threads, had no messages before that moment.
    pub is_new: bool,
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It waits for earlier replies, or for the next attempt.
    Waiting,
    /// A part of it is being sent.
    Sending,
    /// The platform has all of it.
    Delivered,
    /// It was sent, but it is unknown whether at least one part arrived.
    Uncertain,
    /// The platform refuses it, or every attempt failed.
    Dead,
    /// An operator gave it up.
    Dropped,
}

/// A step of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryStep {
    /// A part is about to be sent.
    Begun,
    /// A part was sent, or is uncertain.
    Part {
        /// Its number, from 0.
        number: u32,
        /// The platform's id of it, if there is one.
        event_id: Option<String>,
        /// Why it is unknown whether it arrived, if so.
        uncertain: Option<String>,
        /// Whether it was the last one.
        last: bool,
    },
    /// The part that was begun was certainly not sent.
    NotSent,
    /// It is given up, with the reason.
    Dead(String),
    /// An operator requests that a dead delivery, or its uncertain parts, are sent again.
    Resend,
    /// An operator gives it up.
    Drop,
}

/// A delivery that is unfinished or went wrong, for operators (AD8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OpenDelivery {
    /// The row of the outbox.
    pub id: i64,
    /// The channel.
    pub channel: ChannelKey,
    /// The persona that said it.
    pub persona: PersonaName,
    /// The text.
    pub text: String,
    /// Its state.
    pub state: DeliveryState,
    /// Why it is dead or uncertain, or was before an operator had it sent again.
    pub why: Option<String>,
    /// When it was said, in microseconds.
    pub at: Timestamp,
}
