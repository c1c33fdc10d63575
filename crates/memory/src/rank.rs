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
    /// Its id.
    pub id: i64,
    /// When it was said or learned.
    pub at: i64,
    /// What kind of source it is.
    pub source: u8,
    /// How many terms its text has.
    pub terms: usize,
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
    ranked.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then((b.at, b.id).cmp(&(a.at, a.id))));
    ranked.truncate(limit);
    Ok(ranked)
}

/// The same in no order and without a limit, of several searches together: each filter finds its own number
/// of candidates, so that a large source leaves room for a small one; `extra` rows are weighed too.
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
    candidates::found(collection, query, searches, extra, |candidate| {
        let Candidate { shard, slot, id, at, source, terms, cosine, coverage, answers, features } = candidate;
        let score = weights.score(&features);
        Ranked { shard, slot, id, at, source, terms, cosine, coverage, answers, score }
    })
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
    candidates::found(collection, query, &[(*filter, CANDIDATES)], &[], |candidate| candidate)
}

#[cfg(test)]
mod tests;
