//! Memories that were recalled lately, with the relations at them.

use std::collections::HashMap;

use greenroom_core::{Memory, MemoryId, Relation, Timestamp, Viewer};
use greenroom_store::{Item, Whole};

/// Memories that may be held.
const MEMORIES: usize = 20_000;

/// The memories that are held.
#[derive(Debug, Default)]
pub(crate) struct Memories {
    held: HashMap<MemoryId, HeldMemory>,
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
pub(crate) struct Kept {
    /// Memories whole.
    pub(crate) memories: Vec<Memory>,
    /// All relations at them.
    pub(crate) relations: Vec<Relation>,
}

impl Memories {
    pub(crate) fn forget(&mut self) {
        self.held = HashMap::new();
        self.count += 1;
    }

    /// Those of these memories that the viewer sees now, each once and in the order asked for, with the
    /// relations at them of which it sees both ends (X6); nothing where one of all these is not held.
    pub(crate) fn get(&self, viewer: &Viewer, ids: &[MemoryId], now: Timestamp) -> Option<Whole> {
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
    pub(super) fn keep(&mut self, reading: u64, kept: Kept) {
        if reading != self.count {
            return;
        }
        if self.held.len() + kept.memories.len() > MEMORIES {
            self.held.clear();
        }
        for memory in kept.memories {
            let at = |relation: &&Relation| relation.from == memory.id || relation.to == memory.id;
            let relations = kept.relations.iter().filter(at).copied().collect();
            self.held.insert(memory.id, HeldMemory { memory, relations });
        }
    }

    /// These memories changed, or what ties them.
    pub(crate) fn changed(&mut self, ids: &[MemoryId]) {
        self.count += 1;
        for id in ids {
            self.held.remove(id);
        }
    }
}
