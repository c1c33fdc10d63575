//! Searching the store itself, while an index is not there yet: the newest items by meaning, and
//! the full-text index by words. Bounded, so that a store of any size answers soon.

use std::collections::HashMap;

use greenroom_index::{Names, Term, terms, without_names};
use greenroom_persona::Strategy;
use greenroom_store::{Hit, Item, ItemKind, Search, StoreError};

use super::{
    Ask, Query,
    candidates::Pool,
    sources::{Candidate, source_of},
};
use crate::{Memory, memory::space_of};

/// Only so many of the newest items are compared.
const NEWEST: usize = 10_000;

/// So many candidates are taken from each search; thresholds and limits come after.
const CANDIDATES: usize = 100;

/// What full text counts against meaning.
const WORDS_WEIGHT: f32 = 0.6;

impl Memory {
    /// See [`Memory::candidates`].
    pub(super) async fn from_store(
        &self,
        ask: &Ask<'_>,
        query: &Query,
        kind: ItemKind,
    ) -> Result<Pool, StoreError> {
        let between = match kind {
            ItemKind::Message => ask.between,
            ItemKind::Memory => None,
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
        let names = match kind {
            ItemKind::Message => self.names(ask.viewer.channel()).await?,
            ItemKind::Memory => Default::default(),
        };
        let mut asked = terms(&query.words, &names);
        if !asked.is_empty() {
            asked.sort_unstable();
            asked.dedup();
            let words = telling(&query.words, &names);
            let hits = self.store.full_text(ask.viewer, &words, &search).await?;
            found.worded(hits, &asked, &names);
        }
        Ok(found.pool(ask))
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
                worth.coverage = Some(share as f32 / asked.len() as f32);
                worth.bm25 = score;
            }
        }
    }

    /// Meaning alone as it is, words alone by BM25, both by the sum of their z-scores.
    fn pool(self, ask: &Ask<'_>) -> Pool {
        let meaning = Spread::of(self.items.values().filter_map(|w| w.meaning));
        let words = Spread::of(self.items.values().map(|w| w.bm25));
        let mut pool = Pool::default();
        for (id, worth) in self.items {
            let order = match (self.by_words, worth.meaning) {
                (false, meaning) => meaning.unwrap_or(0.0),
                (true, near) => {
                    // what has no cosine here is as near as the farthest that has one
                    let near = near.map_or(meaning.least, |near| meaning.z(near));
                    near + WORDS_WEIGHT * words.z(worth.bm25)
                }
            };
            pool.candidates.push(Candidate {
                id,
                source: source_of(&worth.item),
                at: worth.item.at(),
                order,
                meaning: worth.meaning,
                words: worth.coverage,
            });
            pool.whole.insert(id, worth.item);
        }
        if let Some((from, until)) = ask.between {
            pool.candidates.retain(|c| ask.between(c.source).is_none() || (from <= c.at && c.at < until));
        }
        pool
    }
}

/// Mean and standard deviation of scores.
struct Spread {
    mean: f32,
    deviation: f32,
    /// The z-score of the smallest.
    least: f32,
}

impl Spread {
    fn of(scores: impl Iterator<Item = f32> + Clone) -> Self {
        let count = scores.clone().count().max(1) as f32;
        let mean = scores.clone().sum::<f32>() / count;
        let variance = scores.clone().map(|s| (s - mean) * (s - mean)).sum::<f32>() / count;
        let mut spread = Self { mean, deviation: variance.sqrt(), least: 0.0 };
        spread.least = scores.map(|s| spread.z(s)).fold(0.0, f32::min);
        spread
    }

    fn z(&self, score: f32) -> f32 {
        if self.deviation > f32::EPSILON { (score - self.mean) / self.deviation } else { 0.0 }
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
