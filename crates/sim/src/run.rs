//! The directory of a run, and the operations on a run: run, resume, replay, branch.
//!
//! ```text
//! run.json       the run: the paths of its input and parents, its changes, its models, how it ended
//! input/         the scenario and its persona files, as they were at the start
//! calls.jsonl    every call of a mind (recording.rs)
//! trace.jsonl    the log of events (trace.rs)
//! snapshots/     the state of a population (population/snapshot.rs)
//! run.lock       the lock of the process that executes the run
//! ```
//! Input, seed and recording determine a run completely. So resuming a killed run means running it again from its
//! recording. A branch stores its parent, a time, and its changes from that time on. A population has no recording: it
//! is resumed from its newest snapshot.

mod branch;
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
pub use branch::branch;
use branch::changes;
use execute::execute;
pub(crate) use input::text_of;
pub use input::{check_is_free, text};
pub use minds::LiveAgents;

/// The file name of the recording.
const CALLS: &str = "calls.jsonl";
/// The file name of the trace.
const TRACE: &str = "trace.jsonl";
/// The file name of a replay's trace.
const REPLAYED: &str = "replay.jsonl";

/// The options of a run.
pub struct Options {
    /// Threads for places and populations.
    pub threads: usize,
    /// Whether all places wait for each other at each step. The witness rule makes that unnecessary (SM7); it is for
    /// comparison.
    pub barrier: bool,
    /// The models for agents whose mind is `model`.
    pub live: Option<Arc<dyn ModelSource>>,
    /// The agents for which a model answers, in a new run.
    pub live_agents: LiveAgents,
    /// Further minds by name.
    pub minds: HashMap<String, Arc<dyn Mind>>,
    /// Whether a resume asks failed calls again, with everything that depends on them.
    pub retry_failed: bool,
    /// The most concurrent calls of models.
    pub calls_at_once: usize,
    /// Notify this to end the run. The run can be resumed.
    pub stop: Arc<Notify>,
    /// The progress of the run.
    pub progress: watch::Sender<Progress>,
}

impl Default for Options {
    /// One thread per processor, no model, 8 concurrent calls.
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

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Why the run ended.
    pub ended: EndReason,
    /// The length of the run in virtual milliseconds.
    pub ms: i64,
    /// Lines of the trace.
    pub lines: u64,
    /// Events that happened.
    pub events: u64,
    /// Calls of minds.
    pub calls: u64,
    /// Recorded calls that do not appear in the trace: places that were ahead of the end made them.
    pub unused_calls: u64,
    /// The usage of these calls.
    #[serde(default)]
    pub unused_usage: Usage,
    /// The longest delay of an event against its plan, in virtual milliseconds. An event is late if the conversation
    /// before it takes longer than the plan allows.
    #[serde(default)]
    pub late_ms: i64,
    /// Answers of agents to messages and probes.
    #[serde(default)]
    pub answers: u64,
    /// Failed answers.
    pub failed: u64,
    /// Tokens and cost of the calls.
    pub usage: Usage,
    /// For a replay: whether its trace equals that of the run, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<bool>,
}

/// The content of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The scenario's name.
    pub name: String,
    /// The directory of the input. Stored relative to the run's directory, so that runs can be moved.
    input: PathBuf,
    /// Changes that apply to the whole run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sets: Vec<String>,
    /// The agents for which a model answers.
    #[serde(default)]
    live_agents: LiveAgents,
    /// By agent: the name and the context window of its model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    models: BTreeMap<String, (String, usize)>,
    /// The chain of runs from which this run branched off, the root first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parents: Vec<Parent>,
    /// Why the run ended. `None` while it runs, and after it was killed.
    #[serde(default)]
    pub ended: Option<EndReason>,
    /// The result, after the run has completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finished: Option<Finished>,
}

/// The result of a completed run, the checksum of its trace and the length of its recording in bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Finished {
    trace: u32,
    calls: u64,
    outcome: Outcome,
}

/// A run from which another one branched off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parent {
    pub(crate) directory: PathBuf,
    pub(crate) at_ms: i64,
    /// The length of the parent's recording when the run branched off. Later calls do not belong to this run.
    calls: u64,
    /// The changes from then on.
    pub(crate) sets: Vec<String>,
}

