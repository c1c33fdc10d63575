//! Floor control: who answers a message in a group, in which order, and why (RM2, RM3, RM6); and how a conversation among
//! bots ends (RM4, RM5). Pure: no clock, no I/O, no randomness but the caller's seed.
//!
//! ```text
//! message ── text.rs        words, chunks
//!         ── naming.rs      whom it names, and how; common_words.rs: names that are words
//!         ── candidates.rs  which messages it may answer, with features of each
//!         ── reading.rs     what it answers and whom it is for, as probabilities
//!         ── window.rs      the last messages of the room, and what is remembered of its speakers
//!         ── situation.rs   features of a member's situation at a message
//!         ── decision.rs    policies of personas and of the room; reason.rs: in words
//! answer  ── limits.rs      whether it is permitted; repetition.rs: whether it says anything new
//! log     ── evaluate.rs    the same path, measured
//! ```
//! `weights.rs` holds everything that is fitted, `examples/fit_floor` writes it.
//!
#![doc = include_str!("../README.md")]

mod candidates;
mod common_words;
mod decision;
mod draw;
mod evaluate;
mod features;
pub mod fitting;
mod limits;
pub mod log;
mod members;
mod model;
mod naming;
mod reading;
mod reason;
mod repetition;
mod script;
mod situation;
mod text;
mod weights;
mod window;

pub use decision::{Decision, Evidence, Inputs, RoomPolicy, Verdict, decide};
pub use draw::hash;
pub use evaluate::{Addressee, LogReport, Report, Speaking, evaluate, evaluate_with};
pub use limits::{Bound, Counters, Grant, Limits, Remaining, Stop, bound};
pub use members::{Kind, Member, MemberId, Members, Policy};
pub use naming::unquoted;
pub use reason::Reason;
pub use repetition::{COMPARED, nearly_repeats};
pub use script::is_script_break;
pub use window::{Message, WINDOW, Window};
