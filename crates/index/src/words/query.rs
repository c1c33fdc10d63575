//! BM25 over the fields text and date (Robertson & Zaragoza 2009, BM25F with lengths for the text alone),
//! and coverage, the share of a query a row holds.

use super::analyse::Term;
use super::segment::{Entry, Posting, Segment};
use crate::chunk::CHUNK;
use crate::dense::sort_hits;
use crate::filter::Filter;
use crate::kernels::Kernels;
use crate::row::Slot;
use crate::shard::Shard;
use crate::sums::Sums;
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

    /// Its terms, ascending, and what each weighs.
    pub fn weights(&self) -> &[(Term, f32)] {
        &self.weights
    }

    /// Whether there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The share of the query's weight that these of its terms make, 0 to 1; see [`Shared::terms`].
    pub fn share(&self, held: u64) -> f32 {
        self.share_of(held, |place| self.weights.get(place).map_or(0.0, |(_, weight)| *weight))
    }

    /// The same of the terms of another query, which weigh so much in this one.
    pub fn share_by(&self, weights: &[f32], held: u64) -> f32 {
        self.share_of(held, |place| weights.get(place).copied().unwrap_or(0.0))
    }

    fn share_of(&self, mut held: u64, weight: impl Fn(usize) -> f32) -> f32 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let mut sum = 0.0;
        while held != 0 {
            sum += weight(held.trailing_zeros() as usize);
            held &= held - 1;
        }
        (sum / self.total).min(1.0)
    }

    /// The terms of the query that a row holds in a field the query looks at, each with its place in the
    /// query and its weight. Both are in the order of the terms.
    fn places(&self, mut entries: &[Entry], mut each: impl FnMut(usize, f32, &Entry)) {
        for (place, (term, weight)) in self.weights.iter().enumerate() {
            let Some(next) = entries.iter().position(|entry| { entry.term } >= *term) else { return };
            entries = &entries[next..];
            if let Some(entry) = entries.first().filter(|entry| { entry.term } == *term)
                && (entry.text > 0 || self.date > 0.0)
            {
                each(place, *weight, entry);
            }
        }
    }

    /// What a row of so many terms has in common with it.
    pub(crate) fn shared(&self, entries: &[Entry], length: u16) -> Shared {
        let mut shared = Shared::default();
        self.places(entries, |place, weight, entry| {
            let text = self.gain(weight, entry.text, 0, length);
            shared.text += text;
            if entry.date > 0 {
                shared.date += self.gain(weight, entry.text, entry.date, length) - text;
            }
            if entry.text > 0 && place < 64 {
                shared.terms |= 1 << place;
            }
        });
        shared
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
    /// With the score; only rows that hold a term.
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

/// The rows of a segment that hold a term, those that are not scored yet.
struct List<'a> {
    weight: f32,
    /// What a row of each length gains that has the term once in its text, as most do.
    gains: Vec<f32>,
    postings: &'a [Posting],
}

/// Texts that are shorter than this have their gain looked up, where a list is longer than that.
const LENGTHS: u16 = 64;

impl<'a> List<'a> {
    fn of(query: &WordQuery, weight: f32, postings: &'a [Posting]) -> Self {
        let lengths = if postings.len() > usize::from(LENGTHS) { 0..LENGTHS } else { 0..0 };
        let gains = lengths.map(|length| query.gain(weight, 1, 0, length)).collect();
        Self { weight, gains, postings }
    }

    /// Scores the rows from slot `first` on, and has them no more.
    fn score(&mut self, query: &WordQuery, first: u32, scores: &mut [f32; CHUNK]) {
        let at_most = self.postings.len().saturating_sub(CHUNK);
        let here = at_most + self.postings[at_most..].partition_point(|posting| posting.slot < first);
        let (rest, here) = self.postings.split_at(here);
        for Posting { slot, length, text, date } in here {
            let gain = match self.gains.get(usize::from(*length)) {
                Some(gain) if (*text, *date) == (1, 0) => *gain,
                _ => query.gain(self.weight, *text, *date, *length),
            };
            if let Some(score) = scores.get_mut((slot - first) as usize) {
                *score += gain;
            }
        }
        self.postings = rest;
    }
}

fn lists<'a>(query: &WordQuery, segment: &'a Segment) -> Vec<List<'a>> {
    let held = query.weights.iter().map(|(term, weight)| (*weight, segment.postings(*term)));
    held.filter(|(_, list)| !list.is_empty()).map(|(weight, list)| List::of(query, weight, list)).collect()
}

impl Shard {
    /// The `k` rows that pass the filter and match the query best, best first, of two equals the newer.
    pub fn bm25(&self, query: &WordQuery, k: usize, filter: &Filter<'_>) -> WordHits {
        let mut found = self.bm25_each(query, &[(*filter, k)]).pop().unwrap_or_default();
        sort_hits(&mut found.hits);
        found
    }

    /// Several searches for the same query, each with its filter and its `k`: every row is scored once for
    /// all of them. What each finds is in no order.
    pub fn bm25_each(&self, query: &WordQuery, searches: &[(Filter<'_>, usize)]) -> Vec<WordHits> {
        let kernels = Kernels::detect();
        let top = |(filter, k): &(_, usize)| (*filter, Top::above(0.0, *k, kernels));
        let mut tops: Vec<_> = searches.iter().map(top).collect();
        let mut sums = Sums::default();
        // a chunk at a time, so that their sums stay in the first cache
        let mut scores = [0.0f32; CHUNK];
        for segment in self.segments().rev() {
            let mut lists = lists(query, segment);
            while let Some(last) = lists.iter().filter_map(|list| Some(list.postings.last()?.slot)).max() {
                let at = last as usize / CHUNK;
                let first = (at * CHUNK) as u32;
                lists.iter_mut().for_each(|list| list.score(query, first, &mut scores));
                let Some(chunk) = self.chunks.get(at) else { continue };
                chunk.forget_gone(&mut scores);
                let largest = sums.add(kernels, &scores);
                for (filter, top) in &mut tops {
                    chunk.offer(&scores, largest, filter, top, first);
                }
                scores.fill(0.0);
            }
        }
        let (sum, sum_of_squares) = (sums.sum as f32, sums.squares as f32);
        let hits = |top: Top| top.into_hits().map(|(score, slot)| (Slot(slot), score)).collect();
        tops.into_iter().map(|(_, top)| WordHits { hits: hits(top), sum, sum_of_squares }).collect()
    }

    /// What a row has in common with a query.
    pub fn shared(&self, slot: Slot, query: &WordQuery) -> Shared {
        query.shared(self.entries(slot), self.meta(slot).map_or(0, |meta| meta.length))
    }

    /// The share of the query's weight the row holds, 0 to 1; 0 for an empty query. The date holds
    /// nothing unless the query looks there.
    pub fn coverage_of(&self, slot: Slot, query: &WordQuery) -> f32 {
        if query.total <= 0.0 {
            return 0.0;
        }
        let mut held = 0.0;
        query.places(self.entries(slot), |_, weight, _| held += weight);
        (held / query.total).min(1.0)
    }

    /// How many rows hold the term in their text, or with `dated` in their date.
    pub fn document_frequency(&self, term: Term, dated: bool) -> usize {
        if !self.any_gone() {
            return self.segments().map(|segment| segment.count(term, dated)).sum();
        }
        let holds = |posting: &&Posting| (dated || posting.text > 0) && self.is_live(posting.slot);
        self.segments().map(|segment| segment.postings(term).iter().filter(holds).count()).sum()
    }
}
