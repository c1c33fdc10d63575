//! What each feature counts.
//!
//! Fitted by `examples/fit_ranking.rs` (a softmax over the candidates of each question, with a ridge)
//! to questions about six long conversations of two people, each message a row. What a feature is worth
//! there, in points of nDCG@10 lost when it is left out and the others are fitted anew, static table,
//! each conversation ranked with weights fitted to the other five:
//!
//! | feature | what it is | points |
//! |---|---|---|
//! | meaning | cosine, in deviations | 0.3 |
//! | words | BM25 of the text, in deviations | 0 beside coverage, which went; alone 48.9 |
//! | date | BM25 of the words in the date | 0.9 |
//! | speaker | the query names the author | 2.7 |
//! | reply | how well the question before it matches, if it is somebody else's | 1.9 |
//! | further | how well the rows two away match | 0.2 |
//! | passage | the best three matches within eight rows | 0.9 |
//! | question | it is a short question itself | 0.4 |
//! | time | the query asks for a time and it names one | 0.9 |
//!
//! That was measured with three more, which were not worth keeping: coverage, the row's length, and the
//! match of the rows right beside it. Meaning and words stand in for one another in `reply`, `further`
//! and `passage` too, so that either seems worth little: words alone reach 63.5 of 64.1. The best or
//! mean match of a whole session did no better than a passage, and the likeness to the best three rows
//! and numbers where a number is asked for gained next to nothing.

use super::features::{COUNT, Features};

/// One weight a feature; the score of a candidate is their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f32; COUNT]);

impl Weights {
    /// For every embedder. Fitted with the static table; weights of its own gain MiniLM 0.2 points.
    pub const FITTED: Weights = Weights([0.28, 0.17, 4.5, 1.6, 1.34, 0.32, 0.48, -1.1, 0.38, 1.73, 2.03]);

    /// The score of a candidate.
    pub fn score(&self, features: &Features) -> f32 {
        self.0.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::FITTED
    }
}
