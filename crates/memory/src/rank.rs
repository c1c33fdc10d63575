//! Ranking: computes a few features per candidate, and adds them up with weights.
//!
//! ```text
//! shards ── search ───> the nearest rows by meaning ∪ the best by words ∪ the rows beside them
//!        ── features ─> one number for each reason, times its weight, added ──> RankedRow::score
//! ```
//!
//! The module is pure: it has no store and no clock. Recall, the evaluation and the program that fits the weights
//! (`examples/fit_ranking.rs`) use it. It ranks by meaning and words, or by one of them alone.
//!
//! The score only sorts rows, and is comparable only within its ranking. It counts the rows beside a row, since an
//! answer is often a poor match next to a good one. Thresholds and users get [`RankedRow::relevance`].

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

/// How many candidates each search of a shard finds; their neighbours are added.
pub const CANDIDATES: usize = 100;

/// How many candidates each search finds in all other chats together; most rows there tell nothing.
const OF_OTHER_CHATS: usize = 20;

/// The places of one kind that are searched as one collection.
#[derive(Debug, Clone, Copy)]
pub struct Collection<'a> {
    /// One shard per place.
    pub shards: &'a [SearchedShard<'a>],
    /// Whether the rows of a shard are the messages of one conversation in order. The rows beside a row then count as
    /// context. Memories have no such order.
    pub conversation: bool,
}

/// A shard of a collection.
#[derive(Debug, Clone, Copy)]
pub struct SearchedShard<'a> {
    /// The rows of the place.
    pub shard: &'a Shard,
    /// Which part of it is searched, if the place is another chat of the person (MP1).
    pub other_chat: Option<&'a SearchedChat>,
}

/// The searched part of another chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedChat {
    /// The ranges of message ids for which the persona was present. They replace a filter's `before` and `within`.
    pub heard: Vec<(i64, i64)>,
    /// The person's names in that chat.
    pub names: Vec<String>,
}

impl<'a> From<&'a Shard> for SearchedShard<'a> {
    fn from(shard: &'a Shard) -> Self {
        Self { shard, other_chat: None }
    }
}

impl<'a> SearchedShard<'a> {
    /// The filter for this shard.
    pub(crate) fn filter(&self, filter: &Filter<'a>) -> Filter<'a> {
        match self.other_chat {
            Some(chat) => Filter { before: None, within: Some(&chat.heard), ..*filter },
            None => *filter,
        }
    }

    /// The searches for this shard. In another chat each search is limited to [`OF_OTHER_CHATS`]: a person may have
    /// many chats, and each candidate is compared in full precision.
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
    /// The index of the shard in the collection.
    pub shard: usize,
    /// The row of the shard.
    pub slot: Slot,
    /// The id of the message or memory.
    pub id: i64,
    /// When it was said or learned, in microseconds.
    pub at: i64,
    /// The number of its source.
    pub source: u8,
    /// The number of terms in its text.
    pub terms: usize,
    /// The cosine with the query; `None` if the row or the query has no vector.
    pub cosine: Option<f32>,
    /// The share of the query's words that the row contains, 0 to 1; rare words count more. A row with all `n` words
    /// has `n / (n + 1)`, so that a single word means little.
    pub coverage: f32,
    /// The relevance of the question right before this row, to which it may be the answer; 0 if there is none. An
    /// answer need not resemble the question: "Oh, fencing of course".
    pub question_relevance: f32,
    /// Whether the row only asks or requests something.
    pub only_asks: bool,
    /// The features of the score.
    pub features: Features,
    /// The sum of the weighted features.
    pub score: f32,
}

impl RankedRow {
    /// The relevance of the row alone, 0 to 1: the larger of the cosine and the coverage.
    pub fn relevance(&self) -> f32 {
        relevance(self.cosine, self.coverage)
    }
}

/// See [`RankedRow::relevance`].
pub(crate) fn relevance(cosine: Option<f32>, coverage: f32) -> f32 {
    cosine.unwrap_or(0.0).max(coverage).clamp(0.0, 1.0)
}

/// Returns the best `limit` rows that pass the filter, best first; of equal rows the newer comes first (AS11).
///
/// # Errors
/// A vector of the query does not have the dimension of the shards' model.
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
