//! A memory with its context: its earlier and later versions and its relations. The server and the command line show
//! it.

use std::collections::BTreeSet;

use greenroom_core::{Memory, MemoryId, Relation, RelationKind, Timestamp, Viewer};
use greenroom_store::{MemoryFilter, Store, StoreError};

/// The maximum number of versions that are followed.
const LONGEST_CHAIN: usize = 100;

/// A memory with its versions and its other relations.
#[derive(Debug, Clone, PartialEq)]
pub struct InFull {
    /// The memory.
    pub memory: Memory,
    /// All versions, newest first, including the memory itself.
    pub versions: Vec<Memory>,
    /// The edges that start or end at the memory.
    pub relations: Vec<Relation>,
    /// The memories at the other ends of the edges.
    pub others: Vec<Memory>,
}

/// Returns a memory with its context; `None` if the viewer sees no such memory.
pub async fn in_full(
    store: &dyn Store,
    viewer: &Viewer,
    id: MemoryId,
    now: Timestamp,
) -> Result<Option<InFull>, StoreError> {
    let Some(memory) = existing(store, viewer, &[id], now).await?.pop() else { return Ok(None) };
    let versions = versions(store, viewer, id).await?;
    let relations = store.relations(viewer, &[id]).await?;
    let mut ids: BTreeSet<MemoryId> = relations.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    ids.extend(&versions);
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let others = existing(store, viewer, &ids, now).await?;
    let of = |id: &MemoryId| others.iter().find(|other| other.id == *id).cloned();
    let versions = versions.iter().filter_map(of).collect();
    Ok(Some(InFull { memory, versions, relations, others }))
}

/// Returns the ids of all versions of a memory, including itself, newest first.
pub async fn versions(store: &dyn Store, viewer: &Viewer, id: MemoryId) -> Result<Vec<MemoryId>, StoreError> {
    let mut chain = BTreeSet::from([id]);
    let mut ends = vec![id];
    let mut edges: Vec<Relation> = Vec::new();
    while !ends.is_empty() && chain.len() < LONGEST_CHAIN {
        let found = store.relations(viewer, &ends).await?;
        edges.extend(found.into_iter().filter(|edge| edge.kind == RelationKind::Supersedes));
        ends = edges.iter().flat_map(|edge| [edge.from, edge.to]).filter(|&end| chain.insert(end)).collect();
    }
    Ok(newest_first(&chain, &edges))
}

/// Whether one memory supersedes another, directly or through versions between them.
pub async fn is_newer(
    store: &dyn Store,
    viewer: &Viewer,
    newer: MemoryId,
    older: MemoryId,
) -> Result<bool, StoreError> {
    let mut superseded = BTreeSet::new();
    let mut ends = vec![newer];
    while !ends.is_empty() && superseded.len() < LONGEST_CHAIN {
        let mut edges = store.relations(viewer, &ends).await?;
        edges.retain(|edge| edge.kind == RelationKind::Supersedes && ends.contains(&edge.from));
        ends = edges.into_iter().map(|edge| edge.to).filter(|&id| superseded.insert(id)).collect();
    }
    Ok(superseded.contains(&older))
}

/// Returns the memories with these ids that exist and that the viewer sees.
pub async fn existing(
    store: &dyn Store,
    viewer: &Viewer,
    ids: &[MemoryId],
    now: Timestamp,
) -> Result<Vec<Memory>, StoreError> {
    // an empty list would match all memories
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let filter = MemoryFilter { now, scopes: Vec::new(), ids: ids.to_vec(), about: None, limit: ids.len() };
    store.memories(viewer, &filter).await
}

/// Sorts versions so that a version comes before those that it supersedes. Versions without an edge between them are
/// sorted by id, the newer first. A cycle is broken at an arbitrary edge.
fn newest_first(chain: &BTreeSet<MemoryId>, edges: &[Relation]) -> Vec<MemoryId> {
    let mut left = chain.clone();
    let mut sorted = Vec::with_capacity(left.len());
    while let Some(&last) = left.last() {
        let superseded = |id: &MemoryId| edges.iter().any(|edge| edge.to == *id && left.contains(&edge.from));
        let next = left.iter().rev().copied().find(|id| !superseded(id)).unwrap_or(last);
        left.remove(&next);
        sorted.push(next);
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fg13_versions_stand_newest_first_whatever_their_ids() {
        let chain = |ids: &[i64]| ids.iter().copied().map(MemoryId).collect::<BTreeSet<_>>();
        let edge = |&(from, to): &(i64, i64)| Relation {
            from: MemoryId(from),
            to: MemoryId(to),
            kind: RelationKind::Supersedes,
        };
        let order = |ids: &[i64], edges: &[(i64, i64)]| {
            let edges: Vec<_> = edges.iter().map(edge).collect();
            newest_first(&chain(ids), &edges).into_iter().map(|id| id.0).collect::<Vec<_>>()
        };
        assert_eq!(order(&[1, 2, 3], &[(1, 3), (3, 2)]), [1, 3, 2]);
        assert_eq!(order(&[1, 2], &[]), [2, 1]);
        assert_eq!(order(&[1, 2], &[(1, 2), (2, 1)]), [2, 1], "a circle ends");
    }
}
