//! Finds the memories that a new statement may repeat or correct: memories in given scopes that mean nearly the same or
//! share words with it. `remember.rs` calls it. The memories come from the index, as in a recall.

use greenroom_core::{MemoryId, RelationKind, Scope, Timestamp, Viewer};
use greenroom_index::{Bm25, Filter, Names, Shard, Slot, WordQuery, terms};
use greenroom_store::{Item, ItemId, MemoryFilter, NewMemory, Place, StoreError};

use super::{EMBED_WAIT, is_captured_again};
use crate::{Memory, capture::decide::OlderMemory, embed::Embedding, memory::space_of};

/// How many memories are compared by their words, and how many by their meaning.
const CANDIDATES: usize = 20;

/// The least cosine at which two statements may say the same (JV, FG). It only selects candidates; `decide` decides.
pub(crate) const SIMILAR_COSINE: f32 = 0.9;

impl Memory {
    /// Returns live memories in these scopes that mean nearly the same as a new statement or share words with it, and
    /// the memory that a model `chose`. Those found by meaning come first. A memory that a live newer version replaced
    /// is left out, because a person may state it again after the last correction.
    pub(super) async fn similar_memories(
        &self,
        viewer: &Viewer,
        new: &NewMemory,
        scopes: &[Scope],
        embedding: Option<&Embedding>,
        chose: Option<MemoryId>,
    ) -> Result<Vec<OlderMemory>, StoreError> {
        let (near, sharing) = self.similar_ids(new, scopes, embedding).await?;
        let mut ids = near.clone();
        for id in sharing.into_iter().chain(chose) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let items: Vec<ItemId> = ids.iter().map(|id| ItemId::Memory(*id)).collect();
        let whole = self.store.items(viewer, &items, new.at, false).await?;
        let mut found: Vec<OlderMemory> = Vec::new();
        for item in whole.items {
            let Item::Memory(memory) = item else { continue };
            found.push(OlderMemory { is_near: near.contains(&memory.id), memory });
        }
        found.retain(|candidate| scopes.contains(&candidate.memory.scope));
        let ids: Vec<MemoryId> = found.iter().map(|candidate| candidate.memory.id).collect();
        let gone = self.superseded(viewer, &ids, new.at).await?;
        found.retain(|candidate| {
            !gone.contains(&candidate.memory.id) || is_captured_again(&candidate.memory, new)
        });
        Ok(found)
    }

    /// The memories in these scopes that mean nearly the same, and those that share words; the best of each scope
    /// first.
    async fn similar_ids(
        &self,
        new: &NewMemory,
        scopes: &[Scope],
        embedding: Option<&Embedding>,
    ) -> Result<(Vec<MemoryId>, Vec<MemoryId>), StoreError> {
        let embedder = self.query_embedder().await?;
        let space = embedder.map(|embedder| space_of(embedder));
        let place = |scope: &Scope| Place::Memories(new.persona.clone(), scope.clone());
        let places: Vec<Place> = scopes.iter().map(place).collect();
        let by = self.clock.deadline(EMBED_WAIT);
        let index = &self.shared.index;
        let views = index.view(&*self.clock, &self.store, space.as_ref(), &places, new.at, by).await?;
        if views.iter().any(|view| view.as_ref().is_none_or(|view| view.partial)) {
            tracing::warn!(
                "a new statement is not compared with all that is known: the index is still being loaded"
            );
        }
        // the index may still contain the vectors of the previous embedder (L19)
        let current = self.embedder().map(|embedder| space_of(embedder));
        let embedding = embedding.filter(|_| space == current);
        let (mut near, mut sharing) = (Vec::new(), Vec::new());
        for view in views.iter().flatten() {
            let (of_place, words) = similar_in(&view.shard, new, embedding);
            near.extend(of_place);
            sharing.extend(words);
        }
        Ok((near, sharing))
    }

    /// The memories among `ids` that a live memory supersedes.
    pub(super) async fn superseded(
        &self,
        viewer: &Viewer,
        ids: &[MemoryId],
        now: Timestamp,
    ) -> Result<Vec<MemoryId>, StoreError> {
        let mut edges = self.store.relations(viewer, ids).await?;
        edges.retain(|edge| edge.kind == RelationKind::Supersedes && ids.contains(&edge.to));
        if edges.is_empty() {
            return Ok(Vec::new());
        }
        let newer = edges.iter().map(|edge| edge.from).collect();
        let filter = MemoryFilter { now, scopes: Vec::new(), ids: newer, about: None, limit: edges.len() };
        let live = self.store.memories(viewer, &filter).await?;
        let lives = |id: MemoryId| live.iter().any(|memory| memory.id == id);
        Ok(edges.into_iter().filter(|edge| lives(edge.from)).map(|edge| edge.to).collect())
    }
}

/// The memories in one shard that mean nearly the same, and those that share words.
fn similar_in(
    shard: &Shard,
    new: &NewMemory,
    embedding: Option<&Embedding>,
) -> (Vec<MemoryId>, Vec<MemoryId>) {
    let filter = Filter { now: new.at.0, ..Filter::default() };
    let mut near = Vec::new();
    if let Some(Embedding::Vector(vector)) = embedding
        && shard.vectors() > 0
    {
        match shard.nearest(vector, CANDIDATES, &filter) {
            Ok(nearest) => {
                near.extend(nearest.hits.into_iter().filter(|(_, cosine)| *cosine >= SIMILAR_COSINE))
            }
            Err(error) => tracing::debug!("a new statement is compared by its words alone: {error}"),
        }
    }
    let words = terms(&new.text, &Names::none()).into_iter().map(|term| (term, 1.0));
    let query = WordQuery::over(&[shard], words, &Bm25 { date: 0.0, ..Bm25::default() });
    let sharing = shard.bm25(&query, CANDIDATES, &filter);
    (ids(shard, near), ids(shard, sharing.hits))
}

fn ids(shard: &Shard, hits: Vec<(Slot, f32)>) -> Vec<MemoryId> {
    hits.into_iter().filter_map(|(slot, _)| shard.id(slot)).map(MemoryId).collect()
}
