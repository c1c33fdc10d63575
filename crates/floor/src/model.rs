//! The fitted models and their application: a linear model over the messages that a message may answer, and boosted
//! trees over the situation of a member.

use crate::candidates::{OPENING, OTHER, OWN};
use crate::situation::SITUATION;
use crate::weights;

/// Everything that is fitted. `weights.rs` holds it; `examples/fit_floor` writes that file.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Weights of another speaker's message as the answered one.
    pub other: [f32; OTHER],
    /// Weights of the author's own message as the continued one.
    pub own: [f32; OWN],
    /// Weights of answering nothing.
    pub opening: [f32; OPENING],
    /// The trees for whether a member answers.
    pub speak: Trees<'static>,
    /// The probability from which on a member speaks: the threshold with the best F1 on the training logs.
    pub speaks: f32,
    /// The threshold with the best balanced accuracy.
    pub speaks_balanced: f32,
}

/// Leaves per tree.
pub const LEAVES: usize = 10;
/// The most trees.
pub const TREES: usize = 160;

/// Regression trees whose sum is the logarithm of the odds. They are stored by node instead of by tree (QuickScorer,
/// Lucchese et al. 2015): a node whose feature exceeds its threshold strikes out the leaves to its left.
#[derive(Debug, Clone, Copy)]
pub struct Trees<'a> {
    /// Added to the sum.
    pub bias: f32,
    /// For each feature, the index at which its nodes end.
    pub ends: &'a [u16],
    /// For each node its threshold, its tree, and the mask of the leaves that are left if the feature is greater. The
    /// nodes of one feature are sorted by threshold.
    pub nodes: &'a [(f32, u8, u16)],
    /// The values of the leaves, [`LEAVES`] per tree, from left to right.
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

/// The dot product.
pub(crate) fn dot<const N: usize>(weights: &[f32; N], features: &[f32; N]) -> f32 {
    weights.iter().zip(features).map(|(w, x)| w * x).sum()
}
