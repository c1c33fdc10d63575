//! The weight of each feature.
//!
//! Fitted by `examples/fit_ranking.rs` (a softmax over the candidates of each question, with a ridge)
//! to questions about six long conversations of two people, each message a row; questions about things that were
//! never said count half. `docs/memory-internals.md`, Ranking, says what each feature is worth. Meaning and words are also
//! in `stronger`, `reply` and `passage`, so that each alone seems worth little: words alone, with these weights,
//! reach 65.8 of 67.7.

use super::features::{COUNT, Features};

/// One weight a feature; the score of a candidate is their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f32; COUNT]);

impl Weights {
    /// For every embedder, fitted to the static table and MiniLM together. Weights of its own would gain MiniLM
    /// 0.3 points of nDCG@10 and the static table nothing.
    pub const FITTED: Weights =
        Weights([1.57, 0.25, 0.2, 4.9, 1.17, 0.23, 0.63, -0.94, 0.43, 1.68, 1.1, 0.6, 0.4, 0.4, -1.8]);

    /// The score of a candidate.
    pub fn score(&self, features: &Features) -> f32 {
        self.0.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }
}
