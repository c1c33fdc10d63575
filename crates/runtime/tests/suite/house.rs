//! The fixture of these tests: a runtime over a store in a temporary directory, with a model and an embedder that the
//! test controls.

mod doubles;
mod puppets;
mod reading;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

use greenroom_context::{Layout, ModelProfile, QuarterCounter};
use greenroom_core::{
    ActorState, Author, ChannelKey, ChatEvent, Envelope, Kind, ManualClock, MemoryId, Message, MessageId,
    PersonaName, Scope, Source, Tier, Time, Timestamp, Trust, Viewer,
};
use greenroom_memory::{Memory, Remember};
use greenroom_models::Embedder;
use greenroom_persona::{Answer, MemorySettings, Persona, Price};
use greenroom_runtime::{Retry, RoomsSettings, Runtime, RuntimeError, RuntimeOptions, Sent};
use greenroom_store::{MemoryFilter, VectorSpace, prelude::*};
use greenroom_store_sqlite::{Options, SqliteStore};
use greenroom_tools::mcp::McpTools;
use tokio::sync::mpsc;

use doubles::{Chance, Words};
pub use puppets::Call;
use puppets::Puppets;
pub use reading::{all, failure, kinds, next, notices, recalled, receipt, reply};

/// A wait this long is a defect, not a slow machine.
pub const TOO_LONG: Duration = Duration::from_secs(60);

/// The prices of the scripted model: an answer of [`Call::answer`] costs 100 × 10,000 + 10 × 50,000 millionths, 1.5.
const PRICE: Price = Price { input: 10_000.0, output: 50_000.0 };

/// The prices of the model `cheap`.
const CHEAP: Price = Price { input: 1.0, output: 1.0 };

/// A runtime over a store in its own directory.
pub struct House {
    pub runtime: Runtime,
    pub store: Arc<SqliteStore>,
    pub memory: Memory,
    pub clock: Arc<ManualClock>,
    pub entropy: Arc<Chance>,
    pub embedder_down: Arc<AtomicBool>,
    /// Whether the embedder takes texts and never answers.
    pub embedder_hangs: Arc<AtomicBool>,
    calls: mpsc::UnboundedReceiver<Call>,
    small_calls: mpsc::UnboundedReceiver<Call>,
    events: Mutex<u32>,
    dir: Arc<tempfile::TempDir>,
}

/// The settings of a `House` that a test may change.
pub struct Wishes {
    pub window: usize,
    pub queue_limit: usize,
    pub idle_after: Duration,
    /// Whether there is a small model, as `memory.hyde` and `memory.capture` would name it.
    pub small: bool,
    pub embedder: bool,
    pub rooms: RoomsSettings,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            window: 8_000,
            queue_limit: 8,
            idle_after: Duration::from_secs(3600),
            small: false,
            embedder: true,
            rooms: RoomsSettings::default(),
        }
    }
}

impl House {
    pub async fn with(personas: Vec<Persona>) -> Self {
        Self::as_wished(personas, Wishes::default()).await
    }

    pub async fn as_wished(personas: Vec<Persona>, wishes: Wishes) -> Self {
        Self::at(Arc::new(tempfile::tempdir().unwrap()), personas, wishes).await
    }

    /// Ends this runtime and starts another one over the same file: a new process.
    pub async fn again(self, personas: Vec<Persona>, wishes: Wishes) -> Self {
        self.again_after(async |_| {}, personas, wishes).await
    }

    /// As [`House::again`]; `change` writes to the store while no runtime reads it.
    pub async fn again_after(
        self,
        change: impl AsyncFnOnce(&SqliteStore),
        personas: Vec<Persona>,
        wishes: Wishes,
    ) -> Self {
        let (now, said) = (self.clock.now(), *self.events.lock().unwrap());
        self.runtime.shutdown(TOO_LONG).await;
        change(&self.store).await;
        self.store.close().await;
        let again = Self::at(self.dir, personas, wishes).await;
        again.clock.advance(now.since(again.clock.now()));
        *again.events.lock().unwrap() = said;
        again
    }

