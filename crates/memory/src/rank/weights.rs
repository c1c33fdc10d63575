//! The weight of each feature.
//!
//! Fitted by `examples/fit_ranking.rs` (a softmax over the candidates of each question, with a ridge) to questions about
//! five kinds of chat: two people, a person and an assistant by message and by exchange, a group, and facts in passing in
//! five languages (MP2, MP4). Each kind counts as the square root of its questions. Questions about what was never said
//! count three quarters. `tells nothing` came later: with it, requests that have no question mark are known too, so `question`
//! and `only asks` weigh less than fitted without it, in about the proportion of a fit of all three. `question` counts
//! among people alone since then. `docs/memory-internals.md`, Ranking, says what each feature is worth.

use super::features::{COUNT, Features};

/// One weight a feature; the score of a candidate is their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f32; COUNT]);

impl Weights {
    /// For every embedder, fitted to the static table and the multilingual encoder together.
    pub const FITTED: Weights = Weights([
        1.43, 0.59, 0.2, 6.58, 1.21, 0.33, 0.14, -1.5, 0.09, 1.25, 1.49, 0.73, 0.24, 0.88, -1.57, 0.51, -1.0,
        -2.2,
    ]);

    /// The score of a candidate.
    pub fn score(&self, features: &Features) -> f32 {
        self.0.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }
}
