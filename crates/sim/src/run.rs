//! The directory of a run, and what can be done with one: run, resume, replay, branch.
//!
//! ```text
//! run.json       what the run is: where its input is, its changes, its models, how it ended
//! input/         the scenario and its persona files as they were at the start
//! calls.jsonl    every call of a mind (recording.rs)
//! trace.jsonl    what happened (trace.rs)
//! run.lock       held by the process that runs it
//! ```
//! A run is its input, its seed and its recording: everything else follows. So a killed run goes on by running again from
//! its recording, and a branch is a file that names its parent, a moment and what is otherwise from there on.

mod change;
mod input;
mod lock;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use greenroom_context::{Layout, ModelProfile, QuarterCounter, profile_for};
use greenroom_core::{Timestamp, Usage};
use greenroom_models::{Embedder, StaticEmbedder};
use greenroom_runtime::ModelSource;
use greenroom_store_memory::InMemoryStore;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, Semaphore, watch};

use crate::{
    Problem,
    engine::{Change, Control, Progress, simulate},
    error::SimError,
    mind::{Mind, ModelMind, ScriptMind},
    place::{AgentMind, Shared},
    population,
    recording::Recording,
    scenario::{Agent, Scenario, load_cast, parse_moment, parse_wait},
    trace::{Ended, Trace},
};
pub(crate) use input::text_of;
use lock::lock;

/// The tokens that a script's context holds.
const SCRIPT_WINDOW: usize = 8_192;

/// How a run is run.
pub struct Options {
    /// Threads that places and populations are spread over.
    pub threads: usize,
    /// Whether all places wait for each other at each moment, which the witness rule makes needless (SM7).
    pub barrier: bool,
    /// What answers for agents whose mind is `model`.
    pub live: Option<Arc<dyn ModelSource>>,
    /// Whether a model answers for every agent, scripts or not.
    pub all_live: bool,
    /// Further minds by their names.
    pub minds: HashMap<String, Arc<dyn Mind>>,
    /// Calls of models that may be under way at once.
    pub calls_at_once: usize,
    /// Notified to end the run; it can be resumed.
    pub stop: Arc<Notify>,
    /// Told how far the run is.
    pub progress: watch::Sender<Progress>,
}

impl Default for Options {
    /// A thread for each processor, no model, 8 calls at once.
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            barrier: false,
            live: None,
            all_live: false,
            minds: HashMap::new(),
            calls_at_once: 8,
            stop: Arc::default(),
            progress: watch::Sender::default(),
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Why.
    pub ended: Ended,
    /// Virtual milliseconds.
    pub ms: i64,
    /// Lines of the trace.
    pub lines: u64,
    /// Events that happened.
    pub events: u64,
    /// Calls of minds.
    pub calls: u64,
    /// Those that got no answer.
    pub failed: u64,
    /// Tokens and cost of the calls.
    pub usage: Usage,
    /// Of a replay: whether its trace is that of the run, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same: Option<bool>,
}

/// The run of a directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The scenario's name.
    pub name: String,
    /// Where its input is.
    input: PathBuf,
    /// Changes for the whole run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sets: Vec<String>,
    /// Whether a model answers for every agent.
    #[serde(default)]
    all_live: bool,
    /// The models of agents: name and window.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    models: BTreeMap<String, (String, usize)>,
    /// The runs that it branched off, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parents: Vec<Parent>,
    /// How it ended; nothing while it runs and after it was killed.
    #[serde(default)]
    pub ended: Option<Ended>,
}

/// A run that another one branched off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parent {
    directory: PathBuf,
    at_ms: i64,
    /// What is otherwise from then on.
    sets: Vec<String>,
}

impl Run {
    /// Reads the run of a directory.
    ///
    /// # Errors
    /// [`SimError::NoRun`] where there is none.
    pub fn open(directory: &Path) -> Result<Self, SimError> {
        let text = fs::read_to_string(directory.join("run.json"));
        let text = text.map_err(|_| SimError::NoRun(directory.display().to_string()))?;
        serde_json::from_str(&text).map_err(|error| SimError::file(&directory.join("run.json"), error))
    }

