//! The patterns of clauses. A pattern is a sequence of slots, separated by spaces. It matches the beginning of a
//! clause.
//!
//! | slot | matches |
//! |---|---|
//! | `live\|lived` | one of these words |
//! | `{kin}` | a word of the list of this name |
//! | `!it\|{here}` | a word that is none of these |
//! | `~allergie` | a word with this ending |
//! | `lieblings~` | a word with this beginning |
//! | `{any}` | any word |
//! | `{name}` | a word with a capital letter, or the last word of a clause without capitals |
//! | `{name}!rente` | the same, but none of these words |
//! | `{capital}`, `{capital}!rente` | a word with a capital letter alone |
//! | `{digits}` | a word that begins with a digit |
//! | `…?` | the slot, or nothing |
//! | `…*3` | the slot, up to three times |
//! | `$`, `for\|$` | the end of the clause; or one of these words |
//!
//! The lists have the same names in every language. Most names say what is in the list (`adj`, `adv`, `very`, `count`,
//! `num`, `ordinal`, `month`, `nation`, `pet`, `job`, `state`, `condition`). The others:
//!
//! | list | words |
//! |---|---|
//! | `kin` | relatives and partners, of whom facts are told |
//! | `family` | relatives that may have a job or an age |
//! | `business`, `field` | kinds of businesses; fields of work |
//! | `vague` | subjects that tell nothing of the author |
//! | `lead` | articles, adverbs and pronouns that begin another part of the clause |
//! | `it` | words that are never an object: pronouns, question words |
//! | `not_a_home`, `not_a_job`, `not_an_origin` | words after "live in", "work as", "I am from" that state nothing |
//! | `notname`, `noteat` | the same after "call me" and "I don't eat" |
//! | `no_allergen`, `not_a_nick` | the same after "allergic to" and "soy el" |
//! | `clinging` | words after "vivo" with which it tells no home: "pegada al móvil" |
//! | `tells` | words of clauses that tell others something: "dile a Marta dónde vivo" |
//! | `seen` | what one has just seen, so that "j'adore" only praises it |
//! | `boss` | people at work, who are no family |
//!
//! In a topic, `#0` is the word of the first slot, `#0?` its words if it took any, and `*` the first telling words
//! after the pattern's fixed part.

use std::collections::HashMap;

use crate::{
    first_words::FirstWords,
    stop_words::is_stop_word,
    text::{Word, is_listed},
};

/// How many words of the clause `*` adds to a topic.
const TOPIC_WORDS: usize = 3;

/// Words that are not part of a topic. Denials are left out because a denial has the topic of the denied fact; other
/// words only close a clause.
const NO_TOPIC: &str = "not nicht pas plus mehr any more anymore nada after all btw tbh lol haha honestly actually sadly though \
    anyway unfortunately here currently now leider eigentlich sowieso";

/// The words of a clause, prepared for matching.
pub(super) struct ClauseWords<'a> {
    words: Vec<ClauseWord<'a>>,
}

struct ClauseWord<'a> {
    folded: &'a str,
    /// The word without a joined article: "eau" for "l'eau".
    bare: &'a str,
    capital: bool,
    /// Whether the word may be a name: it has a capital letter, or no word of the clause has one.
    may_be_name: bool,
    /// Whether a part of the clause ends after this word: "alcohol, never have".
    ends_part: bool,
}

impl<'a> ClauseWords<'a> {
    pub(super) fn of(text: &str, words: &[&'a Word<'_>]) -> Self {
        let written = |word: &Word<'_>| &text[word.start..word.end];
        let has_capital = |word: &Word<'_>| written(word).contains(char::is_uppercase);
        // people who write no capitals write names in lower case too; the last word may then be a name
        let none = !words.iter().any(|word| has_capital(word));
        let clause_word = |(at, word): (usize, &&'a Word<'_>)| {
            let last = at + 1 == words.len();
            let word: &'a Word<'_> = word;
            let folded = &*word.folded;
            let bare = folded
                .split_once('\'')
                .map_or(folded, |(joined, bare)| if joined.len() <= 2 { bare } else { folded });
            let capital = has_capital(word);
            let may_be_name = capital || none && last && !is_stop_word(folded);
            let ends_part = text[word.end..].starts_with([',', ';', ':']);
            ClauseWord { folded, bare, capital, may_be_name, ends_part }
        };
        Self { words: words.iter().enumerate().map(clause_word).collect() }
    }
}

