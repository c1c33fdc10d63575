//! Memory of personas: recall of relevant items for a turn, and capture of statements from conversations.
//!
//! Recall searches an in-memory index that follows the store. It runs in the caller's task, outside of every actor's
//! mailbox. All writes and embeddings go through this crate too, so that thresholds, trust and duplicates are decided
//! in one place.
//!
//! ```text
//! message ── Memory::capture_now ──┬─> decision ──> store, vector
//! reply ──── Memory::capture_after ┘
//! window  ── Memory::recall ──> Recalled ── render ──> block for the context
//!                                        └─ snippets ──> event for the user
//! ```
//!
#![doc = include_str!("../README.md")]

mod capture;
mod edit;
mod embed;
mod forget_targets;
mod index;
mod learn;
mod library;
mod memory;
mod names;
mod prompt_history;
pub mod rank;
mod recall;
mod remember;
mod render;
mod search;
mod searched;
mod small_model;
mod span;
mod spelling;
#[cfg(test)]
mod tests;
mod transfer;
mod versions;
mod why;
mod withdraw;
mod words;

/// The time zone in which dates are shown and time words such as "yesterday" are interpreted.
pub use jiff::tz::TimeZone;
pub use search::SearchOptions;

pub use capture::home::{is_about, scope_of_said};
pub use capture::{
    CaptureReport, Decision, Event, Exchange, IgnoreReason, Severity, SummaryWorth, TOLD_FROM, ToolResult,
};
pub use edit::Edit;
pub use embed::Embeddings;
pub use forget_targets::ForgetTargets;
pub use greenroom_lang::speaks_of_oneself;
pub use index::IndexReport;
pub use learn::Learned;
pub use library::{Context, Knowledge, Library};
pub use memory::{Memory, MemoryError};
pub use prompt_history::{PROMPT_HISTORY, PromptLines};
pub use recall::{Degraded, MemoryVersion, RecallRequest, Recalled, RecalledItem};
pub use remember::{Remember, Remembered};
pub use render::{attributed, notice, render, snippets};
pub use search::{Hit, Searched};
pub use small_model::SmallModel;
pub use span::span;
pub use transfer::{ImportError, ImportLines, export_lines};
pub use versions::{InFull, existing, in_full, is_newer, versions};
pub use why::{Explained, MissReason, Missed};
pub use withdraw::Withdrawn;
pub use words::holds_every_word;
