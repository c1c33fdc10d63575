//! The weight of each feature.
//!
//! `examples/fit_ranking.rs` fitted the weights: a softmax over the candidates of each question, with ridge
//! regularisation. The questions are about five kinds of chat: two people, a person and an assistant by message and by
//! exchange, a group, and facts in passing in five languages (MP2, MP4). Each kind counts as the square root of its
//! number of questions. Questions about things that were never said count three quarters.
//!
//! `tells nothing` was added later. It also detects requests without a question mark, so `question` and `only asks`
//! were reduced, roughly in proportion to a fit of all three. Since then `question` counts only among people. The gain
//! of each feature is in `docs/memory-internals.md`, Ranking.

use super::features::{COUNT, Features};

/// One weight per feature; a candidate's score is the weighted sum of its features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f32; COUNT]);

impl Weights {
    /// The weights for every embedder, fitted to the static table and the multilingual encoder together.
    pub const FITTED: Weights = Weights([
        1.43, 0.59, 0.2, 6.58, 1.21, 0.33, 0.14, -1.5, 0.09, 1.25, 1.49, 0.73, 0.24, 0.88, -1.57, 0.51, -1.0,
        -2.2,
    ]);

    /// The score of a candidate.
    pub fn score(&self, features: &Features) -> f32 {
        self.0.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }
}
