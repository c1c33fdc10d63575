//! Memories that were recalled lately, with the relations at them.

use std::{collections::HashMap, mem};

use greenroom_core::{Memory, MemoryId, Relation, Timestamp, Viewer};
use greenroom_store::{Item, Whole};

/// What a memory and a relation take beside their texts, in bytes.
const MEMORY: usize = 500;
const RELATION: usize = 50;

/// The memories that are held.
#[derive(Debug)]
pub(crate) struct Memories {
    /// Bytes they may take together; then all of them go.
    limit: usize,
    held: HashMap<MemoryId, HeldMemory>,
    /// Bytes they take, about.
    bytes: usize,
    /// Whether one was asked for since the last release.
    used: bool,
    /// Counts what changes.
    count: u64,
}

#[derive(Debug)]
struct HeldMemory {
    memory: Memory,
    /// All at it, whoever sees them.
    relations: Vec<Relation>,
}

/// What was read from the file.
#[derive(Debug, Default)]
pub(crate) struct MemoriesRead {
    /// Memories whole.
    pub(crate) memories: Vec<Memory>,
    /// All relations at them.
    pub(crate) relations: Vec<Relation>,
}

impl Memories {
    /// Nothing yet; they may take so many bytes together.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, held: HashMap::new(), bytes: 0, used: false, count: 0 }
    }

    pub(crate) fn forget(&mut self) {
        self.held = HashMap::new();
        self.bytes = 0;
        self.count += 1;
    }

    /// So many bytes are held, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Lets go of all of them, unless one was asked for since the last call.
    pub(super) fn release(&mut self) {
        if !mem::take(&mut self.used) {
            self.forget();
        }
    }

    /// Those of these memories that the viewer sees now, each once and in the order asked for, with the
    /// relations at them of which it sees both ends (X6); nothing where one of all these is not held.
    pub(crate) fn get(&mut self, viewer: &Viewer, ids: &[MemoryId], now: Timestamp) -> Option<Whole> {
        self.used = true;
        let sees = |held: &HeldMemory| viewer.sees(&held.memory.persona, &held.memory.scope);
        let mut whole = Whole::default();
        for (n, id) in ids.iter().enumerate() {
            let held = self.held.get(id)?;
            let expired = held.memory.expires_at.is_some_and(|at| at <= now);
            if sees(held) && !expired && !ids[..n].contains(id) {
                whole.items.push(Item::Memory(held.memory.clone()));
            }
            for relation in &held.relations {
                let seen = sees(self.held.get(&relation.from)?) && sees(self.held.get(&relation.to)?);
                if seen && !whole.relations.contains(relation) {
                    whole.relations.push(*relation);
                }
            }
        }
        // those of two memories stand in the order of their kinds already
        whole.relations.sort_by_key(|relation| (relation.from, relation.to));
        Some(whole)
    }

    /// Somebody is about to read.
    pub(super) fn reads(&self) -> u64 {
        self.count
    }

    /// What was read, unless something has changed since.
    pub(super) fn keep(&mut self, reading: u64, kept: MemoriesRead) {
        if reading != self.count {
            return;
        }
        if self.bytes > self.limit {
            (self.held, self.bytes) = (HashMap::new(), 0);
        }
        for memory in kept.memories {
            let at = |relation: &&Relation| relation.from == memory.id || relation.to == memory.id;
            let relations = kept.relations.iter().filter(at).copied().collect();
            let held = HeldMemory { memory, relations };
            self.bytes += held.bytes();
            let before = self.held.insert(held.memory.id, held);
            self.bytes -= before.map_or(0, |before| before.bytes());
        }
    }

    /// These memories changed, or what ties them.
    pub(crate) fn changed(&mut self, ids: &[MemoryId]) {
        self.count += 1;
        for id in ids {
            self.bytes -= self.held.remove(id).map_or(0, |held| held.bytes());
        }
    }
}

impl HeldMemory {
    fn bytes(&self) -> usize {
        MEMORY + self.memory.text.len() + RELATION * self.relations.len()
    }
}
