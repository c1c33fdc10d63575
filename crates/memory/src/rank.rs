//! Ranking: a few features of each candidate, weighted and added up.
//!
//! ```text
//! shards ── search ───> the nearest rows by meaning ∪ the best by words ∪ the rows beside them
//!        ── features ─> one number for each reason, times its weight, added ──> RankedRow::score
//! ```
//!
//! Pure: no store, no clock. Recall, the evaluation and the program that fits the weights
//! (`examples/fit_ranking.rs`) all use it. It works by meaning and words, or by either alone.
//!
//! The score is only for the order. It counts what stands beside a row, since an answer is often a poor match
//! next to a good one, and it means nothing outside its ranking. [`RankedRow::relevance`] is the number for
//! thresholds and for people.

mod candidates;
mod features;
mod query;
mod statistics;
mod weights;

pub use candidates::candidates;
pub use features::{COUNT, Features, NAMES};
pub use query::Query;
pub use weights::Weights;

use std::borrow::Cow;

use greenroom_index::{Filter, Shard, Slot, VectorError};

/// Candidates of each search of a shard; their neighbours join them.
pub const CANDIDATES: usize = 100;

/// Candidates of each search of all other chats together: most of them have nothing to tell.
const OF_OTHER_CHATS: usize = 20;

/// What is searched: places of one kind, taken as one collection.
#[derive(Debug, Clone, Copy)]
pub struct Collection<'a> {
    /// A shard for each place.
    pub shards: &'a [SearchedShard<'a>],
    /// Whether the rows of a shard are the messages of one conversation in their order, so that the rows beside
    /// a row tell something about it. Memories stand alone.
    pub conversation: bool,
}

/// A shard of a collection.
#[derive(Debug, Clone, Copy)]
pub struct SearchedShard<'a> {
    /// The rows.
    pub shard: &'a Shard,
    /// The part of it that is searched, where the place is another chat of the person (MP1).
    pub other_chat: Option<&'a SearchedChat>,
}

/// What is searched of another chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedChat {
    /// The ranges of ids that the persona heard, in place of a filter's `before` and `within`.
    pub heard: Vec<(i64, i64)>,
    /// The names of the person there.
    pub names: Vec<String>,
}

impl<'a> From<&'a Shard> for SearchedShard<'a> {
    fn from(shard: &'a Shard) -> Self {
        Self { shard, other_chat: None }
    }
}

impl<'a> SearchedShard<'a> {
    /// A filter as it holds here.
    pub(crate) fn filter(&self, filter: &Filter<'a>) -> Filter<'a> {
        match self.other_chat {
            Some(chat) => Filter { before: None, within: Some(&chat.heard), ..*filter },
            None => *filter,
        }
    }

    /// Searches as they hold here. Of another chat no more is looked for than all of them may have together: a person may
    /// have many, and each candidate is compared in full precision.
    fn searches<'s>(&self, searches: &'s [(Filter<'a>, usize)]) -> Cow<'s, [(Filter<'a>, usize)]> {
        let here =
            |(filter, count): &(Filter<'a>, usize)| (self.filter(filter), (*count).min(OF_OTHER_CHATS));
        match self.other_chat {
            Some(_) => searches.iter().map(here).collect(),
            None => Cow::Borrowed(searches),
        }
    }
}

/// A row that may be recalled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedRow {
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
    /// Cosine with the query; none without a vector on either side.
    pub cosine: Option<f32>,
    /// The share of the query's words that it has, 0 to 1, rare words counting more. All of `n` words are
    /// `n / (n + 1)`, so that a single word says little.
    pub coverage: f32,
    /// The relevance of the question that it may answer; 0 without one. An answer need not resemble what is
    /// asked: "Oh, fencing of course".
    pub question_relevance: f32,
    /// The features that the score is made of.
    pub features: Features,
    /// The sum of the weighted features.
    pub score: f32,
}

impl RankedRow {
    /// How relevant it is by itself, 0 to 1: by meaning or by words, whichever says more.
    pub fn relevance(&self) -> f32 {
        relevance(self.cosine, self.coverage)
    }
}

/// See [`RankedRow::relevance`].
pub(crate) fn relevance(cosine: Option<f32>, coverage: f32) -> f32 {
    cosine.unwrap_or(0.0).max(coverage).clamp(0.0, 1.0)
}

/// The best `limit` rows that pass the filter, best first; the newer of two equals first (AS11).
///
/// # Errors
/// A vector of the query that is not of the shards' model.
pub fn rank<'a>(
    collection: &Collection<'a>,
    query: &Query,
    filter: &Filter<'a>,
    limit: usize,
) -> Result<Vec<RankedRow>, VectorError> {
    let mut ranked = candidates(collection, query, &[(*filter, CANDIDATES)], &[])?;
    ranked.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then((b.at, b.id).cmp(&(a.at, a.id))));
    ranked.truncate(limit);
    Ok(ranked)
}

#[cfg(test)]
mod tests;
