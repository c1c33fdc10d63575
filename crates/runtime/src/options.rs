//! What a runtime is made of.

use std::{sync::Arc, time::Duration};

use greenroom_context::ModelProfile;
use greenroom_core::{Entropy, SystemClock, SystemEntropy, Time};
use greenroom_memory::{Memory, SmallModel};
use greenroom_models::ChatModel;
use greenroom_persona::{Persona, Price, ProjectSettings, RuntimeSettings};
use greenroom_store::Store;
use greenroom_tools::{Tool, mcp::McpTools};

use crate::RoomsSettings;

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
    /// The model, or what to tell the user. `instead`: another model of the same endpoint.
    fn resolve(
        &self,
        persona: &Persona,
        instead: Option<&str>,
    ) -> Result<ResolvedModel, greenroom_models::ModelError>;

    /// What a model costs, where that is known.
    fn price(&self, _model: &str) -> Option<Price> {
        None
    }

    /// Which model answers a persona, for display; `None` where that cannot be said.
    fn answering(&self, _persona: &Persona) -> Option<Answering> {
        None
    }

    /// The model for work on the side, or `None` where the persona's settings name none.
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

/// Which model answers a persona, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering {
    /// Its name at its endpoint; nothing while none is chosen.
    pub model: Option<String>,
    /// The name in short.
    pub shown: Option<String>,
    /// The endpoint without user, password and query; nothing for the built-in model.
    pub endpoint: Option<String>,
    /// The choice and who made it, in a line; or why there is none yet.
    pub chosen: String,
    /// Tokens its context holds.
    pub window: Option<usize>,
    /// How its tokens are counted.
    pub counter: Option<String>,
    /// Whether that is its own tokenizer.
    pub exact: bool,
}

/// What a small model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallRole {
    /// Writing what a relevant memory might say (FG5): `memory.hyde`.
    Retrieval,
    /// Finding facts and summing up after a reply: `memory.capture`. Never in front of a reply.
    Capture,
}

/// What a runtime is made of.
pub struct RuntimeOptions {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The memory service over the same store.
    pub memory: Memory,
    /// Who answers.
    pub models: Arc<dyn ModelSource>,
    /// Tools beside the built-in ones. A persona has those that its file names; a name that is built in stays built in.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The MCP servers of the cast; `McpTools::default()` for none.
    pub mcp: McpTools,
    /// The cast.
    pub personas: Vec<Arc<Persona>>,
    /// Who belongs to which channels, who answers there, how long bots may talk.
    pub rooms: RoomsSettings,
    /// The time.
    pub clock: Arc<dyn Time>,
    /// Ids and chance.
    pub entropy: Arc<dyn Entropy>,
    /// After so long without a message a channel actor is passivated, and its room with the last.
    pub idle_after: Duration,
    /// Whether expired memories are deleted. Not where several runtimes at different moments share a store: what has
    /// expired for one has not for another. Nobody recalls what has expired, deleted or not.
    pub sweeps: bool,
    /// Whether a turn ends only when what is worth it of it is captured, and the history that outgrew its context summarised.
    /// Otherwise that goes on behind the turn, and how long the model takes decides which context is the first with it:
    /// nothing that can be repeated. What is kept is embedded by the caller then (`Memory::index_pending_of`).
    pub memory_in_turn: bool,
    /// Whether turns of before are hidden from late listeners, and turns under way broken off, when something is erased that
    /// they may have been shown (GR10), and rooms read again. What a turn is made of is looked at in any case before it is
    /// stored. Not where everything that was told is recorded anyway, and several runtimes at different moments share a store.
    pub hides_erased: bool,
    /// Whether personas come by invitation alone. Otherwise one that is addressed in a channel comes as well (RM1). Where a
    /// persona is in one place at a time, calling its name does not bring it.
    pub by_invitation: bool,
    /// Messages a channel may have waiting (S9).
    pub queue_limit: usize,
    /// Bytes of memory that the events of turns may take, for those who listen late.
    pub event_bytes: usize,
    /// Tokens the project block of a context may take, header included.
    pub project_budget: usize,
    /// Names tried where a directory holds no AGENTS.md.
    pub project_fallback_names: Vec<String>,
}

impl RuntimeOptions {
    /// A runtime of these, with the defaults of the settings: the system's clock, no tools but the built-in ones, no
    /// MCP servers.
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
            project_budget: project.budget_tokens,
            project_fallback_names: project.fallback_names,
        }
    }
}
