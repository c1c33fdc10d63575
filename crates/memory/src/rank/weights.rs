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
    pub const FITTED: Weights = Weights([0.28, 0.17, 4.5, 1.6, 1.34, 0.32, 0.48, -1.1, 0.38, 1.73, 2.03]);

    /// The score of a candidate.
    pub fn score(&self, features: &Features) -> f32 {
        self.0.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }
}
