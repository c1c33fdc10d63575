//! Writes the fitted models as Rust.

use std::fmt::Write;

use greenroom_floor::fitting::{OPENING, OTHER, OWN};

use crate::Fitted;
use crate::link::WEIGHTS;

/// Weights to begin with: what is near and who is named.
pub fn first_guess() -> Vec<f32> {
    let mut weights = vec![0.0; WEIGHTS];
    weights[0] = -1.0;
    (9..=11).for_each(|i| weights[i] = 4.0);
    weights
}

/// The weights of the three kinds of candidates.
pub fn parts(weights: &[f32]) -> ([f32; OTHER], [f32; OWN], [f32; OPENING]) {
    let part = |from: usize, i: usize| weights.get(from + i).copied().unwrap_or_default();
    let (own, opening) = (OTHER, OTHER + OWN);
    (
        std::array::from_fn(|i| part(0, i)),
        std::array::from_fn(|i| part(own, i)),
        std::array::from_fn(|i| part(opening, i)),
    )
}

/// The file `weights.rs`.
pub fn source(fitted: &Fitted) -> String {
    let (other, own, opening) = parts(&fitted.links);
    let forest = &fitted.forest;
    let nodes: Vec<String> =
        forest.nodes.iter().map(|(t, tree, mask)| format!("({t:?},{tree},{mask})")).collect();
    let leaves = forest.leaves.iter().map(|tree| format!("{tree:?}").replace(", ", ","));
    format!(
        "//! The fitted models. Written by `examples/fit_floor`; do not edit.\n\nuse crate::model::{{Model, Trees}};\n\n\
         #[rustfmt::skip]\n#[allow(clippy::approx_constant, reason = \"a threshold is what it is\")]\npub(crate) static MODEL: Model = Model {{\n    other: [\n{}    ],\n    own: [\n{}    ],\n    \
         opening: [\n{}    ],\n    speak: Trees {{\n        bias: {:?},\n        ends: &[\n{}        ],\n        \
         nodes: &[\n{}        ],\n        leaves: &[\n{}        ],\n    }},\n    speaks: {:?},\n    \
         speaks_balanced: {:?},\n}};\n",
        lines(other.iter().map(|v| format!("{v:?}")), 8),
        lines(own.iter().map(|v| format!("{v:?}")), 8),
        lines(opening.iter().map(|v| format!("{v:?}")), 8),
        forest.bias,
        lines(forest.ends.iter().map(u16::to_string), 12),
        lines(nodes.into_iter(), 12),
        lines(leaves, 12),
        fitted.speaks,
        fitted.speaks_balanced,
    )
}

/// Items in lines of at most 118 characters.
fn lines(items: impl Iterator<Item = String>, indent: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for item in items {
        if indent + line.len() + item.len() + 1 > 118 {
            let _ = writeln!(text, "{:indent$}{}", "", line.trim_end());
            line.clear();
        }
        line.push_str(&item);
        line.push(',');
    }
    let _ = writeln!(text, "{:indent$}{}", "", line.trim_end());
    text
}
