//! The handle the rest of the program holds: start, send, stop, look.

use std::{path::PathBuf, sync::Arc, time::Duration};

use greenroom_context::ModelProfile;
use greenroom_core::{ActorState, ChannelKey, Clock, Entropy, MessageId, PersonaName, TurnEvent, UserId};
use greenroom_memory::Memory;
use greenroom_models::ChatModel;
use greenroom_persona::Persona;
use greenroom_store::{Store, StoreError, Unfinished};
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
    /// The runtime is stopping or stopped.
    #[error("the runtime is stopped")]
    Stopped,
}

/// A model ready to answer one persona.
#[derive(Clone)]
pub struct ResolvedModel {
    /// What answers; retries are its own business.
    pub model: Arc<dyn ChatModel>,
    /// The name it is asked for by.
    pub name: String,
    /// How it counts and what it holds.
    pub profile: ModelProfile,
}

/// Decides which model answers a persona; asked at the start of every turn, so that a changed
/// file takes effect.
pub trait ModelSource: Send + Sync + 'static {
    /// The model, or what to tell the user.
    fn resolve(&self, persona: &Persona) -> Result<ResolvedModel, greenroom_models::ModelError>;
}

/// What a runtime is made of.
pub struct RuntimeOptions {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The memory service over the same store.
    pub memory: Memory,
    /// Who answers.
    pub models: Arc<dyn ModelSource>,
    /// The cast.
    pub personas: Vec<Persona>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Ids and chance.
    pub entropy: Arc<dyn Entropy>,
    /// After so long without a message a channel actor is passivated, and its room with the last.
    pub idle_after: Duration,
    /// Messages a channel may have waiting (S9).
    pub queue_limit: usize,
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
    /// What happens. Ends after the last event of the last turn.
    pub events: TurnEvents,
}

/// The events of the turns one message caused, in order. Bounded; a reader that does not keep up
/// slows the reply down and loses nothing.
pub type TurnEvents = mpsc::Receiver<TurnEvent>;

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

/// A running cast.
#[derive(Clone)]
pub struct Runtime {}

impl Runtime {
    /// Starts the supervisor and the memory actor; rooms wake with their first message.
    pub async fn start(options: RuntimeOptions) -> Result<Self, RuntimeError> {
        let _ = options;
        todo!()
    }

    /// Ends what a crash left unfinished in a channel and says what that was (S1). To be called
    /// by the owner of the channel before its first message.
    pub async fn recover(&self, channel: &ChannelKey) -> Result<Vec<Unfinished>, RuntimeError> {
        let _ = channel;
        todo!()
    }

    /// Stores a message, then wakes its room. Resolves when the message is durable and it is
    /// settled who answers.
    pub async fn send(&self, inbound: Inbound) -> Result<Sent, RuntimeError> {
        let _ = inbound;
        todo!()
    }

    /// Stops the running replies of a channel; each ends with `cancelled`.
    pub async fn cancel(&self, channel: &ChannelKey) {
        let _ = channel;
        todo!()
    }

    /// Starts a persona's context in a channel afresh (WB14).
    pub async fn reset(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<(), RuntimeError> {
        let _ = (persona, channel);
        todo!()
    }

    /// Takes in a changed cast (hot reload): turns that run keep the persona they began with. A
    /// persona that is gone finishes its turn and stops.
    pub async fn set_personas(&self, personas: Vec<Persona>) {
        let _ = personas;
        todo!()
    }

    /// Lets every persona answer again; does nothing to those that can already (WB15).
    pub async fn start_all(&self) -> Result<(), RuntimeError> {
        todo!()
    }

    /// Stops every channel actor and waits until all have (WB15).
    pub async fn stop_all(&self) {
        todo!()
    }

    /// Stops and starts one persona in every channel (WB15).
    pub async fn restart(&self, persona: &PersonaName) -> Result<(), RuntimeError> {
        let _ = persona;
        todo!()
    }

    /// Every live channel actor and what it does (WB13).
    pub fn status(&self) -> Vec<ActorStatus> {
        todo!()
    }

    /// Stops taking messages, finishes or cancels what runs within `grace`, embeds what waits,
    /// stops every actor (S10).
    pub async fn shutdown(self, grace: Duration) {
        let _ = grace;
        todo!()
    }
}
