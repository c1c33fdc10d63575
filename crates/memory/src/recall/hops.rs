//! The graph of memories: follows edges from recalled memories, and replaces outdated memories by newer versions (FG7,
//! FG13).
//!
//! First, a superseded memory is replaced by its newest version, which carries the older texts with it, whether the
//! search found it or not. Then the other edges are followed in both directions, as many hops as the settings allow.
//! Every memory is read with the viewer: a memory that is deleted, expired or out of sight is skipped (X6).

use std::collections::{BTreeMap, BTreeSet};

use greenroom_core::{Memory as Stored, MemoryId, Relation, RelationKind, Viewer};
use greenroom_store::{Item, ItemId, Store, StoreError};

use super::{SearchRequest, sources::source_of};
use crate::{MemoryVersion, RecalledItem};

/// The relevance of a neighbour, relative to the memory that led to it, if the neighbour's own relevance is unknown.
const NEIGHBOUR: f32 = 0.9;

/// The maximum number of neighbours in all, so that a memory with many edges does not fill the context.
const NEIGHBOURS: usize = 10;

/// How many steps a chain of versions is followed.
const CHAIN: usize = 16;

/// Returns the relevance of each of these memories on its own, as far as it is known.
pub(crate) type Worth<'a> = dyn Fn(&[MemoryId]) -> BTreeMap<MemoryId, f32> + Send + Sync + 'a;

/// The edges of memories that were already read; the list is empty if a memory has no edges.
pub(crate) type Edges = BTreeMap<MemoryId, Vec<Relation>>;

/// The edges of the memories among these items.
pub(crate) fn edges_at(ids: &[ItemId], relations: &[Relation]) -> Edges {
    let memory = |id: &ItemId| match id {
        ItemId::Memory(id) => Some(*id),
        ItemId::Message(_) => None,
    };
    let at = |id| relations.iter().filter(|r| r.from == id || r.to == id).copied().collect();
    ids.iter().filter_map(memory).map(|id| (id, at(id))).collect()
}

/// Returns the recalled items with their neighbours, each memory in its newest version. Edges that are already known
/// are not read again.
pub(crate) async fn linked(
    store: &dyn Store,
    search: &SearchRequest<'_>,
    items: &[RecalledItem],
    edges: Edges,
    worth: &Worth<'_>,
) -> Result<Vec<RecalledItem>, StoreError> {
    let mut graph = Graph { store, search, worth, edges, memories: BTreeMap::new() };
    let mut items = graph.newest(items.to_vec()).await?;
    let mut frontier: Vec<MemoryId> = items.iter().filter_map(memory_id).collect();
    let mut visited: BTreeSet<MemoryId> = frontier.iter().copied().collect();
    visited.extend(items.iter().flat_map(|item| item.supersedes.iter().map(|version| version.id)));
    for _ in 0..search.settings.hops {
        let neighbours = graph.neighbours(&frontier, &mut visited, &items).await?;
        if neighbours.is_empty() {
            break;
        }
        frontier = neighbours.iter().filter_map(memory_id).collect();
        items.extend(neighbours);
    }
    if items.iter().any(|item| item.via.is_some()) { graph.newest(items).await } else { Ok(items) }
}

/// Edges and memories; each is read from the store once.
struct Graph<'a> {
    store: &'a dyn Store,
    search: &'a SearchRequest<'a>,
    worth: &'a Worth<'a>,
    edges: Edges,
    /// `None` if the viewer does not see the memory.
    memories: BTreeMap<MemoryId, Option<Stored>>,
}

