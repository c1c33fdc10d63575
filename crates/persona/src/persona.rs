//! A persona as the rest of the program sees it: every setting merged, every value checked.

use std::path::PathBuf;

use greenroom_core::PersonaName;

use crate::{LimitSettings, MemorySettings, ModelSettings, RoomSettings};

/// A named character (WB12). Made by the loader; cheap to share behind an `Arc`.
#[derive(Debug, Clone, PartialEq)]
pub struct Persona {
    /// The unique name, also the stem of the file.
    pub name: PersonaName,
    /// What people call it.
    pub display_name: String,
    /// One line for lists.
    pub description: String,
    /// What it says when a chat opens, if anything. Shown, not sent.
    pub greeting: Option<String>,
    /// The system prompt: the body of the file.
    pub prompt: String,
    /// Which model answers, and how.
    pub model: ModelSettings,
    /// What it remembers, and how much of it is recalled.
    pub memory: MemorySettings,
    /// When it answers among others.
    pub room: RoomSettings,
    /// What it may use up.
    pub limits: LimitSettings,
    /// Names of the tools it may use.
    pub tools: Vec<String>,
    /// The file it came from.
    pub file: PathBuf,
}
