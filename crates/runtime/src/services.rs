//! The services that all actors of one runtime share. A value, never a global, so that runtimes run side by side.
//!
//! No service imports this file: each is independent, or takes the few others that it needs.

use std::{sync::Arc, time::Duration};

use greenroom_core::{ChannelKey, Entropy, MessageId, PersonaName, Time, Timestamp, TurnId};
use greenroom_memory::Memory;
use greenroom_persona::Persona;
use greenroom_store::{Departure, Embedded, Store, StoreError};
use greenroom_tools::{Toolbox, mcp::McpTools, memory_tools};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    RoomsSettings, RuntimeOptions, capture_queue::CaptureQueue, cast::CurrentCast, directory::Directory,
    erasures::Erasures, hub::Hub, ledger::Ledger, metrics::Metrics, models::Models, relevance::Relevance,
    turn::contexts::RecentContexts,
};

/// The shared part of a runtime.
pub(crate) struct Services {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) memory: Memory,
    pub(crate) models: Models,
    pub(crate) tools: Tools,
    pub(crate) settings: Settings,
    pub(crate) cast: CurrentCast,
    /// Who belongs to which channels, who answers there, how long bots may talk.
    pub(crate) rooms: RoomsSettings,
    pub(crate) relevance: Relevance,
    pub(crate) directory: Directory,
    /// The events of every turn.
    pub(crate) hub: Arc<Hub>,
    /// The newest contexts.
    pub(crate) contexts: Arc<RecentContexts>,
    /// Exchanges that wait to be captured.
    pub(crate) capture_queue: Arc<CaptureQueue>,
    pub(crate) erasures: Erasures,
    /// What running turns have reserved (WB12).
    pub(crate) ledger: Ledger,
    pub(crate) metrics: Metrics,
    /// Counts the replies that accounts on chat platforms have to deliver (AD1).
    pub(crate) replies: watch::Sender<u64>,
    /// Cancelled when the runtime stops: background work ends at once (S10).
    pub(crate) closing: CancellationToken,
    /// The clock for every wait and every timestamp (SM2).
    pub(crate) clock: Arc<dyn Time>,
    entropy: Arc<dyn Entropy>,
}

/// The available tools; a persona's file says which of them it has.
pub(crate) struct Tools {
    /// The tools of Greenroom and of the program that uses it.
    pub(crate) available: Toolbox,
    pub(crate) mcp: McpTools,
}

/// The settings that actors and turns read.
pub(crate) struct Settings {
    pub(crate) idle_after: Duration,
    pub(crate) sweeps: bool,
    pub(crate) memory_in_turn: bool,
    pub(crate) by_invitation: bool,
    pub(crate) project_budget: usize,
    pub(crate) project_fallback_names: Vec<String>,
}

impl Services {
    pub(crate) fn new(options: RuntimeOptions) -> Self {
        let RuntimeOptions { store, memory, models, tools, mcp, personas, clock, entropy, .. } = options;
        let hub = Arc::new(Hub::new(options.event_bytes, options.on_event));
        let contexts: Arc<RecentContexts> = Arc::default();
        let capture_queue = Arc::new(CaptureQueue::new(clock.clone()));
        let services = Self {
            tools: Tools { available: memory_tools(&memory).with(tools), mcp },
            models: Models { source: models, store: store.clone(), clock: clock.clone() },
            settings: Settings {
                idle_after: options.idle_after,
                sweeps: options.sweeps,
                memory_in_turn: options.memory_in_turn,
                by_invitation: options.by_invitation,
                project_budget: options.project_budget,
                project_fallback_names: options.project_fallback_names,
            },
            cast: CurrentCast::new(Vec::new()),
            rooms: options.rooms,
            relevance: Relevance::default(),
            directory: Directory::new(options.queue_limit),
            erasures: Erasures::new(
                store.clone(),
                clock.clone(),
                hub.clone(),
                contexts.clone(),
                capture_queue.clone(),
                options.hides_erased,
            ),
            ledger: Ledger::default(),
            metrics: Metrics::default(),
            replies: watch::channel(0).0,
            closing: CancellationToken::new(),
            store,
            memory,
            hub,
            contexts,
            capture_queue,
            clock,
            entropy,
        };
        services.set_cast(personas);
        services
    }

    /// Replaces the cast: its tools, the names that people may not take (RM7), the personas.
    pub(crate) fn set_cast(&self, personas: Vec<Arc<Persona>>) {
        self.tools.mcp.set(personas.iter().map(|persona| &**persona));
        self.memory.reserve_names(personas.iter().map(|persona| persona.spoken_names()));
        self.cast.set(personas);
    }

    /// The vector of a text that is about to be stored, if one of the personas that answer or say it has a memory
    /// (FG17).
    pub(crate) async fn vector(
        &self,
        mut personas: impl Iterator<Item = &PersonaName>,
        channel: &ChannelKey,
        text: &str,
    ) -> Option<Embedded> {
        let remembers = |name| self.cast.persona(name).is_some_and(|persona| persona.memory.enabled);
        if personas.any(remembers) { self.memory.embedded_at_once(channel, text).await } else { None }
    }

    /// Why a persona cannot be in a channel, if it cannot.
    pub(crate) fn why_away(&self, persona: &PersonaName, channel: &ChannelKey) -> Option<Departure> {
        match self.cast.persona(persona) {
            None => Some(Departure::Removed),
            Some(_) => (!self.directory.may_answer(persona, channel)).then_some(Departure::Stopped),
        }
    }

    /// Whether the room has decided before who answers a stored message. Then a turn answers it, or the decision says
    /// why none does. Neither exists if the store failed in between or the program died. A room takes messages one by
    /// one, so no other task can be about to decide it.
    pub(crate) async fn is_settled(&self, message: MessageId) -> Result<bool, StoreError> {
        Ok(!self.store.answers(message).await?.is_empty() || !self.store.decisions(message).await?.is_empty())
    }

    /// Releases the memory that is held for channels which were not used for a while.
    pub(crate) async fn release_idle(&self) {
        self.hub.release();
        self.memory.release_idle(self.settings.idle_after);
        self.store.release_memory().await;
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn turn_id(&self) -> TurnId {
        TurnId(self.entropy.uuid())
    }

    /// A random text that tells this run of the program from others.
    pub(crate) fn run_id(&self) -> String {
        // a UUID v7 begins with the time
        self.entropy.uuid().simple().to_string().split_off(24)
    }
}
