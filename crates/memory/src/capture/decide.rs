//! What becomes of a new statement: added, written in place of an older one, put above it, or
//! ignored. Pure: it is given the older ones that may matter.
//!
//! A cosine brings candidates and decides nothing alone: "at 5" and "at 6", "Ann owes Bob" and "Bob
//! owes Ann", "I like tea" and "I don't like tea" lie above 0.9. Where numbers, negation, names or
//! the order of words differ, the statement is a correction and is never taken for something known.

use std::fmt;

use greenroom_core::{Memory as Stored, MemoryId, Tier, Timestamp, Trust};
use greenroom_store::NewMemory;
use serde::Serialize;

use crate::words::{names, one_of, stems, words};

/// What was decided about a new statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// A new memory.
    Add,
    /// Written in place of this one, whose version rises (JV9).
    Update(MemoryId),
    /// A new memory; the old one stays, and a relation says what took its place.
    Supersede(MemoryId),
    /// Nothing was written, because of this one.
    Ignore(MemoryId, Why),
}

/// Why a statement was not written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The same is known.
    Known,
    /// More than that is known.
    Contained,
    /// A model found that it says nothing new.
    PassedOver,
    /// It was recalled into this very context: the persona quotes its memory.
    Recalled,
    /// Nobody said it: it stands in the model's words alone.
    Unsaid,
    /// It looks like a secret, and nobody asked to keep it (X5).
    Secret,
    /// One message states more than are taken from it.
    TooMany,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known => "the same is known",
            Self::Contained => "more than that is known",
            Self::PassedOver => "a model found nothing new in it",
            Self::Recalled => "it was recalled into this context",
            Self::Unsaid => "nobody said it",
            Self::Secret => "it looks like a secret",
            Self::TooMany => "one message states too many",
        })
    }
}

/// An older memory a new statement may be about. It is live, and nothing live took its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// The memory.
    pub(crate) memory: Stored,
    /// Whether it is closer than a cosine of 0.9.
    pub(crate) alike: bool,
}

/// What a model would do with a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Add,
    /// In place of, or above, a memory it was shown.
    Replace(MemoryId),
    /// It says no more than a memory it was shown.
    Ignore(MemoryId),
}

impl Choice {
    /// The memory it names.
    pub(crate) fn of(self) -> Option<MemoryId> {
        match self {
            Self::Add => None,
            Self::Replace(id) | Self::Ignore(id) => Some(id),
        }
    }
}

/// What becomes of `new`. `slot` is the memory under its key, and then it alone counts. Of
/// knowledge nothing but knowledge is looked at: what happened twice happened twice.
pub(crate) fn decide(new: &NewMemory, slot: Option<&Stored>, candidates: &[Candidate]) -> Decision {
    if let Some(old) = slot {
        let known = (covers(old, new) || is_the_same_capture(old, new))
            && difference(&old.text, &new.text, false) == Difference::Same;
        return if known { Decision::Ignore(old.id, Why::Known) } else { Decision::Update(old.id) };
    }
    let mut decision = Decision::Add;
    for candidate in candidates.iter().filter(|c| comparable(&c.memory, new)) {
        match against(candidate, new) {
            Decision::Add => {}
            ignored @ Decision::Ignore(..) => return ignored,
            other if decision == Decision::Add => decision = other,
            _ => {}
        }
    }
    decision
}

/// The same with a model's choice, which holds as far as the rules let it: it can swallow no
/// correction, and replace nothing that is trusted more or about something else.
pub(crate) fn settle(
    new: &NewMemory,
    slot: Option<&Stored>,
    candidates: &[Candidate],
    choice: Choice,
) -> Decision {
    let ruled = decide(new, slot, candidates);
    let chosen = |id| candidates.iter().find(|c| c.memory.id == id && comparable(&c.memory, new));
    if slot.is_some() || matches!(ruled, Decision::Ignore(..)) {
        return ruled;
    }
    match choice {
        Choice::Add => ruled,
        Choice::Replace(id) => match chosen(id) {
            Some(old) if may_replace(&old.memory, new) && share_a_topic(&old.memory.text, &new.text) => {
                replace(&old.memory, new)
            }
            _ => ruled,
        },
        Choice::Ignore(id) => match chosen(id) {
            Some(old) if holds_all_that_matters(&old.memory.text, &new.text) => {
                Decision::Ignore(id, Why::PassedOver)
            }
            _ => ruled,
        },
    }
}

