//! The best candidates of both kinds, read whole.

use std::collections::HashMap;

use greenroom_core::{Author, MessageId};
use greenroom_persona::{MemorySettings, SourceName};
use greenroom_store::{Item, ItemId, ItemKind, StoreError};

use super::{
    RecallQuery, SearchRequest,
    hops::{Edges, edges_at},
    indexed::View,
    sources::{Candidate, chosen, distinct, focused, likely, standing, wants},
    standing,
};
use crate::{Memory, RecalledItem, capture::tells_a_secret};

/// What one search gave.
#[derive(Default)]
pub(crate) struct Pool {
    /// In no order.
    pub(crate) candidates: Vec<Candidate>,
    /// What the receipt says about the search.
    pub(crate) note: Option<String>,
}

/// The best candidates of each source, and what of them was read.
#[derive(Default)]
pub(crate) struct Chosen {
    candidates: Vec<Candidate>,
    known: HashMap<ItemId, Item>,
    /// The edges at those that were read here.
    edges: Edges,
}

impl Chosen {
    /// Leaves out what is far less relevant than the best (MP3).
    pub(super) fn focus(&mut self, search: &SearchRequest<'_>) {
        focused(&mut self.candidates, search.settings, search.unbounded());
    }

    /// The items that were read, in their order.
    fn items(&self) -> Vec<RecalledItem> {
        let recalled = |candidate: &Candidate| {
            let item = self.known.get(&candidate.id)?.clone();
            let Candidate { source, cosine, coverage, likelihood, told_alone, .. } = *candidate;
            let found = RecalledItem::new(item, source, candidate.relevance());
            Some(RecalledItem { meaning: cosine, words: coverage, likelihood, told_alone, ..found })
        };
        self.candidates.iter().filter_map(recalled).collect()
    }

    /// The first of each source, as many as its limit; and those after them.
    fn in_turn(&self, settings: &MemorySettings) -> (Vec<ItemId>, Vec<Candidate>) {
        let mut taken = [0; SourceName::ALL.len()];
        let (first, later): (Vec<Candidate>, _) = self.candidates.iter().copied().partition(|candidate| {
            let count = &mut taken[candidate.source as usize];
            *count += 1;
            *count <= settings.source(candidate.source).limit
        });
        (first.into_iter().map(|candidate| candidate.id).collect(), later)
    }
}

impl Memory {
    /// What may be recalled of a kind.
    pub(super) async fn candidates(
        &self,
        search: &SearchRequest<'_>,
        query: &RecallQuery,
        kind: ItemKind,
        view: &View,
    ) -> Result<Pool, StoreError> {
        if query.is_empty() || !wants(search.settings, kind) {
            return Ok(Pool::default());
        }
        self.indexed_candidates(search, query, kind, view).await
    }

    /// Takes the best of one more search. What was told in another chat is read at once: where it may not be recalled, it must
    /// not displace what may.
    pub(super) async fn choose(
        &self,
        search: &SearchRequest<'_>,
        candidates: Vec<Candidate>,
        taken: &mut Chosen,
    ) -> Result<(), StoreError> {
        let mut best = chosen(candidates, search.settings, search.unbounded());
        let elsewhere = told_alone(&best);
        if !elsewhere.is_empty() {
            let person = search.viewer.user();
            let told = self.store.told_alone(search.viewer, &elsewhere).await?;
            // a password goes no further than the chat in which it was told (X5)
            for mut message in told.into_iter().filter(|message| !tells_a_secret(&message.text)) {
                if let (Author::User { id, .. }, Some(person)) = (&mut message.author, person) {
                    // from whichever account: it is the same person
                    id.clone_from(person);
                }
                taken.known.insert(ItemId::Message(message.id), Item::Message(message));
            }
            best.retain(|candidate| !candidate.told_alone || taken.known.contains_key(&candidate.id));
        }
        taken.candidates.extend(likely(best, search.settings, search.unbounded()));
        Ok(())
    }

    /// The chosen ones whole, no more of a source than its limit, and what ties those that were read; one
    /// that is gone by now is left out. So many as the limits are read first, and those after them only
    /// where some of the first say nothing of their own.
    pub(super) async fn whole(
        &self,
        search: &SearchRequest<'_>,
        mut chosen: Chosen,
    ) -> Result<(Vec<RecalledItem>, Edges), StoreError> {
        let settings = search.settings;
        let (mut first, mut later) = chosen.in_turn(settings);
        if SourceName::ALL.into_iter().any(|source| standing(settings, source)) {
            first.extend(later.drain(..).map(|candidate| candidate.id));
        }
        self.read(search, &mut chosen, first).await?;
        let mut items = chosen.items();
        if wants(settings, ItemKind::Memory) {
            standing::add(&*self.store, search, &mut items).await?;
        }
        distinct(&mut items, search);
        let count = |source| items.iter().filter(|item| item.source == source).count();
        later.retain(|candidate| count(candidate.source) < settings.source(candidate.source).limit);
        if !later.is_empty() {
            self.read(search, &mut chosen, later.iter().map(|candidate| candidate.id).collect()).await?;
            items = chosen.items();
            distinct(&mut items, search);
        }
        Ok((items, chosen.edges))
    }

    /// Reads those of these items that are not known.
    async fn read(
        &self,
        search: &SearchRequest<'_>,
        chosen: &mut Chosen,
        mut wanted: Vec<ItemId>,
    ) -> Result<(), StoreError> {
        wanted.retain(|id| !chosen.known.contains_key(id));
        if !wanted.is_empty() {
            let found = self.store.items(search.viewer, &wanted, search.now, search.settings.witness).await?;
            chosen.known.extend(found.items.into_iter().map(|item| (item.id(), item)));
            chosen.edges.extend(edges_at(&wanted, &found.relations));
        }
        Ok(())
    }
}

/// The messages among these candidates that were told in other chats.
fn told_alone(candidates: &[Candidate]) -> Vec<MessageId> {
    let message = |candidate: &Candidate| match candidate.id {
        ItemId::Message(id) => Some(id),
        ItemId::Memory(_) => None,
    };
    candidates.iter().filter(|candidate| candidate.told_alone).filter_map(message).collect()
}