    fn save(&self, directory: &Path) -> Result<(), SimError> {
        let path = directory.join("run.json");
        let text = serde_json::to_string_pretty(self).map_err(|error| SimError::file(&path, error))?;
        // a kill leaves the old file or the new one
        let beside = directory.join("run.json.new");
        fs::write(&beside, text + "\n").map_err(|error| SimError::file(&beside, error))?;
        fs::rename(&beside, &path).map_err(|error| SimError::file(&path, error))
    }

    /// The scenario as the run began.
    ///
    /// # Errors
    /// Where its input is gone.
    pub fn scenario(&self) -> Result<Scenario, SimError> {
        let path = self.input.join("scenario.toml");
        change::apply(&path, &text_of(&path)?, &self.sets)
    }

    /// Whether a model answers for one of its agents.
    ///
    /// # Errors
    /// As [`scenario`](Self::scenario).
    pub fn asks_model(&self) -> Result<bool, SimError> {
        Ok(self.all_live || self.scenario()?.asks_model())
    }

    /// The recordings it reads, each with the moment until which it counts, and the one it writes.
    fn recordings(&self, directory: &Path) -> Vec<(PathBuf, Option<i64>)> {
        let parents =
            self.parents.iter().map(|parent| (parent.directory.join("calls.jsonl"), Some(parent.at_ms)));
        parents.chain([(directory.join("calls.jsonl"), None)]).collect()
    }
}

/// Everything that is wrong with a scenario and its files; nothing if it can be run.
///
/// # Errors
/// Where the scenario cannot be read, or nothing can be written beside the system's temporary files.
pub fn check(scenario: &Path) -> Result<Vec<Problem>, SimError> {
    let (file, text) = (scenario.display().to_string(), text_of(scenario)?);
    let parsed = match Scenario::parse(&file, &text) {
        Ok(parsed) => parsed,
        Err(problems) => return Ok(problems),
    };
    let rendered = tempfile::tempdir().map_err(|error| SimError::file(scenario, error))?;
    let directory = scenario.parent().unwrap_or(Path::new(""));
    let mut problems = load_cast(&parsed, directory, rendered.path()).err().unwrap_or_default();
    problems.extend(parsed.unreached(&file, &text));
    Ok(problems)
}

/// Runs a scenario in a new directory. `sets` change it: `stop.calls=100`.
///
/// # Errors
/// [`SimError::Scenario`] where it has problems, [`SimError::Exists`] where the directory holds a run.
pub async fn run(
    scenario: &Path,
    sets: &[String],
    directory: &Path,
    options: &Options,
) -> Result<Outcome, SimError> {
    if directory.join("run.json").exists() {
        return Err(SimError::Exists(directory.display().to_string()));
    }
    let input = directory.join("input");
    let checked = change::apply(scenario, &text_of(scenario)?, sets)?;
    input::copy(scenario, &input)?;
    let input = input.canonicalize().map_err(|error| SimError::file(&input, error))?;
    let mut run = Run {
        name: checked.name,
        input,
        sets: sets.to_vec(),
        all_live: options.all_live,
        models: BTreeMap::new(),
        parents: Vec::new(),
        ended: None,
    };
    run.save(directory)?;
    execute(&mut run, directory, options, false).await
}

/// Goes on with a run that was killed or interrupted, up to the end that it would have had.
///
/// # Errors
/// As [`run`]; [`SimError::NoRun`].
pub async fn resume(directory: &Path, options: &Options) -> Result<Outcome, SimError> {
    let mut run = Run::open(directory)?;
    execute(&mut run, directory, options, false).await
}

/// Runs again from the recording alone and compares the traces.
///
/// # Errors
/// [`SimError::NotRecorded`], with the first difference.
pub async fn replay(directory: &Path, options: &Options) -> Result<Outcome, SimError> {
    let mut run = Run::open(directory)?;
    execute(&mut run, directory, options, true).await
}