impl Run {
    /// Reads the run in a directory.
    ///
    /// # Errors
    /// [`SimError::NoRun`] if there is none.
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
        // atomic: after a kill, the file is the old one or the new one
        let beside = directory.join("run.json.new");
        fs::write(&beside, text + "\n").map_err(|error| SimError::file(&beside, error))?;
        fs::rename(&beside, &path).map_err(|error| SimError::file(&path, error))
    }

    /// The scenario with the changes for the whole run.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn scenario(&self) -> Result<Scenario, SimError> {
        let path = self.input.join("scenario.toml");
        change::apply(&path, &text_of(&path)?, &self.sets)
    }

    /// The scenario at the end of the run, with the changes of its branches. The seed is that of the beginning, since
    /// the people of a cast are drawn from it.
    ///
    /// # Errors
    /// The input cannot be read.
    pub(crate) fn last_scenario(&self) -> Result<Scenario, SimError> {
        let mut scenarios = changes(self)?;
        let seed = scenarios.first().map(|(_, scenario)| scenario.seed);
        let (_, last) = scenarios.pop().ok_or_else(|| SimError::NoRun(self.input.display().to_string()))?;
        Ok(Scenario { seed: seed.unwrap_or(last.seed), ..last })
    }

    /// Whether a model answers for at least one agent.
    ///
    /// # Errors
    /// As [`scenario`](Self::scenario).
    pub fn asks_model(&self) -> Result<bool, SimError> {
        Ok(self.live_agents != LiveAgents::AsWritten || self.scenario()?.asks_model())
    }

    /// The model of the first agent that has one.
    pub fn asked_model(&self) -> Option<&str> {
        self.models.values().next().map(|(name, _)| name.as_str())
    }

    /// The result of a completed run with undamaged files. A resume then has nothing to do.
    pub fn outcome(&self, directory: &Path) -> Option<Outcome> {
        let Finished { trace, outcome, .. } = self.finished.as_ref()?;
        let is_whole = self.is_recorded(directory) && checksum(&directory.join(TRACE)).ok() == Some(*trace);
        is_whole.then(|| outcome.clone())
    }

    /// Whether the run has completed and its recording is complete. Then the trace can be rebuilt without asking any
    /// mind.
    pub fn is_recorded(&self, directory: &Path) -> bool {
        let is_whole =
            |finished: &Finished| is_whole(&directory.join(CALLS), finished.calls).unwrap_or(false);
        self.finished.as_ref().is_some_and(is_whole)
    }

    /// The recordings that the run reads. It appends to the last one.
    fn recordings(&self, directory: &Path) -> Vec<Source> {
        let parents = self.parents.iter().map(|parent| Source {
            file: parent.directory.join(CALLS),
            until: Some(parent.at_ms),
            bytes: Some(parent.calls),
        });
        parents.chain([Source { file: directory.join(CALLS), until: None, bytes: None }]).collect()
    }
}

/// Whether a file has at least `bytes` bytes, and a line ends there.
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

/// All errors and warnings of a scenario and its files. A scenario without errors can be run.
///
/// # Errors
/// The scenario cannot be read, or no temporary files can be written.
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

/// Runs a scenario in a new directory. `sets` are changes, as `stop.calls=100`.
///
/// # Errors
/// [`SimError::Scenario`] if the scenario has problems, and those of [`check_is_free`].
pub async fn run(
    scenario: &Path,
    sets: &[String],
    directory: &Path,
    options: &Options,
) -> Result<Outcome, SimError> {
    check_is_free(directory)?;
    let checked = checked(scenario, sets, &options.live_agents)?;
    let is_empty = || fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none());
    let (input, is_new) = (directory.join("input"), !directory.exists() || is_empty());
    let copied = input::copy(scenario, &checked, &input);
    if copied.is_err() && is_new {
        fs::remove_dir_all(directory).map_err(|error| SimError::file(directory, error))?;
    }
    copied?;
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

/// Applies changes to a scenario and checks the result with its files and agents. Writes nothing. Errors name the
/// original files, which people can correct.
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
        let mut problems = checked.file_problems((&file, &text), beside, rendered.path());
        if !sets.is_empty() {
            // a position in the file would be that of what a change replaces
            let unchanged = Scenario::parse(&file, &text).map_err(SimError::Scenario)?;
            let known = unchanged.file_problems((&file, &text), beside, rendered.path());
            for problem in
                problems.iter_mut().filter(|problem| problem.file == file && !known.contains(problem))
            {
                (problem.file, problem.line) = (format!("--set {}", sets.join(" --set ")), 0);
            }
        }
        if !problems.is_empty() {
            return Err(SimError::Scenario(problems));
        }
    }
    Ok(checked)
}

/// Continues a killed or interrupted run to the end that it would have reached. For a completed run, returns the stored
/// result ([`Run::outcome`]) without asking any mind. Rebuilds a damaged or missing trace.
///
/// # Errors
/// As [`run`], and [`SimError::NoRun`].
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

/// Rebuilds the trace of a completed run from its recording.
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

/// Runs the recording again without asking any mind, and compares the traces.
///
/// # Errors
/// [`SimError::NotRecorded`], with the first difference; [`SimError::Unended`] for a run that was killed or interrupted.
pub async fn replay(directory: &Path, options: &Options) -> Result<Outcome, SimError> {
    let mut run = Run::open(directory)?;
    if !directory.join(TRACE).exists() {
        return Err(SimError::NoTrace { run: directory.display().to_string() });
    }
    if run.ended.is_none_or(|ended| ended == EndReason::Interrupted) {
        return Err(SimError::Unended { run: directory.display().to_string() });
    }
    execute(&mut run, directory, options, Mode::Replay).await
}

/// Parses a time since the start into milliseconds: `2h`.
pub fn moment(text: &str) -> Option<i64> {
    parse_wait(text).and_then(|wait| i64::try_from(wait.as_millis()).ok())
}