fn against(candidate: &Candidate, new: &NewMemory) -> Decision {
    let old = &candidate.memory;
    let trusted = may_replace(old, new);
    match difference(&old.text, &new.text, candidate.alike) {
        Difference::Same if covers(old, new) => Decision::Ignore(old.id, Why::Known),
        Difference::Same if trusted && lasts(new.expires_at) >= lasts(old.expires_at) => replace(old, new),
        Difference::Less if covers(old, new) => Decision::Ignore(old.id, Why::Contained),
        Difference::More | Difference::Correction if trusted => replace(old, new),
        _ => Decision::Add,
    }
}

/// Whether a new statement may take the place of an old one: it is trusted as much, and a stranger
/// takes back nobody's words but their own (X7).
fn may_replace(old: &Stored, new: &NewMemory) -> bool {
    let anothers = old.source.user.is_some() && old.source.user != new.source.user;
    new.trust >= old.trust && !(new.trust == Trust::Stranger && anothers)
}

/// Only what has a key is written in place, and only by whoever said it; the store knows no other
/// way, and a chain shows more.
fn replace(old: &Stored, new: &NewMemory) -> Decision {
    let same_hand = old.source.user == new.source.user;
    if same_hand && old.key.is_some() && (new.key.is_none() || new.key == old.key) {
        Decision::Update(old.id)
    } else {
        Decision::Supersede(old.id)
    }
}

/// Whether the two can be about the same: knowledge of one place, and "I" is one person.
fn comparable(old: &Stored, new: &NewMemory) -> bool {
    let first_person = |text: &str| {
        let of_oneself = ["i", "me", "my", "mine", "we", "us", "our"];
        words(text).iter().any(|word| of_oneself.contains(&word.as_str()))
    };
    let one_person = old.source.user == new.source.user
        || old.source.user.is_none()
        || new.source.user.is_none()
        || !(first_person(&old.text) || first_person(&new.text));
    old.scope == new.scope && (old.tier, new.tier) == (Tier::Semantic, Tier::Semantic) && one_person
}

/// Whether the old one is trusted as much and lives as long.
fn covers(old: &Stored, new: &NewMemory) -> bool {
    old.trust >= new.trust && lasts(old.expires_at) >= lasts(new.expires_at)
}

/// Whether this is what was captured before, from the same message or the same tool on the same
/// day: it would only end a moment later.
fn is_the_same_capture(old: &Stored, new: &NewMemory) -> bool {
    let tools = new.source.via == "tool_result";
    old.trust >= new.trust && old.source == new.source && (tools || new.source.message.is_some())
}

fn lasts(expires_at: Option<Timestamp>) -> Timestamp {
    expires_at.unwrap_or(Timestamp(i64::MAX))
}

/// How a new statement stands to an old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    /// It says the same.
    Same,
    /// It says less.
    Less,
    /// It says the same and more.
    More,
    /// It says something else of the same matter.
    Correction,
    /// It is about something else, or we cannot tell.
    Other,
}

/// By the words alone; `alike` lets other words of the same stems pass for the same.
pub(crate) fn difference(old: &str, new: &str, alike: bool) -> Difference {
    let (a, b) = (words(old), words(new));
    if a.is_empty() || b.is_empty() {
        return if old == new { Difference::Same } else { Difference::Other };
    }
    if a == b {
        Difference::Same
    } else if extends(&a, &b) {
        Difference::More
    } else if extends(&b, &a) {
        Difference::Less
    } else if is_reordered(&a, &b) || is_negated(&a, &b) || has_another_value(old, new, &a, &b) {
        Difference::Correction
    } else if alike && stems(old) == stems(new) && turns(&a) == turns(&b) {
        Difference::Same
    } else {
        Difference::Other
    }
}

/// Whether a preference takes the place of the one under its key: it says the same and perhaps more,
/// corrects it, or differs in one place with a common end ("email alerts", "SMS alerts") or behind a
/// verb ("is blue", "is green"). Two that can both hold have the same topic by chance.
pub(crate) fn takes_the_place(old: &str, new: &str) -> bool {
    let (a, b) = (words(old), words(new));
    let before = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[before..], &b[before..]);
    let after = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(x, y)| x == y).count();
    let short = |rest: &[String]| rest.len() - after <= LONGEST_VALUE;
    let behind_a_verb =
        a[..before].last().is_some_and(|word| matches!(word.as_str(), "is" | "are" | "called"));
    let in_one_place = short(rest_a) && short(rest_b) && (after > 0 || behind_a_verb);
    in_one_place
        || matches!(difference(old, new, false), Difference::Same | Difference::More | Difference::Correction)
}