/// Makes a variant of a run that is otherwise from a moment on. Nothing is copied; [`resume`] runs it.
///
/// # Errors
/// [`SimError::Change`] where a change cannot be made.
pub fn branch(parent: &Path, at_ms: i64, sets: &[String], directory: &Path) -> Result<Run, SimError> {
    if directory.join("run.json").exists() {
        return Err(SimError::Exists(directory.display().to_string()));
    }
    let mut run = Run::open(parent)?;
    if run.scenario()?.population.is_some() {
        let reason = "a population is not recorded and cannot branch; run it anew with the change".into();
        return Err(SimError::Change { set: sets.join(" "), reason });
    }
    let parent = parent.canonicalize().map_err(|error| SimError::file(parent, error))?;
    run.parents.push(Parent { directory: parent, at_ms, sets: sets.to_vec() });
    run.ended = None;
    changes(&run)?;
    fs::create_dir_all(directory).map_err(|error| SimError::file(directory, error))?;
    run.save(directory)?;
    Ok(run)
}

/// The scenario of a run, and those that its branches changed it to.
fn changes(run: &Run) -> Result<Vec<(i64, Scenario)>, SimError> {
    let path = run.input.join("scenario.toml");
    let (text, mut sets) = (text_of(&path)?, run.sets.clone());
    let mut changed = vec![(0, change::apply(&path, &text, &sets)?)];
    for parent in &run.parents {
        sets.extend(parent.sets.iter().cloned());
        let scenario = change::apply(&path, &text, &sets)?;
        let first = &changed[0].1;
        if scenario.places != first.places || scenario.agents != first.agents || scenario.casts != first.casts
        {
            let reason =
                "a branch has the agents and places of its parent; run the scenario anew with it".into();
            return Err(SimError::Change { set: parent.sets.join(" "), reason });
        }
        changed.push((parent.at_ms, scenario));
    }
    Ok(changed)
}

async fn execute(
    run: &mut Run,
    directory: &Path,
    options: &Options,
    replays: bool,
) -> Result<Outcome, SimError> {
    let _lock = lock(directory)?;
    let mut changes = changes(run)?.into_iter();
    let Some((_, scenario)) = changes.next() else {
        return Err(SimError::NoRun(directory.display().to_string()));
    };
    let later: Vec<_> = changes.collect();
    let trace_path = directory.join(if replays { "replay.jsonl" } else { "trace.jsonl" });
    let mut trace = Trace::create(&trace_path, scenario.stop.clone())?;
    let mut outcome = match &scenario.population {
        Some(population) => population::run(population, scenario.seed, options.threads, &mut trace)?,
        None => {
            let agents =
                load_cast(&scenario, &run.input, &directory.join("personas")).map_err(SimError::Scenario)?;
            let ended = live(run, directory, options, replays, (scenario, later, agents), &mut trace).await?;
            let progress = *options.progress.borrow();
            Outcome {
                ended,
                ms: trace.ended_at(ended, progress.ms),
                lines: trace.lines,
                events: progress.events,
                calls: trace.calls,
                failed: trace.failed,
                usage: trace.usage,
                same: None,
            }
        }
    };
    trace.finish()?;
    if replays {
        let read = |name: &str| {
            fs::read(directory.join(name)).map_err(|error| SimError::file(&directory.join(name), error))
        };
        outcome.same = Some(read("trace.jsonl")? == read("replay.jsonl")?);
    } else {
        run.ended = Some(outcome.ended);
        run.save(directory)?;
    }
    Ok(outcome)
}