impl Graph<'_> {
    fn viewer(&self) -> &Viewer {
        self.search.viewer
    }

    /// Reads the edges of these memories.
    async fn look_at(&mut self, ids: &[MemoryId]) -> Result<(), StoreError> {
        let unknown: Vec<MemoryId> = ids.iter().copied().filter(|id| !self.edges.contains_key(id)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let relations = self.store.relations(self.viewer(), &unknown).await?;
        let unknown: Vec<ItemId> = unknown.into_iter().map(ItemId::Memory).collect();
        self.edges.extend(edges_at(&unknown, &relations));
        Ok(())
    }

    async fn read(&mut self, ids: &[MemoryId]) -> Result<(), StoreError> {
        let unknown: Vec<ItemId> =
            ids.iter().filter(|id| !self.memories.contains_key(id)).map(|id| ItemId::Memory(*id)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let found =
            self.store.items(self.viewer(), &unknown, self.search.now, self.search.settings.witness).await?;
        self.memories.extend(
            ids.iter().map(|id| (*id, None)).filter(|(id, _)| unknown.contains(&ItemId::Memory(*id))),
        );
        self.edges.extend(edges_at(&unknown, &found.relations));
        for item in found.items {
            if let Item::Memory(memory) = item {
                self.memories.insert(memory.id, Some(memory));
            }
        }
        Ok(())
    }

    fn memory(&self, id: MemoryId) -> Option<&Stored> {
        self.memories.get(&id)?.as_ref()
    }

    /// The visible neighbours of a memory along superseding edges: the newer versions, or the older ones.
    fn versions(&self, id: MemoryId, newer: bool) -> impl Iterator<Item = MemoryId> {
        self.edges.get(&id).into_iter().flatten().filter_map(move |edge| {
            let (here, there) = if newer { (edge.to, edge.from) } else { (edge.from, edge.to) };
            let other = is_of_versions(edge) && here == id && there != id;
            (other && self.memory(there).is_some()).then_some(there)
        })
    }

    /// Replaces each memory by its newest version, with the chain of earlier versions. Several versions of one memory
    /// become one item with the best relevance among them.
    async fn newest(&mut self, items: Vec<RecalledItem>) -> Result<Vec<RecalledItem>, StoreError> {
        let mut frontier: Vec<MemoryId> = items.iter().filter_map(memory_id).collect();
        let mut seen: BTreeSet<MemoryId> = frontier.iter().copied().collect();
        self.look_at(&frontier).await?;
        if seen.len() == frontier.len() && !self.edges.values().flatten().any(is_of_versions) {
            return Ok(items);
        }
        for item in &items {
            if let Item::Memory(memory) = &item.item {
                self.memories.insert(memory.id, Some(memory.clone()));
            }
        }
        for _ in 0..CHAIN {
            self.look_at(&frontier).await?;
            let edges = frontier.iter().filter_map(|id| self.edges.get(id)).flatten();
            let edges = edges.filter(|edge| is_of_versions(edge));
            frontier = edges.flat_map(|r| [r.from, r.to]).filter(|id| seen.insert(*id)).collect();
            if frontier.is_empty() {
                break;
            }
            self.read(&frontier).await?;
        }
        let mut newest: Vec<RecalledItem> = Vec::with_capacity(items.len());
        for mut item in items {
            if let Some(id) = memory_id(&item) {
                let last = self.last_version(id);
                let known = newest.iter_mut().find(|other| memory_id(other) == Some(last));
                if let Some(known) = known {
                    known.score = known.score.max(item.score);
                    if id == last {
                        (known.meaning, known.words) = (item.meaning, item.words);
                    }
                    continue;
                }
                if let Some(memory) = self.memory(last).filter(|memory| memory.id != id) {
                    item.item = Item::Memory(memory.clone());
                    // the relevance of the older text does not apply to the newer one
                    let own = (self.worth)(&[last]).get(&last).copied();
                    item.score = own.unwrap_or(NEIGHBOUR * item.score);
                    (item.meaning, item.words) = (None, None);
                }
                item.supersedes = self.chain(last);
            }
            newest.push(item);
        }
        Ok(newest)
    }

    /// Follows newer versions to the end. In a cycle it stops before it reaches a memory twice.
    fn last_version(&self, id: MemoryId) -> MemoryId {
        let (mut last, mut seen) = (id, BTreeSet::from([id]));
        while let Some(newer) = self.versions(last, true).max().filter(|newer| seen.insert(*newer)) {
            last = newer;
        }
        last
    }

    /// The earlier versions of a memory, newest first.
    fn chain(&self, id: MemoryId) -> Vec<MemoryVersion> {
        let (mut open, mut seen) = (vec![id], BTreeSet::from([id]));
        let mut chain = Vec::new();
        while let Some(id) = open.pop() {
            for older in self.versions(id, false).filter(|older| seen.insert(*older)) {
                if let Some(memory) = self.memory(older) {
                    chain.push(MemoryVersion { id: older, text: memory.text.clone(), at: memory.updated_at });
                    open.push(older);
                }
            }
        }
        chain.sort_by(|a, b| b.at.cmp(&a.at).then(b.id.cmp(&a.id)));
        chain
    }

    /// The memories one step away from `frontier` that were not visited yet, best first.
    async fn neighbours(
        &mut self,
        frontier: &[MemoryId],
        visited: &mut BTreeSet<MemoryId>,
        items: &[RecalledItem],
    ) -> Result<Vec<RecalledItem>, StoreError> {
        self.look_at(frontier).await?;
        let score = |id| items.iter().find(|item| memory_id(item) == Some(id)).map_or(0.0, |item| item.score);
        let mut steps: Vec<(MemoryId, MemoryId, f32)> = Vec::new();
        for from in frontier {
            let edges = self.edges.get(from).into_iter().flatten();
            for edge in edges.filter(|edge| !is_of_versions(edge)) {
                let to = if edge.from == *from { edge.to } else { edge.from };
                if !visited.contains(&to) {
                    steps.push((*from, to, NEIGHBOUR * score(*from)));
                }
            }
        }
        steps.sort_by(|a, b| b.2.total_cmp(&a.2).then(b.1.cmp(&a.1)));
        steps.retain(|(_, to, _)| visited.insert(*to));
        let already = items.iter().filter(|item| item.via.is_some()).count();
        steps.truncate(NEIGHBOURS.saturating_sub(already));
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<MemoryId> = steps.iter().map(|(_, to, _)| *to).collect();
        self.read(&ids).await?;
        let worth = (self.worth)(&ids);
        let neighbour = |(via, to, score): (MemoryId, MemoryId, f32)| {
            let score = worth.get(&to).copied().unwrap_or(score);
            let item = Item::Memory(self.memory(to)?.clone());
            let source = source_of(&item);
            let shown = self.search.settings.source(source).limit > 0;
            shown.then(|| RecalledItem { via: Some(via), ..RecalledItem::new(item, source, score) })
        };
        Ok(steps.into_iter().filter_map(neighbour).collect())
    }
}

fn is_of_versions(edge: &Relation) -> bool {
    edge.kind == RelationKind::Supersedes
}

fn memory_id(item: &RecalledItem) -> Option<MemoryId> {
    match &item.item {
        Item::Memory(memory) => Some(memory.id),
        Item::Message(_) => None,
    }
}
