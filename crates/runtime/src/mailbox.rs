//! The messages that the actors send each other. This module is below all actors, so that no actor has to import
//! another one for its messages.

use std::{convert::Infallible, sync::Arc};

use greenroom_core::{ChannelKey, Envelope, Message, MessageId, PersonaName, TurnId};
use greenroom_floor::MemberId;
use greenroom_store::{MembershipChange, StoreError};
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
    /// If the message is stored already, the addressed persona answers it again (S8).
    pub(crate) envelope: Envelope,
    /// The sender's span, so that the turns belong to the same trace.
    pub(crate) span: Span,
    pub(crate) ticket: QueueTicket,
    pub(crate) token: ShutdownToken,
    /// Set if the room stored the message before deciding who answers.
    pub(crate) undecided: Option<StoredUndecided>,
    /// Whether a message that is answered again addresses its persona as a new message does.
    pub(crate) addresses: bool,
    /// Receives the result when the message is stored and the room has decided who answers.
    pub(crate) accepted: oneshot::Sender<Result<Accepted, RuntimeError>>,
}

impl Incoming {
    /// Whether the message was decided before and is to be answered again.
    pub(crate) fn asks_for_another_answer(&self) -> bool {
        asks_for_another_answer(&self.envelope, self.undecided)
    }
}

/// Whether a message was decided before and is to be answered again: it is stored, and not to be decided now.
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
    /// Whether it had been accepted before; then nothing is planned again (GR6).
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
    /// The stored reply, if there is one.
    pub(crate) reply: Option<Arc<Message>>,
    /// Whether there is no reply because it would nearly have repeated an earlier one of the persona (RM4).
    pub(crate) repeats: bool,
}

/// A reply that other members may answer, with the message that it answers.
#[derive(Clone)]
pub(crate) struct FollowUp {
    /// The stored reply.
    pub(crate) reply: Arc<Message>,
    /// The person whom the reply is for, if it is for one person alone.
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
    Attend(MembershipChange),
    /// No persona answers before this moment, in seconds since 1970; `None` lifts the quiet.
    Quiet(Option<i64>),
}

/// Closes when every actor that got a clone has done its part.
pub(crate) type Done = mpsc::Sender<Infallible>;

/// A message to the supervisor.
pub(crate) enum SupervisorMsg {
    /// An admitted message.
    Incoming(Box<Incoming>),
    /// A room has nothing to do, has handled this many messages, and wants to end.
    Leaving { channel: ChannelKey, room: ActorId, handled: u64 },
    /// A crash came before it was decided who answers this reply.
    Recover { reply: Box<Message>, token: ShutdownToken },
    /// A command to a room, live or not.
    Command { channel: ChannelKey, command: RoomCommand, done: oneshot::Sender<Result<(), StoreError>> },
    /// Interrupt the replies of a channel.
    Cancel(ChannelKey),
    /// End the room of a channel, if it has nothing to do.
    Rest(ChannelKey),
    /// End the rooms that have been idle for long.
    LookForIdle,
    /// Stop these personas everywhere.
    Stop { personas: Arc<[PersonaName]>, done: Done },
    /// The cast has changed, or a persona was started.
    CastChanged { done: Done },
    /// A turn is over: there may be something to embed and to capture.
    TurnOver,
    /// Start the memory actor, at first or after a crash.
    RestartMemory,
}

/// A message to a room.
pub(crate) enum RoomMsg {
    /// An admitted message.
    Incoming(Box<Incoming>),
    /// The moderator has chosen, or failed.
    Moderated { about: ModeratorQuestion, choice: Choice },
    /// Turns have ended. `spoken` is set if there is a reply or a suppressed repetition.
    TurnsOver { turns: Vec<TurnId>, spoken: Option<TurnReply> },
    /// Decide again who answers this reply: the store failed the first time.
    Retry(FollowUp),
    /// Decide who answers this reply: a crash came in between.
    Recover { reply: Box<Message>, token: ShutdownToken },
    /// A command, and where its result goes.
    Command { command: RoomCommand, done: oneshot::Sender<Result<(), StoreError>> },
    /// End the room if it has been idle for long.
    LookIfIdle,
    /// A crashed channel actor has waited long enough and may start again.
    Restart { persona: PersonaName },
    /// Interrupt every reply.
    Cancel,
    /// Stop these personas.
    Stop { personas: Arc<[PersonaName]>, done: Done },
    /// The cast has changed, or a persona was started.
    CastChanged { done: Done },
    /// End the room, if it has nothing to do.
    Rest,
}

/// A message to a channel actor.
pub(crate) enum ChannelMsg {
    /// The cue queue has a cue for this persona.
    Cued,
    /// Its turn is over.
    TurnOver { outcome: Outcome },
    /// Interrupt the running reply.
    Cancel(InterruptReason),
    /// The summary in the background has ended, however it did.
    SummaryOver,
}
