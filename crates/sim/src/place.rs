//! One place of a simulation: a live [`Runtime`] with its own clock and ids, over a store that all places share.
//!
//! The actors of a place run on one thread, and a place handles one event at a time. So the result depends on the
//! events only (SM3), while different places run on different threads.

mod heard;
mod question;
mod results;

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use futures::future::join_all;
use greenroom_context::ModelProfile;
use greenroom_core::{
    Author, ChannelKey, Envelope, Message, PersonaName, SharedReceipt, SimulatedTime, Time, Timestamp, Usage,
    UserId,
};
use greenroom_memory::{Memory, SmallModel};
use greenroom_models::{Embedder, ModelError};
use greenroom_persona::{GlobalRoom, Persona};
use greenroom_runtime::{ModelSource, ResolvedModel, RoomsSettings, Runtime, RuntimeOptions, SmallRole};
use greenroom_store::Store;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{
    draw::SeededEntropy,
    error::SimError,
    mind::{CurrentEvent, Mind, MindModel, PlaceState},
    recording::Recording,
    scenario::{self, Agent},
};

/// The author of cues.
pub(crate) const NARRATOR: &str = "Narrator";

/// Longer than any scenario.
const NEVER: Duration = Duration::from_secs(100 * 365 * 86_400);

/// The mind of one agent.
#[derive(Clone)]
pub(crate) struct AgentMind {
    /// `None` if only the recording answers.
    pub(crate) mind: Option<Arc<dyn Mind>>,
    /// Whether it can summarise a history. A script cannot: it would answer with one of its lines.
    pub(crate) summarises: bool,
    pub(crate) model: String,
    pub(crate) profile: ModelProfile,
}

/// The state that all places share.
pub(crate) struct Shared {
    pub(crate) agents: Vec<Agent>,
    /// The indices of agents.
    pub(crate) by_name: HashMap<PersonaName, usize>,
    /// By the agent's index. A change of a branch replaces them.
    pub(crate) minds: Mutex<Vec<AgentMind>>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) embedder: Arc<dyn Embedder>,
    /// All places share its index, so that each change is read once and not once per place.
    pub(crate) memory: Memory,
    pub(crate) recording: Arc<Recording>,
    /// The number of answered calls, and their usage.
    pub(crate) answered: Mutex<(u64, Usage)>,
    /// Cancelled after the run has ended. No further call begins; calls in flight are awaited.
    pub(crate) closing: CancellationToken,
    /// The state of each agent, by index.
    pub(crate) states: Mutex<HashMap<usize, String>>,
    pub(crate) begin: Timestamp,
    /// The seed of the scenario as it begins.
    pub(crate) seed: u64,
}

impl Shared {
    /// Counts an answered call.
    pub(crate) fn count(&self, usage: Usage) {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        *answered = (answered.0 + 1, answered.1.plus(usage));
    }

    /// The number of answered calls, and their usage.
    pub(crate) fn answered(&self) -> (u64, Usage) {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn states(&self) -> MutexGuard<'_, HashMap<usize, String>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command to a place.
pub(crate) enum Command {
    /// The scenario sends a message in the place.
    Say { at: Timestamp, speech: Speech, current: CurrentEvent },
    /// An agent enters.
    Join { at: Timestamp, agent: usize },
    /// An agent leaves.
    Leave { at: Timestamp, agent: usize },
    /// Asks an agent a question without changing any state.
    Probe { at: Timestamp, agent: usize, question: Question, current: CurrentEvent },
}

pub(crate) use question::Question;
use results::TurnResults;

/// A message of the scenario.
pub(crate) struct Speech {
    /// Unique in the place.
    pub(crate) id: String,
    pub(crate) from: String,
    pub(crate) to: Option<PersonaName>,
    pub(crate) text: String,
}

/// The result of a command.
#[derive(Debug, Default)]
pub(crate) struct CommandResult {
    pub(crate) replies: Vec<Reply>,
    pub(crate) calls: u64,
    pub(crate) usage: Usage,
    /// The place's time after the command, in microseconds.
    pub(crate) until: i64,
}

/// A reply of an agent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) agent: usize,
    pub(crate) at: Timestamp,
    pub(crate) answer: Answer,
    /// For a probe with choices: the choice that the answer names.
    pub(crate) choice: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) receipt: Option<SharedReceipt>,
}

