//! What every actor of one runtime shares: the services, the cast, the directory. A value handed
//! down, never a global, so that runtimes live side by side.

use std::{
    path::PathBuf,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use greenroom_context::{Layout, ModelProfile};
use greenroom_core::{ChannelKey, Clock, Entropy, PersonaName, Timestamp, TurnId};
use greenroom_memory::{Memory, SmallModel};
use greenroom_models::ChatModel;
use greenroom_persona::Persona;
use greenroom_store::{Embedded, Store};
use greenroom_tools::{Toolbox, mcp::McpTools, memory_tools};
use tokio_util::sync::CancellationToken;

use crate::{
    ModelSource, RuntimeOptions, SmallRole,
    capture_queue::CaptureQueue,
    directory::Directory,
    hub::Hub,
    ledger::{Ledger, Metered},
    metrics::Metrics,
    pending_events::PendingEvents,
    turn::{Contexts, window},
};

/// The shared part of a runtime.
pub(crate) struct Services {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) memory: Memory,
    /// The tools there are; which of them a persona has is in its file.
    pub(crate) tools: Toolbox,
    /// The tools of MCP servers.
    pub(crate) mcp: McpTools,
    pub(crate) models: Arc<dyn ModelSource>,
    pub(crate) clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    pub(crate) idle_after: Duration,
    pub(crate) project_budget: usize,
    pub(crate) project_fallback_names: Vec<String>,
    pub(crate) directory: Arc<Directory>,
    cast: RwLock<Cast>,
    /// Cancelled when the runtime stops: what nobody waits for ends at once (S10).
    pub(crate) closing: CancellationToken,
    /// What running turns have reserved (WB12).
    pub(crate) ledger: Ledger,
    /// What waits to be captured.
    pub(crate) capture_queue: Arc<CaptureQueue>,
    /// What happens, for whoever listens.
    pub(crate) hub: Arc<Hub>,
    /// What the newest contexts were made of.
    pub(crate) contexts: Contexts,
    /// How often something was forgotten that a turn of given messages may have been shown.
    pub(crate) forgotten: AtomicU64,
    /// Events of platforms on their way into the store.
    pub(crate) pending_events: PendingEvents,
    /// The newest erasure this process has followed.
    followed: AtomicI64,
    /// Whether the newest erasure could not be read when it was last asked for.
    erasures_unknown: AtomicBool,
    /// Tells this run of the program from others.
    pub(crate) run: String,
    /// What is counted.
    pub(crate) metrics: Metrics,
}

/// The personas there are, in the order of their names; replaced as a whole (hot reload).
pub(crate) type Cast = Arc<[Arc<Persona>]>;

impl Services {
    pub(crate) fn new(options: RuntimeOptions) -> Self {
        // the end of an id is chance, its beginning the time
        let run = options.entropy.uuid().simple().to_string().split_off(24);
        options.mcp.set(&options.personas);
        reserve_names(&options.memory, &options.personas);
        Self {
            tools: memory_tools(&options.memory).with(options.tools),
            mcp: options.mcp,
            store: options.store,
            memory: options.memory,
            models: options.models,
            clock: options.clock,
            entropy: options.entropy,
            idle_after: options.idle_after,
            project_budget: options.project_budget,
            project_fallback_names: options.project_fallback_names,
            directory: Arc::new(Directory::new(options.queue_limit)),
            cast: RwLock::new(in_order(options.personas)),
            closing: CancellationToken::new(),
            ledger: Ledger::default(),
            capture_queue: Arc::default(),
            hub: Arc::new(Hub::new(options.event_bytes)),
            contexts: Contexts::default(),
            forgotten: AtomicU64::new(0),
            pending_events: PendingEvents::default(),
            followed: AtomicI64::new(0),
            erasures_unknown: AtomicBool::new(false),
            run,
            metrics: Metrics::default(),
        }
    }