/// Small words that turn what a statement says: was is not is, from is not to, and a no is a no.
const TURNING: &str = "was were had will would can could should may might in on at to for from with by into about \
    before after not no never without";

fn turns(words: &[String]) -> Vec<&String> {
    words.iter().filter(|word| one_of(TURNING, word)).collect()
}

/// Words that begin an addition which leaves what stands before it as true as it was.
const LINKS: &str = "in on at with for from because since near of by every and";
/// Words that turn an addition against what stands before it.
const TURNS: &str = "not no never but except unless only until instead anymore if without";

/// Whether `long` is `short` with something added: "we meet at 5", "we meet at 5 in the kitchen".
fn extends(short: &[String], long: &[String]) -> bool {
    let Some(added) = long.strip_prefix(short) else { return false };
    added.first().is_some_and(|word| one_of(LINKS, word)) && !added.iter().any(|word| one_of(TURNS, word))
}

fn is_reordered(a: &[String], b: &[String]) -> bool {
    let sorted = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort();
        words
    };
    sorted(a) == sorted(b)
}

/// Whether the two are the same but for a no: "I like tea", "I don't like tea", "I hate tea".
fn is_negated(a: &[String], b: &[String]) -> bool {
    let bare = |words: &[String]| -> (bool, Vec<String>) {
        let (mut no, mut rest) = (false, Vec::new());
        for word in words {
            match word.as_str() {
                "not" | "no" | "never" => no = !no,
                "hate" | "hates" | "dislike" | "dislikes" => {
                    no = !no;
                    rest.push("like".to_owned());
                }
                "love" | "loves" => rest.push("like".to_owned()),
                "do" | "does" | "did" | "any" | "anymore" | "longer" | "more" | "always" => {}
                other => rest.push(stems(other).pop().unwrap_or_else(|| other.to_owned())),
            }
        }
        (no, rest)
    };
    let (one, other) = (bare(a), bare(b));
    one.0 != other.0 && one.1 == other.1
}

/// Words after which stands what can change: "is at 5", "costs 20", "is called Rex".
const MARKERS: &str = "is are am was were be at on by until from to in costs cost owes has have starts ends opens \
    closes leaves takes about around exactly";
/// Those after which another name is another answer to the same question.
const NAMED: &str = "is are am called named in";
/// Longest part of a statement that is replaced, in words.
const LONGEST_VALUE: usize = 4;

/// Whether the two differ in one place alone, and there in a number, a time or a name.
fn has_another_value(old: &str, new: &str, a: &[String], b: &[String]) -> bool {
    let before = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[before..], &b[before..]);
    let after = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (one, other) = (&rest_a[..rest_a.len() - after], &rest_b[..rest_b.len() - after]);
    let fits = |part: &[String]| (1..=LONGEST_VALUE).contains(&part.len());
    // one word before the marker at least says what it is about; "room 5 is red" has none
    let Some(marker) = a[..before].last().filter(|_| before >= 2 && fits(one) && fits(other)) else {
        return false;
    };
    let changed = || one.iter().chain(other);
    let named = |part: &[String], text: &str| {
        let names = names(text);
        part.iter().all(|word| names.contains(word))
    };
    let values = one_of(MARKERS, marker) && changed().all(|word| is_value(word));
    let lives = marker != "in"
        || a[..before].iter().any(|w| matches!(w.as_str(), "lives" | "live" | "works" | "work"));
    values || one_of(NAMED, marker) && lives && named(one, old) && named(other, new)
}

/// Words for numbers and times.
const VALUES: &str = "one two three four five six seven eight nine ten eleven twelve monday tuesday wednesday \
    thursday friday saturday sunday january february march april june july august september october \
    november december noon midnight am pm today tomorrow half past o'clock morning afternoon evening \
    hundred thousand million";

/// A number, a date or a time of day.
pub(crate) fn is_value(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit()) || one_of(VALUES, word)
}

/// Whether the old statement has every number and name of the new one, and as many noes.
fn holds_all_that_matters(old: &str, new: &str) -> bool {
    let (known, said) = (words(old), words(new));
    let noes =
        |words: &[String]| words.iter().filter(|w| matches!(w.as_str(), "not" | "no" | "never")).count();
    let has = |word: &String| known.iter().any(|k| k.strip_suffix("'s").unwrap_or(k) == word);
    noes(&known) == noes(&said)
        && said.iter().filter(|word| is_value(word)).all(has)
        && names(new).iter().all(has)
}

fn share_a_topic(a: &str, b: &str) -> bool {
    let known = stems(a);
    stems(b).iter().any(|stem| known.contains(stem))
}

#[cfg(test)]
mod tests;