/// The result of a turn.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Said(String),
    /// Nobody received it, because it nearly repeats the agent's previous message (RM4). Contains the reason.
    Withheld(String),
    /// The turn failed, with the reason.
    Failed(String),
}

impl Answer {
    /// The text that others received.
    pub(crate) fn heard(&self) -> Option<&str> {
        match self {
            Self::Said(text) => Some(text),
            Self::Withheld(_) | Self::Failed(_) => None,
        }
    }
}

type ResultSender = oneshot::Sender<Result<CommandResult, SimError>>;

/// The engine's handle to a place.
#[derive(Clone)]
pub(crate) struct PlaceHandle(mpsc::Sender<(Command, ResultSender)>);

impl PlaceHandle {
    /// Executes a command.
    pub(crate) async fn done(&self, command: Command) -> Result<CommandResult, SimError> {
        let (answer, answered) = oneshot::channel();
        self.0.send((command, answer)).await.map_err(|_| SimError::Ended)?;
        answered.await.map_err(|_| SimError::Ended)?
    }
}

/// Starts the places on `threads` threads. A place ends when its handles are dropped.
pub(crate) fn start(shared: &Arc<Shared>, places: &[scenario::Place], threads: usize) -> Vec<PlaceHandle> {
    let mut handles = Vec::new();
    let mut groups: Vec<Vec<_>> = (0..threads.clamp(1, places.len().max(1))).map(|_| Vec::new()).collect();
    let count = groups.len();
    for (n, place) in places.iter().enumerate() {
        let (sender, commands) = mpsc::channel(1);
        handles.push(PlaceHandle(sender));
        groups[n % count].push((place.clone(), n, commands));
    }
    for group in groups {
        let shared = shared.clone();
        thread::spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
                return;
            };
            runtime.block_on(async {
                // one task per place, so that a place that waits for a model does not delay the others
                let tasks = group.into_iter().map(|(place, n, commands)| {
                    let shared = shared.clone();
                    tokio::spawn(async move { serve(&shared, &place, n, commands).await })
                });
                join_all(tasks.collect::<Vec<_>>()).await;
            });
        });
    }
    handles
}

async fn serve(
    shared: &Arc<Shared>,
    place: &scenario::Place,
    index: usize,
    mut commands: mpsc::Receiver<(Command, ResultSender)>,
) {
    let mut opened = LivePlace::open(shared, place, index).await;
    while let Some((command, answer)) = commands.recv().await {
        let done = match &mut opened {
            Ok(room) => room.run(command).await,
            Err(error) => Err(SimError::Broken(error.to_string())),
        };
        // an error means that the engine no longer waits for the answer
        let _ = answer.send(done);
    }
}

/// The id of a speaker of the scenario. `None` if there is no name, or if it is too long.
pub(crate) fn user_of(from: &str) -> Option<UserId> {
    let id = from.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "-");
    id.parse().ok().filter(|_| !from.trim().is_empty())
}

/// The channel of a place.
pub(crate) fn channel_of(place: &str) -> Result<ChannelKey, SimError> {
    format!("sim:{place}").parse().map_err(|_| SimError::Ended)
}

/// Provides the mind of a persona as its model.
struct MindSource {
    shared: Arc<Shared>,
    state: Arc<PlaceState>,
}

