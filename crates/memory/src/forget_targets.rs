//! Targets of `forget`: finds what a person wants forgotten by its words and its meaning, in every version (GR10).

use std::collections::{HashMap, HashSet};

use greenroom_core::{Memory as Stored, MemoryId, Scope, Viewer};
use greenroom_store::Item;

use crate::{Memory, MemoryError, SearchOptions, holds_every_word, search::Hit, versions};

/// A search limit above the number of memories that are close to a query.
const EVERYTHING: usize = 10_000;

/// The least relevance at which a hit counts as the one that the person names; a lower hit only resembles the query.
const CLOSE: f32 = 0.75;

/// The memories that a person wants forgotten.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForgetTargets {
    /// The found memories, each in its newest version: first those with every word of the query.
    pub hits: Vec<Hit>,
    /// The ids to forget: the found memories and their other versions, which contain the same information.
    pub ids: Vec<MemoryId>,
}

impl Memory {
    /// Finds all memories with a version that contains every word of `query`. They are read from the store, because a
    /// search returns the best hits of an index that may not be loaded yet. With `global` only global memories are found.
    /// With `close` the caller asks for a confirmation, and memories that such a search finds close are added.
    pub async fn find_to_forget(
        &self,
        viewer: &Viewer,
        query: &str,
        global: bool,
        close: Option<&SearchOptions>,
    ) -> Result<ForgetTargets, MemoryError> {
        let wanted = |memory: &Stored| !global || memory.scope == Scope::Global;
        let all = self.list(viewer, usize::MAX).await?;
        let named = all.iter().filter(|memory| wanted(memory) && holds_every_word(&memory.text, query));
        let mut found: Vec<(MemoryId, f32)> = named.map(|memory| (memory.id, 1.0)).collect();
        if let Some(options) = close {
            self.ready(viewer).await?;
            for hit in self.search_from(viewer, query, EVERYTHING, options).await?.hits {
                if let Item::Memory(memory) = &hit.item
                    && wanted(memory)
                    && hit.score >= CLOSE
                {
                    found.push((memory.id, hit.score));
                }
            }
        }
        let by_id: HashMap<MemoryId, &Stored> = all.iter().map(|memory| (memory.id, memory)).collect();
        let (mut hits, mut ids, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for (id, score) in found {
            if seen.contains(&id) {
                continue;
            }
            let versions = versions(&*self.store, viewer, id).await?;
            let newest = versions.iter().find_map(|id| by_id.get(id));
            hits.extend(newest.map(|memory| Hit {
                item: Item::Memory((*memory).clone()),
                score,
                from: None,
            }));
            ids.extend(versions.into_iter().filter(|id| seen.insert(*id)));
        }
        Ok(ForgetTargets { hits, ids })
    }
}
