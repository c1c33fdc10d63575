//! What becomes of a new statement: added, written in place of an older one, put above it, or
//! ignored. Pure: it is given the older ones that may matter.
//!
//! A cosine brings candidates and decides nothing alone: "at 5" and "at 6", "Ann owes Bob" and "Bob
//! owes Ann", "I like tea" and "I don't like tea" lie above 0.9. Where numbers, negation, names or
//! the order of words differ, the statement is a correction and is never taken for something known.

mod difference;

use std::fmt;

use greenroom_core::{Memory as Stored, MemoryId, Scope, Tier, Timestamp, Trust};
use greenroom_store::NewMemory;
use serde::Serialize;

use difference::{Difference, difference, holds_all_that_matters, share_a_topic};
pub(crate) use difference::{is_value, takes_the_place};

use crate::{learn::VIA, words::words};

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
    Ignore(MemoryId, IgnoreReason),
}

impl Decision {
    /// The memory it is about.
    pub(crate) fn of(self) -> Option<MemoryId> {
        match self {
            Self::Add => None,
            Self::Update(id) | Self::Supersede(id) | Self::Ignore(id, _) => Some(id),
        }
    }
}

/// How events of machines come: their time is theirs, so one may come after a later one.
pub(crate) const EVENT: &str = "event";

/// Why a statement was not written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IgnoreReason {
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
    /// Something that happened later is known.
    Late,
    /// One message states more than are taken from it.
    TooMany,
    /// Its author asks not to remember it.
    Unwanted,
}

impl IgnoreReason {
    /// Whether a memory says all of it.
    pub(crate) fn is_known(self) -> bool {
        matches!(self, Self::Known | Self::Contained)
    }
}

impl fmt::Display for IgnoreReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known => "the same is known",
            Self::Contained => "more than that is known",
            Self::PassedOver => "a model found nothing new in it",
            Self::Recalled => "it was recalled into this context",
            Self::Unsaid => "nobody said it",
            Self::Secret => "it looks like a secret",
            Self::Late => "something later is known",
            Self::TooMany => "one message states too many",
            Self::Unwanted => "its author asks not to remember it",
        })
    }
}

/// An older memory a new statement may be about. It is live, and nothing live took its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OlderMemory {
    /// The memory.
    pub(crate) memory: Stored,
    /// Whether it is closer than a cosine of 0.9.
    pub(crate) is_near: bool,
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
pub(crate) fn decide(new: &NewMemory, slot: Option<&Stored>, candidates: &[OlderMemory]) -> Decision {
    if let Some(old) = slot {
        if new.source.via == EVENT && new.at < old.updated_at {
            return Decision::Ignore(old.id, IgnoreReason::Late);
        }
        let known = (covers(old, new) || is_the_same_capture(old, new))
            && difference(&old.text, &new.text, false) == Difference::Same;
        return if known { Decision::Ignore(old.id, IgnoreReason::Known) } else { Decision::Update(old.id) };
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
    candidates: &[OlderMemory],
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
            Some(old)
                if reaches_as_far(&old.memory, new)
                    && holds_all_that_matters(&old.memory.text, &new.text) =>
            {
                Decision::Ignore(id, IgnoreReason::PassedOver)
            }
            _ => ruled,
        },
    }
}

fn against(candidate: &OlderMemory, new: &NewMemory) -> Decision {
    let old = &candidate.memory;
    let trusted = may_replace(old, new);
    match difference(&old.text, &new.text, candidate.is_near) {
        Difference::Same if covers(old, new) && reaches_as_far(old, new) => {
            Decision::Ignore(old.id, IgnoreReason::Known)
        }
        Difference::Same if trusted && lasts(new.expires_at) >= lasts(old.expires_at) => replace(old, new),
        Difference::Less if covers(old, new) && reaches_as_far(old, new) => {
            Decision::Ignore(old.id, IgnoreReason::Contained)
        }
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

/// Only what has a key is written in place, and only by the person who said it; the store knows no other
/// way, and a chain shows more.
fn replace(old: &Stored, new: &NewMemory) -> Decision {
    let same_hand = old.source.user == new.source.user && old.scope == new.scope;
    if same_hand && old.key.is_some() && (new.key.is_none() || new.key == old.key) {
        Decision::Update(old.id)
    } else {
        Decision::Supersede(old.id)
    }
}

/// Whether the two can be about the same: knowledge of one place, and "I" is one person. What a file says in two statements
/// holds side by side (PF6).
fn comparable(old: &Stored, new: &NewMemory) -> bool {
    let first_person = |text: &str| {
        let of_oneself = ["i", "me", "my", "mine", "we", "us", "our"];
        words(text).iter().any(|word| of_oneself.contains(&word.as_str()))
    };
    let one_person = old.source.user == new.source.user
        || old.source.user.is_none()
        || new.source.user.is_none()
        || !(first_person(&old.text) || first_person(&new.text));
    let one_file = old.source.via == VIA && new.source.via == VIA;
    !one_file && is_beside(old, new) && (old.tier, new.tier) == (Tier::Semantic, Tier::Semantic) && one_person
}

/// Whether the two lie in one place, or a person said both: in private, openly, or in a channel (MP1).
fn is_beside(old: &Stored, new: &NewMemory) -> bool {
    let one_person = || match &old.scope {
        Scope::User(person) | Scope::Private(person) => new.scope.person() == Some(person),
        Scope::Channel(_) => old.source.user.is_some() && old.source.user == new.source.user,
        Scope::Global => false,
    };
    old.scope == new.scope || new.scope.person().is_some() && one_person()
}

/// Whether the old one is seen wherever the new one would be.
fn reaches_as_far(old: &Stored, new: &NewMemory) -> bool {
    old.scope == new.scope || matches!((&old.scope, &new.scope), (Scope::User(_), Scope::Private(_)))
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

#[cfg(test)]
mod tests;