impl MindSource {
    fn of(&self, agent: usize) -> Option<(AgentMind, MindModel)> {
        let minds = self.shared.minds.lock().unwrap_or_else(PoisonError::into_inner);
        let mind = minds.get(agent)?.clone();
        let model = MindModel { agent, mind: mind.mind.clone(), state: self.state.clone(), is_aside: false };
        Some((mind, model))
    }
}

impl ModelSource for MindSource {
    fn resolve(&self, persona: &Persona, _: Option<&str>) -> Result<ResolvedModel, ModelError> {
        let unknown = || ModelError::Broken { endpoint: "mind".into(), reason: "no such agent".into() };
        let agent = self.shared.by_name.get(&persona.name).copied();
        let (mind, model) = agent.and_then(|agent| self.of(agent)).ok_or_else(unknown)?;
        Ok(ResolvedModel { model: Arc::new(model), name: mind.model, profile: mind.profile })
    }

    /// The mind as the small model for captures and hypotheses. `None` for a script, which has no answer for such
    /// requests.
    fn small(&self, persona: &Persona, role: SmallRole) -> Option<SmallModel> {
        let (mind, model) = self.of(*self.shared.by_name.get(&persona.name)?)?;
        let is_asked = role == SmallRole::Capture || persona.memory.hyde.model.is_some();
        (mind.summarises && is_asked).then(|| SmallModel {
            model: Arc::new(MindModel { is_aside: true, ..model }),
            name: mind.model,
            temperature: 0.0,
            profile: mind.profile,
        })
    }
}

struct LivePlace {
    shared: Arc<Shared>,
    runtime: Runtime,
    memory: Memory,
    time: SimulatedTime,
    state: Arc<PlaceState>,
    minds: Arc<MindSource>,
    /// The seed of this place's draws.
    seed: Arc<AtomicU64>,
    channel: ChannelKey,
    results: TurnResults,
    /// The agents that are or were in this place. The others are unknown here, so that a place's size does not depend
    /// on the cast.
    cast: Vec<usize>,
    /// The lines that each agent has heard here since it entered, newest last.
    heard: HashMap<usize, VecDeque<Arc<str>>>,
}

impl LivePlace {
    async fn open(shared: &Arc<Shared>, place: &scenario::Place, index: usize) -> Result<Self, SimError> {
        let time = SimulatedTime::at(shared.begin);
        let clock: Arc<dyn Time> = Arc::new(time.clone());
        let state = Arc::new(PlaceState {
            place: place.name.clone(),
            time: time.clone(),
            shared: shared.clone(),
            current: Mutex::default(),
        });
        let minds = Arc::new(MindSource { shared: shared.clone(), state: state.clone() });
        let memory = Memory::new(shared.store.clone(), Some(shared.embedder.clone()), clock.clone())
            .sharing_index_of(&shared.memory)
            .without_other_chats();
        let usual = GlobalRoom::default();
        let room = GlobalRoom {
            chain: place.chain.unwrap_or(usual.chain),
            pair: place.pair.unwrap_or(usual.pair),
            per_hour: 1_000_000,
            ..usual
        };
        let here = shared.agents.iter().enumerate().filter(|(_, agent)| agent.at == index);
        let (cast, personas): (Vec<_>, Vec<_>) = here.map(|(n, agent)| (n, agent.persona.clone())).unzip();
        let (results, seed) = (TurnResults::default(), Arc::new(AtomicU64::new(shared.seed)));
        let runtime = Runtime::start(RuntimeOptions {
            rooms: RoomsSettings { room, channels: Vec::new() },
            entropy: Arc::new(SeededEntropy::new(seed.clone(), &place.name, time.clone())),
            clock,
            // nobody listens to the events
            event_bytes: 0,
            on_event: Some(results.observer(shared)),
            sweeps: false,
            memory_in_turn: true,
            hides_erased: false,
            by_invitation: true,
            // virtual time advances in large steps, so an idle limit would release the room between any two events
            idle_after: NEVER,
            ..RuntimeOptions::new(shared.store.clone(), memory.clone(), minds.clone(), personas.clone())
        })
        .await?;
        let channel = channel_of(&place.name)?;
        for persona in &personas {
            runtime.invite(&channel, &persona.name).await?;
        }
        Ok(Self {
            shared: shared.clone(),
            runtime,
            memory,
            time,
            state,
            minds,
            seed,
            channel,
            results,
            cast,
            heard: HashMap::new(),
        })
    }