/// Runs the agents of a scenario.
async fn live(
    run: &mut Run,
    directory: &Path,
    options: &Options,
    replays: bool,
    (scenario, later, agents): (Scenario, Vec<(i64, Scenario)>, Vec<Agent>),
    trace: &mut Trace,
) -> Result<Ended, SimError> {
    let resolving =
        Resolving { options, replays, at_once: Arc::new(Semaphore::new(options.calls_at_once.max(1))) };
    let minds = resolving.minds(run, &scenario, &agents)?;
    let changes = later.into_iter().map(|(at_ms, scenario)| {
        let minds = resolving.minds(run, &scenario, &agents)?;
        Ok(Change { at_ms, scenario, minds })
    });
    let changes = changes.collect::<Result<Vec<_>, SimError>>()?;
    if !replays {
        run.save(directory)?;
    }
    let embedder: Arc<dyn Embedder> = Arc::new(StaticEmbedder::new());
    let named = agents.iter().enumerate().map(|(n, agent)| (agent.persona.name.clone(), n));
    let shared = Shared {
        by_name: named.collect(),
        agents,
        minds: minds.into(),
        store: Arc::new(InMemoryStore::new()),
        embedder,
        recording: Arc::new(Recording::open(&run.recordings(directory), replays)?),
        states: Arc::default(),
        begin: parse_moment(&scenario.clock.start).unwrap_or(Timestamp(0)),
        seed: scenario.seed,
        words_per_minute: scenario.clock.words_per_minute,
    };
    let control = Control {
        threads: options.threads,
        barrier: options.barrier,
        replays,
        stop: options.stop.clone(),
        progress: options.progress.clone(),
    };
    simulate(&scenario, changes, Arc::new(shared), &control, trace, &run.input).await
}

/// Finds what answers for agents.
struct Resolving<'a> {
    options: &'a Options,
    replays: bool,
    at_once: Arc<Semaphore>,
}

impl Resolving<'_> {
    fn minds(
        &self,
        run: &mut Run,
        scenario: &Scenario,
        agents: &[Agent],
    ) -> Result<Vec<AgentMind>, SimError> {
        agents.iter().map(|agent| self.mind(run, scenario, agent)).collect()
    }

    fn mind(&self, run: &mut Run, scenario: &Scenario, agent: &Agent) -> Result<AgentMind, SimError> {
        let script = scenario.minds.iter().find(|script| script.name == agent.mind);
        let own = self.options.minds.get(&agent.mind);
        if !run.all_live && (script.is_some() || own.is_some()) {
            if own.is_none() && script.is_some_and(|script| script.rules.is_empty()) && !self.replays {
                let reason =
                    format!("the mind `{}` has no rules, and this program has none of the name", agent.mind);
                return Err(SimError::NoModel { agent: agent.persona.name.to_string(), reason });
            }
            let mind = own.cloned().or_else(|| Some(Arc::new(ScriptMind(script?.clone())) as Arc<dyn Mind>));
            let profile = ModelProfile {
                window: SCRIPT_WINDOW,
                counter: Arc::new(QuarterCounter),
                layout: Layout::Standard,
            };
            return Ok(AgentMind {
                mind: mind.filter(|_| !self.replays),
                model: agent.mind.clone(),
                profile,
            });
        }
        let name = agent.persona.name.to_string();
        let mut mind = None;
        if !self.replays {
            let failed = |reason: String| SimError::NoModel { agent: name.clone(), reason };
            let live = self.options.live.as_ref().ok_or_else(|| failed("there is none".into()))?;
            let model = live.resolve(&agent.persona, None).map_err(|error| failed(error.to_string()))?;
            let price = live.price(&model.name);
            let known = (model.name.clone(), model.profile.window);
            let asked = run.models.entry(name.clone()).or_insert(known);
            if asked.0 != model.name {
                return Err(failed(format!(
                    "the run asked `{}`, and now it would be `{}`; name the same --model and --base-url",
                    asked.0, model.name
                )));
            }
            mind = Some(Arc::new(ModelMind { model: model.model, price, at_once: self.at_once.clone() })
                as Arc<dyn Mind>);
        }
        let (model, window) = run
            .models
            .get(&name)
            .cloned()
            .ok_or_else(|| SimError::NoModel { agent: name, reason: "the run never asked one".into() })?;
        // of the name and the window alone: a replay counts tokens as the run did
        Ok(AgentMind { mind, profile: profile_for(&model, Some(window)), model })
    }
}

/// A wait from the start, in milliseconds: `2h`.
pub fn moment(text: &str) -> Option<i64> {
    parse_wait(text).and_then(|wait| i64::try_from(wait.as_millis()).ok())
}
