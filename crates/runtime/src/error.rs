//! The errors of the runtime: why it did not do what it was asked.

use greenroom_core::{ChannelKey, ErrorCode, MessageId, PersonaName};
use greenroom_floor::Stop;
use greenroom_store::StoreError;

/// Why a persona does not answer a message again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RetryRefusal {
    /// No turn of the persona for the message failed or was stopped.
    #[error("it had no turn for it that failed or was stopped; address it in a new message")]
    NeverAsked,
    /// The persona does not belong to the channel any more.
    #[error("it is no member of the channel; invite it, or address it in a new message")]
    NoMember,
    /// The persona is stopped.
    #[error("it is stopped; start it and try again")]
    Stopped,
    /// Its file says that it never answers.
    #[error("its file says room.answer: never; change that and try again")]
    Never,
    /// A limit of the room, or its quiet.
    #[error("{}; {}", .0.text(), remedy(*.0))]
    Limit(Stop),
}

fn remedy(stop: Stop) -> &'static str {
    match stop {
        Stop::Quiet => "lift the quiet and try again",
        Stop::Tokens | Stop::Cost => "raise its limits and try again",
        Stop::Hour => "try again later",
        Stop::Chain | Stop::Pair | Stop::Repetition => "say something and try again",
    }
}

/// An error of the runtime.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// No persona of that name.
    #[error("there is no persona `{name}`; there are: {known}")]
    UnknownPersona {
        /// Who was asked for.
        name: PersonaName,
        /// Who there is.
        known: String,
    },
    /// No such message.
    #[error("there is no message {message} in {channel}; say it again")]
    UnknownMessage {
        /// Which channel.
        channel: ChannelKey,
        /// Which message.
        message: MessageId,
    },
    /// A message is not answered again (RM5).
    #[error("{persona} does not answer message {} again: {why}", message.0)]
    NotRetried {
        /// Which message.
        message: MessageId,
        /// Who was to answer.
        persona: PersonaName,
        /// Why not, and a remedy.
        why: RetryRefusal,
    },
    /// Every turn that was to answer the message broke (S8).
    #[error(
        "{message} broke {tries} turns of {persona} and is answered no more; an operator can try it again or dismiss it"
    )]
    DeadLetter {
        /// Which message.
        message: MessageId,
        /// Who was to answer.
        persona: PersonaName,
        /// How often it was tried.
        tries: u32,
    },
    /// The store failed (S2).
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many messages wait already (S9).
    #[error("{channel} is busy: {waiting} messages wait already; try again in a moment")]
    Busy {
        /// Which channel.
        channel: ChannelKey,
        /// How many wait.
        waiting: usize,
    },
    /// No persona would answer, so there is nothing to preview.
    #[error("nobody in {channel} would answer; address somebody, as in @{known}")]
    NobodyAnswers {
        /// Which channel.
        channel: ChannelKey,
        /// Who there is.
        known: String,
    },
    /// A context could not be assembled.
    #[error("{message}")]
    Context {
        /// For programs.
        code: ErrorCode,
        /// For people.
        message: String,
    },
    /// The room of the channel crashed (S7). The message is stored.
    #[error("the room of {channel} crashed; the message is stored, the log says more")]
    Crashed {
        /// Which channel.
        channel: ChannelKey,
    },
    /// The runtime is stopping or stopped.
    #[error("the runtime is stopped")]
    Stopped,
}
