//! The weight of each feature.
//!
//! Fitted by `examples/fit_ranking.rs` (a softmax over the candidates of each question, with a ridge) to questions about
//! four kinds of chat: two people, a person and an assistant by message and by exchange, and a group (MP2). Each kind
//! counts as the square root of its questions. Questions about what was never said count three quarters.
//! `docs/memory-internals.md`, Ranking, says what each feature is worth.

use super::features::{COUNT, Features};

/// One weight a feature; the score of a candidate is their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f32; COUNT]);

impl Weights {
    /// For every embedder, fitted to the static table and the multilingual encoder together.
    pub const FITTED: Weights =
        Weights([1.44, 0.25, 0.22, 4.97, 1.16, 0.22, 0.63, -1.19, 0.45, 1.62, 1.0, 0.67, 0.27, 0.42, -1.49]);

    /// The score of a candidate.
    pub fn score(&self, features: &Features) -> f32 {
        self.0.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }
}
