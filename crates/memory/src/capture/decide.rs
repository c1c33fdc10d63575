//! Decision about a new statement: add it, update an older memory, supersede one, or ignore the statement.
//! `remember.rs` calls [`decide`] with the older memories that may matter. The functions are pure.
//!
//! The cosine only selects candidates. "At 5" and "at 6", "Ann owes Bob" and "Bob owes Ann", "I like tea" and "I don't
//! like tea" all have cosines above 0.9. If numbers, negation, names or word order differ, the statement is a
//! correction and is never taken for a known one.

mod difference;

use std::fmt;

use greenroom_core::{Memory as Stored, MemoryId, Scope, Tier, Timestamp, Trust};
use greenroom_store::NewMemory;
use serde::Serialize;

use difference::{Difference, difference, holds_all_that_matters, share_a_topic};
pub(crate) use difference::{is_value, takes_the_place};

use crate::{learn::VIA, words::words};

/// The decision about a new statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The statement becomes a new memory.
    Add,
    /// The statement replaces the text of this memory, whose version is incremented (JV9).
    Update(MemoryId),
    /// The statement becomes a new memory. The old memory stays, and an edge records that the new one supersedes it.
    Supersede(MemoryId),
    /// Nothing was written, because of this memory.
    Ignore(MemoryId, IgnoreReason),
}

impl Decision {
    /// The memory that the decision refers to.
    pub(crate) fn of(self) -> Option<MemoryId> {
        match self {
            Self::Add => None,
            Self::Update(id) | Self::Supersede(id) | Self::Ignore(id, _) => Some(id),
        }
    }
}

/// The `via` of events of machines. Their time is set by the sender, so an earlier event may arrive after a later one.
pub(crate) const EVENT: &str = "event";

/// Why a statement was not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IgnoreReason {
    /// A memory says the same.
    Known,
    /// A memory says the same and more.
    Contained,
    /// A model decided that the statement says nothing new.
    PassedOver,
    /// The statement was recalled into this context: the persona quotes its memory.
    Recalled,
    /// No person said it; only the model's text contains it.
    Unsaid,
    /// The statement looks like a secret, and its author did not ask to remember it (X5).
    Secret,
    /// A later event or message is already known.
    Late,
    /// The message states more than the limit per message.
    TooMany,
    /// The author asks not to remember it.
    Unwanted,
}

impl IgnoreReason {
    /// Whether an existing memory contains the whole statement.
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

/// An older memory that a new statement may repeat or correct. It is live and not superseded by a live memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OlderMemory {
    /// The memory.
    pub(crate) memory: Stored,
    /// Whether its cosine with the statement is at least 0.9.
    pub(crate) is_near: bool,
}

/// A model's proposal for a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Add,
    /// Replace or supersede a memory that the model was shown.
    Replace(MemoryId),
    /// Ignore the statement, because this memory contains it.
    Ignore(MemoryId),
}

impl Choice {
    /// The memory that the proposal refers to.
    pub(crate) fn of(self) -> Option<MemoryId> {
        match self {
            Self::Add => None,
            Self::Replace(id) | Self::Ignore(id) => Some(id),
        }
    }
}

/// Decides about `new`. If there is a memory under its key (`slot`), the decision depends on this memory alone. Only
/// semantic memories are compared, because an event that happens twice is two events.
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

/// Like [`decide`], with a model's proposal, which is followed only as far as the rules allow. A proposal can neither
/// drop a correction nor replace a memory that is trusted more or about another subject.
pub(crate) fn decide_with_proposal(
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

/// Whether the new statement may replace the old one. It must be trusted at least as much, and a stranger may only
/// replace the stranger's own statements (X7).
fn may_replace(old: &Stored, new: &NewMemory) -> bool {
    let anothers = old.source.user.is_some() && old.source.user != new.source.user;
    new.trust >= old.trust && !(new.trust == Trust::Stranger && anothers)
}

/// Updates a memory with a key in place, if the same person wrote it. Otherwise supersedes it, which keeps the history.
fn replace(old: &Stored, new: &NewMemory) -> Decision {
    let same_hand = old.source.user == new.source.user && old.scope == new.scope;
    if same_hand && old.key.is_some() && (new.key.is_none() || new.key == old.key) {
        Decision::Update(old.id)
    } else {
        Decision::Supersede(old.id)
    }
}

/// Whether both statements can be about the same subject: both are semantic, have related scopes, and an "I" in them is
/// the same person. Two statements of one imported file are never compared: the file states both (PF6).
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

/// Whether both have the same scope, or one person said both: in private, openly, or in a channel (MP1).
fn is_beside(old: &Stored, new: &NewMemory) -> bool {
    let one_person = || match &old.scope {
        Scope::User(person) | Scope::Private(person) => new.scope.person() == Some(person),
        Scope::Channel(_) => old.source.user.is_some() && old.source.user == new.source.user,
        Scope::Global => false,
    };
    old.scope == new.scope || new.scope.person().is_some() && one_person()
}

/// Whether the old memory is visible wherever the new one would be.
fn reaches_as_far(old: &Stored, new: &NewMemory) -> bool {
    old.scope == new.scope || matches!((&old.scope, &new.scope), (Scope::User(_), Scope::Private(_)))
}

/// Whether the old memory is trusted as much and lives as long.
fn covers(old: &Stored, new: &NewMemory) -> bool {
    old.trust >= new.trust && lasts(old.expires_at) >= lasts(new.expires_at)
}

/// Whether this is a repeated capture of the same message, or of the same tool on the same day. It would only move the
/// expiry.
fn is_the_same_capture(old: &Stored, new: &NewMemory) -> bool {
    let tools = new.source.via == "tool_result";
    old.trust >= new.trust && old.source == new.source && (tools || new.source.message.is_some())
}

fn lasts(expires_at: Option<Timestamp>) -> Timestamp {
    expires_at.unwrap_or(Timestamp(i64::MAX))
}

#[cfg(test)]
mod tests;
