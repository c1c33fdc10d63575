//! The nearest rows by meaning: the bytes of every row are scored, and the best few of those anew in full.

use std::sync::Arc;

use crate::chunk::{CHUNK, Chunk};
use crate::filter::Filter;
use crate::kernels::{self, Kernels};
use crate::row::{Slot, VectorError};
use crate::shard::Shard;
use crate::sums::Sums;
use crate::top::Top;
use crate::vectors::{Unit, Vectors};

/// What a search by meaning found in a shard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nearest {
    /// With the cosine.
    pub hits: Vec<(Slot, f32)>,
    /// The mean cosine of all rows with a vector, whatever the filter says. Of the bytes, and of a fixed
    /// sample where a graph was searched.
    pub mean: f32,
    /// The standard deviation of the same.
    pub deviation: f32,
}

/// Candidates by bytes for `k` hits: with that many, rescoring finds all that matter (recall@10 ≥ .999). The
/// bytes are wrong by a thousandth or so, which a few ranks make up for, however many there are.
pub(crate) fn candidates(k: usize) -> usize {
    if k == 0 { 0 } else { k + (k / 4).max(14) }
}

impl Shard {
    /// The `k` rows nearest to `query` that pass the filter, best first, of two equals the newer: by the
    /// graph where there is one that is good enough and the filter lets enough pass, else exactly.
    ///
    /// # Errors
    /// A query that is no usable vector of this shard.
    pub fn nearest(&self, query: &[f32], k: usize, filter: &Filter<'_>) -> Result<Nearest, VectorError> {
        let query = Unit::new(query, self.dimension)?;
        Ok(self.nearest_one(Kernels::detect(), &query, k, filter).sorted())
    }

    /// Several searches for the same query, each with its filter and its `k`: where there is no graph, every
    /// row is scored once for all of them. What each finds is in no order.
    ///
    /// # Errors
    /// A query of another dimension.
    pub fn nearest_each(
        &self,
        query: &Unit,
        searches: &[(Filter<'_>, usize)],
    ) -> Result<Vec<Nearest>, VectorError> {
        let kernels = Kernels::detect();
        let query = query.of(self.dimension)?;
        Ok(match self.graph() {
            Some(_) => {
                let nearest = |(filter, k): &(_, _)| self.nearest_one(kernels, query, *k, filter);
                searches.iter().map(nearest).collect()
            }
            None => self.scan_each(kernels, query, searches),
        })
    }

    fn nearest_one(&self, kernels: Kernels, query: &Unit, k: usize, filter: &Filter<'_>) -> Nearest {
        self.walk(kernels, query, k, filter).unwrap_or_else(|| self.scan(kernels, query, k, filter))
    }

    /// The same as [`Shard::nearest`], exactly, whether there is a graph or not.
    ///
    /// # Errors
    /// As [`Shard::nearest`].
    pub fn nearest_exact(
        &self,
        query: &[f32],
        k: usize,
        filter: &Filter<'_>,
    ) -> Result<Nearest, VectorError> {
        Ok(self.scan(Kernels::detect(), &Unit::new(query, self.dimension)?, k, filter).sorted())
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
        let (mut search, mut sums) = ([(*filter, Top::new(k, kernels))], Sums::default());
        let mut scores = [0.0; CHUNK];
        for (at, chunk) in self.chunks.newest_first() {
            let rows = chunk.vectors.score_full(kernels, &query, &mut scores);
            self.consider(kernels, at, chunk, &mut scores[..rows], &mut search, &mut sums);
        }
        let [(_, top)] = search;
        Ok(Nearest::of(&sums, self.vectors, top).sorted())
    }

    /// The cosine of a row with a query; nothing if the row has no vector.
    ///
    /// # Errors
    /// As [`Shard::nearest`].
    pub fn cosine(&self, slot: Slot, query: &[f32]) -> Result<Option<f32>, VectorError> {
        Ok(self.cosines(&Unit::new(query, self.dimension)?)?(slot))
    }

    /// The same for many rows.
    ///
    /// # Errors
    /// As [`Shard::nearest_each`].
    pub fn cosines<'a>(
        &'a self,
        query: &'a Unit,
    ) -> Result<impl Fn(Slot) -> Option<f32> + use<'a>, VectorError> {
        let query = query.of(self.dimension)?;
        let kernels = Kernels::detect();
        Ok(move |slot: Slot| {
            let (chunk, row) = self.place(slot.0)?;
            let found = chunk.vectors.has(row) && !chunk.is_gone(row);
            found.then(|| chunk.vectors.cosine(kernels, query, self.dimension, row))
        })
    }

