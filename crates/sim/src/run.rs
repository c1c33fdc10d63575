//! The directory of a run, and what can be done with one: run, resume, replay, branch.
//!
//! ```text
//! run.json       what the run is: where its input is, its changes, its models, how it ended
//! input/         the scenario and its persona files as they were at the start
//! calls.jsonl    every call of a mind (recording.rs)
//! trace.jsonl    what happened (trace.rs)
//! snapshots/     the state of a population (population/snapshot.rs)
//! run.lock       held by the process that runs it
//! ```
//! A run is its input, its seed and its recording: everything else follows. So a killed run goes on by running again from
//! its recording, and a branch is a file that names its parent, a moment and its changes from there on. A population has no
//! recording: it goes on from its newest snapshot.

mod change;
mod execute;
mod input;
mod lock;
mod minds;
mod relative;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::{self, BufRead, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use greenroom_core::Usage;
use greenroom_runtime::ModelSource;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};

use crate::{
    Problem,
    engine::Progress,
    error::SimError,
    mind::Mind,
    recording::{Mode, Source},
    scenario::{Scenario, parse_wait},
    trace::EndReason,
};
use execute::{changes, execute};
pub use input::text;
pub(crate) use input::text_of;
pub use minds::LiveAgents;

/// The recording, in the directory of a run.
const CALLS: &str = "calls.jsonl";
/// What happened.
const TRACE: &str = "trace.jsonl";
/// What happened in a replay.
const REPLAYED: &str = "replay.jsonl";

/// How a run is run.
pub struct Options {
    /// Threads that places and populations are spread over.
    pub threads: usize,
    /// Whether all places wait for each other at each moment, which the witness rule makes needless (SM7).
    pub barrier: bool,
    /// What answers for agents whose mind is `model`.
    pub live: Option<Arc<dyn ModelSource>>,
    /// The agents for which a model answers, of a new run.
    pub live_agents: LiveAgents,
    /// Further minds by their names.
    pub minds: HashMap<String, Arc<dyn Mind>>,
    /// Whether failed calls are asked again when a run is resumed, and what depends on them.
    pub retry_failed: bool,
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
            live_agents: LiveAgents::AsWritten,
            minds: HashMap::new(),
            retry_failed: false,
            calls_at_once: 8,
            stop: Arc::default(),
            progress: watch::Sender::default(),
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Why.
    pub ended: EndReason,
    /// Virtual milliseconds.
    pub ms: i64,
    /// Lines of the trace.
    pub lines: u64,
    /// Events that happened.
    pub events: u64,
    /// Calls of minds.
    pub calls: u64,
    /// Calls that were made and recorded, and of which the trace has nothing: places that were ahead of the end made them.
    pub unused_calls: u64,
    /// What those used.
    #[serde(default)]
    pub unused_usage: Usage,
    /// How many virtual milliseconds later than planned an event began, at most: what was said took longer than what is
    /// planned leaves.
    #[serde(default)]
    pub late_ms: i64,
    /// Answers of agents, to what was said and to probes.
    #[serde(default)]
    pub answers: u64,
    /// Those that failed.
    pub failed: u64,
    /// Tokens and cost of the calls.
    pub usage: Usage,
    /// Of a replay: whether its trace is that of the run, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<bool>,
}

/// The run of a directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The scenario's name.
    pub name: String,
    /// Where its input is. In the file it is relative to the directory of the run, so that runs can be moved.
    input: PathBuf,
    /// Changes for the whole run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sets: Vec<String>,
    /// The agents for which a model answers.
    #[serde(default)]
    live_agents: LiveAgents,
    /// The models of agents: name and window.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    models: BTreeMap<String, (String, usize)>,
    /// The runs that it branched off, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parents: Vec<Parent>,
    /// How it ended; nothing while it runs and after it was killed.
    #[serde(default)]
    pub ended: Option<EndReason>,
    /// Its outcome, once it has come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finished: Option<Finished>,
}

/// The outcome of a run that has come to its end, with the checksum of its trace and the bytes of its recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Finished {
    trace: u32,
    calls: u64,
    outcome: Outcome,
}

/// A run that another one branched off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parent {
    pub(crate) directory: PathBuf,
    pub(crate) at_ms: i64,
    /// The bytes of its recording when the run branched off. What it records later is not a part of this run.
    calls: u64,
    /// What is otherwise from then on.
    pub(crate) sets: Vec<String>,
}

