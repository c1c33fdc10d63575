//! BM25 over the fields text and date (Robertson & Zaragoza 2009, BM25F with lengths for the text alone),
//! and coverage, the share of a query a row holds.

use super::analyse::Term;
use super::segment::{Entry, Posting};
use crate::filter::Filter;
use crate::row::Slot;
use crate::shard::Shard;
use crate::top::Top;

/// The constants of BM25.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    /// How fast repeating a term stops to count.
    pub k1: f32,
    /// How much a long text is held against it, 0 to 1.
    pub b: f32,
    /// What a term in the date counts, where one in the text counts 1.
    pub date: f32,
    /// In a collection of more than `large` rows, terms in more than this share of them are dropped as
    /// long as a rarer one is left.
    pub frequent: f32,
    /// See [`Bm25::frequent`].
    pub large: usize,
}

impl Default for Bm25 {
    fn default() -> Self {
        Bm25 { k1: 1.2, b: 0.75, date: 1.0, frequent: 0.2, large: 20_000 }
    }
}

/// A query by words, weighed over a collection of one or more shards. Ask each shard of it.
#[derive(Clone, Debug)]
pub struct WordQuery {
    /// Ascending by term, without the frequent ones that were dropped.
    weights: Vec<(Term, f32)>,
    total: f32,
    k1: f32,
    date: f32,
    /// A text's norm is `norm.0 + norm.1 × length`.
    norm: (f32, f32),
}

impl WordQuery {
    /// Weighs the terms by their rarity in the shards taken as one collection. A factor says how much a
    /// term matters to the caller (1.0: as it is); of a repeated term the largest counts.
    pub fn over(shards: &[&Shard], terms: impl IntoIterator<Item = (Term, f32)>, tuning: &Bm25) -> WordQuery {
        let documents: usize = shards.iter().map(|shard| shard.documents()).sum();
        let length: u64 = shards.iter().map(|shard| shard.total_length()).sum();
        let average = if documents == 0 { 1.0 } else { length as f32 / documents as f32 };
        let mut terms: Vec<(Term, f32)> = terms.into_iter().collect();
        terms.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
        terms.dedup_by_key(|(term, _)| *term);
        let counted: Vec<(Term, f32, usize)> = terms
            .into_iter()
            .map(|(term, factor)| {
                let count = |shard: &&Shard| shard.document_frequency(term, tuning.date > 0.0);
                (term, factor, shards.iter().map(count).sum())
            })
            .collect();
        let most = (tuning.frequent * documents as f32) as usize;
        let rarer =
            documents > tuning.large && counted.iter().any(|(_, _, count)| (1..=most).contains(count));
        let weights = counted.into_iter().filter(|(_, _, count)| !rarer || *count <= most);
        WordQuery::weighted(
            weights.map(|(term, factor, count)| (term, factor * idf(documents, count))),
            average,
            tuning,
        )
    }

    /// A query with weights of the caller's own. `average_length` is that of the collection, in terms.
    pub fn weighted(
        weights: impl IntoIterator<Item = (Term, f32)>,
        average_length: f32,
        tuning: &Bm25,
    ) -> WordQuery {
        let mut weights: Vec<(Term, f32)> = weights.into_iter().collect();
        weights.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
        weights.dedup_by_key(|(term, _)| *term);
        let total = weights.iter().map(|(_, weight)| weight).sum();
        let norm = (1.0 - tuning.b, tuning.b / average_length.max(1e-6));
        WordQuery { weights, total, k1: tuning.k1, date: tuning.date, norm }
    }

    /// How many terms it has.
    pub fn terms(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The share of the query's weight that these of its terms make, 0 to 1; see [`Shared::terms`].
    pub fn share(&self, held: u64) -> f32 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let terms = self.weights.iter().enumerate().take(64).filter(|(at, _)| held >> at & 1 == 1);
        (terms.map(|(_, (_, weight))| weight).sum::<f32>() / self.total).min(1.0)
    }

    /// What a term adds to the score of a row.
    fn gain(&self, weight: f32, text: u8, date: u8, length: u16) -> f32 {
        // tf = text / norm + date × its weight; the fraction is expanded by norm to divide once.
        let norm = self.norm.0 + self.norm.1 * f32::from(length);
        let count = f32::from(text) + self.date * f32::from(date) * norm;
        weight * (self.k1 + 1.0) * count / (self.k1 * norm + count)
    }
}

/// How telling a term is that `count` of `documents` rows hold (Lucene's form, never negative).
fn idf(documents: usize, count: usize) -> f32 {
    let (documents, count) = (documents.max(count) as f32, count as f32);
    (1.0 + (documents - count + 0.5) / (count + 0.5)).ln()
}

/// What a search by words found in a shard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordHits {
    /// Best first; only rows that hold a term.
    pub hits: Vec<(Slot, f32)>,
    /// The scores of all rows of the shard, whatever the filter says: for a mean over
    /// [`Shard::documents`], the zeros included.
    pub sum: f32,
    /// Their squares.
    pub sum_of_squares: f32,
}

/// What a row has in common with a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shared {
    /// Its score by its text.
    pub text: f32,
    /// What its date adds to that.
    pub date: f32,
    /// Which of the query's terms stand in its text, a bit each in the query's own order; those beyond the
    /// 64th are not told.
    pub terms: u64,
}