    async fn at(dir: Arc<tempfile::TempDir>, mut personas: Vec<Persona>, wishes: Wishes) -> Self {
        personas.iter_mut().for_each(unhurried);
        let store = Arc::new(
            SqliteStore::open_with(&dir.path().join("greenroom.db"), &Options::unsynced()).await.unwrap(),
        );
        let clock = Arc::new(ManualClock::at(Timestamp(1_800_000_000_000_000)));
        let embedder_down = Arc::new(AtomicBool::new(false));
        let embedder_hangs = Arc::new(AtomicBool::new(false));
        let embedder = Arc::new(Words { down: embedder_down.clone(), hangs: embedder_hangs.clone() });
        let embedder = wishes.embedder.then_some(embedder as Arc<dyn Embedder>);
        let memory = Memory::new(store.clone(), embedder, clock.clone());
        let (calling, calls) = mpsc::unbounded_channel();
        let (calling_small, small_calls) = mpsc::unbounded_channel();
        let small = wishes.small.then_some(calling_small);
        let profile = ModelProfile {
            window: wishes.window,
            counter: Arc::new(QuarterCounter),
            layout: Layout::Standard,
        };
        let entropy = Arc::new(Chance::default());
        let options = RuntimeOptions {
            store: store.clone(),
            memory: memory.clone(),
            models: Arc::new(Puppets {
                calling,
                small,
                profile,
                prices: HashMap::from([("puppet".into(), PRICE), ("cheap".into(), CHEAP)]),
            }),
            tools: Vec::new(),
            mcp: McpTools::default(),
            personas: personas.into_iter().map(Into::into).collect(),
            rooms: wishes.rooms,
            clock: clock.clone(),
            entropy: entropy.clone(),
            idle_after: wishes.idle_after,
            by_invitation: false,
            sweeps: true,
            memory_in_turn: false,
            hides_erased: true,
            queue_limit: wishes.queue_limit,
            event_bytes: 64 << 20,
            on_event: None,
            project_budget: 1_000,
            project_fallback_names: Vec::new(),
        };
        let runtime = Runtime::start(options).await.unwrap();
        let events = Mutex::new(0);
        Self {
            runtime,
            store,
            memory,
            clock,
            entropy,
            embedder_down,
            embedder_hangs,
            calls,
            small_calls,
            events,
            dir,
        }
    }

    /// A second handle to the store, as another process would open it.
    pub async fn beside(&self) -> SqliteStore {
        SqliteStore::open_with(&self.dir.path().join("greenroom.db"), &Options::unsynced()).await.unwrap()
    }

    /// Says something in `terminal:default`.
    pub async fn say(&self, text: &str) -> Sent {
        self.send(self.envelope(text)).await.unwrap()
    }

    /// Says something, addressed to one persona.
    pub async fn say_to(&self, persona: &str, text: &str) -> Sent {
        let to = Some(name(persona));
        self.send(Envelope { to, ..self.envelope(text) }).await.unwrap()
    }

    pub async fn send(&self, envelope: Envelope) -> Result<Sent, RuntimeError> {
        self.runtime.send(envelope).await
    }

    /// A message with a new event id.
    pub fn envelope(&self, text: &str) -> Envelope {
        let mut events = self.events.lock().unwrap();
        *events += 1;
        let author = Author::User { id: "mo".parse().unwrap(), name: "Mo".into() };
        let event = format!("event-{events}");
        Envelope::new(Message::new(channel("terminal:default"), event, author, text))
    }

    /// The same from another user or in another channel.
    pub fn envelope_from(&self, user: &str, key: &str, text: &str) -> Envelope {
        let mut envelope = self.envelope(text);
        envelope.message.author = Author::User { id: user.parse().unwrap(), name: "Mo".into() };
        envelope.message.channel = channel(key);
        envelope
    }

    /// Has a message of `terminal:default` answered again.
    pub async fn retry(&self, message: MessageId, persona: &str) -> Result<Sent, RuntimeError> {
        self.runtime.retry(again(message, persona)).await
    }

    /// Has a message answered that its sender repeats.
    pub async fn repeat(&self, message: MessageId, persona: &str) -> Result<Sent, RuntimeError> {
        self.runtime.repeat(again(message, persona)).await
    }

    /// As [`House::retry`], also for a message that broke every turn.
    pub async fn force_retry(&self, message: MessageId, persona: &str) -> Result<Sent, RuntimeError> {
        self.runtime.retry(Retry { force: true, ..again(message, persona) }).await
    }

    /// Waits for the next call of the model.
    pub async fn call(&mut self) -> Call {
        tokio::time::timeout(TOO_LONG, self.calls.recv()).await.expect("a model call").unwrap()
    }

    /// A call of the model that waits, if there is one.
    pub fn try_call(&mut self) -> Option<Call> {
        self.calls.try_recv().ok()
    }

    /// Answers every call with `said`, until no persona has anything to say and nothing is left to be decided (RM4).
    pub async fn talk(&mut self, mut said: impl FnMut(&Call) -> String) -> usize {
        let here = channel("terminal:default");
        let mut answers = 0;
        let talking = async {
            loop {
                if let Some(call) = self.try_call() {
                    let text = said(&call);
                    call.answer(&text);
                    answers += 1;
                } else if self.store.unfinished(Some(&here)).await.unwrap().is_empty()
                    && self.calls.is_empty()
                {
                    return;
                } else {
                    tokio::task::yield_now().await;
                }
            }
        };
        tokio::time::timeout(TOO_LONG, talking).await.expect("the room to become silent");
        answers
    }

