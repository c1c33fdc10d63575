//! BM25 over the fields text and date (Robertson & Zaragoza 2009: BM25F, with length normalisation for the text alone),
//! and coverage, the share of a query's weight that a row contains.

use super::analyse::Term;
use super::segment::{Entry, Posting};
use crate::chunk::CHUNK;
use crate::dense::sort_hits;
use crate::filter::Filter;
use crate::kernels::Kernels;
use crate::row::Slot;
use crate::shard::Shard;
use crate::sums::ScoreSums;
use crate::top::TopK;

/// The constants of BM25.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    /// How fast repetitions of a term lose weight.
    pub k1: f32,
    /// How much a long text reduces a row's score, 0 to 1.
    pub b: f32,
    /// The weight of a term in the date; a term in the text weighs 1.
    pub date: f32,
    /// In a collection of more than `large` rows, terms that occur in more than this share of them are dropped,
    /// provided that a rarer term is left.
    pub frequent: f32,
    /// See [`Bm25::frequent`].
    pub large: usize,
}

impl Default for Bm25 {
    fn default() -> Self {
        Bm25 { k1: 1.2, b: 0.75, date: 1.0, frequent: 0.2, large: 20_000 }
    }
}

/// A query by words, weighed over a collection of one or more shards.
#[derive(Clone, Debug)]
pub struct WordQuery {
    /// Sorted by term, without the dropped frequent terms.
    weights: Vec<(Term, f32)>,
    total: f32,
    k1: f32,
    date: f32,
    /// A text's norm is `norm.0 + norm.1 × length`.
    norm: (f32, f32),
}

impl WordQuery {
    /// Weighs the terms by their rarity in all shards as one collection. The caller gives each term a factor (1.0:
    /// neutral). The largest factor of a repeated term counts.
    pub fn over(shards: &[&Shard], terms: impl IntoIterator<Item = (Term, f32)>, tuning: &Bm25) -> WordQuery {
        let documents: usize = shards.iter().map(|shard| shard.documents()).sum();
        let length: u64 = shards.iter().map(|shard| shard.length).sum();
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
        let weights: Vec<_> =
            weights.map(|(term, factor, count)| (term, factor * idf(documents, count))).collect();
        let total = weights.iter().map(|(_, weight)| weight).sum();
        let norm = (1.0 - tuning.b, tuning.b / average.max(1e-6));
        WordQuery { weights, total, k1: tuning.k1, date: tuning.date, norm }
    }

    /// The number of terms in the query.
    pub fn terms(&self) -> usize {
        self.weights.len()
    }

    /// Whether the query has no terms.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The share of the query's weight, 0 to 1, that belongs to a set of its terms; see [`Overlap::terms`].
    pub fn share(&self, mut terms: u64) -> f32 {
        let mut sum = 0.0;
        while terms != 0 {
            sum += self.weights.get(terms.trailing_zeros() as usize).map_or(0.0, |(_, weight)| *weight);
            terms &= terms - 1;
        }
        self.share_of(sum)
    }

    fn share_of(&self, weight: f32) -> f32 {
        if self.total > 0.0 { (weight / self.total).min(1.0) } else { 0.0 }
    }

    /// Calls `each` for every query term that a row has in a searched field, with the term's index in the query and its
    /// weight. Both lists are sorted by term.
    fn matches(&self, mut entries: &[Entry], mut each: impl FnMut(usize, f32, &Entry)) {
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

    /// The terms that a row with these entries shares with the query.
    pub(crate) fn overlap(&self, entries: &[Entry], length: u16) -> Overlap {
        let mut overlap = Overlap::default();
        self.matches(entries, |place, weight, entry| {
            let text = self.score(weight, entry.text, 0, length);
            overlap.text += text;
            if entry.date > 0 {
                overlap.date += self.score(weight, entry.text, entry.date, length) - text;
            }
            if entry.in_lead {
                overlap.lead += weight;
            }
            if entry.text > 0 && place < 64 {
                overlap.terms |= 1 << place;
            }
        });
        overlap
    }

    /// See [`RowRef::coverage`](crate::RowRef::coverage).
    pub(crate) fn coverage(&self, entries: &[Entry]) -> f32 {
        let mut sum = 0.0;
        self.matches(entries, |_, weight, _| sum += weight);
        self.share_of(sum)
    }

    /// The contribution of a term to the score of a row, given its counts in the two fields.
    #[inline]
    fn score(&self, weight: f32, text: u8, date: u8, length: u16) -> f32 {
        // tf = text / norm + date × the date's weight; the fraction is expanded by norm, which saves a division
        let norm = self.norm.0 + self.norm.1 * f32::from(length);
        let count = f32::from(text) + self.date * f32::from(date) * norm;
        weight * (self.k1 + 1.0) * count / (self.k1 * norm + count)
    }
}

/// The inverse document frequency of a term that occurs in `count` of `documents` rows (Lucene's formula, never
/// negative).
fn idf(documents: usize, count: usize) -> f32 {
    let (documents, count) = (documents.max(count) as f32, count as f32);
    (1.0 + (documents - count + 0.5) / (count + 0.5)).ln()
}

/// The result of a search by words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordHits {
    /// Each hit with its score; only rows that have a term of the query.
    pub hits: Vec<(Slot, f32)>,
    /// The sum of the scores of all rows of the shard, regardless of the filter. Divided by [`Shard::documents`] it
    /// is the mean.
    pub sum: f32,
    /// The sum of their squares.
    pub sum_of_squares: f32,
}

