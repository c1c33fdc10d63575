//! The fitted models and how they are applied: a linear model over the messages that a message may answer, and boosted
//! trees over the situation of a member.

use crate::candidates::{OPENING, OTHER, OWN};
use crate::situation::SITUATION;
use crate::weights;

/// Everything that is fitted. `weights.rs` holds it; `examples/fit_floor` writes that file.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Weights of another speaker's message as the one that is answered.
    pub other: [f32; OTHER],
    /// Weights of the author's own message as the one that goes on.
    pub own: [f32; OWN],
    /// Weights of nothing being answered.
    pub opening: [f32; OPENING],
    /// Whether a member answers.
    pub speak: Trees<'static>,
    /// A member speaks from this probability on: the point with the best F1 on the training logs.
    pub speaks: f32,
    /// The same for the best balanced accuracy.
    pub speaks_balanced: f32,
}

/// Regression trees whose sum is the logarithm of the odds.
#[derive(Debug, Clone, Copy)]
pub struct Trees<'a> {
    /// Added to the sum.
    pub bias: f32,
    /// Where each tree begins in `nodes`.
    pub roots: &'a [u16],
    /// Each with a feature, a threshold, the child if the feature is at most that, the child if it is more. A negative
    /// child is a leaf: -1 is the first.
    pub nodes: &'a [(u8, f32, i16, i16)],
    /// What the leaves add.
    pub leaves: &'a [f32],
}

impl Trees<'_> {
    /// The probability for a row of features.
    pub fn probability(&self, row: &[f32; SITUATION]) -> f32 {
        let mut sum = self.bias;
        for &root in self.roots {
            let mut at = root as i16;
            while let Ok(node) = usize::try_from(at) {
                let (feature, threshold, left, right) = self.nodes[node];
                at = if row[usize::from(feature)] <= threshold { left } else { right };
            }
            sum += self.leaves[usize::from((-1 - at).unsigned_abs())];
        }
        1.0 / (1.0 + (-sum).exp())
    }
}

impl Model {
    /// The model in `weights.rs`.
    pub fn built_in() -> &'static Self {
        &weights::MODEL
    }
}

/// The sum of products.
pub(crate) fn dot<const N: usize>(weights: &[f32; N], features: &[f32; N]) -> f32 {
    weights.iter().zip(features).map(|(w, x)| w * x).sum()
}