    /// Scores every row.
    pub(crate) fn scan(&self, kernels: Kernels, query: &Unit, k: usize, filter: &Filter<'_>) -> Nearest {
        self.scan_each(kernels, query, &[(*filter, k)]).pop().unwrap_or_default()
    }

    /// Scores every row once for several searches.
    fn scan_each(&self, kernels: Kernels, query: &Unit, searches: &[(Filter<'_>, usize)]) -> Vec<Nearest> {
        let mut sums = Sums::default();
        let top = |(filter, k): &(_, usize)| (*filter, Top::new(candidates(*k), kernels));
        let mut tops: Vec<_> = searches.iter().map(top).collect();
        self.scan_chunks(kernels, query, &mut tops, &mut sums, |_| true);
        let found = |((_, k), (_, top)): (&(_, usize), _)| {
            Nearest::of(&sums, self.vectors, self.rescore(kernels, query, *k, top))
        };
        searches.iter().zip(tops).map(found).collect()
    }

    /// Scores the rows of the chunks that `wanted` says, by their bytes, for searches with their filters.
    pub(crate) fn scan_chunks(
        &self,
        kernels: Kernels,
        query: &Unit,
        searches: &mut [(Filter<'_>, Top)],
        sums: &mut Sums,
        wanted: impl Fn(usize) -> bool,
    ) {
        let (mut dots, mut scores) = ([0; CHUNK], [0.0; CHUNK]);
        for (at, chunk) in self.chunks.newest_first().filter(|(at, _)| wanted(*at)) {
            let next = self.look_ahead(at);
            let rows = chunk.vectors.score(kernels, query, next, &mut dots, &mut scores);
            self.consider(kernels, at, chunk, &mut scores[..rows], searches, sums);
        }
    }

    /// The vectors before those of this chunk, which are read next. Asks for the chunks beyond, a step of
    /// the way to each: at the first read of a chunk nothing is waited for.
    fn look_ahead(&self, at: usize) -> Option<&Vectors> {
        let chunk = |steps| self.chunks.get(at.checked_sub(steps)?);
        if let Some(chunk) = chunk(3) {
            kernels::prefetch(std::slice::from_ref(&**chunk));
        }
        if let Some(chunk) = chunk(2) {
            kernels::prefetch(std::slice::from_ref(&*chunk.vectors));
        }
        chunk(1).map(|chunk| &*chunk.vectors)
    }

    /// Takes note of the scores of a chunk.
    fn consider(
        &self,
        kernels: Kernels,
        at: usize,
        chunk: &Arc<Chunk>,
        scores: &mut [f32],
        searches: &mut [(Filter<'_>, Top)],
        sums: &mut Sums,
    ) {
        chunk.forget_gone(scores);
        let largest = sums.add(kernels, scores);
        chunk.vectors.hide_missing(scores);
        let first = (at * CHUNK) as u32;
        for (filter, top) in searches {
            chunk.offer(scores, largest, filter, top, first);
        }
    }

    /// The best `k` of the candidates by their cosines in full.
    pub(crate) fn rescore(&self, kernels: Kernels, query: &Unit, k: usize, candidates: Top) -> Top {
        let mut top = Top::new(k, kernels);
        let candidates: Vec<_> = candidates
            .into_hits()
            .filter_map(|(_, slot)| {
                let (chunk, row) = self.place(slot)?;
                kernels::prefetch(chunk.vectors.fine(self.dimension, row));
                Some((slot, chunk, row))
            })
            .collect();
        for (slot, chunk, row) in candidates {
            top.push(chunk.vectors.cosine(kernels, query, self.dimension, row), slot);
        }
        top
    }
}

impl Nearest {
    /// The hits, and the statistics of `count` scores, those that are zero included.
    pub(crate) fn of(sums: &Sums, count: usize, top: Top) -> Nearest {
        let hits = top.into_hits().map(|(score, slot)| (Slot(slot), score)).collect();
        if count == 0 {
            return Nearest { hits, ..Nearest::default() };
        }
        let mean = sums.sum / count as f64;
        let deviation = (sums.squares / count as f64 - mean * mean).max(0.0).sqrt();
        Nearest { hits, mean: mean as f32, deviation: deviation as f32 }
    }

    /// Best first.
    fn sorted(mut self) -> Nearest {
        sort_hits(&mut self.hits);
        self
    }
}

/// Best first; of two equals the newer.
pub(crate) fn sort_hits(hits: &mut [(Slot, f32)]) {
    hits.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
}