    /// Waits for the next call of the small model.
    pub async fn small_call(&mut self) -> Call {
        tokio::time::timeout(TOO_LONG, self.small_calls.recv()).await.expect("a small call").unwrap()
    }

    /// A call of the small model that waits, if there is one.
    pub fn try_small_call(&mut self) -> Option<Call> {
        self.small_calls.try_recv().ok()
    }

    /// Whether a call of the small model waits. Takes it.
    pub fn small_was_called(&mut self) -> bool {
        self.try_small_call().is_some()
    }

    /// Whether a call of the model waits. Takes it.
    pub fn was_called(&mut self) -> bool {
        self.calls.try_recv().is_ok()
    }

    /// A whole exchange: one message, one call, one answer.
    pub async fn exchange(&mut self, to: &str, text: &str, answer: &str) -> Vec<ChatEvent> {
        let sent = self.say_to(to, text).await;
        self.call().await.answer(answer);
        all(sent.events).await
    }

    /// A memory of the channel that the operator gave a persona.
    pub async fn knows(&self, who: &str, text: &str) -> MemoryId {
        self.knows_of_kind(who, "fact", text).await
    }

    /// The same, of another kind.
    pub async fn knows_of_kind(&self, who: &str, kind: &str, text: &str) -> MemoryId {
        let here = channel("terminal:default");
        let statement = Remember {
            text: text.into(),
            kind: Kind::new(kind),
            tier: Tier::Semantic,
            scope: Scope::Channel(here.clone()),
            source: Source { via: "cli".into(), message: None, user: None },
            trust: Trust::Operator,
            key: None,
            expires_in: None,
        };
        let viewer = Viewer::new(name(who), here, None);
        self.memory.remember(&viewer, statement).await.unwrap().memory.id
    }

    /// The view of a persona that talks with `mo` alone in the channel.
    pub fn viewer(&self, who: &str) -> Viewer {
        Viewer::new(name(who), channel("terminal:default"), Some("mo".parse().unwrap())).one_to_one()
    }

    /// Everything a persona remembers here, newest first.
    pub async fn memories(&self, who: &str) -> Vec<greenroom_core::Memory> {
        let filter = MemoryFilter {
            now: self.clock.now(),
            scopes: Vec::new(),
            ids: Vec::new(),
            about: None,
            limit: 100,
        };
        self.store.memories(&self.viewer(who), &filter).await.unwrap()
    }

    /// How many texts have no vector.
    pub async fn unembedded(&self) -> usize {
        let space = VectorSpace { model: "words@1".into(), dimension: 128 };
        self.store.unembedded(&space, None, 100).await.unwrap().len()
    }

    pub fn state(&self, persona: &str) -> Option<ActorState> {
        self.runtime.status().iter().find(|row| row.persona == name(persona)).map(|row| row.state)
    }

    /// The texts stored in `terminal:default`.
    pub async fn said(&self) -> Vec<String> {
        let history = self.store.history(&channel("terminal:default"), None, 100).await.unwrap();
        history.into_iter().map(|m| m.text).collect()
    }
}

/// Gives recall a long deadline, so that a loaded machine recalls no less. A deadline that a test has set stays.
fn unhurried(persona: &mut Persona) {
    let deadline = &mut persona.memory.deadline;
    if *deadline == MemorySettings::default().deadline {
        *deadline = TOO_LONG;
    }
}

fn again(message: MessageId, persona: &str) -> Retry {
    let (channel, persona) = (channel("terminal:default"), name(persona));
    Retry { channel, message, persona, project: None, disable_memory: false, force: false }
}

pub fn name(name: &str) -> PersonaName {
    name.parse().unwrap()
}

pub fn channel(key: &str) -> ChannelKey {
    key.parse().unwrap()
}

/// A persona that answers everything, without a cooldown, and belongs everywhere.
pub fn persona(name: &str) -> Persona {
    let mut persona = Persona::new(name.parse().unwrap(), format!("You are {name}."));
    persona.room.answer = Answer::Always;
    persona.room.channels = vec!["*".into()];
    persona.room.cooldown = Duration::ZERO;
    persona
}

/// The same persona, which answers only if it is mentioned.
pub fn shy(name: &str) -> Persona {
    let mut persona = persona(name);
    persona.room.answer = Answer::Mentioned;
    persona
}

/// Waits until something in the background has happened.
pub async fn until<F: Future<Output = bool>>(mut holds: impl FnMut() -> F) {
    let looking = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(TOO_LONG, looking).await.expect("it to happen in the background");
}
