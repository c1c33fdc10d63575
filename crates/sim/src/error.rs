//! The errors of the crate.

use std::{fmt::Display, path::Path};

use greenroom_runtime::RuntimeError;
use greenroom_store::StoreError;

use crate::Problem;

/// Why a run ends without a result.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The scenario or one of its files is wrong.
    #[error("the scenario has problems:\n{}", listed(.0))]
    Scenario(Vec<Problem>),
    /// A file of the run cannot be used.
    #[error("{file}: {reason}; {}", remedy(reason))]
    File {
        /// The file.
        file: String,
        /// The system's error.
        reason: String,
    },
    /// A file can be read but has the wrong content.
    #[error("{file}: {reason}")]
    Damaged {
        /// The file, with the position if there is one.
        file: String,
        /// The error and the remedy.
        reason: String,
    },
    /// A file of a sample exists already.
    #[error(
        "{file} exists, so nothing was written; name another directory: greenroom sim new {sample} DIRECTORY"
    )]
    SampleExists {
        /// The file.
        file: String,
        /// The sample.
        sample: String,
    },
    /// A run has no trace.
    #[error("{run} has no trace; `greenroom sim resume {run}` makes it again")]
    NoTrace {
        /// The run's directory.
        run: String,
    },
    /// The run to replay has no end.
    #[error(
        "{run} has not come to its end; `greenroom sim resume {run}` goes on with it, and then it can be replayed"
    )]
    Unended {
        /// The run's directory.
        run: String,
    },
    /// The directory contains another run.
    #[error("{0} holds a run already; name another directory, or go on with it: greenroom sim resume {0}")]
    Exists(String),
    /// The directory contains a part of a run without its description.
    #[error(
        "{directory} holds `{part}` and no run.json, so a run would take it for its own; name another directory, or move \
         `{part}` away"
    )]
    Occupied {
        /// The directory.
        directory: String,
        /// The file or directory in it.
        part: &'static str,
    },
    /// Another process executes the run.
    #[error("{0} is under way in another process; wait until it ends, or end that process")]
    Busy(String),
    /// The directory contains no run.
    #[error("{0} holds no run; `greenroom sim run SCENARIO` makes one")]
    NoRun(String),
    /// A call differs from the recorded one or is not recorded (SM4).
    #[error(
        "the call {call} is not in the recording: {difference}; replay with the files and the program of the run"
    )]
    NotRecorded {
        /// The key of the call: `TIME/PLACE/SOURCE/AGENT/N`.
        call: String,
        /// The first difference.
        difference: String,
    },
    /// The recording cannot be written.
    #[error("the recording cannot be written: {0}; make room on the disk and resume the run")]
    Recording(String),
    /// An error in a mind ended the run.
    #[error("{0}")]
    Broken(String),
    /// No model answers for an agent.
    #[error("no model answers for {agent}: {reason}; give one with --model, or give the agent a script")]
    NoModel {
        /// The agent.
        agent: String,
        /// Why.
        reason: String,
    },
    /// The scenario limits cost, but the model's price is unknown.
    #[error(
        "stop.cost limits what the model `{model}` may cost, and its price is not known; set it in greenroom.toml: \
         [models.\"{model}\"] price = {{ input = 2.5, output = 10 }}, or limit stop.tokens"
    )]
    NoPrice {
        /// The model.
        model: String,
    },
    /// A named agent does not exist.
    #[error("there is no agent `{name}`; {remedy}")]
    NoAgent {
        /// Its name.
        name: String,
        /// A similar name, or all names.
        remedy: String,
    },
    /// The world process failed.
    #[error(
        "the world process failed: {0}; it reads a line of JSON and writes a line of JSON; mend the copy of it in the run's \
         input/ and resume the run"
    )]
    World(String),
    /// A change cannot be applied.
    #[error("--set {set}: {reason}")]
    Change {
        /// The change as it was written.
        set: String,
        /// The reason and the remedy.
        reason: String,
    },
    /// The runtime refused.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A thread of the simulation has ended.
    #[error("a thread of the simulation has ended; resume the run, and report this if it happens again")]
    Ended,
}

impl SimError {
    /// Whether the error came before the run began, because a model or its price is missing.
    pub fn is_before_the_run(&self) -> bool {
        matches!(self, Self::NoModel { .. } | Self::NoPrice { .. })
    }

    pub(crate) fn file(file: &Path, reason: impl Display) -> Self {
        Self::File { file: file.display().to_string(), reason: reason.to_string() }
    }
}

/// The remedy for a file, from the system's error.
fn remedy(reason: &str) -> &'static str {
    // ENOSPC, EDQUOT, EFBIG
    let is_full =
        ["(os error 28)", "(os error 122)", "(os error 27)"].iter().any(|code| reason.ends_with(code));
    if is_full { "make room on the disk and go on with it" } else { "check the path and its permissions" }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