    /// The cast as it is now.
    pub(crate) fn cast(&self) -> Cast {
        self.cast.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// One of the cast.
    pub(crate) fn persona(&self, name: &PersonaName) -> Option<Arc<Persona>> {
        self.cast().iter().find(|p| &p.name == name).cloned()
    }

    /// Who has a memory. Where that is nobody, nothing is indexed (FG17).
    pub(crate) fn remembering(&self) -> Vec<PersonaName> {
        self.cast().iter().filter(|p| p.memory.enabled).map(|p| p.name.clone()).collect()
    }

    /// The vector of a message that is about to be stored, where one of those who answer it or say it has a
    /// memory (FG17).
    pub(crate) async fn vector(
        &self,
        mut who: impl Iterator<Item = &PersonaName>,
        channel: &ChannelKey,
        text: &str,
    ) -> Option<Embedded> {
        let remembers = |who| self.persona(who).is_some_and(|persona| persona.memory.enabled);
        if who.any(remembers) { self.memory.embedded_at_once(channel, text).await } else { None }
    }

    /// Another cast from now on.
    pub(crate) fn recast(&self, personas: Vec<Persona>) {
        self.mcp.set(&personas);
        reserve_names(&self.memory, &personas);
        *self.cast.write().unwrap_or_else(PoisonError::into_inner) = in_order(personas);
    }

    /// The persona's model for work on the side, if it has one; what it uses counts (WB12).
    pub(crate) fn small(&self, persona: &Persona, role: SmallRole) -> Option<SmallModel> {
        let small = self.models.small(persona, role)?;
        Some(SmallModel { model: self.metered(persona, small.model.clone(), &small.name), ..small })
    }

    /// The model that writes for a persona behind its replies: the one of `memory.capture`, or its
    /// own. The demonstration model cannot.
    pub(crate) fn scribe(&self, persona: &Persona) -> Option<SmallModel> {
        self.small(persona, SmallRole::Capture).or_else(|| {
            let own = self.models.resolve(persona, None).ok()?;
            let profile = ModelProfile { window: window(persona, &own.profile), ..own.profile };
            (profile.layout != Layout::Demonstration).then(|| SmallModel {
                model: self.metered(persona, own.model, &own.name),
                name: own.name,
                temperature: 0.0,
                profile,
            })
        })
    }

    /// A model whose use beside the turns counts for a persona.
    fn metered(&self, persona: &Persona, model: Arc<dyn ChatModel>, name: &str) -> Arc<dyn ChatModel> {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        Arc::new(Metered {
            model,
            persona: persona.name.clone(),
            price: self.models.price(name),
            store,
            clock,
        })
    }

    /// Forgets what this process knows of turns in some channels: their contexts, what late listeners
    /// would be told, and what waits to be told (GR10). `erased` is the newest erasure that is followed by that.
    pub(crate) fn forget_turns(&self, concerned: impl Fn(&ChannelKey) -> bool, erased: i64) {
        if concerned(&ChannelKey::nowhere()) {
            self.forgotten.fetch_add(1, Ordering::Release);
        }
        self.contexts.forget(&concerned, erased);
        self.capture_queue.forget(&concerned);
        self.hub.forget(concerned, erased);
    }

    /// Forgets what this process knows of turns where something was erased since this was last asked, whichever
    /// process erased it: what is told afterwards holds nothing of that. The number of the newest erasure.
    pub(crate) async fn follow_erasures(&self) -> i64 {
        self.follow_erasures_until(Instant::now()).await
    }

    /// The newest erasure this process has followed.
    pub(crate) fn followed(&self) -> i64 {
        self.followed.load(Ordering::SeqCst)
    }

    /// The same of what other processes had erased at a moment: shortly after a write nothing is read for it.
    pub(crate) async fn follow_erasures_until(&self, as_of: Instant) -> i64 {
        let followed = self.followed.load(Ordering::SeqCst);
        let erased = self.store.erased_since(followed, as_of).await;
        // running turns ask ten times a second: that it fails is said once
        let failed_before = self.erasures_unknown.swap(erased.is_err(), Ordering::SeqCst);
        match erased {
            Ok(erased) if erased.end == followed => followed,
            Ok(erased) => {
                self.forget_turns(|channel| erased.reaches(channel), erased.end);
                // who followed them at the same time has forgotten the same
                self.followed.store(erased.end, Ordering::SeqCst);
                erased.end
            }
            Err(error) => {
                if !failed_before {
                    tracing::warn!(%error, "what was erased is not known; nothing of earlier turns is told");
                }
                self.forget_turns(|_| true, followed);
                followed
            }
        }
    }

    /// Lets go of what is held in memory for channels that nobody has used for a while.
    pub(crate) fn release_idle(&self) {
        self.hub.release();
        self.store.release_idle();
        self.memory.release_idle(self.idle_after);
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn turn_id(&self) -> TurnId {
        TurnId(self.entropy.uuid())
    }
}

/// No person is called like one of the cast (RM7).
fn reserve_names(memory: &Memory, personas: &[Persona]) {
    let names = personas.iter().flat_map(|persona| [persona.name.as_str(), persona.display_name.as_str()]);
    memory.reserve_names(names);
}

fn in_order(mut personas: Vec<Persona>) -> Cast {
    personas.sort_by(|a, b| a.name.cmp(&b.name));
    personas.dedup_by(|a, b| a.name == b.name);
    personas.into_iter().map(Arc::new).collect()
}

/// The project bound to a channel.
pub(crate) type Project = Option<PathBuf>;
