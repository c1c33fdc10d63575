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

/// Leaves of a tree.
pub const LEAVES: usize = 10;
/// Trees at most.
pub const TREES: usize = 160;

/// Regression trees whose sum is the logarithm of the odds, laid out to be asked node by node instead of tree by tree
/// (QuickScorer, Lucchese et al. 2015): a node that says "right" strikes out the leaves to its left.
#[derive(Debug, Clone, Copy)]
pub struct Trees<'a> {
    /// Added to the sum.
    pub bias: f32,
    /// Of each feature, where its nodes end.
    pub ends: &'a [u16],
    /// Of each node its threshold, its tree, and the leaves that are left if the feature is more. Of one feature they
    /// stand in the order of the thresholds.
    pub nodes: &'a [(f32, u8, u16)],
    /// What the leaves add, [`LEAVES`] for each tree from left to right.
    pub leaves: &'a [[f32; LEAVES]],
}

impl Trees<'_> {
    /// The probability for a row of features.
    pub fn probability(&self, row: &[f32; SITUATION]) -> f32 {
        let mut left = [u16::MAX; TREES];
        let mut begin = 0;
        for (value, end) in row.iter().zip(self.ends) {
            let end = usize::from(*end);
            for (_, tree, mask) in
                self.nodes[begin..end].iter().take_while(|(threshold, ..)| value > threshold)
            {
                left[usize::from(*tree)] &= mask;
            }
            begin = end;
        }
        let leaves = self
            .leaves
            .iter()
            .zip(&left)
            .map(|(leaves, left)| leaves[left.trailing_zeros() as usize % LEAVES]);
        let sum = self.bias + leaves.sum::<f32>();
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
