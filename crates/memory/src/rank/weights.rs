//! What each feature counts.

use super::features::{COUNT, Features};

/// One weight a feature; the score of a candidate is their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights(pub [f32; COUNT]);

impl Weights {
    /// For every embedder.
    pub const FITTED: Weights = Weights([0.33, 0.2, 1.15, 1.15, 0.43, 0.35, 0.76, -1.1, 2.0]);

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
