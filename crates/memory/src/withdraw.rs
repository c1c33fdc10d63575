//! Forgetting by a model: withdraws one memory at a time, within narrow limits. The `forget` tool calls it.

use greenroom_core::{Memory as Stored, MemoryId, Scope, Trust, Viewer};
use greenroom_store::{Item, MemoryFilter};

use crate::{Memory, MemoryError};

/// The maximum number of memories that are offered for a choice.
const SHOWN: usize = 5;

/// The result of a withdrawal.
#[derive(Debug, Clone, PartialEq)]
pub enum Withdrawn {
    /// This memory was deleted, with everything that depended on it.
    Gone(Box<Stored>),
    /// Several memories match; nothing was deleted.
    Several(Vec<Stored>),
    /// The viewer sees no such memory.
    Nothing,
    /// The operator wrote this memory, or it holds beyond this channel and this person.
    NotYours(MemoryId),
}

impl Memory {
    /// Deletes this memory, if its scope is in `reach`: in a turn, the viewer's channel and its person. A model may
    /// delete neither a memory of another scope nor one of the operator (X7).
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

    /// Like [`Self::withdraw`], for the one memory that `query` finds. If several match, nothing is deleted and they
    /// are returned.
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
