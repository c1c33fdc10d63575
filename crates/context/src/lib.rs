//! Token counting, budgets, project documents and the assembler: pure functions, no I/O except reading project files.
//!
//! The steps of one request: [`discover_project`] finds the AGENTS.md files, [`history_for`] turns stored messages
//! into a conversation as one persona sees it, [`profile_for`] chooses the tokenizer, [`assemble`] makes the request
//! and its receipt, [`render_receipt`] shows the receipt.
//!
#![doc = include_str!("../README.md")]

mod assemble;
mod block;
mod character;
mod history;
mod prefix;
mod profiles;
mod project;
mod receipt_view;
mod speakers;
mod tokens;

pub use assemble::{
    AssembleError, Assembled, Assembly, Counts, HistoryEntry, LARGER_WINDOW, Plan, ProjectDocument, assemble,
    nearly_full, plan, steadiest, texts, usable,
};
pub use block::{BlockTemplate, Measure, MemoryBlock, MemoryEntry, MemoryGroup, MemoryPlace};
pub use character::{CharacterBlock, CharacterKind, CharacterPlace, CharacterText};
pub use history::{history_for, plain};
pub use prefix::{Outline, reusable_prefix};
pub use profiles::{DEFAULT_WINDOW, accepts_images, profile_for};
pub use project::{FILE_LIMIT, Project, discover_project};
pub use receipt_view::render_receipt;
pub use speakers::{
    A_PERSON, ReservedNames, Speakers, imitates_ours, indented, lines, look_alikes, shown_name,
};
pub use tokens::{
    EstimateCounter, FnCounter, Layout, ModelProfile, QuarterCounter, SAMPLES, TokenCounter, Weights, cl100k,
    count_request, o200k,
};
