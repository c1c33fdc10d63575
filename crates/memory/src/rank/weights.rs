//! The weight of each feature.
//!
//! Fitted by `examples/fit_ranking.rs` (a softmax over the candidates of each question, with a ridge) to questions about
//! five kinds of chat: two people, a person and an assistant by message and by exchange, a group, and facts in passing in
//! five languages (MP2, MP4). Each kind counts as the square root of its questions. Questions about what was never said
//! count three quarters. `docs/memory-internals.md`, Ranking, says what each feature is worth.

use super::features::{COUNT, Features};

/// One weight a feature; the score of a candidate is their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f32; COUNT]);

impl Weights {
    /// For every embedder, fitted to the static table and the multilingual encoder together.
    pub const FITTED: Weights = Weights([
        1.21, 0.22, 0.28, 4.07, 1.18, 0.28, 0.63, -2.01, 0.35, 1.24, 1.0, 0.73, 0.26, 0.89, -1.63, 0.46,
    ]);

    /// The score of a candidate.
    pub fn score(&self, features: &Features) -> f32 {
        self.0.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }
}
