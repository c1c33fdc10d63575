//! The nearest rows by meaning: the bytes of every row are scored, and the best few of those anew in full.

use std::sync::Arc;

use crate::chunk::{CHUNK, Chunk};
use crate::filter::Filter;
use crate::kernels::{self, Kernels};
use crate::row::{Slot, VectorError};
use crate::shard::Shard;
use crate::top::Top;
use crate::vectors::{Unit, Vectors};

/// What a search by meaning found in a shard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nearest {
    /// Best first, with the cosine; of two equals the newer first.
    pub hits: Vec<(Slot, f32)>,
    /// The mean cosine of all rows with a vector, whatever the filter says. Of the bytes, and of a fixed
    /// sample where a graph was searched.
    pub mean: f32,
    /// The standard deviation of the same.
    pub deviation: f32,
}

/// Candidates by bytes for `k` hits: with that many, rescoring finds all that matter (recall@10 ≥ .999).
pub(crate) fn candidates(k: usize) -> usize {
    if k == 0 { 0 } else { (2 * k).max(24) }
}

impl Shard {
    /// The `k` rows nearest to `query` that pass the filter: by the graph where there is one that is good
    /// enough and the filter lets enough pass, else exactly.
    ///
    /// # Errors
    /// A query that is no usable vector of this shard.
    pub fn nearest(&self, query: &[f32], k: usize, filter: &Filter<'_>) -> Result<Nearest, VectorError> {
        let query = Unit::new(query, self.dimension)?;
        let kernels = Kernels::detect();
        Ok(match self.walk(kernels, &query, k, filter) {
            Some(nearest) => nearest,
            None => self.scan(kernels, &query, k, filter),
        })
    }