/// Slots scored at a time: few enough that their sums stay in the first cache, and that a small shard does
/// not pay for a large one.
const BLOCK: usize = 1024;

impl Shard {
    /// The `k` rows that pass the filter and match the query best.
    pub fn bm25(&self, query: &WordQuery, k: usize, filter: &Filter<'_>) -> WordHits {
        self.bm25_each(query, &[(*filter, k)]).pop().unwrap_or_default()
    }

    /// Several searches for the same query, each with its filter and its `k`: every row is scored once for
    /// all of them.
    pub fn bm25_each(&self, query: &WordQuery, searches: &[(Filter<'_>, usize)]) -> Vec<WordHits> {
        // most sources have no row in most shards
        let holds = |filter: &Filter<'_>| self.chunks.iter().any(|chunk| chunk.may_admit(filter));
        let top = |(filter, k)| Top::new(if holds(filter) { k } else { 0 });
        let mut tops: Vec<_> = searches.iter().map(|(filter, k)| (filter, top((filter, *k)))).collect();
        let (mut sum, mut squares) = (0.0f64, 0.0f64);
        let mut scores = [0.0f32; BLOCK];
        for segment in self.segments() {
            let mut lists: Vec<(f32, &[Posting])> = query
                .weights
                .iter()
                .map(|(term, weight)| (*weight, segment.postings(*term)))
                .filter(|(_, list)| !list.is_empty())
                .collect();
            while let Some(start) = lists.iter().filter_map(|(_, list)| Some(list.first()?.slot)).min() {
                let mut end = 0;
                for (weight, list) in &mut lists {
                    let here = list.partition_point(|posting| ((posting.slot - start) as usize) < BLOCK);
                    let (block, rest) = list.split_at(here);
                    for posting in block {
                        let at = (posting.slot - start) as usize;
                        scores[at] += query.gain(*weight, posting.text, posting.date, posting.length);
                        end = end.max(at + 1);
                    }
                    *list = rest;
                }
                for (slot, score) in (start..).zip(&mut scores[..end]) {
                    let score = std::mem::take(score);
                    if score == 0.0 || (self.any_gone() && !self.is_live(slot)) {
                        continue;
                    }
                    sum += f64::from(score);
                    squares += f64::from(score).powi(2);
                    if tops.iter().all(|(_, top)| score < top.bar) {
                        continue;
                    }
                    let Some(meta) = self.meta(Slot(slot)) else { continue };
                    for (filter, top) in &mut tops {
                        if score >= top.bar && filter.admits(meta.id, meta.at, meta.expires_at, meta.source) {
                            top.push(score, slot);
                        }
                    }
                }
            }
        }
        let hits =
            |top: Top| top.into_sorted().into_iter().map(|(score, slot)| (Slot(slot), score)).collect();
        let found = |top| WordHits { hits: hits(top), sum: sum as f32, sum_of_squares: squares as f32 };
        tops.into_iter().map(|(_, top)| found(top)).collect()
    }

    /// What a row has in common with a query.
    pub fn shared(&self, slot: Slot, query: &WordQuery) -> Shared {
        let length = self.meta(slot).map_or(0, |meta| meta.length);
        let mut shared = Shared::default();
        for (at, weight, entry) in self.places(slot, query) {
            let text = query.gain(weight, entry.text, 0, length);
            shared.text += text;
            shared.date += query.gain(weight, entry.text, entry.date, length) - text;
            if entry.text > 0 && at < 64 {
                shared.terms |= 1 << at;
            }
        }
        shared
    }

    /// The share of the query's weight the row holds, 0 to 1; 0 for an empty query. The date holds
    /// nothing unless the query looks there.
    pub fn coverage_of(&self, slot: Slot, query: &WordQuery) -> f32 {
        if query.total <= 0.0 {
            return 0.0;
        }
        let held = self.places(slot, query).fold(0.0, |sum, (_, weight, _)| sum + weight);
        (held / query.total).min(1.0)
    }

    /// The terms of the query that the row holds in a field the query looks at, each with its place in the
    /// query and its weight. Both are in the order of the terms.
    fn places<'a>(
        &'a self,
        slot: Slot,
        query: &'a WordQuery,
    ) -> impl Iterator<Item = (usize, f32, &'a Entry)> {
        let mut entries = self.entries(slot).iter().peekable();
        query.weights.iter().enumerate().filter_map(move |(place, (term, weight))| {
            while entries.next_if(|entry| entry.term < *term).is_some() {}
            let entry = entries.next_if(|entry| entry.term == *term)?;
            (entry.text > 0 || query.date > 0.0).then_some((place, *weight, entry))
        })
    }

    /// How many rows hold the term in their text, or with `dated` in their date.
    pub fn document_frequency(&self, term: Term, dated: bool) -> usize {
        let holds = |posting: &&Posting| {
            (dated || posting.text > 0) && (!self.any_gone() || self.is_live(posting.slot))
        };
        let all = dated && !self.any_gone();
        let count = |list: &[Posting]| if all { list.len() } else { list.iter().filter(holds).count() };
        self.segments().map(|segment| count(segment.postings(term))).sum()
    }
}
