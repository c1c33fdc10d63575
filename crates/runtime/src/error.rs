//! Why the runtime did not do what it was asked.

use greenroom_core::{ChannelKey, ErrorCode, MessageId, PersonaName};
use greenroom_store::StoreError;

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
    /// A reply that the persona had no turn to answer, or none that failed or was stopped.
    #[error("{message} was said by {name}; name the message it answers, what a person said")]
    SaidByPersona {
        /// Who said it.
        name: PersonaName,
        /// Which message.
        message: MessageId,
    },
    /// Every turn that was to answer it broke (S8).
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
    /// Too much waits already (S9).
    #[error("{channel} is busy: {waiting} messages wait already; try again in a moment")]
    Busy {
        /// Which channel.
        channel: ChannelKey,
        /// How many wait.
        waiting: usize,
    },
    /// Nobody would answer, so there is nothing to preview.
    #[error("nobody in {channel} would answer; address somebody, as in @{known}")]
    NobodyAnswers {
        /// Which channel.
        channel: ChannelKey,
        /// Who there is.
        known: String,
    },
    /// A context could not be made.
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
