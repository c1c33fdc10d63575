//! Finds the entries that a conversation triggers. A pure function of messages, book and seed (PF4).

use std::fmt;

use super::{
    Entry, Logic, Lorebook,
    groups::winners,
    key::{Key, Searched},
    timing::{Timing, timings},
};
use crate::Macros;

/// The most rounds of searching the texts of entries for further keys.
const MAX_ROUNDS: usize = 8;
/// The most bytes of entries' texts that are searched.
const MAX_SEARCHED: usize = 256 << 10;

/// A message of the conversation.
#[derive(Debug, Clone)]
pub struct LoreLine {
    /// A unique number; part of the seed.
    pub id: u64,
    /// Its text, after the speaker's name.
    pub text: String,
    /// Whether the persona said it.
    pub is_own: bool,
}

/// An entry that is triggered.
#[derive(Debug, Clone, PartialEq)]
pub struct Activated<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// Why.
    pub trigger: Trigger,
}

/// Why an entry is activated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigger {
    /// It is always active.
    Constant,
    /// A key occurs in the messages.
    Key(String),
    /// A key occurs in the text of another entry.
    Entry(String),
    /// It was triggered some messages ago and is still active.
    Sticky,
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant => write!(f, "always there"),
            Self::Key(key) => write!(f, "triggered by “{key}”"),
            Self::Entry(key) => write!(f, "triggered by “{key}” in another entry"),
            Self::Sticky => write!(f, "triggered before, and it stays for some messages"),
        }
    }
}

/// The entries that the conversation triggers, by priority; entries of equal priority are in the order of their
/// activation. `said` is oldest first and ends with the message to be answered. `macros` fill in keys, and their seed
/// makes random choices. The same input gives the same entries.
pub fn activate<'a>(book: &'a Lorebook, said: &[LoreLine], macros: Macros<'_>) -> Vec<Activated<'a>> {
    let timings = timings(book, said, macros);
    let mut found = Scan { book, said, macros, timings: &timings }.run();
    found.sort_by_key(|(n, _)| std::cmp::Reverse(book.entries[*n].priority));
    found.into_iter().map(|(n, trigger)| Activated { entry: &book.entries[n], trigger }).collect()
}

/// The state of one search.
pub(super) struct Scan<'a, 'b> {
    pub book: &'a Lorebook,
    pub said: &'b [LoreLine],
    pub macros: Macros<'b>,
    /// By entry.
    pub timings: &'b [Timing],
}

impl Scan<'_, '_> {
    /// The triggered entries by index.
    pub fn run(&self) -> Vec<(usize, Trigger)> {
        let seed = self.macros.seed.at(self.said.last().map_or(0, |message| message.id));
        let messages = Messages::new(self.said);
        let mut active: Vec<(usize, Trigger)> = Vec::new();
        let mut settled = vec![false; self.book.entries.len()];
        let mut added = Searched::default();
        let mut searched = 0;
        for round in 0..MAX_ROUNDS {
            let mut candidates = Vec::new();
            for (n, entry) in self.book.entries.iter().enumerate().filter(|(n, _)| !settled[*n]) {
                if let Some(trigger) = self.trigger(n, entry, &messages, (round > 0).then_some(&added)) {
                    candidates.push((n, trigger));
                }
            }
            let mut candidates = winners(self.book, candidates, &active, &mut settled, seed);
            candidates.retain(|(n, trigger)| {
                settled[*n] = true;
                *trigger == Trigger::Sticky
                    || seed.roll(&format!("probability {n}")) % 100 < self.book.entries[*n].probability
            });
            let texts: Vec<&str> = candidates
                .iter()
                .map(|(n, _)| &self.book.entries[*n])
                .filter(|entry| !entry.prevent_recursion)
                .map(|entry| entry.content.as_str())
                .collect();
            let text = texts.join("\n");
            active.append(&mut candidates);
            searched += text.len();
            if !self.book.recursive || text.is_empty() || searched > MAX_SEARCHED {
                break;
            }
            added = Searched::new(text);
        }
        active
    }

    /// The reason why an entry is triggered: by the messages, or by the texts that the last round added.
    fn trigger(
        &self,
        n: usize,
        entry: &Entry,
        messages: &Messages<'_>,
        added: Option<&Searched>,
    ) -> Option<Trigger> {
        let Timing { sticky, cooling } = self.timings[n];
        let decorators = &entry.decorators;
        let too_early = entry.delay > self.said.len() || messages.replies < decorators.only_after;
        // Character Card V3: no match if the number of the character's messages is not a multiple of the value
        let off_beat = decorators.only_every > 1 && !messages.replies.is_multiple_of(decorators.only_every);
        if decorators.dont_activate || too_early || off_beat || (cooling && !sticky) {
            return None;
        }
        if sticky {
            return Some(Trigger::Sticky);
        }
        if (entry.needs_recursion && added.is_none()) || (entry.exclude_recursion && added.is_some()) {
            return None;
        }
        if entry.constant || decorators.activate {
            return Some(Trigger::Constant);
        }
        let depth = entry.scan_depth.unwrap_or(self.book.scan_depth);
        let places = messages.last(depth).chain(added);
        let places: Vec<&Searched> = places.collect();
        let is_said = |key: &Key| places.iter().any(|place| key.is_in(place, self.macros));
        let is_word_said = |word: &String| is_said(&Key::words(word, false, false));
        let key = entry.keys.iter().find(|key| is_said(key))?;
        let all = &decorators.exclude_keys_all;
        if decorators.exclude_keys.iter().any(is_word_said) || !all.is_empty() && all.iter().all(is_word_said)
        {
            return None;
        }
        if !decorators.additional_keys.is_empty() && !decorators.additional_keys.iter().any(is_word_said) {
            return None;
        }
        let mut secondary = entry.secondary.iter();
        let agrees = entry.secondary.is_empty()
            || match entry.logic {
                Logic::AndAny => secondary.any(is_said),
                Logic::NotAll => !secondary.all(is_said),
                Logic::NotAny => !secondary.any(is_said),
                Logic::AndAll => secondary.all(is_said),
            };
        let by_message = messages.last(depth).any(|place| key.is_in(place, self.macros));
        let text = key.text.clone();
        agrees.then_some(if by_message { Trigger::Key(text) } else { Trigger::Entry(text) })
    }
}

/// The messages. They are prepared for searching at their first use.
struct Messages<'a> {
    said: &'a [LoreLine],
    searched: std::cell::OnceCell<Vec<Searched>>,
    /// The number of the persona's messages.
    replies: usize,
}

/// More messages than any book searches.
const MAX_DEPTH: usize = 200;

impl<'a> Messages<'a> {
    fn new(said: &'a [LoreLine]) -> Self {
        let replies = said.iter().filter(|message| message.is_own).count();
        Self { said, searched: Default::default(), replies }
    }

    /// The newest messages, newest first.
    fn last(&self, depth: usize) -> impl Iterator<Item = &Searched> {
        let newest = self.said.iter().rev().take(MAX_DEPTH);
        let searched =
            self.searched.get_or_init(|| newest.map(|it| Searched::new(it.text.clone())).collect());
        searched.iter().take(depth)
    }
}
