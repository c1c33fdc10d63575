//! Corrections across private and open memories of one person (MP1). A viewer who sees both sees the last statement. A
//! group must not learn that there is a private one. `remember.rs` calls this module.

use greenroom_core::{Memory as Stored, MemoryId, Relation, RelationKind, Scope, Tier, Viewer};
use greenroom_store::{Item, ItemId, NewMemory, StoreError};

use super::is_anothers;
use crate::{
    Decision, Memory,
    capture::decide::{decide, takes_the_place},
    embed::Embedding,
};

/// The maximum number of versions of a statement that are followed.
const VERSIONS: usize = 32;

impl Memory {
    /// Whether a memory is superseded by something that this person told elsewhere. If that was told in private, a
    /// viewer in a group does not see the edge (MP1).
    pub(super) async fn is_corrected_elsewhere(
        &self,
        viewer: &Viewer,
        new: &NewMemory,
        old: MemoryId,
    ) -> Result<bool, StoreError> {
        if new.scope.person().is_none() {
            return Ok(false);
        }
        Ok(!self.superseded(&viewer.keeping(), &[old], new.at).await?.is_empty())
    }

    /// Lets a statement in a group supersede the person's private memories of the same subject. Users get no notice:
    /// only a viewer who sees both ends sees the edge (MP1).
    pub(super) async fn correct_private(
        &self,
        viewer: &Viewer,
        new: &NewMemory,
        key: Option<&str>,
        (open, embedding): (MemoryId, Option<&Embedding>),
    ) -> Result<(), StoreError> {
        let Some(person) = new.scope.person().filter(|_| new.tier == Tier::Semantic) else { return Ok(()) };
        let (keeper, private) = (viewer.keeping(), [Scope::Private(person.clone())]);
        let mut corrected: Vec<MemoryId> = Vec::new();
        for told in self.similar_memories(&keeper, new, &private, embedding, None).await? {
            let (old, told) = (told.memory.id, [told]);
            if decide(new, None, &told) != Decision::Add {
                corrected.push(old);
            }
        }
        if let Some(key) = key {
            let last = self.said_last(&keeper, new, key).await?;
            corrected.extend(last.iter().filter(|told| private.contains(&told.scope)).map(|told| told.id));
        }
        corrected.sort();
        corrected.dedup();
        for to in corrected.into_iter().filter(|old| *old != open) {
            let relation = Relation { from: open, to, kind: RelationKind::Supersedes };
            self.store.relate(&keeper, relation).await?;
        }
        Ok(())
    }

    /// The person's last statements under a key, private and open, that the viewer sees and that the new statement
    /// replaces. It follows the versions from the memories with this key to those that nothing supersedes.
    pub(super) async fn said_last(
        &self,
        viewer: &Viewer,
        new: &NewMemory,
        key: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        let Some(person) = new.scope.person() else { return Ok(Vec::new()) };
        let mut versions: Vec<Stored> = Vec::new();
        for scope in [Scope::User(person.clone()), Scope::Private(person.clone())] {
            let held = self.store.keyed(viewer, &scope, key, new.at).await?;
            versions.extend(held.filter(|old| !is_anothers(old, new)));
        }
        let (mut edges, mut next): (Vec<Relation>, _) = (Vec::new(), 0);
        while next < versions.len().min(VERSIONS) {
            let frontier: Vec<MemoryId> = versions.iter().skip(next).map(|version| version.id).collect();
            next = versions.len();
            let mut newer = self.store.relations(viewer, &frontier).await?;
            newer.retain(|edge| edge.kind == RelationKind::Supersedes && frontier.contains(&edge.to));
            let unseen = |edge: &&Relation| versions.iter().all(|version| version.id != edge.from);
            let ids: Vec<ItemId> =
                newer.iter().filter(unseen).map(|edge| ItemId::Memory(edge.from)).collect();
            for item in self.store.items(viewer, &ids, new.at, false).await?.items {
                if let Item::Memory(memory) = item {
                    versions.push(memory);
                }
            }
            edges.extend(newer);
        }
        let live: Vec<MemoryId> = versions.iter().map(|version| version.id).collect();
        let is_last =
            |version: &Stored| !edges.iter().any(|edge| edge.to == version.id && live.contains(&edge.from));
        versions.retain(|version| is_last(version) && takes_the_place(&version.text, &new.text));
        versions.sort_by_key(|version| std::cmp::Reverse((version.updated_at, version.id)));
        Ok(versions)
    }
}

/// The scopes of the memories that a new statement is compared with. These are its own scope and, for a person's
/// statement, what the person told in private, openly, or before in this channel (MP1).
pub(super) fn compared(viewer: &Viewer, new: &NewMemory) -> Vec<Scope> {
    let here = || Scope::Channel(viewer.channel().clone());
    match &new.scope {
        Scope::Private(person) => vec![new.scope.clone(), Scope::User(person.clone()), here()],
        Scope::User(person) if viewer.is_one_to_one() => {
            vec![new.scope.clone(), Scope::Private(person.clone()), here()]
        }
        Scope::User(_) => vec![new.scope.clone(), here()],
        Scope::Channel(_) | Scope::Global => vec![new.scope.clone()],
    }
}
