//! Turns: their plan, their end, and their state after a crash.

use std::fmt;

use greenroom_core::{
    ChannelKey, ErrorCode, Message, MessageId, PersonaName, Receipt, SharedReceipt, Timestamp, TurnId, Usage,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Departure, Embedded, JoinReason, Sources};

/// A planned turn.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// Its id.
    pub id: TurnId,
    /// The persona that answers.
    pub persona: PersonaName,
    /// When it was planned.
    pub at: Timestamp,
    /// Whether the turn begins at once, without a call of [`TurnStore::begin_turn`](crate::TurnStore::begin_turn).
    pub begins: bool,
}

/// The plan for a message: who hears it and who answers it.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The turns, one for each persona that answers.
    pub turns: Vec<NewTurn>,
    /// The vector of the message, if it is already known.
    pub vector: Option<Embedded>,
    /// Personas that are present from this message on, with how they joined. A persona that answers needs no entry: it
    /// becomes present anyway ([`PresenceStore::enter`](crate::PresenceStore::enter)).
    pub joins: Vec<(PersonaName, JoinReason)>,
    /// Personas that no longer hear this message ([`PresenceStore::leave`](crate::PresenceStore::leave)). One that
    /// answers it nevertheless hears it, but no later message.
    pub leaves: Vec<(PersonaName, Departure)>,
    /// Whether the message and its replies stay out of summaries
    /// ([`InboxStore::set_aside`](crate::InboxStore::set_aside), BD6).
    pub without_memory: bool,
    /// The new state of the room, if it changes ([`PresenceStore::put_room`](crate::PresenceStore::put_room)).
    pub room: Option<String>,
    /// Why each persona answers or not, if that is to be stored
    /// ([`InboxStore::decisions`](crate::InboxStore::decisions)).
    pub decision: Option<String>,
    /// Whether the platform reports that the channel is a group (MP1).
    pub group: bool,
    /// Whether a later call of [`plan_turns`](crate::InboxStore::plan_turns) decides who answers. Until then a message
    /// that is stored with this plan counts as unhandled.
    pub undecided: bool,
}

impl From<Vec<NewTurn>> for Plan {
    /// A plan with these turns and nothing else.
    fn from(turns: Vec<NewTurn>) -> Self {
        Self { turns, ..Self::default() }
    }
}

/// How a turn ends with a reply.
#[derive(Debug, Clone)]
pub struct TurnCommit {
    /// The reply's text.
    pub text: String,
    /// When it was said.
    pub at: Timestamp,
    /// Its tokens and cost.
    pub usage: Usage,
    /// The receipt of the (last) context. Stored without the texts of its history items.
    pub receipt: Option<SharedReceipt>,
    /// The vector of the text, if it is already known.
    pub vector: Option<Embedded>,
    /// The items that it was made from.
    pub sources: Sources,
    /// Whether a persona may answer the reply. Until [`InboxStore::plan_turns`](crate::InboxStore::plan_turns) decides
    /// that, the reply counts as unhandled, so that it is found after a crash.
    pub unhandled: bool,
}

/// How a turn ends without a reply.
#[derive(Debug, Clone)]
pub struct TurnEnd {
    /// Failed, cancelled, interrupted, or coalesced with a later message.
    pub state: TurnState,
    /// The error code, if it failed.
    pub code: Option<ErrorCode>,
    /// The message for the person.
    pub message: String,
    /// When it ended.
    pub at: Timestamp,
    /// The tokens and cost until then.
    pub usage: Usage,
}

/// The state of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// Planned.
    Waiting,
    /// Begun.
    Running,
    /// Replied.
    Done,
    /// Ended with an error.
    Failed,
    /// Stopped by a person or a rule of the room.
    Cancelled,
    /// Answered together with a later message of the same burst.
    Coalesced,
}

impl fmt::Display for TurnState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Coalesced => "coalesced",
        })
    }
}

/// A stored turn.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = StoredTurn)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// The persona that answers.
    pub persona: PersonaName,
    /// The channel.
    pub channel: ChannelKey,
    /// The message that it answers.
    pub trigger: MessageId,
    /// Its state.
    pub state: TurnState,
    /// The stored reply.
    pub reply: Option<MessageId>,
    /// The error code, if it failed.
    pub code: Option<ErrorCode>,
    /// The message for the person, if the turn ended without a reply.
    pub message: Option<String>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Its tokens and cost.
    pub usage: Usage,
    /// The receipt of its context, while the turn is among the newest of its channel.
    #[schema(value_type = Option<Receipt>)]
    pub receipt: Option<SharedReceipt>,
}

/// A message for which every turn of a persona broke (S8).
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetter {
    /// The message.
    pub message: Message,
    /// The persona that was to answer.
    pub persona: PersonaName,
    /// How many turns broke.
    pub tries: u32,
    /// The error message of the last one.
    pub why: String,
    /// When the last one ended.
    pub at: Timestamp,
}

/// A turn whose exchange is not captured yet.
#[derive(Debug, Clone)]
pub struct Postponed {
    /// The turn.
    pub turn: Turn,
    /// The messages it answered, oldest first.
    pub burst: Vec<Message>,
    /// Its reply.
    pub reply: Option<Message>,
}

/// The message stored with a turn that a crash interrupted.
pub const ENDED_DURING_TURN: &str = "the program ended in the middle of it";

/// The message stored with a turn that was still waiting when the program ended.
pub const ENDED_BEFORE_TURN: &str = "the program ended before it began";

/// Work that a crash left unfinished.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// The unanswered message.
    pub message: Message,
    /// The turn that was answering it, and its persona; `None` if that was not decided yet.
    pub turn: Option<(TurnId, PersonaName)>,
}

/// An undelivered reply.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxEntry {
    /// The id of the outbox row.
    pub id: i64,
    /// The reply.
    pub reply: Message,
    /// The message it answers.
    pub trigger: MessageId,
}
