//! The parts and settings of a runtime.

use std::{sync::Arc, time::Duration};

use greenroom_context::ModelProfile;
use greenroom_core::{Entropy, SystemClock, SystemEntropy, Time, TurnEvent};
use greenroom_memory::{Memory, SmallModel};
use greenroom_models::ChatModel;
use greenroom_persona::{Persona, Price, ProjectSettings, RuntimeSettings};
use greenroom_store::Store;
use greenroom_tools::{Tool, mcp::McpTools};

use crate::RoomsSettings;

/// A model ready to answer one persona.
#[derive(Clone)]
pub struct ResolvedModel {
    /// The model. It retries failed calls itself.
    pub model: Arc<dyn ChatModel>,
    /// The name under which a request asks for it.
    pub name: String,
    /// How its tokens are counted, and how many fit into its window.
    pub profile: ModelProfile,
}

/// Decides which model answers a persona. Each turn asks at its start, so that a changed file takes effect.
pub trait ModelSource: Send + Sync + 'static {
    /// The model, or an error that tells the user what to do. `instead` names another model of the same endpoint.
    fn resolve(
        &self,
        persona: &Persona,
        instead: Option<&str>,
    ) -> Result<ResolvedModel, greenroom_models::ModelError>;

    /// The price of a model, if it is known.
    fn price(&self, _model: &str) -> Option<Price> {
        None
    }

    /// The model that answers a persona, for display; `None` if it cannot be said.
    fn answering(&self, _persona: &Persona) -> Option<Answering> {
        None
    }

    /// The small model for work beside replies; `None` if the persona's settings name none.
    fn small(&self, _persona: &Persona, _role: SmallRole) -> Option<SmallModel> {
        None
    }
}

/// One model for every persona.
impl ModelSource for ResolvedModel {
    fn resolve(&self, _: &Persona, _: Option<&str>) -> Result<ResolvedModel, greenroom_models::ModelError> {
        Ok(self.clone())
    }
}

/// The model that answers a persona, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering {
    /// Its name at its endpoint; `None` while none is chosen.
    pub model: Option<String>,
    /// The short name.
    pub shown: Option<String>,
    /// The endpoint without user, password and query; `None` for the built-in model.
    pub endpoint: Option<String>,
    /// The choice and who made it, in one line; or why there is none yet.
    pub chosen: String,
    /// The size of its window in tokens.
    pub window: Option<usize>,
    /// How its tokens are counted.
    pub counter: Option<String>,
    /// Whether the counter is the model's own tokenizer.
    pub exact: bool,
}

/// What a small model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallRole {
    /// Writing what a relevant memory might say (FG5): `memory.hyde`.
    Retrieval,
    /// Finding facts and summarising after a reply: `memory.capture`. Never before a reply.
    Capture,
}

/// Called with the events of turns.
pub type EventObserver = Arc<dyn Fn(&TurnEvent) + Send + Sync>;

/// The parts and settings of a runtime.
pub struct RuntimeOptions {
    /// The store of all data.
    pub store: Arc<dyn Store>,
    /// The memory service over the same store.
    pub memory: Memory,
    /// Chooses the model of each persona.
    pub models: Arc<dyn ModelSource>,
    /// Tools beside the built-in ones. A persona has those that its file names; a name that is built in stays built in.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The MCP servers of the cast; `McpTools::default()` for none.
    pub mcp: McpTools,
    /// The cast.
    pub personas: Vec<Arc<Persona>>,
    /// Who belongs to which channels, who answers there, how long bots may talk.
    pub rooms: RoomsSettings,
    /// The clock.
    pub clock: Arc<dyn Time>,
    /// Ids and randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Rooms that had nothing to do for this long end, and memory that was not used for this long is released.
    pub idle_after: Duration,
    /// Whether expired memories are deleted. Switch this off if several runtimes with different clocks share a store: a
    /// memory may have expired for one and not for another. No recall finds an expired memory in any case.
    pub sweeps: bool,
    /// Whether a turn ends only when its exchange is captured, and an outgrown history summarised. Otherwise both
    /// happen after the turn, and the speed of the model decides which context includes their results first, so that a
    /// run cannot be repeated. When this is on, the caller embeds new texts (`Memory::index_pending_of`).
    pub memory_in_turn: bool,
    /// Whether an erasure hides earlier turns from late listeners, interrupts turns that may have been shown what was
    /// erased, and makes rooms read their state again (GR10). A turn's sources are checked before it is stored in any
    /// case. Switch this off if everything is recorded anyway and runtimes with different clocks share a store.
    pub hides_erased: bool,
    /// Whether personas join channels by invitation alone. Otherwise a persona that is addressed in a channel joins it
    /// as well (RM1). Meant for worlds where a persona is in one place at a time, and calling its name does not bring
    /// it.
    pub by_invitation: bool,
    /// How many messages may wait in a channel (S9).
    pub queue_limit: usize,
    /// Bytes of memory for the events of turns, which late listeners read.
    pub event_bytes: usize,
    /// Called with each event when it is published, in order. A listener misses events if it is too slow; this misses
    /// none, however many there are. The hub is locked meanwhile: the call must be short and may not use the runtime.
    pub on_event: Option<EventObserver>,
    /// Tokens that the project block of a context may take, header included.
    pub project_budget: usize,
    /// File names to try in a directory without AGENTS.md.
    pub project_fallback_names: Vec<String>,
}

impl RuntimeOptions {
    /// Options with the defaults of the settings: the system's clock, the built-in tools alone, no MCP servers.
    pub fn new(
        store: Arc<dyn Store>,
        memory: Memory,
        models: Arc<dyn ModelSource>,
        personas: Vec<impl Into<Arc<Persona>>>,
    ) -> Self {
        let (runtime, project) = (RuntimeSettings::default(), ProjectSettings::default());
        Self {
            store,
            memory,
            models,
            tools: Vec::new(),
            mcp: McpTools::default(),
            personas: personas.into_iter().map(Into::into).collect(),
            rooms: RoomsSettings::default(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            idle_after: runtime.idle_after,
            sweeps: true,
            memory_in_turn: false,
            hides_erased: true,
            by_invitation: false,
            queue_limit: runtime.queue_limit,
            event_bytes: runtime.cache_shares().events,
            on_event: None,
            project_budget: project.budget_tokens,
            project_fallback_names: project.fallback_names,
        }
    }
}