/// The rules of a language.
pub(super) struct Rules {
    rules: Vec<Rule>,
    first: FirstWords,
    /// The rules that may begin with any word, by the words of which they need one. They match few clauses, and an
    /// attempt to match one costs as much as a lookup of all words.
    inside: HashMap<&'static str, Vec<usize>>,
}

impl Rules {
    /// Builds rules from topics and patterns.
    pub(super) fn new(
        rules: &[&[(&'static str, &'static str)]],
        lists: &[(&'static str, &'static str)],
    ) -> Self {
        let rules: Vec<_> = rules
            .iter()
            .copied()
            .flatten()
            .map(|(topic, pattern)| Rule::new(topic, pattern, lists))
            .collect();
        let first = |rule: &Rule| match rule.first_words() {
            None => rule.needed_words().map(|_| Vec::new()),
            words => words,
        };
        let first = FirstWords::of(rules.iter().map(first));
        let mut inside: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.first_words().is_none()) {
            for word in rule.needed_words().into_iter().flatten() {
                inside.entry(*word).or_default().push(index);
            }
        }
        Self { rules, first, inside }
    }

    /// The topic of the first rule that a clause matches.
    pub(super) fn topic(&self, clause: &ClauseWords<'_>) -> Option<String> {
        let first = clause.words.first().map_or([""; 2], |word| [word.folded, word.bare]);
        let mut begins = Vec::new();
        let mut indices = self.first.indices(first).into_owned();
        let words = clause.words.iter().flat_map(|word| [word.folded, word.bare]);
        indices.extend(words.filter_map(|word| self.inside.get(word)).flatten());
        indices.sort_unstable();
        indices.dedup();
        indices.iter().find_map(|index| self.rules[*index].topic(clause, &mut begins))
    }
}

/// A pattern and the topic of the clauses that match it.
struct Rule {
    topic: &'static str,
    slots: Vec<Slot>,
}

struct Slot {
    /// Whole words, sorted.
    words: Vec<&'static str>,
    /// Beginnings, endings and `{digits}`.
    parts: Vec<&'static str>,
    kind: Kind,
    /// Whether the end of the clause fits as well.
    end: bool,
    least: usize,
    most: usize,
}

enum Kind {
    OneOf,
    NoneOf,
    Any,
    Name,
    Capital,
}

impl Rule {
    fn new(topic: &'static str, pattern: &'static str, lists: &[(&'static str, &'static str)]) -> Self {
        Self { topic, slots: pattern.split_ascii_whitespace().map(|slot| Slot::new(slot, lists)).collect() }
    }

    /// The words with which a matching clause begins; `None` if it may begin with other words, or with none.
    fn first_words(&self) -> Option<Vec<&'static str>> {
        let mut words = Vec::new();
        for slot in &self.slots {
            if !matches!(slot.kind, Kind::OneOf) || !slot.parts.is_empty() || slot.end {
                return None;
            }
            words.extend(&slot.words);
            if slot.least > 0 {
                return Some(words);
            }
        }
        None
    }

    /// Words of which every matching clause contains one: those of a slot that takes nothing else.
    fn needed_words(&self) -> Option<&[&'static str]> {
        let takes_listed = |slot: &&Slot| {
            matches!(slot.kind, Kind::OneOf) && slot.parts.is_empty() && !slot.end && slot.least > 0
        };
        self.slots.iter().filter(takes_listed).min_by_key(|slot| slot.words.len()).map(|slot| &*slot.words)
    }

    /// The topic of a clause, if it matches. `begins` is a buffer for the positions of the slots.
    fn topic(&self, clause: &ClauseWords<'_>, begins: &mut Vec<usize>) -> Option<String> {
        begins.clear();
        if !matches(&self.slots, &clause.words, 0, begins) {
            return None;
        }
        let word = |at: usize| clause.words.get(at).map(|word| word.bare.to_owned());
        let mut topic: Vec<String> = Vec::new();
        for part in self.topic.split_ascii_whitespace() {
            match part.strip_prefix('#') {
                Some(slot) if slot.ends_with('?') => {
                    let slot: usize = slot.trim_end_matches('?').parse().ok()?;
                    let (from, until) = (*begins.get(slot)?, *begins.get(slot + 1)?);
                    topic.extend((from..until).filter_map(word));
                }
                Some(slot) => topic.extend(begins.get(slot.parse::<usize>().ok()?).and_then(|at| word(*at))),
                None if part == "*" => {
                    // the words from the last slot on name the subject of the fact
                    let from = *begins.last()?;
                    let part = &clause.words[from.min(clause.words.len())..];
                    let ends = part.iter().position(|word| word.ends_part).map_or(part.len(), |at| at + 1);
                    let telling = part[..ends]
                        .iter()
                        .filter(|word| word.bare.len() > 2 && !is_listed(NO_TOPIC, word.bare));
                    topic.extend(telling.take(TOPIC_WORDS).map(|word| word.bare.to_owned()));
                }
                None => topic.push(part.to_owned()),
            }
        }
        Some(topic.join(" "))
    }
}

