//! A persona for the rest of the program: all settings merged, all values checked.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use greenroom_core::PersonaName;
use greenroom_formats::{Macros, Play, Seed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LimitSettings, McpServer, MemorySettings, ModelSettings, RoomSettings};

/// The tools of a persona whose file names none.
pub const DEFAULT_TOOLS: [&str; 2] = ["remember", "recall"];

/// All built-in tools.
pub const BUILT_IN_TOOLS: [&str; 3] = ["remember", "recall", "forget"];

/// The pattern of persona names, for the schema. [`PersonaName`] itself does the check.
pub(crate) const NAME_PATTERN: &str = "^[a-z0-9][a-z0-9_-]{0,63}$";

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
    /// The MCP servers whose tools it may use, by a name of its own for each.
    pub mcp: BTreeMap<String, McpServer>,
    /// The file it came from; `(built in)/NAME.md` for a sample.
    pub file: PathBuf,
    /// What the folder beside the file adds to its contexts: greetings, examples, lorebooks (PF4, PF5).
    pub play: Option<Arc<Play>>,
}

impl Persona {
    /// The names by which people call it: the name and the display name.
    pub fn spoken_names(&self) -> [&str; 2] {
        [self.name.as_str(), &self.display_name]
    }

    /// A persona with default settings, for tests of other crates.
    pub fn new(name: PersonaName, prompt: impl Into<String>) -> Self {
        let front = FrontMatter::default();
        Self::from_parts(name, front, prompt.into(), PathBuf::new())
    }

    /// The greeting for a person of this name, with the macros of a card expanded.
    pub fn greeting_for(&self, user: &str) -> Option<String> {
        self.greeting.as_ref().map(|greeting| self.filled(greeting, user))
    }

    /// A text of the persona's card for a person of this name, with its macros expanded. Without a card, the unchanged
    /// text.
    pub fn filled(&self, text: &str, user: &str) -> String {
        let Some(play) = &self.play else { return text.to_owned() };
        let char = play.nickname.as_ref().unwrap_or(&self.display_name);
        let seed = Seed::of_text(user);
        Macros { char, user, seed, lasting: seed }.expand(text)
    }

    /// Makes a persona of a checked file. The name is the file's stem, whatever the front matter says.
    pub(crate) fn from_parts(name: PersonaName, front: FrontMatter, prompt: String, file: PathBuf) -> Self {
        Self {
            display_name: front.display_name.unwrap_or_else(|| capitalised(name.as_str())),
            name,
            description: front.description,
            greeting: front.greeting,
            prompt,
            model: front.model,
            memory: front.memory,
            room: front.room,
            limits: front.limits,
            tools: front.tools,
            mcp: front.mcp,
            file,
            play: None,
        }
    }
}

/// The front matter of a persona file. Every field may be left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(title = "Greenroom persona: front matter")]
pub(crate) struct FrontMatter {
    /// The unique name: the file's stem, and nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// What people call it; the name with a capital where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub display_name: Option<String>,
    /// One line for lists.
    #[schemars(length(max = 200))]
    pub description: String,
    /// What it says when a chat opens. Shown, not sent to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20000))]
    pub greeting: Option<String>,
    /// Which model answers, and how.
    pub model: ModelSettings,
    /// What it remembers, and how much of it is recalled.
    pub memory: MemorySettings,
    /// When it answers among others.
    pub room: RoomSettings,
    /// What it may use up.
    pub limits: LimitSettings,
    /// Names of the tools it may use; those of MCP servers among them.
    pub tools: Vec<String>,
    /// MCP servers whose tools it may use, each under a name of your own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp: BTreeMap<String, McpServer>,
}

impl Default for FrontMatter {
    fn default() -> Self {
        Self {
            name: None,
            display_name: None,
            description: String::new(),
            greeting: None,
            model: ModelSettings::default(),
            memory: MemorySettings::default(),
            room: RoomSettings::default(),
            limits: LimitSettings::default(),
            tools: DEFAULT_TOOLS.map(String::from).to_vec(),
            mcp: BTreeMap::new(),
        }
    }
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
