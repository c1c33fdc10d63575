//! Search by meaning: every row is scored by its code, and the nearest few rows again in full precision.

use std::sync::Arc;

use crate::chunk::{CHUNK, Chunk};
use crate::filter::Filter;
use crate::kernels::{self, Kernels};
use crate::row::{Slot, VectorError};
use crate::shard::Shard;
use crate::sums::ScoreSums;
use crate::top::TopK;
use crate::vectors::{UnitVector, Vectors};

/// The result of a search by meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseHits {
    /// Each hit with its cosine.
    pub hits: Vec<(Slot, f32)>,
    /// The mean cosine of all rows with a vector, regardless of the filter. It is computed from codes; after a graph
    /// search, from a fixed sample.
    pub mean: f32,
    /// The standard deviation of the same.
    pub deviation: f32,
}

/// How many rows are scored again for `k` hits. A code is wrong by about a thousandth, which moves a row by a few
/// ranks, regardless of the number of rows. With this many candidates recall@10 is at least .999.
pub(crate) fn candidates(k: usize) -> usize {
    if k == 0 { 0 } else { k + (k / 4).max(14) }
}

impl Shard {
    /// The `k` rows nearest to `query` that pass the filter, best first; of two equal rows the newer comes first.
    /// Uses the graph if its recall is good and the filter lets enough rows pass, otherwise the exact search.
    ///
    /// # Errors
    /// A query that is no usable vector of this shard.
    pub fn nearest(&self, query: &[f32], k: usize, filter: &Filter<'_>) -> Result<DenseHits, VectorError> {
        let query = UnitVector::new(query, self.dimension)?;
        let mut found = self.nearest_each(&query, &[(*filter, k)])?.pop().unwrap_or_default();
        sort_hits(&mut found.hits);
        Ok(found)
    }

    /// Several searches for the same query, each with its filter and its `k`. Without a graph every row is scored
    /// once for all of them. The hits of each search are unordered.
    ///
    /// # Errors
    /// A query of another dimension.
    pub fn nearest_each(
        &self,
        query: &UnitVector,
        searches: &[(Filter<'_>, usize)],
    ) -> Result<Vec<DenseHits>, VectorError> {
        let kernels = Kernels::detect();
        let query = query.of_dimension(self.dimension)?;
        if self.graph().is_none() {
            return Ok(self.scan(kernels, query, searches));
        }
        let nearest = |(filter, k): &(Filter<'_>, usize)| {
            let scan = || self.scan(kernels, query, &[(*filter, *k)]).pop().unwrap_or_default();
            self.search_graph(kernels, query, *k, filter).unwrap_or_else(scan)
        };
        Ok(searches.iter().map(nearest).collect())
    }

    /// Returns a function for the cosine of any row with a query; the function returns `None` if the row has no vector.
    ///
    /// # Errors
    /// A query of another dimension.
    pub fn cosines<'a>(
        &'a self,
        query: &'a UnitVector,
    ) -> Result<impl Fn(Slot) -> Option<f32> + use<'a>, VectorError> {
        let query = query.of_dimension(self.dimension)?;
        let kernels = Kernels::detect();
        Ok(move |slot: Slot| {
            let (chunk, row) = self.locate(slot.0)?;
            let live = chunk.vectors.has(row) && !chunk.is_deleted(row);
            live.then(|| chunk.vectors.cosine(kernels, query, self.dimension, row))
        })
    }

    /// Scores every row once for several searches.
    pub(crate) fn scan(
        &self,
        kernels: Kernels,
        query: &UnitVector,
        searches: &[(Filter<'_>, usize)],
    ) -> Vec<DenseHits> {
        let mut sums = ScoreSums::default();
        let top = |(filter, k): &(_, usize)| (*filter, TopK::new(candidates(*k)));
        let mut tops: Vec<_> = searches.iter().map(top).collect();
        self.scan_chunks(kernels, query, &mut tops, &mut sums, |_| true);
        let hits = |((_, k), (_, top)): (&(_, usize), _)| {
            DenseHits::of(&sums, self.vectors, self.rescore(kernels, query, *k, top))
        };
        searches.iter().zip(tops).map(hits).collect()
    }

    /// Scores the rows of the chunks that `wanted` selects, by their codes.
    pub(crate) fn scan_chunks(
        &self,
        kernels: Kernels,
        query: &UnitVector,
        searches: &mut [(Filter<'_>, TopK)],
        sums: &mut ScoreSums,
        wanted: impl Fn(usize) -> bool,
    ) {
        let (mut dots, mut scores) = ([0; CHUNK], [0.0; CHUNK]);
        // the newest first: the search keeps the newer of two equal rows
        for (at, chunk) in self.chunks.iter().enumerate().rev().filter(|(at, _)| wanted(*at)) {
            let next = self.read_ahead(at);
            let rows = chunk.vectors.score(kernels, query.codes(), next, &mut dots, &mut scores);
            let scores = &mut scores[..rows];
            chunk.forget_deleted(scores);
            let largest = sums.add(kernels, scores);
            chunk.vectors.hide_missing(scores);
            for (filter, top) in &mut *searches {
                chunk.offer(scores, largest, filter, top, (at * CHUNK) as u32);
            }
        }
    }

    /// The vectors of the chunk that is scored after this one. Also prefetches the pointers to the chunks beyond, so
    /// that the first read of a chunk does not wait.
    fn read_ahead(&self, at: usize) -> Option<&Vectors> {
        let chunk = |steps| self.chunks.get(at.checked_sub(steps)?);
        if let Some(chunk) = chunk(3) {
            kernels::prefetch(std::slice::from_ref::<Chunk>(chunk));
        }
        if let Some(chunk) = chunk(2) {
            kernels::prefetch(std::slice::from_ref::<Vectors>(&chunk.vectors));
        }
        chunk(1).map(|chunk| &*chunk.vectors)
    }

    /// The best `k` of the candidates by their cosines in full precision.
    pub(crate) fn rescore(&self, kernels: Kernels, query: &UnitVector, k: usize, candidates: TopK) -> TopK {
        let mut top = TopK::new(k);
        let locate = |(_, slot)| {
            let (chunk, row) = self.locate(slot)?;
            kernels::prefetch(chunk.vectors.residuals(self.dimension, row));
            Some((slot, chunk, row))
        };
        let candidates: Vec<(u32, &Arc<Chunk>, usize)> = candidates.into_hits().filter_map(locate).collect();
        for (slot, chunk, row) in candidates {
            top.push(chunk.vectors.cosine(kernels, query, self.dimension, row), slot);
        }
        top
    }
}

impl DenseHits {
    /// The hits, and the statistics of `count` scores, zeros included.
    pub(crate) fn of(sums: &ScoreSums, count: usize, top: TopK) -> DenseHits {
        let hits = top.into_hits().map(|(score, slot)| (Slot(slot), score)).collect();
        if count == 0 {
            return DenseHits { hits, ..DenseHits::default() };
        }
        let mean = sums.sum / count as f64;
        let deviation = (sums.squares / count as f64 - mean * mean).max(0.0).sqrt();
        DenseHits { hits, mean: mean as f32, deviation: deviation as f32 }
    }
}

/// Sorts hits best first; of two equal hits the newer comes first.
pub(crate) fn sort_hits(hits: &mut [(Slot, f32)]) {
    hits.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
}
