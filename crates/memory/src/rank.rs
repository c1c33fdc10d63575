//! The order of what is recalled: a few features of each candidate, weighed and added up.
//!
//! ```text
//! shards ── found ──> the nearest by meaning ∪ the best by words ∪ their neighbours
//!        ── weighed ─> features of each, times the weights ──> Ranked, best first
//! ```
//!
//! Pure: no store, no clock. Live recall, the evaluation and the program that fits the weights
//! (`examples/fit_ranking.rs`) go through the same code. It works with meaning and words, or with
//! either alone. What an item is worth by itself ([`Ranked::relevance`]) is for showing it and for
//! thresholds; the order is another matter, since an answer often is a poor match beside a good one.

mod candidates;
mod features;
mod moments;
mod query;
mod weights;

pub use candidates::Candidate;
pub use features::{COUNT, Features, NAMES};
pub use query::Query;
pub use weights::Weights;

use greenroom_index::{Filter, Shard, Slot, VectorError};

/// So many candidates come from each search of a shard; their neighbours join them.
pub const CANDIDATES: usize = 100;

/// What is searched: places of one kind, taken as one collection.
#[derive(Debug, Clone, Copy)]
pub struct Collection<'a> {
    /// A shard a place.
    pub shards: &'a [&'a Shard],
    /// Whether the rows of a shard are the messages of one conversation, in their order: then what
    /// was said beside a row tells something about it. Memories stand alone.
    pub conversation: bool,
}

/// A candidate in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Which shard of the collection.
    pub shard: usize,
    /// Which row of it.
    pub slot: Slot,
    /// Cosine with the query; nothing without a vector on either side.
    pub cosine: Option<f32>,
    /// The share of the query's words it holds, 0 to 1, rare words counting more; all of `n` words are
    /// `n / (n + 1)`, so that a single word says little.
    pub coverage: f32,
    /// How relevant the question is that it may be the answer to; 0 without one. An answer need not be
    /// like what is asked: "Oh, fencing of course".
    pub answers: f32,
    /// What the order goes by; means nothing outside this ranking.
    pub score: f32,
}

impl Ranked {
    /// How relevant it is by itself, 0 to 1: by meaning or by words, whichever says more.
    pub fn relevance(&self) -> f32 {
        relevance(self.cosine, self.coverage)
    }
}

fn relevance(cosine: Option<f32>, coverage: f32) -> f32 {
    cosine.unwrap_or(0.0).max(coverage).clamp(0.0, 1.0)
}

/// The best `limit` rows that pass the filter, best first; the newer of two equals first (AS11).
///
/// # Errors
/// A vector of the query that is not one of the shards' model.
pub fn rank(
    collection: &Collection<'_>,
    query: &Query,
    filter: &Filter<'_>,
    weights: &Weights,
    limit: usize,
) -> Result<Vec<Ranked>, VectorError> {
    let mut ranked = rank_all(collection, query, &[(*filter, CANDIDATES)], &[], weights)?;
    ranked.truncate(limit);
    Ok(ranked)
}

/// The same without a limit, of several searches together: each filter finds its own number of
/// candidates, so that a large source leaves room for a small one; `extra` rows are weighed too.
///
/// # Errors
/// As [`rank`].
pub fn rank_all(
    collection: &Collection<'_>,
    query: &Query,
    searches: &[(Filter<'_>, usize)],
    extra: &[(usize, Slot)],
    weights: &Weights,
) -> Result<Vec<Ranked>, VectorError> {
    let candidates = candidates::found(collection, query, searches, extra)?;
    let mut ranked: Vec<(i64, i64, Ranked)> = candidates
        .iter()
        .map(|candidate| {
            let Candidate { shard, slot, cosine, coverage, answers, .. } = *candidate;
            let score = weights.score(&candidate.features);
            (candidate.at, candidate.id, Ranked { shard, slot, cosine, coverage, answers, score })
        })
        .collect();
    ranked.sort_unstable_by(|a, b| b.2.score.total_cmp(&a.2.score).then((b.0, b.1).cmp(&(a.0, a.1))));
    Ok(ranked.into_iter().map(|(_, _, ranked)| ranked).collect())
}

/// The candidates of a query with their features, in the order of the conversation: for fitting the
/// weights.
///
/// # Errors
/// As [`rank`].
pub fn candidates(
    collection: &Collection<'_>,
    query: &Query,
    filter: &Filter<'_>,
) -> Result<Vec<Candidate>, VectorError> {
    candidates::found(collection, query, &[(*filter, CANDIDATES)], &[])
}

#[cfg(test)]
mod tests;
