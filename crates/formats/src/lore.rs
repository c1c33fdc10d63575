//! Lorebooks: entries that are added to the context when their keys occur in the conversation (PF4). One model for
//! character books of V2 and V3, SillyTavern World Info, Backyard's lore, and the lorebooks of NovelAI, Agnai and
//! RisuAI.

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
pub(crate) use maker::{LorebookProgram, list_of};
pub(crate) use reading::key_texts;

/// A book.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lorebook {
    /// Its name, for the receipt.
    pub name: String,
    /// The number of newest messages that are searched for keys.
    pub scan_depth: usize,
    /// The most tokens of its entries in a context. `None`: a quarter of the window.
    pub token_budget: Option<usize>,
    /// Whether the texts of activated entries are searched for keys of other entries.
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
    /// Among the messages of the conversation, with this many messages after it.
    Depth(usize),
}

/// The speaker of a text among the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The host program.
    #[default]
    System,
    /// The person.
    User,
    /// The persona.
    Assistant,
}

/// How primary and secondary keys are combined. In each case one primary key must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Logic {
    /// Additionally, one of the secondary keys must match.
    #[default]
    AndAny,
    /// Additionally, not all of them may match.
    NotAll,
    /// Additionally, none of them may match.
    NotAny,
    /// Additionally, all of them must match.
    AndAll,
}

/// An entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name, or its first key if it has none.
    pub name: String,
    /// Its text, with macros.
    pub content: String,
    /// Its place.
    pub position: Position,
    /// The speaker, if its position is among the messages.
    pub speaker: Speaker,
    /// Entries with a lower number come first.
    pub order: i64,
    /// When the budget is short, the entry with the lowest number is dropped first.
    pub priority: i64,
    pub(crate) keys: Vec<Key>,
    pub(crate) secondary: Vec<Key>,
    pub(crate) logic: Logic,
    pub(crate) constant: bool,
    pub(crate) scan_depth: Option<usize>,
    /// The probability of activation in percent.
    pub(crate) probability: u64,
    pub(crate) groups: Vec<String>,
    /// Whether the highest order wins in its group, instead of a random choice.
    pub(crate) prioritised: bool,
    pub(crate) weight: u64,
    /// The number of messages for which it stays active after it was triggered.
    pub(crate) sticky: usize,
    /// The number of messages during which it cannot be triggered again.
    pub(crate) cooldown: usize,
    /// The least number of messages in the conversation.
    pub(crate) delay: usize,
    /// Whether the texts of other entries cannot trigger it.
    pub(crate) exclude_recursion: bool,
    /// Whether its text cannot trigger other entries.
    pub(crate) prevent_recursion: bool,
    /// Whether only the texts of other entries trigger it.
    pub(crate) needs_recursion: bool,
    pub(crate) decorators: decorators::Decorators,
}

impl Lorebook {
    /// Whether the activation of entries depends on earlier turns.
    pub(crate) fn is_timed(&self) -> bool {
        self.entries.iter().any(|entry| entry.sticky > 0 || entry.cooldown > 0)
    }
}