impl Slot {
    fn new(slot: &'static str, lists: &[(&'static str, &'static str)]) -> Self {
        let (names, least, most) = match slot.split_once('*') {
            Some((names, most)) => (names, 0, most.parse().unwrap_or(usize::MAX)),
            None => match slot.strip_suffix('?') {
                Some(names) => (names, 0, 1),
                None => (slot, 1, 1),
            },
        };
        let (names, kind) = match names {
            "{any}" => ("", Kind::Any),
            "{name}" => ("", Kind::Name),
            "{capital}" => ("", Kind::Capital),
            names if names.starts_with("{name}!") => (&names["{name}!".len()..], Kind::Name),
            names if names.starts_with("{capital}!") => (&names["{capital}!".len()..], Kind::Capital),
            names => match names.strip_prefix('!') {
                Some(names) => (names, Kind::NoneOf),
                None => (names, Kind::OneOf),
            },
        };
        let end = names.split('|').any(|name| name == "$");
        let mut words = Vec::new();
        for name in names.split('|').filter(|name| !name.is_empty() && *name != "$") {
            match name
                .strip_prefix('{')
                .and_then(|name| name.strip_suffix('}'))
                .filter(|name| *name != "digits")
            {
                Some(name) => {
                    let list = lists.iter().find(|(listed, _)| *listed == name);
                    words.extend(list.iter().flat_map(|(_, list)| list.split_ascii_whitespace()));
                }
                None => words.push(name),
            }
        }
        let (parts, mut words): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| is_part(word));
        words.sort_unstable();
        Self { words, parts, kind, end, least, most }
    }

    fn takes(&self, word: &ClauseWord<'_>) -> bool {
        let has = |form: &str| self.words.binary_search(&form).is_ok();
        let listed = || {
            has(word.folded)
                || word.bare.len() < word.folded.len() && has(word.bare)
                || self.parts.iter().any(|part| begins_or_ends(part, word))
        };
        match self.kind {
            Kind::OneOf => listed(),
            Kind::NoneOf => !listed(),
            Kind::Any => true,
            Kind::Name => word.may_be_name && !listed(),
            Kind::Capital => word.capital && !listed(),
        }
    }
}

/// Whether an entry of a slot is a beginning, an ending or `{digits}`, and no whole word.
fn is_part(listed: &str) -> bool {
    listed == "{digits}" || listed.starts_with('~') || listed.ends_with('~')
}

/// Whether a word matches such an entry.
fn begins_or_ends(part: &str, word: &ClauseWord<'_>) -> bool {
    if part == "{digits}" {
        return word.folded.starts_with(|c: char| c.is_ascii_digit());
    }
    match part.strip_prefix('~') {
        Some(ending) => word.folded.len() > ending.len() && word.folded.ends_with(ending),
        None => part.strip_suffix('~').is_some_and(|beginning| word.folded.starts_with(beginning)),
    }
}

/// Whether the words from `at` on match the slots. Stores the position of each slot in `begins`.
fn matches(slots: &[Slot], words: &[ClauseWord<'_>], at: usize, begins: &mut Vec<usize>) -> bool {
    let Some((slot, rest)) = slots.split_first() else { return true };
    begins.push(at);
    if slot.end && at == words.len() {
        return matches(rest, words, at, begins);
    }
    let fitting = words[at..].iter().take(slot.most).take_while(|word| slot.takes(word)).count();
    for taken in (slot.least..=fitting).rev() {
        if matches(rest, words, at + taken, begins) {
            return true;
        }
    }
    begins.pop();
    false
}
