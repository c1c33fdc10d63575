//! Simulation (GR8, SM1 to SM10): a scenario's cast lives in virtual time, on the same rooms, turns, memory and floor control
//! as a live chat.
//!
//! ```text
//! scenario.rs    the file: places, cast, minds, events, topics, probes, limits; scenario/check.rs: its problems
//! engine.rs      the events in their order; engine/queue.rs: which of them run at the same time (SM7)
//! place.rs       one place: a live `Runtime` with a clock and ids of its own
//! mind.rs        what answers for an agent: a script, a model, a recording
//! recording.rs   every call, on the disk (SM4)
//! trace.rs       what happened, in one order; also where a run ends (SM8)
//! run.rs         the directory of a run: run, resume, replay, branch
//! diff.rs        the first difference of two runs
//! tables.rs      measures and tables; report.rs: one HTML file (SM9)
//! population.rs  up to a million agents of a rule, in arrays
//! ```
//!
#![doc = include_str!("../README.md")]

mod diff;
mod draw;
mod engine;
mod error;
mod mind;
mod place;
mod population;
mod recording;
mod report;
mod run;
mod samples;
mod scenario;
mod tables;
mod trace;

pub use diff::{Difference, diff};
pub use engine::Progress;
pub use error::SimError;
pub use mind::{Mind, MindAnswer, MindCall, MindError};
pub use population::{Deffuant, Feed, Population, PopulationReport, Rule, Voter};
pub use report::write_report;
pub use run::{LiveAgents, Options, Outcome, Run, branch, check, checked, moment, replay, resume, run, text};
pub use samples::{Sample, samples, write_sample};
pub use scenario::{Problem, Scenario, Severity, scenario_schema};
pub use tables::write_tables;
pub use trace::{ContextAccount, ContextItem, EndReason, Line, LineKind};
