//! Candidates of one kind: from the index where the places are loaded, from the store where not.

use std::collections::HashMap;

use greenroom_store::{Item, ItemId, ItemKind, StoreError};

use super::{
    Ask, Query,
    hops::{Edges, edges_at},
    indexed::View,
    sources::Candidate,
};
use crate::{Memory, RecalledItem};

/// What one search gave.
#[derive(Default)]
pub(crate) struct Pool {
    /// In no order.
    pub(crate) candidates: Vec<Candidate>,
    /// Those of them that were read whole already.
    pub(crate) whole: HashMap<ItemId, Item>,
    /// What the receipt says about the search.
    pub(crate) note: Option<String>,
}

impl Memory {
    /// What may be recalled of a kind.
    pub(super) async fn candidates(
        &self,
        ask: &Ask<'_>,
        query: &Query,
        kind: ItemKind,
        view: &View,
    ) -> Result<Pool, StoreError> {
        match view.of(kind) {
            Some(shards) => self.indexed_candidates(ask, query, kind, shards).await,
            None => self.stored_candidates(ask, query, kind).await,
        }
    }

    /// The chosen ones whole, in their order, and what ties those that were read; one that is gone by now is
    /// left out.
    pub(super) async fn whole(
        &self,
        ask: &Ask<'_>,
        chosen: &[Candidate],
        mut known: HashMap<ItemId, Item>,
    ) -> Result<(Vec<RecalledItem>, Edges), StoreError> {
        let mut edges = Edges::new();
        let unknown: Vec<ItemId> = chosen.iter().map(|c| c.id).filter(|id| !known.contains_key(id)).collect();
        if !unknown.is_empty() {
            let found = self.store.items(ask.viewer, &unknown, ask.now, ask.settings.witness).await?;
            known.extend(found.items.into_iter().map(|item| (item.id(), item)));
            edges = edges_at(&unknown, &found.relations);
        }
        let recalled = |candidate: &Candidate| {
            let item = known.remove(&candidate.id)?;
            let Candidate { source, meaning, words, .. } = *candidate;
            Some(RecalledItem { meaning, words, ..RecalledItem::new(item, source, candidate.relevance()) })
        };
        Ok((chosen.iter().filter_map(recalled).collect(), edges))
    }
}
