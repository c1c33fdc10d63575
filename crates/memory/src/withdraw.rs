//! Taking back: the little a model may forget by itself, one memory at a time.

use greenroom_core::{Memory as Stored, MemoryId, Scope, Trust, Viewer};
use greenroom_store::{Item, MemoryFilter};

use crate::{Memory, MemoryError};

/// How many a query may bring for a choice.
const SHOWN: usize = 5;

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Withdrawn {
    /// This memory is gone, with everything that hung on it.
    Gone(Box<Stored>),
    /// More than one fits; nothing is gone.
    Several(Vec<Stored>),
    /// There is none that this viewer sees.
    Nothing,
    /// It was written by the operator, or holds beyond this channel and this person.
    NotYours(MemoryId),
}

impl Memory {
    /// Forgets this memory, if it holds in a scope of `reach`: in a turn the viewer's channel and its person.
    /// What holds elsewhere or is the word of the operator is not a model's to forget (X7).
    pub async fn withdraw(
        &self,
        viewer: &Viewer,
        reach: &[Scope],
        id: MemoryId,
    ) -> Result<Withdrawn, MemoryError> {
        let filter =
            MemoryFilter { now: self.clock.now(), scopes: Vec::new(), ids: vec![id], about: None, limit: 1 };
        match self.store.memories(viewer, &filter).await?.pop() {
            None => Ok(Withdrawn::Nothing),
            Some(memory) if !may_go(&memory, reach) => Ok(Withdrawn::NotYours(id)),
            Some(_) => Ok(match self.store.forget(viewer, id).await? {
                Some(gone) => Withdrawn::Gone(Box::new(gone.memory)),
                None => Withdrawn::Nothing,
            }),
        }
    }

    /// The same by what it says: the one memory that holds what `query` asks for. Where several do,
    /// nothing goes and they are shown.
    pub async fn withdraw_by(
        &self,
        viewer: &Viewer,
        reach: &[Scope],
        query: &str,
    ) -> Result<Withdrawn, MemoryError> {
        let hits = self.search(viewer, query, SHOWN * 4).await?.hits;
        let mut fitting = hits.into_iter().filter_map(|hit| match hit.item {
            Item::Memory(memory) if may_go(&memory, reach) => Some(memory),
            _ => None,
        });
        let Some(first) = fitting.next() else { return Ok(Withdrawn::Nothing) };
        let others: Vec<Stored> = fitting.take(SHOWN - 1).collect();
        if others.is_empty() {
            return self.withdraw(viewer, reach, first.id).await;
        }
        Ok(Withdrawn::Several([vec![first], others].concat()))
    }
}

fn may_go(memory: &Stored, reach: &[Scope]) -> bool {
    memory.trust < Trust::Operator && reach.contains(&memory.scope)
}