/// The common terms of a row and a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// The row's score by its text.
    pub text: f32,
    /// The additional score by its date.
    pub date: f32,
    /// The weight of the terms among the first thirty of the text.
    pub lead: f32,
    /// The query's terms in the text: one bit for each of the first 64, in the query's order.
    pub terms: u64,
}

/// The postings of a query term in a segment that are not scored yet.
struct Unscored<'a> {
    weight: f32,
    postings: &'a [Posting],
}

impl Unscored<'_> {
    /// Scores the rows of one chunk, from slot `first` on.
    fn score_chunk(&mut self, query: &WordQuery, first: u32, scores: &mut [f32; CHUNK]) {
        let at_most = self.postings.len().saturating_sub(CHUNK);
        let begin = at_most + self.postings[at_most..].partition_point(|posting| posting.slot < first);
        let (rest, here) = self.postings.split_at(begin);
        for Posting { slot, length, text, date } in here {
            if let Some(score) = scores.get_mut((slot - first) as usize) {
                *score += query.score(self.weight, *text, *date, *length);
            }
        }
        self.postings = rest;
    }
}

impl Shard {
    /// The `k` rows that pass the filter and match the query best, best first; of two equal rows the newer comes
    /// first.
    pub fn bm25(&self, query: &WordQuery, k: usize, filter: &Filter<'_>) -> WordHits {
        let mut found = self.bm25_each(query, &[(*filter, k)]).pop().unwrap_or_default();
        sort_hits(&mut found.hits);
        found
    }

    /// Several searches for the same query, each with its filter and its `k`: every row is scored once for all of
    /// them. The hits of each search are unordered.
    pub fn bm25_each(&self, query: &WordQuery, searches: &[(Filter<'_>, usize)]) -> Vec<WordHits> {
        let kernels = Kernels::detect();
        let top = |(filter, k): &(_, usize)| (*filter, TopK::above(0.0, *k));
        let mut tops: Vec<_> = searches.iter().map(top).collect();
        let mut sums = ScoreSums::default();
        // chunk by chunk, the newest first, so that the scores stay in the L1 cache
        let mut scores = [0.0f32; CHUNK];
        for segment in self.segments.iter().rev() {
            let unscored = |(term, weight): &(Term, f32)| Unscored {
                weight: *weight,
                postings: segment.postings(*term),
            };
            let mut lists: Vec<_> = query.weights.iter().map(unscored).collect();
            while let Some(last) = lists.iter().filter_map(|list| Some(list.postings.last()?.slot)).max() {
                let at = last as usize / CHUNK;
                let first = (at * CHUNK) as u32;
                lists.iter_mut().for_each(|list| list.score_chunk(query, first, &mut scores));
                let Some(chunk) = self.chunks.get(at) else { continue };
                chunk.forget_deleted(&mut scores);
                let largest = sums.add(kernels, &scores);
                for (filter, top) in &mut tops {
                    chunk.offer(&scores, largest, filter, top, first);
                }
                scores.fill(0.0);
            }
        }
        let (sum, sum_of_squares) = (sums.sum as f32, sums.squares as f32);
        let hits = |top: TopK| top.into_hits().map(|(score, slot)| (Slot(slot), score)).collect();
        tops.into_iter().map(|(_, top)| WordHits { hits: hits(top), sum, sum_of_squares }).collect()
    }

    /// The number of live rows with the term in their text or, with `dated`, in their date.
    pub fn document_frequency(&self, term: Term, dated: bool) -> usize {
        if self.deleted == 0 {
            return self.segments.iter().map(|segment| segment.count(term, dated)).sum();
        }
        let counts = |posting: &&Posting| (dated || posting.text > 0) && self.meta(posting.slot).is_some();
        self.segments.iter().map(|segment| segment.postings(term).iter().filter(counts).count()).sum()
    }
}