    /// Several searches for the same query, each with its filter and its `k`: where there is no graph, every
    /// row is scored once for all of them.
    ///
    /// # Errors
    /// As [`Shard::nearest`].
    pub fn nearest_each(
        &self,
        query: &[f32],
        searches: &[(Filter<'_>, usize)],
    ) -> Result<Vec<Nearest>, VectorError> {
        if self.graph().is_some() {
            return searches.iter().map(|(filter, k)| self.nearest(query, *k, filter)).collect();
        }
        let query = Unit::new(query, self.dimension)?;
        Ok(self.scan_each(Kernels::detect(), &query, searches))
    }

    /// The same, exactly, whether there is a graph or not.
    ///
    /// # Errors
    /// As [`Shard::nearest`].
    pub fn nearest_exact(
        &self,
        query: &[f32],
        k: usize,
        filter: &Filter<'_>,
    ) -> Result<Nearest, VectorError> {
        Ok(self.scan(Kernels::detect(), &Unit::new(query, self.dimension)?, k, filter))
    }

    /// The same without the bytes, every row in full: what the others are measured against.
    ///
    /// # Errors
    /// As [`Shard::nearest`].
    pub fn nearest_in_full(
        &self,
        query: &[f32],
        k: usize,
        filter: &Filter<'_>,
    ) -> Result<Nearest, VectorError> {
        let query = Unit::new(query, self.dimension)?;
        let kernels = Kernels::detect();
        let (mut search, mut sums) = ([(*filter, Top::new(k))], Sums::default());
        let mut scores = [0.0; CHUNK];
        for (at, chunk) in self.chunks.iter().enumerate() {
            let rows = chunk.vectors.score_full(kernels, &query, self.look_ahead(at), &mut scores);
            self.consider(kernels, at, chunk, &mut scores[..rows], &mut search, &mut sums);
        }
        let [(_, top)] = search;
        Ok(sums.nearest(self.vectors, top))
    }

    /// The cosine of a row with a query; nothing if the row has no vector.
    ///
    /// # Errors
    /// As [`Shard::nearest`].
    pub fn cosine(&self, slot: Slot, query: &[f32]) -> Result<Option<f32>, VectorError> {
        Ok(self.cosines(query)?(slot))
    }

    /// The same for many rows: the query is looked at once.
    ///
    /// # Errors
    /// As [`Shard::nearest`].
    pub fn cosines(&self, query: &[f32]) -> Result<impl Fn(Slot) -> Option<f32>, VectorError> {
        let query = Unit::new(query, self.dimension)?;
        let kernels = Kernels::detect();
        Ok(move |slot: Slot| {
            let (chunk, row) = self.place(slot.0)?;
            let found = chunk.vectors.has(row) && !chunk.is_gone(row);
            found.then(|| chunk.vectors.cosine(kernels, &query, self.dimension, row))
        })
    }

    /// Scores every row.
    pub(crate) fn scan(&self, kernels: Kernels, query: &Unit, k: usize, filter: &Filter<'_>) -> Nearest {
        self.scan_each(kernels, query, &[(*filter, k)]).pop().unwrap_or_default()
    }

    /// Scores every row once for several searches.
    fn scan_each(&self, kernels: Kernels, query: &Unit, searches: &[(Filter<'_>, usize)]) -> Vec<Nearest> {
        let mut sums = Sums::default();
        let mut tops: Vec<_> =
            searches.iter().map(|(filter, k)| (*filter, Top::new(candidates(*k)))).collect();
        self.scan_chunks(kernels, query, &mut tops, &mut sums, |_, _| true);
        let found = searches
            .iter()
            .zip(tops)
            .map(|((_, k), (_, top))| sums.nearest(self.vectors, self.rescore(kernels, query, *k, top)));
        found.collect()
    }

    /// Scores the rows of the chunks that `wanted` says, by their bytes, for searches with their filters.
    pub(crate) fn scan_chunks(
        &self,
        kernels: Kernels,
        query: &Unit,
        searches: &mut [(Filter<'_>, Top)],
        sums: &mut Sums,
        wanted: impl Fn(usize, &Arc<Chunk>) -> bool,
    ) {
        let (mut dots, mut scores) = ([0; CHUNK], [0.0; CHUNK]);
        for (at, chunk) in self.chunks.iter().enumerate().filter(|(at, chunk)| wanted(*at, chunk)) {
            let next = self.look_ahead(at);
            let rows = chunk.vectors.score(kernels, query, next, &mut dots, &mut scores);
            self.consider(kernels, at, chunk, &mut scores[..rows], searches, sums);
        }
    }

    /// The vectors after those of this chunk. Asks for the chunks beyond, a step of the way to each: at the
    /// first read of a chunk nothing is waited for.
    fn look_ahead(&self, at: usize) -> Option<&Vectors> {
        if let Some(chunk) = self.chunks.get(at + 3) {
            kernels::prefetch(std::slice::from_ref(&**chunk));
        }
        if let Some(chunk) = self.chunks.get(at + 2) {
            kernels::prefetch(std::slice::from_ref(&*chunk.vectors));
        }
        self.chunks.get(at + 1).map(|chunk| &*chunk.vectors)
    }

    /// Takes note of the scores of a chunk.
    fn consider(
        &self,
        kernels: Kernels,
        at: usize,
        chunk: &Chunk,
        scores: &mut [f32],
        searches: &mut [(Filter<'_>, Top)],
        sums: &mut Sums,
    ) {
        if chunk.any_gone() {
            for (_, score) in scores.iter_mut().enumerate().filter(|(row, _)| chunk.is_gone(*row)) {
                *score = 0.0;
            }
        }
        let largest = kernels.run(|| sums.add(scores));
        for (filter, top) in searches {
            if largest < top.bar || !chunk.may_admit(filter) {
                continue;
            }
            let all = !chunk.any_gone() && chunk.admits_all(filter);
            for (row, score) in scores.iter().enumerate() {
                if *score >= top.bar && chunk.vectors.has(row) && (all || chunk.admits(row, filter)) {
                    top.push(*score, (at * CHUNK + row) as u32);
                }
            }
        }
    }

    /// The best `k` of the candidates by their cosines in full.
    pub(crate) fn rescore(&self, kernels: Kernels, query: &Unit, k: usize, candidates: Top) -> Top {
        let mut top = Top::new(k);
        let candidates = candidates.into_sorted();
        for (_, slot) in &candidates {
            if let Some((chunk, row)) = self.place(*slot) {
                kernels::prefetch(chunk.vectors.full(self.dimension, row));
            }
        }
        for (_, slot) in candidates {
            if let Some((chunk, row)) = self.place(slot) {
                top.push(chunk.vectors.cosine(kernels, query, self.dimension, row), slot);
            }
        }
        top
    }
}

/// Sums of scores, in columns so that the compiler adds them side by side.
#[derive(Default)]
pub(crate) struct Sums {
    sum: f64,
    squares: f64,
}

impl Sums {
    /// Adds scores; returns the largest of them.
    #[inline(always)]
    pub(crate) fn add(&mut self, scores: &[f32]) -> f32 {
        let (mut sum, mut squares, mut largest) = ([0.0f32; 16], [0.0f32; 16], [f32::NEG_INFINITY; 16]);
        let (sixteens, rest) = scores.as_chunks::<16>();
        for sixteen in sixteens {
            for at in 0..16 {
                let score = sixteen[at];
                sum[at] += score;
                squares[at] += score * score;
                largest[at] = if score > largest[at] { score } else { largest[at] };
            }
        }
        let largest = largest.iter().chain(rest).fold(f32::NEG_INFINITY, |one, other| one.max(*other));
        self.sum += f64::from(sum.iter().chain(rest).sum::<f32>());
        let rest: f32 = rest.iter().map(|score| score * score).sum();
        self.squares += f64::from(squares.iter().sum::<f32>() + rest);
        largest
    }

    /// The statistics of `count` scores, those that are zero included, and the hits.
    pub(crate) fn nearest(&self, count: usize, top: Top) -> Nearest {
        let hits = top.into_sorted().into_iter().map(|(score, slot)| (Slot(slot), score)).collect();
        if count == 0 {
            return Nearest { hits, ..Nearest::default() };
        }
        let mean = self.sum / count as f64;
        let deviation = (self.squares / count as f64 - mean * mean).max(0.0).sqrt();
        Nearest { hits, mean: mean as f32, deviation: deviation as f32 }
    }
}
