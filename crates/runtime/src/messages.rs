//! What goes into a runtime and what comes back.

use std::{path::PathBuf, sync::Arc};

use greenroom_core::{
    ActorState, ChannelKey, ChatMessage, ErrorCode, MemorySnippet, MessageId, PersonaName, Receipt, Standing,
    ToolSchema, TurnEvent, TurnId, Usage, UserId,
};
use greenroom_store::StoreError;
use tokio::sync::mpsc;

/// Why the runtime did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// Nobody of that name.
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
    /// A reply: personas answer people.
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

/// A message as an adapter hands it in.
#[derive(Debug, Clone)]
pub struct Inbound {
    /// Where it was said.
    pub channel: ChannelKey,
    /// The platform's id of the event.
    pub event_id: String,
    /// Who said it.
    pub user: UserId,
    /// What to call them.
    pub user_name: String,
    /// What was said.
    pub text: String,
    /// Whom it is addressed to, where the platform or the command line says so.
    pub to: Option<PersonaName>,
    /// The project bound to the channel.
    pub project: Option<PathBuf>,
    /// Switches recall off for this message (BD6).
    pub disable_memory: bool,
}

/// What became of a message.
pub struct Sent {
    /// The stored message.
    pub message: MessageId,
    /// True when it had been seen before; nothing more happens then (GR6).
    pub duplicate: bool,
    /// Who answers, in order, and why.
    pub answering: Vec<(PersonaName, String)>,
    /// The turns that answer it, in the same order; of a message that had been seen before those that
    /// did or do.
    pub turns: Vec<TurnId>,
    /// What happens. Ends after the last event of the last turn.
    pub events: TurnEvents,
}

/// The events of the turns one message caused, in order. Bounded; a reader that does not keep up
/// slows the reply down and loses nothing.
pub type TurnEvents = mpsc::Receiver<Arc<TurnEvent>>;

/// One row of `status`.
#[derive(Debug, Clone, PartialEq)]
pub struct ActorStatus {
    /// Who.
    pub persona: PersonaName,
    /// Where.
    pub channel: ChannelKey,
    /// Doing what (WB13).
    pub state: ActorState,
}

/// What a persona used and may use (WB12).
#[derive(Debug, Clone, PartialEq)]
pub struct PersonaUsage {
    /// Who.
    pub persona: PersonaName,
    /// Within the last hour.
    pub hour: Usage,
    /// Within the last 24 hours.
    pub day: Usage,
    /// Tokens in any hour; 0 is unlimited.
    pub tokens_per_hour: u64,
    /// Cost in any 24 hours; 0 is unlimited.
    pub cost_per_day: f32,
    /// Where it stands with that.
    pub standing: Standing,
}

/// A context as it went to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnContext {
    /// The account of it (GR3).
    pub receipt: Receipt,
    /// The exact texts of its items, in their order.
    pub texts: Vec<String>,
    /// The request, in order.
    pub messages: Vec<ChatMessage>,
    /// The tools that were on offer.
    pub tools: Vec<ToolSchema>,
}

/// A context as it would go to the model, had the message been sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// Who would answer.
    pub persona: PersonaName,
    /// The model that would.
    pub model: String,
    /// What would be recalled (BD5).
    pub memories: Vec<MemorySnippet>,
    /// The request, in order; empty when the context is full.
    pub messages: Vec<ChatMessage>,
    /// The tools that would be on offer.
    pub tools: Vec<ToolSchema>,
    /// The account of it (GR3).
    pub receipt: Receipt,
    /// The exact texts of its items, in their order; empty when the context is full.
    pub texts: Vec<String>,
    /// What to do about it, when the context is full (WB14).
    pub full: Option<String>,
}