    async fn run(&mut self, command: Command) -> Result<CommandResult, SimError> {
        match command {
            Command::Join { at, agent } => {
                self.time.advance_to(at);
                self.introduce(agent).await;
                self.runtime.invite(&self.channel, self.state.name(agent)).await?;
                Ok(self.result())
            }
            Command::Leave { at, agent } => {
                self.time.advance_to(at);
                self.take_along(agent).await?;
                self.runtime.leave(&self.channel, self.state.name(agent)).await?;
                Ok(self.result())
            }
            Command::Say { at, speech, current } => self.say(at, speech, current).await,
            Command::Probe { at, agent, question, current } => self.probe(at, agent, question, current).await,
        }
    }

    /// Begins an event with minds.
    fn begin(&self, at: Timestamp, current: CurrentEvent) {
        self.time.advance_to(at);
        // the seed comes with the event, since the place may still be opening when a branch changes it
        self.seed.store(current.seed, Ordering::SeqCst);
        *self.state.current() = current;
    }

    /// Adds an agent to the cast of this place if it was never here before.
    async fn introduce(&mut self, agent: usize) {
        if !self.cast.contains(&agent) {
            self.cast.push(agent);
            let personas = self.cast.iter().map(|agent| self.shared.agents[*agent].persona.clone());
            self.runtime.set_personas(personas.collect()).await;
        }
    }

    /// The agents among `present` that have a memory.
    fn remembering(&self, present: &[usize]) -> Vec<PersonaName> {
        let personas = present.iter().map(|agent| &self.shared.agents[*agent].persona);
        personas.filter(|persona| persona.memory.enabled).map(|persona| persona.name.clone()).collect()
    }

    fn result(&self) -> CommandResult {
        CommandResult { until: self.time.now().0, ..CommandResult::default() }
    }

    fn message(&self, id: &str, from: &str, text: &str) -> Result<Message, SimError> {
        let author = Author::User { id: user_of(from).ok_or(SimError::Ended)?, name: from.to_owned() };
        Ok(Message::new(self.channel.clone(), id, author, text))
    }

    /// Sends a message and waits until the place is silent.
    async fn say(
        &mut self,
        at: Timestamp,
        speech: Speech,
        current: CurrentEvent,
    ) -> Result<CommandResult, SimError> {
        self.begin(at, current);
        let Speech { id, from, to, text } = speech;
        let message = self.message(&id, &from, &text)?;
        // all agents in the place hear it
        let sent = self.runtime.send(Envelope { to, group: true, ..Envelope::new(message) }).await?;
        drop(sent);
        self.runtime.settled().await;
        self.runtime.captured().await;
        // Only for agents in this place. The memories of others are embedded in their places; otherwise the result
        // would depend on which place comes first.
        let remembering = self.remembering(&self.state.current().present);
        self.memory
            .index_pending_of(&remembering)
            .await
            .map_err(|error| SimError::Broken(error.to_string()))?;
        let replies = self.replies().await?;
        let mut current = std::mem::take(&mut *self.state.current());
        // a cue of the narrator is nobody's message, so agents do not remember it
        let said = (from != NARRATOR).then(|| format!("{from}: {text}"));
        self.hear(said.as_deref(), &replies, &current.present);
        if let Some(broken) = current.broken.take() {
            return Err(SimError::Broken(broken));
        }
        Ok(CommandResult { replies, calls: current.calls, usage: current.usage, until: self.time.now().0 })
    }
}
