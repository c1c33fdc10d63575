//! The memories that a new statement may repeat or correct: those of its scope that mean nearly the same or share
//! words with it. They come from the index, as in a recall.

use greenroom_core::{MemoryId, RelationKind, Timestamp, Viewer};
use greenroom_index::{Bm25, Filter, Names, Shard, Slot, WordQuery, terms};
use greenroom_store::{Item, ItemId, MemoryFilter, NewMemory, Place, StoreError};
use tokio::time;

use super::EMBED_WAIT;
use crate::{Memory, capture::decide::Candidate, embed::Embedding, memory::space_of};

/// The number of memories that are looked at by their words, and again by their meaning.
const CANDIDATES: usize = 20;

/// The cosine from which two statements may say the same (JV, FG). It brings candidates and decides nothing.
pub(crate) const ALIKE: f32 = 0.9;

impl Memory {
    /// Live memories of the scope of a new statement that mean nearly the same or share words with it, those by
    /// meaning first, and the memory that a model `chose`. Memories that something live took the place of are left
    /// out: what was true before the last correction may be said again.
    pub(super) async fn alike(
        &self,
        viewer: &Viewer,
        new: &NewMemory,
        embedding: Option<&Embedding>,
        chose: Option<MemoryId>,
    ) -> Result<Vec<Candidate>, StoreError> {
        let (near, sharing) = self.similar(new, embedding).await?;
        let mut ids = near.clone();
        for id in sharing.into_iter().chain(chose) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let items: Vec<ItemId> = ids.iter().map(|id| ItemId::Memory(*id)).collect();
        let whole = self.store.items(viewer, &items, new.at, false).await?;
        let mut found: Vec<Candidate> = Vec::new();
        for item in whole.items {
            let Item::Memory(memory) = item else { continue };
            found.push(Candidate { alike: near.contains(&memory.id), memory });
        }
        found.retain(|candidate| candidate.memory.scope == new.scope);
        let ids: Vec<MemoryId> = found.iter().map(|candidate| candidate.memory.id).collect();
        let gone = self.superseded(viewer, &ids, new.at).await?;
        found.retain(|candidate| !gone.contains(&candidate.memory.id));
        Ok(found)
    }

    /// The memories of the scope that mean nearly the same, and those that share words, each best first.
    async fn similar(
        &self,
        new: &NewMemory,
        embedding: Option<&Embedding>,
    ) -> Result<(Vec<MemoryId>, Vec<MemoryId>), StoreError> {
        let embedder = self.asked().await?;
        let space = embedder.map(|embedder| space_of(embedder));
        let place = Place::Memories(new.persona.clone(), new.scope.clone());
        let by = time::Instant::now() + EMBED_WAIT;
        let index = &self.shared.index;
        let mut views = index.view(&self.store, space.as_ref(), &[place], new.at, by).await?;
        let Some(view) = views.pop().flatten() else {
            tracing::warn!(
                "a new statement is not compared with what is known: the index is still being loaded"
            );
            return Ok(Default::default());
        };
        let shard = &*view.shard;
        let filter = Filter { now: new.at.0, ..Filter::default() };
        let mut near = Vec::new();
        // the index may hold the vectors of the embedder before this one (L19)
        let current = self.embedder().map(|embedder| space_of(embedder));
        if let Some(Embedding::Vector(vector)) = embedding
            && space == current
            && shard.vectors() > 0
        {
            match shard.nearest(vector, CANDIDATES, &filter) {
                Ok(nearest) => near.extend(nearest.hits.into_iter().filter(|(_, cosine)| *cosine >= ALIKE)),
                Err(error) => tracing::debug!("a new statement is compared by its words alone: {error}"),
            }
        }
        let words = terms(&new.text, &Names::none()).into_iter().map(|term| (term, 1.0));
        let query = WordQuery::over(&[shard], words, &Bm25 { date: 0.0, ..Bm25::default() });
        let sharing = shard.bm25(&query, CANDIDATES, &filter);
        Ok((ids(shard, near), ids(shard, sharing.hits)))
    }

    /// Those of the memories whose place something live has taken.
    async fn superseded(
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

fn ids(shard: &Shard, hits: Vec<(Slot, f32)>) -> Vec<MemoryId> {
    hits.into_iter().filter_map(|(slot, _)| shard.id(slot)).map(MemoryId).collect()
}
