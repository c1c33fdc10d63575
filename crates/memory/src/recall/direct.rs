//! Searching the store itself, while an index is not there yet: the newest items by meaning, and
//! the full-text index by words. Bounded, so that a store of any size answers soon.

use std::{collections::HashMap, sync::Arc};

use greenroom_index::{Names, Term, terms, without_names};
use greenroom_persona::{SourceName, Strategy};
use greenroom_store::{Hit, Item, ItemKind, Search, StoreError};

use super::{
    Ask, Query,
    candidates::Pool,
    fuse::fused,
    indexed::{PREFERRED, PREFERRED_NEAR},
    sources::{Candidate, source_of},
};
use crate::{Memory, memory::space_of};

/// Only so many of the newest items are compared.
const NEWEST: usize = 10_000;

/// What the receipt says of it.
const LOADING: &str = "the index is still being loaded: the newest 10000 items were searched in the store";

/// So many candidates are taken from each search; thresholds and limits come after.
const CANDIDATES: usize = 100;

impl Memory {
    /// See [`Memory::candidates`].
    pub(super) async fn stored_candidates(
        &self,
        ask: &Ask<'_>,
        query: &Query,
        kind: ItemKind,
    ) -> Result<Pool, StoreError> {
        let between = match kind {
            ItemKind::Message => ask.between(SourceName::Messages),
            // a summary may be limited where the others are not; see [`Pooled::pool`]
            ItemKind::Memory => ask.between(SourceName::Knowledge),
        };
        let limit = match ask.settings.strategy {
            Strategy::Hyde => ask.settings.hyde.top_k,
            _ => CANDIDATES,
        };
        let search = Search {
            before: ask.before,
            between,
            witnessed: ask.settings.witness,
            newest: Some(NEWEST),
            ..Search::new(kind, limit, ask.now)
        };
        let mut found = Pooled::default();
        if let Some(embedder) = self.asked().await? {
            let space = space_of(embedder);
            for vector in query.vectors(kind) {
                found.near(self.store.nearest(ask.viewer, &space, vector, &search).await?);
            }
        }
        if let Some(words) = &query.words {
            let speakers = match kind {
                ItemKind::Message => self.speakers(ask.viewer.channel()).await?,
                ItemKind::Memory => Arc::default(),
            };
            let names = &speakers.names;
            let texts = [&words.trigger, &words.before].map(|text| telling(text, names));
            // a trigger without words of its own leaves it to what was said before it
            if let Some(text) = texts.iter().find(|text| !text.is_empty()) {
                let mut asked = terms(text, names);
                asked.sort_unstable();
                asked.dedup();
                found.worded(self.store.full_text(ask.viewer, text, &search).await?, &asked, names);
            }
        }
        let mut pool = found.pool(ask);
        pool.note = Some(LOADING.to_owned());
        Ok(pool)
    }
}

/// A text without the words that say nothing.
fn telling(text: &str, names: &Names) -> String {
    let words = without_names(text, names);
    words.split_whitespace().filter(|word| !terms(word, names).is_empty()).collect::<Vec<_>>().join(" ")
}

/// Hits of several searches, an item once.
#[derive(Default)]
struct Pooled {
    items: HashMap<greenroom_store::ItemId, Worth>,
    by_words: bool,
}

struct Worth {
    item: Item,
    meaning: Option<f32>,
    coverage: Option<f32>,
    bm25: f32,
}

impl Pooled {
    fn of(&mut self, item: Item) -> &mut Worth {
        let worth = |item| Worth { item, meaning: None, coverage: None, bm25: 0.0 };
        self.items.entry(item.id()).or_insert_with(|| worth(item))
    }

    /// The best cosine of an item counts (FG6).
    fn near(&mut self, hits: Vec<Hit>) {
        for Hit { item, score } in hits {
            let worth = self.of(item);
            worth.meaning = Some(worth.meaning.map_or(score, |best| best.max(score)));
        }
    }

    /// Only what shares a telling word counts as a hit.
    fn worded(&mut self, hits: Vec<Hit>, asked: &[Term], names: &Names) {
        self.by_words = true;
        for Hit { item, score } in hits {
            let held = terms(item.text(), names);
            let share = asked.iter().filter(|term| held.contains(term)).count();
            if share > 0 {
                let worth = self.of(item);
                // as the index counts it: a single word says little
                worth.coverage = Some(share as f32 / (asked.len() as f32 + 1.0));
                worth.bm25 = score;
            }
        }
    }

    fn pool(self, ask: &Ask<'_>) -> Pool {
        let scores: Vec<_> = self.items.values().map(|worth| (worth.meaning, worth.bm25)).collect();
        let mut pool = Pool::default();
        for ((id, worth), mut order) in self.items.into_iter().zip(fused(&scores, self.by_words)) {
            let (source, at) = (source_of(&worth.item), worth.item.at());
            if ask.between(source).is_some_and(|(from, until)| at < from || until <= at) {
                continue;
            }
            if ask.preferred(source).is_some_and(|(from, until)| from <= at && at < until) {
                order += if self.by_words { PREFERRED } else { PREFERRED_NEAR };
            }
            pool.candidates.push(Candidate {
                id,
                source,
                at,
                order,
                meaning: worth.meaning,
                words: worth.coverage,
                answers: 0.0,
            });
            pool.whole.insert(id, worth.item);
        }
        pool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as8_words_that_everybody_uses_find_nothing() {
        let none = Names::none();
        assert_eq!(telling("What did we discuss about SQLite's log?", &none), "discuss SQLite's log?");
        assert_eq!(telling("what is it? \u{1f44d}", &none), "");
        assert_eq!(telling("Did Jo paint?", &Names::new(["Jo"])), "paint?");
    }
}
