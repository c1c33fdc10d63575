//! Patterns of questions about what was said (JV8). A pattern is a sequence of slots, separated by spaces:
//!
//! | slot | matches |
//! |---|---|
//! | `did\|didn't` | one of these words |
//! | `{said}` | one word of the list of this name; lists and words may be mixed |
//! | `still?` | one of these words, or nothing |
//! | `{fill}*` | any number of these words |
//! | `{any}*4` | at most four words of any kind |
//! | `{digits}` | a word that begins with a digit |
//! | `?` in front | the text is a question, or begins with a request |

use crate::first_words::FirstWords;

/// The patterns of a language.
pub(crate) struct Patterns {
    patterns: Vec<QuestionPattern>,
    first: FirstWords,
}

impl Patterns {
    pub(crate) fn new(patterns: &[&'static str], lists: &[(&'static str, &'static str)]) -> Self {
        let patterns: Vec<_> = patterns.iter().map(|pattern| QuestionPattern::new(pattern, lists)).collect();
        let first = FirstWords::of(patterns.iter().map(QuestionPattern::first_words));
        Self { patterns, first }
    }

    /// Whether one of the patterns matches the beginning of the words.
    pub(crate) fn any_begins(&self, words: &[[&str; 2]], asked: bool) -> bool {
        let Some(first) = words.first() else { return false };
        let begins = |index: &usize| self.patterns[*index].begins(words, asked);
        self.first.indices(*first).iter().any(begins)
    }
}

/// A parsed pattern.
struct QuestionPattern {
    slots: Vec<QuestionSlot>,
    /// Whether the text must be a question.
    asked: bool,
}

struct QuestionSlot {
    /// The sorted words that match. Empty: any word matches.
    words: Vec<&'static str>,
    /// Whether a word that begins with a digit matches too.
    digits: bool,
    /// The minimum and maximum number of words that the slot takes.
    least: usize,
    most: usize,
}

impl QuestionPattern {
    fn new(pattern: &'static str, lists: &[(&'static str, &'static str)]) -> Self {
        let (asked, pattern) = match pattern.strip_prefix("? ") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        Self {
            slots: pattern.split_ascii_whitespace().map(|slot| QuestionSlot::new(slot, lists)).collect(),
            asked,
        }
    }

    /// The words with which a matching text begins; `None` if any word may be the first.
    fn first_words(&self) -> Option<Vec<&'static str>> {
        let mut words = Vec::new();
        for slot in &self.slots {
            if slot.words.is_empty() || slot.digits {
                return None;
            }
            words.extend(&slot.words);
            if slot.least > 0 {
                return Some(words);
            }
        }
        None
    }

    /// Whether the pattern matches the beginning of the words.
    fn begins(&self, words: &[[&str; 2]], asked: bool) -> bool {
        (asked || !self.asked) && matches(&self.slots, words)
    }
}

impl QuestionSlot {
    fn new(slot: &'static str, lists: &[(&'static str, &'static str)]) -> Self {
        let (names, least, most) = match slot.split_once('*') {
            Some((names, most)) => (names, 0, most.parse().unwrap_or(usize::MAX)),
            None => match slot.strip_suffix('?') {
                Some(names) => (names, 0, 1),
                None => (slot, 1, 1),
            },
        };
        let (mut words, mut digits) = (Vec::new(), false);
        for name in names.split('|') {
            match name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some("digits") => digits = true,
                Some(name) => {
                    let list = lists.iter().find(|(listed, _)| *listed == name);
                    words.extend(list.iter().flat_map(|(_, list)| list.split_ascii_whitespace()));
                }
                None => words.push(name),
            }
        }
        words.sort_unstable();
        Self { words, digits, least, most }
    }

    /// Whether a word matches. It is given in two forms: as written, and without a joined article.
    fn takes(&self, [written, bare]: &[&str; 2]) -> bool {
        if self.digits && written.starts_with(|c: char| c.is_ascii_digit()) {
            return true;
        }
        let has = |form: &&str| self.words.binary_search(form).is_ok();
        self.words.is_empty() && !self.digits || has(written) || bare.len() < written.len() && has(bare)
    }
}

fn matches(slots: &[QuestionSlot], words: &[[&str; 2]]) -> bool {
    let Some((slot, rest)) = slots.split_first() else { return true };
    let fitting = words.iter().take(slot.most).take_while(|word| slot.takes(word)).count();
    (slot.least..=fitting).any(|taken| matches(rest, &words[taken..]))
}
