//! Simulation (GR8, SM1 to SM10): the cast of a scenario lives in virtual time. It uses the same rooms, turns, memory
//! and floor control as a live chat.
//!
//! ```text
//! scenario.rs    the scenario file: places, cast, minds, events, probes, limits; scenario/check.rs: its problems
//! engine.rs      runs the events in order; engine/queue.rs: which events may run concurrently (SM7)
//! place.rs       one place: a live `Runtime` with its own clock and ids
//! mind.rs        what answers for an agent: a script, a model, a recording
//! recording.rs   stores every call of a mind with its answer (SM4)
//! trace.rs       the log of events in one order; also decides when a run ends (SM8)
//! run.rs         the directory of a run: run, resume, replay, branch
//! diff.rs        the first difference of two runs
//! tables.rs      measures and tables; report.rs: one HTML file (SM9)
//! population.rs  up to a million agents that follow a rule, in arrays
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
pub use run::{
    LiveAgents, Options, Outcome, Run, branch, check, check_is_free, checked, moment, replay, resume, run,
    text,
};
pub use samples::{Sample, samples, write_sample};
pub use scenario::{Problem, Scenario, Severity, scenario_schema};
pub use tables::write_tables;
pub use trace::{ContextAccount, ContextItem, EndReason, Line, LineKind};
