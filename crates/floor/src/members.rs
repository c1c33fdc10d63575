//! The members of a room and their names.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use crate::text::{Chunk, hash};

/// The id of a member in its room. Only the id identifies a member, never a name (RM7).
pub type MemberId = Arc<str>;

/// The kind of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A human being.
    Person,
    /// A persona of ours.
    Persona,
    /// A program of others.
    Bot,
}

/// When a persona answers (RM3).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Not at all.
    Never,
    /// When it is named, or the message replies to it.
    #[default]
    Mentioned,
    /// Also when the message continues an exchange with it.
    Addressed,
    /// Also when its relevance score reaches this threshold.
    Relevant(f32),
    /// Also with this probability, by a seeded draw.
    Talkative(f32),
    /// Whatever is said.
    Always,
}

/// A member of a room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Its id.
    pub id: MemberId,
    /// What it is.
    pub kind: Kind,
    /// Its names: display name, handle, aliases. Reasons use the first.
    pub names: Vec<String>,
    /// When it answers. Counts for personas alone.
    #[serde(default)]
    pub policy: Policy,
}

impl Member {
    /// A member with one name.
    pub fn new(id: &str, kind: Kind, policy: Policy) -> Self {
        Self { id: id.into(), kind, names: vec![id.to_owned()], policy }
    }

    /// The name that reasons use.
    pub fn name(&self) -> &str {
        self.names.first().map_or(&self.id, |name| name)
    }
}

/// A name, found by the hash of its first word.
#[derive(Debug, Clone)]
struct Name {
    member: usize,
    rest: Vec<u32>,
}

/// The members of a room, found by id and by name.
#[derive(Debug, Clone, Default)]
pub struct Members {
    list: Vec<Member>,
    by_id: HashMap<MemberId, usize, RandomState>,
    by_word: HashMap<u32, Vec<Name>, RandomState>,
    version: u64,
}

impl Members {
    /// No members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member, or replaces the one with the same id, whose names stay valid.
    pub fn insert(&mut self, member: Member) {
        let at = match self.by_id.get(&member.id) {
            Some(&at) => at,
            None => {
                self.by_id.insert(member.id.clone(), self.list.len());
                self.list.push(member.clone());
                self.list.len() - 1
            }
        };
        self.version = self.version.rotate_left(7) ^ u64::from(hash(&member.id)) << 32 ^ 1;
        for name in &member.names {
            self.version = self.version.rotate_left(7) ^ u64::from(hash(name));
            for words in spellings(name) {
                let Some((first, rest)) = words.split_first() else { continue };
                let known = self.by_word.entry(*first).or_default();
                if known.iter().all(|n| n.member != at || n.rest != rest) {
                    known.push(Name { member: at, rest: rest.to_vec() });
                }
            }
        }
        self.list[at] = member;
    }

    /// The only member whose name of several words begins with this one: José of José María.
    pub(crate) fn first_named(&self, chunk: &Chunk<'_>) -> Option<&Member> {
        let word = Some(hash(chunk.bare)).filter(|_| !chunk.core.is_empty())?;
        let mut at: Vec<usize> = self.by_word.get(&word)?.iter().map(|name| name.member).collect();
        at.dedup();
        let [at] = at[..] else { return None };
        Some(&self.list[at])
    }

    /// A number that changes whenever a name may have changed.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The members in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Member> {
        self.list.iter()
    }

    /// The member with this id.
    pub fn get(&self, id: &str) -> Option<&Member> {
        self.by_id.get(id).map(|&at| &self.list[at])
    }

    /// Finds the members that a text names at one of its chunks: those with the longest name that fits. Returns how
    /// many further chunks the name takes.
    pub(crate) fn named_at(&self, chunks: &[Chunk<'_>], at: usize, mut found: impl FnMut(&Member)) -> usize {
        let chunk = chunks[at];
        let whole = hash(chunk.bare);
        let core = hash(chunk.core);
        let mut spellings = [Some(whole), Some(core).filter(|core| *core != whole)].into_iter().flatten();
        let names = spellings.find_map(|word| self.by_word.get(&word));
        let fits = |name: &&Name| {
            let after = chunks[at + 1..].iter().map(|c| hash(c.core));
            name.rest.len() < chunks.len() - at && name.rest.iter().copied().zip(after).all(|(a, b)| a == b)
        };
        let Some(longest) = names.and_then(|n| n.iter().filter(fits).map(|n| n.rest.len()).max()) else {
            return 0;
        };
        let names = names.into_iter().flatten().filter(fits).filter(|n| n.rest.len() == longest);
        names.for_each(|name| found(&self.list[name.member]));
        longest
    }
}

/// The words of a name as hashes: as written, and without the signs around their letters.
fn spellings(name: &str) -> impl Iterator<Item = Vec<u32>> {
    let whole: Vec<u32> = name.split_whitespace().map(hash).collect();
    let core =
        name.split_whitespace().map(|w| hash(w.trim_matches(|c: char| !c.is_alphanumeric()))).collect();
    let core = Some(core).filter(|core| *core != whole && !name.chars().all(|c| !c.is_alphanumeric()));
    std::iter::once(whole).chain(core)
}