impl Run {
    /// Reads the run of a directory.
    ///
    /// # Errors
    /// [`SimError::NoRun`] where there is none.
    pub fn open(directory: &Path) -> Result<Self, SimError> {
        let text = fs::read_to_string(directory.join("run.json"));
        let text = text.map_err(|_| SimError::NoRun(directory.display().to_string()))?;
        let mut run: Self = serde_json::from_str(&text).map_err(|error| SimError::Damaged {
            file: directory.join("run.json").display().to_string(),
            reason: format!("this is no file of a run: {error}; restore it, or run the scenario again"),
        })?;
        run.input = directory.join(&run.input);
        for parent in &mut run.parents {
            parent.directory = directory.join(&parent.directory);
        }
        Ok(run)
    }

    fn save(&self, directory: &Path) -> Result<(), SimError> {
        let path = directory.join("run.json");
        let from = |to: &Path| relative::path(directory, to).map_err(|error| SimError::file(to, error));
        let mut stored = Self { input: from(&self.input)?, ..self.clone() };
        for parent in &mut stored.parents {
            parent.directory = from(&parent.directory)?;
        }
        let text = serde_json::to_string_pretty(&stored).map_err(|error| SimError::file(&path, error))?;
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
        Ok(self.live_agents != LiveAgents::AsWritten || self.scenario()?.asks_model())
    }

    /// The model that it asked for the first of its agents.
    pub fn asked_model(&self) -> Option<&str> {
        self.models.values().next().map(|(name, _)| name.as_str())
    }

    /// The outcome of a run that has come to its end and whose files are whole: a resume has nothing to do.
    pub fn outcome(&self, directory: &Path) -> Option<Outcome> {
        let Finished { trace, outcome, .. } = self.finished.as_ref()?;
        let is_whole = self.is_recorded(directory) && checksum(&directory.join(TRACE)).ok() == Some(*trace);
        is_whole.then(|| outcome.clone())
    }

    /// Whether it has come to its end and its recording is whole: its trace can be made again, and nothing has to be asked.
    pub fn is_recorded(&self, directory: &Path) -> bool {
        let is_whole =
            |finished: &Finished| is_whole(&directory.join(CALLS), finished.calls).unwrap_or(false);
        self.finished.as_ref().is_some_and(is_whole)
    }

    /// The recordings that it reads; it writes the last one.
    fn recordings(&self, directory: &Path) -> Vec<Source> {
        let parents = self.parents.iter().map(|parent| Source {
            file: parent.directory.join(CALLS),
            until: Some(parent.at_ms),
            bytes: Some(parent.calls),
        });
        parents.chain([Source { file: directory.join(CALLS), until: None, bytes: None }]).collect()
    }
}

/// Whether a file has so many bytes, which end with a line.
fn is_whole(file: &Path, bytes: u64) -> io::Result<bool> {
    if bytes == 0 {
        return Ok(true);
    }
    let (mut file, mut last) = (fs::File::open(file)?, [0]);
    file.seek(SeekFrom::Start(bytes - 1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The CRC-32 of a file.
fn checksum(file: &Path) -> io::Result<u32> {
    let mut file = io::BufReader::with_capacity(1 << 20, fs::File::open(file)?);
    let mut sum = crc32fast::Hasher::new();
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(sum.finalize());
        }
        sum.update(bytes);
        let count = bytes.len();
        file.consume(count);
    }
}

/// Everything that is wrong with a scenario and its files, and what is hardly meant so. Without an error it can be run.
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
    let mut problems = parsed.file_problems((&file, &text), directory, rendered.path());
    problems.extend(parsed.doubts(&file, &text));
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
    let checked = checked(scenario, sets, &options.live_agents)?;
    let is_empty = || fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none());
    let (input, is_new) = (directory.join("input"), !directory.exists() || is_empty());
    input::copy(scenario, &input)?;
    let mut run = Run {
        name: checked.name,
        input,
        sets: sets.to_vec(),
        live_agents: options.live_agents.clone(),
        models: BTreeMap::new(),
        parents: Vec::new(),
        ended: None,
        finished: None,
    };
    run.save(directory)?;
    let outcome = execute(&mut run, directory, options, Mode::Record).await;
    if is_new && outcome.as_ref().is_err_and(SimError::is_before_the_run) {
        fs::remove_dir_all(directory).map_err(|error| SimError::file(directory, error))?;
    }
    outcome
}

