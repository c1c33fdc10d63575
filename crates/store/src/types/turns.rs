//! Turns: who is to answer a message, how that ends, and what a crash leaves of it.

use std::fmt;

use greenroom_core::{
    ChannelKey, ErrorCode, Message, MessageId, PersonaName, Receipt, SharedReceipt, Timestamp, TurnId, Usage,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Departure, Embedded, Sources, Via};

/// A turn that will run.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// Its id.
    pub id: TurnId,
    /// Who answers.
    pub persona: PersonaName,
    /// When it was planned.
    pub at: Timestamp,
    /// Whether it begins with that: nobody has to say so later.
    pub begins: bool,
}

/// What is settled of a message.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Who answers it, in which turns.
    pub turns: Vec<NewTurn>,
    /// Its vector, where it is known already.
    pub vector: Option<Embedded>,
    /// Who is present from it on, beside those who answer, or how one of these came
    /// ([`PresenceStore::enter`](crate::PresenceStore::enter)).
    pub come: Vec<(PersonaName, Via)>,
    /// Who no longer hears it ([`PresenceStore::leave`](crate::PresenceStore::leave)); a persona that is to answer it all
    /// the same hears it and nothing after it.
    pub gone: Vec<(PersonaName, Departure)>,
    /// Whether the message and its replies stay out of summaries
    /// ([`InboxStore::set_aside`](crate::InboxStore::set_aside), BD6).
    pub without_memory: bool,
    /// The state of the room from then on, where it changes ([`PresenceStore::put_room`](crate::PresenceStore::put_room)).
    pub room: Option<String>,
    /// Why these answer and others do not, where that is kept ([`InboxStore::decisions`](crate::InboxStore::decisions)).
    pub decision: Option<String>,
    /// Whether the platform says that its channel is a group (MP1).
    pub group: bool,
    /// Whether who answers is settled later, by [`plan_turns`](crate::InboxStore::plan_turns): until then a message that
    /// is stored with this plan counts as unhandled.
    pub undecided: bool,
}

impl From<Vec<NewTurn>> for Plan {
    /// Who answers it, and nothing else.
    fn from(turns: Vec<NewTurn>) -> Self {
        Self { turns, ..Self::default() }
    }
}

/// How a turn ends with a reply.
#[derive(Debug, Clone)]
pub struct TurnCommit {
    /// The reply's text.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// What it cost.
    pub usage: Usage,
    /// The account of the (last) context. Stored without what its history items show.
    pub receipt: Option<SharedReceipt>,
    /// The vector of the text, where it is known already.
    pub vector: Option<Embedded>,
    /// What it was made of.
    pub sources: Sources,
    /// Whether a persona may answer the reply: it counts as unhandled until that is settled
    /// ([`InboxStore::plan_turns`](crate::InboxStore::plan_turns)), so that it is found after a crash.
    pub unhandled: bool,
}

/// How a turn ends without a reply.
#[derive(Debug, Clone)]
pub struct TurnEnd {
    /// Failed, cancelled, interrupted, or answered together with a later message.
    pub state: TurnState,
    /// The code, when it failed.
    pub code: Option<ErrorCode>,
    /// What a person is told.
    pub message: String,
    /// When.
    pub at: Timestamp,
    /// What it cost all the same.
    pub usage: Usage,
}

/// Where a turn stands.
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
    /// Who answers.
    pub persona: PersonaName,
    /// Where.
    pub channel: ChannelKey,
    /// What is answered.
    pub trigger: MessageId,
    /// Where it stands.
    pub state: TurnState,
    /// The stored reply.
    pub reply: Option<MessageId>,
    /// Why it failed.
    pub code: Option<ErrorCode>,
    /// What a person was told of a turn that ended without a reply.
    pub message: Option<String>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What it cost.
    pub usage: Usage,
    /// The account of its context, while the turn is among the newest of its channel.
    #[schema(value_type = Option<Receipt>)]
    pub receipt: Option<SharedReceipt>,
}

/// A message that broke every turn that was to answer it (S8).
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetter {
    /// What was said.
    pub message: Message,
    /// Who was to answer.
    pub persona: PersonaName,
    /// How many turns broke.
    pub tries: u32,
    /// What was told of the last one.
    pub why: String,
    /// When that ended.
    pub at: Timestamp,
}

/// A turn of whose exchange nothing was captured yet.
#[derive(Debug, Clone)]
pub struct Postponed {
    /// The turn.
    pub turn: Turn,
    /// The messages it answered, oldest first.
    pub burst: Vec<Message>,
    /// Its reply.
    pub reply: Option<Message>,
}

/// What is noted with a turn that a crash broke off.
pub const ENDED_DURING_TURN: &str = "the program ended in the middle of it";

/// What is noted with a turn that still waited when the program ended.
pub const ENDED_BEFORE_TURN: &str = "the program ended before it began";

/// Something a crash left behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// The message nobody answered.
    pub message: Message,
    /// Who was answering it, and in which turn; `None` when that was not settled yet.
    pub turn: Option<(TurnId, PersonaName)>,
}

/// A reply on its way out.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxEntry {
    /// The row.
    pub id: i64,
    /// The reply.
    pub reply: Message,
    /// The message it answers.
    pub trigger: MessageId,
}
