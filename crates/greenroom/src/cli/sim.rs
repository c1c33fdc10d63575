//! `greenroom sim`: the arguments.

use std::{num::NonZero, path::PathBuf};

use clap::{
    Args, Subcommand,
    builder::{PathBufValueParser, TypedValueParser},
};

use super::ModelArgs;

/// `greenroom sim`
#[derive(Debug, Subcommand)]
pub enum SimCommand {
    /// Write a scenario to begin with; without NAME list them
    New {
        /// Which: tea-party, town, feed, opinions, weather, dinner
        name: Option<String>,
        /// Into which directory; one of the scenario's name if not given
        directory: Option<PathBuf>,
    },
    /// Check a scenario and its persona files; exit code 1 if it has a problem, 0 with warnings alone
    Check {
        /// The scenario file, or a directory with a scenario.toml
        #[arg(required_unless_present = "schema", value_parser = PathBufValueParser::new().map(scenario_file))]
        scenario: Option<PathBuf>,
        /// Print the problems as JSON
        #[arg(long)]
        json: bool,
        /// Print the JSON Schema of scenario files
        #[arg(long)]
        schema: bool,
    },
    /// Run a scenario in virtual time; Ctrl-C ends a run that can be resumed
    Run {
        /// The scenario file, or a directory with a scenario.toml
        #[arg(value_parser = PathBufValueParser::new().map(scenario_file))]
        scenario: PathBuf,
        /// The directory of the run; runs/NAME-N if not given
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Another seed than the scenario's
        #[arg(long, value_name = "N")]
        seed: Option<u64>,
        /// Change the scenario, as stop.calls=100; may be repeated
        #[arg(long = "set", value_name = "KEY=VALUE")]
        sets: Vec<String>,
        /// The agents that the model plays, as ada,vesper; with --model and without this, every agent
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        agents: Vec<String>,
        /// How it is run.
        #[command(flatten)]
        how: SimArgs,
    },
    /// Go on with a run that was killed or interrupted
    Resume {
        /// The directory of the run
        run: PathBuf,
        /// Ask failed calls again, and every call that an answer to them changes
        #[arg(long)]
        retry_failed: bool,
        /// How it is run.
        #[command(flatten)]
        how: SimArgs,
    },
    /// Run again from the recording, without a model, and compare the traces
    Replay {
        /// The directory of the run
        run: PathBuf,
        /// Threads; one for each processor if not given
        #[arg(long, value_name = "N")]
        threads: Option<NonZero<usize>>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a variant of a run that is otherwise from a moment on
    Branch {
        /// The directory of the run
        run: PathBuf,
        /// From when on, as 90m
        #[arg(long, value_name = "TIME")]
        at: String,
        /// What is otherwise, as seed=2 or 'event.3={at="2h", place="cafe", say="Fire!"}'; may be repeated
        #[arg(long = "set", value_name = "KEY=VALUE", required = true)]
        sets: Vec<String>,
        /// The directory of the variant
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// How it is run.
        #[command(flatten)]
        how: SimArgs,
    },
    /// The first difference of two runs, and what depends on it; exit code 1 if there is one
    Diff {
        /// A run
        a: PathBuf,
        /// Another run
        b: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write the report of a run as one HTML file, and its tables as CSV and JSON Lines
    Report {
        /// The directory of the run
        run: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// How a scenario is run.
#[derive(Debug, Clone, Default, Args)]
pub struct SimArgs {
    /// Threads; one for each processor if not given
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZero<usize>>,
    /// Calls of a model at once
    #[arg(long, value_name = "N", default_value = "8")]
    pub calls_at_once: Option<NonZero<usize>>,
    #[command(flatten)]
    /// The model. Given at the start of a run, it plays every agent, or those of --agents.
    pub models: ModelArgs,
    /// Print the outcome as JSON
    #[arg(long)]
    pub json: bool,
}

impl SimCommand {
    /// The model flags of a command that may ask a model.
    pub fn models(&self) -> Option<&ModelArgs> {
        match self {
            Self::Run { how, .. } | Self::Resume { how, .. } | Self::Branch { how, .. } => Some(&how.models),
            _ => None,
        }
    }
}

/// The scenario in a directory: `sim new town` makes `town`, and `sim run town` runs it.
fn scenario_file(path: PathBuf) -> PathBuf {
    if path.is_dir() { path.join("scenario.toml") } else { path }
}
