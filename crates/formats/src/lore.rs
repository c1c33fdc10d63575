//! Lorebooks: entries that enter the context when a word is said (PF4). One model for character books of V2 and V3,
//! SillyTavern World Info, Backyard's lore, and the lorebooks of NovelAI, Agnai and RisuAI.

mod decorators;
mod groups;
mod key;
mod maker;
mod reading;
mod scan;
mod timing;

#[cfg(test)]
mod tests;

use serde::Serialize;

use scan::Scan;
pub use scan::{Activated, LoreLine, Trigger, activate};

pub(crate) use key::Key;
pub(crate) use maker::{Maker, list_of};
pub(crate) use reading::key_texts;

/// A book.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lorebook {
    /// Its name, for the receipt.
    pub name: String,
    /// Messages that are searched for keys, the newest first.
    pub scan_depth: usize,
    /// Tokens that its entries may take in a context; without a number, a quarter of the window.
    pub token_budget: Option<usize>,
    /// Whether the texts of entries are searched for keys of other entries.
    pub recursive: bool,
    /// The entries.
    pub entries: Vec<Entry>,
}

/// The place of an entry in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// Before the persona's prompt.
    Before,
    /// After the persona's prompt.
    After,
    /// Before the example messages.
    BeforeExamples,
    /// After the example messages.
    AfterExamples,
    /// Among the messages of the conversation, this many from its end.
    Depth(usize),
}

/// Who says a text that is among the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The host.
    #[default]
    System,
    /// The person.
    User,
    /// The persona.
    Assistant,
}

/// How primary and secondary keys belong together. One primary key has to match in each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Logic {
    /// And one of the secondary keys.
    #[default]
    AndAny,
    /// And not all of them.
    NotAll,
    /// And none of them.
    NotAny,
    /// And all of them.
    AndAll,
}

/// An entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name, else its first key.
    pub name: String,
    /// Its text, with macros.
    pub content: String,
    /// Its place.
    pub position: Position,
    /// Who says it, among messages.
    pub speaker: Speaker,
    /// A lower number stands higher.
    pub order: i64,
    /// The entry with the lowest number is dropped first when the budget is short.
    pub priority: i64,
    pub(crate) keys: Vec<Key>,
    pub(crate) secondary: Vec<Key>,
    pub(crate) logic: Logic,
    pub(crate) constant: bool,
    pub(crate) scan_depth: Option<usize>,
    /// Percent.
    pub(crate) probability: u64,
    pub(crate) groups: Vec<String>,
    /// Whether the highest order wins its group instead of a draw.
    pub(crate) prioritised: bool,
    pub(crate) weight: u64,
    /// Messages that it stays after it was triggered.
    pub(crate) sticky: usize,
    /// Messages during which it is not triggered again.
    pub(crate) cooldown: usize,
    /// Messages that a conversation must have.
    pub(crate) delay: usize,
    /// Whether the texts of other entries do not trigger it.
    pub(crate) exclude_recursion: bool,
    /// Whether its text triggers no other entries.
    pub(crate) prevent_recursion: bool,
    /// Whether only the texts of other entries trigger it.
    pub(crate) needs_recursion: bool,
    pub(crate) decorators: decorators::Decorators,
}

impl Lorebook {
    /// Whether an entry's past matters.
    pub(crate) fn is_timed(&self) -> bool {
        self.entries.iter().any(|entry| entry.sticky > 0 || entry.cooldown > 0)
    }
}
