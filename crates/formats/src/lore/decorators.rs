//! Decorators of V3 and RisuAI: lines `@@name value` at the beginning of an entry's text.

use crate::lore::{Position, Speaker};

/// The supported decorators of an entry. `@@@name` is a fallback for the decorator above it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Decorators {
    pub activate: bool,
    pub dont_activate: bool,
    pub depth: Option<usize>,
    pub speaker: Option<Speaker>,
    pub scan_depth: Option<usize>,
    pub position: Option<Position>,
    pub additional_keys: Vec<String>,
    pub exclude_keys: Vec<String>,
    /// Keys that exclude the entry if all of them match.
    pub exclude_keys_all: Vec<String>,
    /// The probability in percent.
    pub probability: Option<u64>,
    pub priority: Option<i64>,
    /// Whether keys match whole words only.
    pub whole: Option<bool>,
    /// Whether the texts of other entries cannot trigger it.
    pub exclude_recursion: bool,
    /// Whether its text cannot trigger other entries.
    pub prevent_recursion: bool,
    /// The least number of the persona's messages in the conversation (Character Card V3, `@@activate_only_after`).
    pub only_after: usize,
    /// The entry is active only if the number of the persona's messages is a multiple of this (Character Card V3,
    /// `@@activate_only_every`).
    pub only_every: usize,
    /// The names of unsupported decorators.
    pub unknown: Vec<String>,
}

/// Removes the decorators from a text. Lines count as decorators up to the first line that is none.
pub(crate) fn strip(content: &str) -> (Decorators, String) {
    let mut found = Decorators::default();
    let mut rest = content;
    while let Some(line) =
        rest.trim_start().split_inclusive('\n').next().filter(|line| line.starts_with("@@"))
    {
        let (name, value) = line
            .trim_start_matches('@')
            .trim()
            .split_once(' ')
            .unwrap_or((line.trim_start_matches('@').trim(), ""));
        if !found.set(name, value.trim()) && found.unknown.len() < 20 {
            found.unknown.push(name.to_owned());
        }
        rest = &rest.trim_start()[line.len()..];
    }
    (found, rest.trim().to_owned())
}

impl Decorators {
    /// Sets a decorator. Returns whether it is known.
    fn set(&mut self, name: &str, value: &str) -> bool {
        let words = || value.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty());
        match name {
            "activate" => self.activate = true,
            "dont_activate" => self.dont_activate = true,
            "depth" => self.depth = value.parse().ok(),
            "end" => self.depth = Some(0),
            "probability" => self.probability = value.parse().ok(),
            "priority" => self.priority = value.parse().ok(),
            // RisuAI's value for this decorator
            "ignore_on_max_context" => self.priority = Some(-1_000),
            "match_full_word" => self.whole = Some(true),
            "match_partial_word" => self.whole = Some(false),
            "unrecursive" => self.prevent_recursion = true,
            "no_recursive_search" => self.exclude_recursion = true,
            "scan_depth" => self.scan_depth = value.parse().ok(),
            "role" => {
                self.speaker = match value {
                    "user" => Some(Speaker::User),
                    "assistant" => Some(Speaker::Assistant),
                    _ => Some(Speaker::System),
                }
            }
            "position" => {
                self.position = match value {
                    "before_desc" => Some(Position::Before),
                    "after_desc" | "personality" | "scenario" => Some(Position::After),
                    _ => return false,
                }
            }
            "additional_keys" => self.additional_keys.extend(words()),
            "exclude_keys" => self.exclude_keys.extend(words()),
            "exclude_keys_all" => self.exclude_keys_all.extend(words()),
            "activate_only_after" => self.only_after = value.parse().unwrap_or(0),
            "activate_only_every" => self.only_every = value.parse().unwrap_or(0),
            _ => return false,
        }
        true
    }
}