/// A scenario with its changes, whose files and agents are as they have to be. Nothing is written yet, and a problem is one of
/// the files that people can mend.
///
/// # Errors
/// As [`run`].
pub fn checked(scenario: &Path, sets: &[String], live_agents: &LiveAgents) -> Result<Scenario, SimError> {
    let text = text_of(scenario)?;
    let checked = change::apply(scenario, &text, sets)?;
    live_agents.check(&checked.agent_names())?;
    if checked.population.is_none() {
        let rendered = tempfile::tempdir().map_err(|error| SimError::file(scenario, error))?;
        let beside = scenario.parent().unwrap_or(Path::new(""));
        let file = scenario.display().to_string();
        let problems = checked.file_problems((&file, &text), beside, rendered.path());
        if !problems.is_empty() {
            return Err(SimError::Scenario(problems));
        }
    }
    Ok(checked)
}

/// Goes on with a run that was killed or interrupted, up to the end that it would have had. Of a run that has come to its end
/// it returns the outcome ([`Run::outcome`]) and asks nothing; a trace that is damaged or gone is made again.
///
/// # Errors
/// As [`run`]; [`SimError::NoRun`].
pub async fn resume(directory: &Path, options: &Options) -> Result<Outcome, SimError> {
    let mut run = Run::open(directory)?;
    if let Some(outcome) = run.outcome(directory).filter(|_| !options.retry_failed) {
        return Ok(outcome);
    }
    if !options.retry_failed && run.is_recorded(directory) && run.scenario()?.population.is_none() {
        return remade(run, directory, options).await;
    }
    let mode = if options.retry_failed { Mode::RetryFailed } else { Mode::Record };
    execute(&mut run, directory, options, mode).await
}

/// Makes the trace of a run that has come to its end again from its recording.
async fn remade(mut run: Run, directory: &Path, options: &Options) -> Result<Outcome, SimError> {
    let outcome = execute(&mut run, directory, options, Mode::Replay).await?;
    if let Some(finished) = run.finished.as_mut().filter(|_| outcome.ended != EndReason::Interrupted) {
        let (made, trace) = (directory.join(REPLAYED), directory.join(TRACE));
        finished.trace = checksum(&made).map_err(|error| SimError::file(&made, error))?;
        fs::rename(&made, &trace).map_err(|error| SimError::file(&trace, error))?;
        run.save(directory)?;
    }
    Ok(Outcome { same: None, ..outcome })
}

/// Runs again from the recording alone and compares the traces.
///
/// # Errors
/// [`SimError::NotRecorded`], with the first difference.
pub async fn replay(directory: &Path, options: &Options) -> Result<Outcome, SimError> {
    let mut run = Run::open(directory)?;
    if !directory.join(TRACE).exists() {
        return Err(SimError::NoTrace { run: directory.display().to_string() });
    }
    execute(&mut run, directory, options, Mode::Replay).await
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
    let scenario = run.scenario()?;
    let end = scenario.clock.end;
    if scenario.population.is_none() && moment(&end).is_some_and(|end| end <= at_ms) {
        let reason =
            format!("the run ends after {end}, so nothing is left to be otherwise; branch it before");
        return Err(SimError::Change { set: sets.join(" "), reason });
    }
    let calls = fs::metadata(parent.join(CALLS)).map_or(0, |file| file.len());
    run.parents.push(Parent { directory: parent.to_owned(), at_ms, calls, sets: sets.to_vec() });
    (run.ended, run.finished) = (None, None);
    let scenarios = changes(&run)?;
    if let [.., (_, before), (_, after)] = &scenarios[..]
        && let Some(what) = change::past(before, after, at_ms)
    {
        let reason = format!(
            "{what} is before the branch, which begins {} s after the start, and would not happen; write a later `at`, or \
             branch earlier",
            at_ms / 1_000
        );
        return Err(SimError::Change { set: sets.join(" "), reason });
    }
    fs::create_dir_all(directory).map_err(|error| SimError::file(directory, error))?;
    run.save(directory)?;
    Ok(run)
}

/// A wait from the start, in milliseconds: `2h`.
pub fn moment(text: &str) -> Option<i64> {
    parse_wait(text).and_then(|wait| i64::try_from(wait.as_millis()).ok())
}
