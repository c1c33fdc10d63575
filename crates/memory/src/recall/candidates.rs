//! Candidates of a recall: takes the best of each search, reads them from the store, and applies the limits of sources.

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

/// The result of one search.
#[derive(Default)]
pub(crate) struct Pool {
    /// The candidates, unsorted.
    pub(crate) candidates: Vec<Candidate>,
    /// The receipt's note about the search.
    pub(crate) note: Option<String>,
}

/// The best candidates of each source, with the items that were already read.
#[derive(Default)]
pub(crate) struct Chosen {
    candidates: Vec<Candidate>,
    known: HashMap<ItemId, Item>,
    /// The edges of the memories that were read here.
    edges: Edges,
}

impl Chosen {
    /// Drops candidates that are far less relevant than the best (MP3).
    pub(super) fn focus(&mut self, search: &SearchRequest<'_>, is_mapped: bool) {
        focused(&mut self.candidates, (search.settings, is_mapped), search.unbounded());
    }

    /// The items that were read, in the candidates' order.
    fn items(&self) -> Vec<RecalledItem> {
        let recalled = |candidate: &Candidate| {
            let item = self.known.get(&candidate.id)?.clone();
            let Candidate { source, cosine, coverage, likelihood, only_asks, is_from_other_chat, .. } =
                *candidate;
            let found = RecalledItem::new(item, source, candidate.relevance());
            Some(RecalledItem {
                meaning: cosine,
                words: coverage,
                likelihood,
                only_asks,
                is_from_other_chat,
                ..found
            })
        };
        self.candidates.iter().filter_map(recalled).collect()
    }

    /// The first candidates of each source, as many as its limit, and the candidates after them.
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
    /// Searches candidates of one kind, if the settings ask for this kind.
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

    /// Adds the best candidates of one search to `taken`. Messages of other chats are read at once: if one of them may
    /// not be recalled, it must not displace one that may.
    pub(super) async fn choose(
        &self,
        search: &SearchRequest<'_>,
        (candidates, is_mapped): (Vec<Candidate>, bool),
        taken: &mut Chosen,
    ) -> Result<(), StoreError> {
        let mut best = chosen(candidates, search.settings, search.unbounded());
        let elsewhere = messages_of_other_chats(&best);
        if !elsewhere.is_empty() {
            let person = search.viewer.user();
            let told = self.store.said_one_to_one(search.viewer, &elsewhere).await?;
            // a password goes no further than the chat in which it was told (X5)
            for mut message in told.into_iter().filter(|message| !tells_a_secret(&message.text)) {
                if let (Author::User { id, .. }, Some(person)) = (&mut message.author, person) {
                    // the message may come from a linked account of the same person
                    id.clone_from(person);
                }
                taken.known.insert(ItemId::Message(message.id), Item::Message(message));
            }
            best.retain(|candidate| !candidate.is_from_other_chat || taken.known.contains_key(&candidate.id));
        }
        taken.candidates.extend(likely(best, (search.settings, is_mapped), search.unbounded()));
        Ok(())
    }

    /// Reads the chosen items whole, at most as many of a source as its limit, with their edges. Items that were
    /// deleted meanwhile are left out. The first candidates of each source are read first. The later ones are read only
    /// if some of the first turned out to repeat others.
    pub(super) async fn read_chosen(
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

    /// Reads the `wanted` items that are not yet known.
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

/// The messages of other chats among these candidates.
fn messages_of_other_chats(candidates: &[Candidate]) -> Vec<MessageId> {
    let message = |candidate: &Candidate| match candidate.id {
        ItemId::Message(id) => Some(id),
        ItemId::Memory(_) => None,
    };
    candidates.iter().filter(|candidate| candidate.is_from_other_chat).filter_map(message).collect()
}
