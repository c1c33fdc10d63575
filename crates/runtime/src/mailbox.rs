//! The messages that the actors send to each other. They stand in one file below all actors, so that no actor's
//! file has to import another's for its messages.

use std::{convert::Infallible, sync::Arc};

use greenroom_core::{ChannelKey, Envelope, Message, MessageId, PersonaName, TurnId};
use greenroom_floor::MemberId;
use greenroom_store::{Attendance, StoreError};
use ractor::ActorId;
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use crate::{
    RuntimeError, TurnEvents,
    cue::{Cue, ReplyTerms},
    directory::{QueueTicket, ShutdownToken},
    relevance::Choice,
    turn::{Outcome, interrupt::InterruptReason},
};

/// A message on its way to its room.
pub(crate) struct Incoming {
    /// A message that is stored already is answered once more, by the persona it is addressed to (S8).
    pub(crate) envelope: Envelope,
    /// The sender's span: the turns belong to the same trace.
    pub(crate) span: Span,
    pub(crate) ticket: QueueTicket,
    pub(crate) token: ShutdownToken,
    /// Where the room has stored the message before it is decided who answers.
    pub(crate) undecided: Option<StoredUndecided>,
    /// Whether a message that is answered once more addresses its persona as a new message would.
    pub(crate) addresses: bool,
    /// Told when the message is stored and it is decided who answers.
    pub(crate) accepted: oneshot::Sender<Result<Accepted, RuntimeError>>,
}

impl Incoming {
    /// Whether a message that was decided about before is to be answered once more.
    pub(crate) fn asks_for_another_answer(&self) -> bool {
        asks_for_another_answer(&self.envelope, self.undecided)
    }
}

/// Whether a message that was decided about before is to be answered once more: it is stored, and not for its decision.
pub(crate) fn asks_for_another_answer(envelope: &Envelope, undecided: Option<StoredUndecided>) -> bool {
    undecided.is_none() && envelope.message.is_stored()
}

/// A message that is stored but not yet decided.
#[derive(Clone, Copy)]
pub(crate) struct StoredUndecided {
    /// Whether it had been stored before (GR6).
    pub(crate) duplicate: bool,
}

/// An accepted message.
pub(crate) struct Accepted {
    pub(crate) message: MessageId,
    /// Whether it had been accepted before; then nothing is planned anew (GR6).
    pub(crate) duplicate: bool,
    /// The turns that answer it, in order.
    pub(crate) turns: Vec<PlannedTurn>,
    /// Their events, from the beginning.
    pub(crate) events: TurnEvents,
}

/// A turn that answers a message.
#[derive(Clone)]
pub(crate) struct PlannedTurn {
    pub(crate) id: TurnId,
    pub(crate) persona: PersonaName,
    /// Why this persona answers, for people.
    pub(crate) why: String,
    pub(crate) terms: ReplyTerms,
}

/// The result of a turn, for the room.
pub(crate) struct TurnReply {
    /// What was answered.
    pub(crate) trigger: Arc<Cue>,
    /// The reply as it is stored, if there is one.
    pub(crate) reply: Option<Arc<Message>>,
    /// Whether there is none because it would nearly have repeated what its author had said (RM4).
    pub(crate) repeats: bool,
}

/// A reply that others may answer, with what it was made for.
#[derive(Clone)]
pub(crate) struct FollowUp {
    /// As it is stored.
    pub(crate) reply: Arc<Message>,
    /// The person whom it is for, where it is for one alone.
    pub(crate) meant_for: Option<MemberId>,
    /// The message that it answers.
    pub(crate) envelope: Arc<Envelope>,
    pub(crate) span: Span,
    pub(crate) token: ShutdownToken,
}

/// What a moderator was asked about.
pub(crate) enum ModeratorQuestion {
    /// A message, stored and undecided.
    Message(Box<Incoming>),
    /// A reply.
    Reply(FollowUp),
}

/// A command to a room.
pub(crate) enum RoomCommand {
    /// Personas come or go.
    Attend(Attendance),
    /// Nobody answers before this moment, in seconds; none: everybody may again.
    Quiet(Option<i64>),
}

/// Closed when every actor that got a clone has done what it was told.
pub(crate) type Done = mpsc::Sender<Infallible>;

/// A message to the supervisor.
pub(crate) enum SupervisorMsg {
    /// A message was let in.
    Incoming(Box<Incoming>),
    /// A room is empty and has handled this many messages.
    Leaving { channel: ChannelKey, room: ActorId, handled: u64 },
    /// A reply that nobody has decided about.
    Recover { reply: Box<Message>, token: ShutdownToken },
    /// A command to a room, live or not.
    Command { channel: ChannelKey, command: RoomCommand, done: oneshot::Sender<Result<(), StoreError>> },
    /// Break off the replies of a channel.
    Cancel(ChannelKey),
    /// Let the room of a channel go, if it has nothing to do.
    Rest(ChannelKey),
    /// Let the rooms go that have been idle for long.
    LookForIdle,
    /// Stop these personas everywhere.
    Stop { personas: Arc<[PersonaName]>, done: Done },
    /// The cast has changed, or a persona was started.
    CastChanged { done: Done },
    /// A turn is over: there may be something to embed and to capture.
    TurnOver,
    /// Bring the memory actor back.
    RestartMemory,
}

/// A message to a room.
pub(crate) enum RoomMsg {
    /// A message was let in.
    Incoming(Box<Incoming>),
    /// The moderator has chosen, or failed.
    Moderated { about: ModeratorQuestion, choice: Choice },
    /// Turns have ended; nothing was said of one that crashed.
    TurnsOver { turns: Vec<TurnId>, spoken: Option<TurnReply> },
    /// The store failed when it was to be decided who answers this reply: it is tried again.
    Retry(FollowUp),
    /// A persona may still answer this reply: a crash came in between.
    Recover { reply: Box<Message>, token: ShutdownToken },
    /// A command, and where its result goes.
    Command { command: RoomCommand, done: oneshot::Sender<Result<(), StoreError>> },
    /// The room goes if it has been idle for long.
    LookIfIdle,
    /// A crashed channel actor may come back.
    Restart { persona: PersonaName },
    /// Break off every reply.
    Cancel,
    /// Stop these personas.
    Stop { personas: Arc<[PersonaName]>, done: Done },
    /// The cast has changed, or a persona was started.
    CastChanged { done: Done },
    /// The room may go, if it has nothing to do.
    Rest,
}

/// A message to a channel actor.
pub(crate) enum ChannelMsg {
    /// The cue queue has something for it.
    Cued,
    /// Its turn is over.
    TurnOver { outcome: Outcome },
    /// Break the running reply off.
    Cancel(InterruptReason),
    /// The summary in the background has ended, however it did.
    SummaryOver,
}
