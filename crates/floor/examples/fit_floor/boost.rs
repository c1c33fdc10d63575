//! Gradient boosting of small regression trees for a yes or no (Friedman 2001; histograms as in LightGBM, Ke et al. 2017).
//! Deterministic: rows and features are drawn by a seed.

use std::thread;

use greenroom_floor::fitting::{LEAVES, SITUATION, Trees};

use crate::simulate::Random;

/// The bins that the values of a feature are cut into.
const BINS: usize = 64;

pub struct Settings {
    pub trees: usize,
    pub leaves: usize,
    pub rate: f32,
    pub least_rows: u32,
    pub ridge: f32,
    /// Share of the features that a tree may use.
    pub features: f64,
    /// Share of the rows that a tree sees.
    pub rows: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { trees: 140, leaves: LEAVES, rate: 0.09, least_rows: 200, ridge: 5.0, features: 0.5, rows: 0.7 }
    }
}

/// Rows of features as bins, one column after the other, with the answers.
pub struct Table {
    pub columns: Vec<Vec<u8>>,
    cuts: Vec<Vec<f32>>,
    pub answers: Vec<bool>,
}

impl Table {
    pub fn of<const N: usize>(rows: &[[f32; N]], answers: Vec<bool>) -> Self {
        let cuts: Vec<Vec<f32>> = (0..N).map(|f| cuts(rows.iter().map(|row| row[f]))).collect();
        let columns = (0..N)
            .map(|f| rows.iter().map(|row| cuts[f].partition_point(|cut| *cut < row[f]) as u8).collect())
            .collect();
        Self { columns, cuts, answers }
    }
}

/// Thresholds between the bins of a feature: quantiles of a sample, rounded so that they can be written down.
fn cuts(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut sorted: Vec<f32> = values.step_by(7).collect();
    sorted.sort_by(f32::total_cmp);
    let n = sorted.len().max(1);
    let mut found: Vec<f32> = (1..BINS).map(|b| round(sorted[(b * n / BINS).min(n - 1)])).collect();
    found.dedup();
    found
}

pub fn round(value: f32) -> f32 {
    format!("{value:.3}").parse().unwrap_or(value)
}

/// The fitted trees as they grow: each node with a feature, a threshold, the child if the feature is at most that, the
/// child if it is more. A negative child is a leaf: -1 is the first.
#[derive(Default, Clone)]
pub struct Forest {
    bias: f32,
    roots: Vec<u16>,
    nodes: Vec<(u8, f32, i16, i16)>,
    leaves: Vec<f32>,
}

/// The same trees in the order in which a room reads them.
#[derive(Default, Clone)]
pub struct Layout {
    pub bias: f32,
    pub ends: Vec<u16>,
    pub nodes: Vec<(f32, u8, u16)>,
    pub leaves: Vec<[f32; LEAVES]>,
}

impl Layout {
    pub fn trees(&self) -> Trees<'_> {
        Trees { bias: self.bias, ends: &self.ends, nodes: &self.nodes, leaves: &self.leaves }
    }
}

impl Forest {
    /// Converts the trees into the form of [`Trees`].
    pub fn layout(&self) -> Layout {
        let mut nodes: Vec<(u8, f32, u8, u16)> = Vec::new();
        let mut leaves = Vec::new();
        for (tree, root) in self.roots.iter().enumerate() {
            let (mut values, mut count) = ([0.0; LEAVES], 0);
            self.walk(*root as i16, tree as u8, &mut nodes, &mut values, &mut count);
            leaves.push(values);
        }
        nodes.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        let end = |feature: usize| nodes.partition_point(|n| usize::from(n.0) <= feature) as u16;
        Layout {
            bias: self.bias,
            ends: (0..SITUATION).map(end).collect(),
            nodes: nodes.iter().map(|(_, threshold, tree, mask)| (*threshold, *tree, *mask)).collect(),
            leaves,
        }
    }

    /// Numbers the leaves from left to right; returns those below as bits.
    fn walk(
        &self,
        at: i16,
        tree: u8,
        out: &mut Vec<(u8, f32, u8, u16)>,
        values: &mut [f32; LEAVES],
        count: &mut usize,
    ) -> u16 {
        let Ok(node) = usize::try_from(at) else {
            values[*count] = self.leaves[usize::from((-1 - at).unsigned_abs())];
            *count += 1;
            return 1 << (*count - 1);
        };
        let (feature, threshold, left, right) = self.nodes[node];
        let below = self.walk(left, tree, out, values, count);
        out.push((feature, threshold, tree, !below));
        below | self.walk(right, tree, out, values, count)
    }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    gradient: f64,
    hessian: f64,
    rows: u32,
}

impl Sum {
    fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            rows: self.rows - other.rows,
        }
    }
    fn gain(self, ridge: f64) -> f64 {
        self.gradient * self.gradient / (self.hessian + ridge)
    }
}

struct Split {
    gain: f64,
    feature: usize,
    bin: usize,
}

struct Leaf {
    rows: Vec<u32>,
    histogram: Vec<[Sum; BINS]>,
    total: Sum,
    split: Option<Split>,
    /// The node above it and whether it is its right child.
    parent: Option<(usize, bool)>,
}

pub fn fit(table: &Table, settings: &Settings) -> Forest {
    let n = table.answers.len();
    let share = table.answers.iter().filter(|a| **a).count() as f32 / n as f32;
    let mut forest = Forest { bias: round((share / (1.0 - share)).ln()), ..Forest::default() };
    let mut scores = vec![forest.bias; n];
    let mut random = Random(11);
    let mut slopes = vec![(0.0f32, 0.0f32); n];
    for _ in 0..settings.trees {
        for ((slope, score), answer) in slopes.iter_mut().zip(&scores).zip(&table.answers) {
            let p = 1.0 / (1.0 + (-score).exp());
            *slope = (f32::from(u8::from(*answer)) - p, p * (1.0 - p));
        }
        let rows: Vec<u32> = (0..n as u32).filter(|_| random.chance(settings.rows)).collect();
        let features: Vec<usize> =
            (0..table.columns.len()).filter(|_| random.chance(settings.features)).collect();
        let trees = forest.roots.len();
        grow(table, settings, &mut forest, &slopes, rows, &features);
        if forest.roots.len() > trees {
            add(table, &forest, trees, &mut scores);
        }
    }
    forest
}

/// Grows one tree, the leaf with the most to gain first.
fn grow(
    table: &Table,
    s: &Settings,
    forest: &mut Forest,
    slopes: &[(f32, f32)],
    rows: Vec<u32>,
    features: &[usize],
) {
    let root = forest.nodes.len();
    let first = leaf(table, s, slopes, rows, features, None, None);
    let mut leaves = vec![first];
    while leaves.len() < s.leaves {
        let best = leaves.iter().enumerate().filter_map(|(i, l)| Some((i, l.split.as_ref()?.gain)));
        let Some((at, _)) = best.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let old = leaves.swap_remove(at);
        let Some(split) = old.split else { break };
        let feature = features[split.feature];
        let node = forest.nodes.len();
        forest.nodes.push((feature as u8, table.cuts[feature][split.bin], 0, 0));
        if let Some((parent, is_right)) = old.parent {
            let above = &mut forest.nodes[parent];
            if is_right { above.3 = node as i16 } else { above.2 = node as i16 }
        }
        let column = &table.columns[feature];
        let (left, right): (Vec<u32>, Vec<u32>) =
            old.rows.iter().partition(|r| usize::from(column[**r as usize]) <= split.bin);
        let is_left_small = left.len() <= right.len();
        let (small, large) = if is_left_small { (left, right) } else { (right, left) };
        let small = leaf(table, s, slopes, small, features, None, Some((node, !is_left_small)));
        let rest = Some((old.histogram, &small.histogram));
        let large = leaf(table, s, slopes, large, features, rest, Some((node, is_left_small)));
        leaves.extend([small, large]);
    }
    if leaves.len() == 1 {
        return;
    }
    for leaf in leaves {
        let value = f64::from(s.rate) * leaf.total.gradient / (leaf.total.hessian + f64::from(s.ridge));
        forest.leaves.push(round(value as f32));
        let child = -(forest.leaves.len() as i16);
        if let Some((parent, is_right)) = leaf.parent {
            let above = &mut forest.nodes[parent];
            if is_right { above.3 = child } else { above.2 = child }
        }
    }
    forest.roots.push(root as u16);
}

type Histogram = Vec<[Sum; BINS]>;

fn leaf(
    table: &Table,
    s: &Settings,
    slopes: &[(f32, f32)],
    rows: Vec<u32>,
    features: &[usize],
    rest: Option<(Histogram, &Histogram)>,
    parent: Option<(usize, bool)>,
) -> Leaf {
    let histogram: Histogram = match rest {
        Some((mut whole, other)) => {
            for (a, b) in whole.iter_mut().zip(other) {
                a.iter_mut().zip(b).for_each(|(a, b)| *a = a.minus(*b));
            }
            whole
        }
        None => {
            let half = features.len().div_ceil(2).max(1);
            let count = |part: &[usize]| {
                part.iter().map(|f| bins(&table.columns[*f], slopes, &rows)).collect::<Vec<_>>()
            };
            thread::scope(|scope| {
                let parts: Vec<_> =
                    features.chunks(half).map(|part| scope.spawn(move || count(part))).collect();
                parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
            })
        }
    };
    let mut total = Sum::default();
    for sum in histogram.first().into_iter().flatten() {
        total = Sum {
            gradient: total.gradient + sum.gradient,
            hessian: total.hessian + sum.hessian,
            rows: total.rows + sum.rows,
        };
    }
    let split = best_split(table, s, &histogram, total, features);
    Leaf { rows, histogram, total, split, parent }
}

fn bins(column: &[u8], slopes: &[(f32, f32)], rows: &[u32]) -> [Sum; BINS] {
    let mut sums = [Sum::default(); BINS];
    for &row in rows {
        let (gradient, hessian) = slopes[row as usize];
        let sum = &mut sums[usize::from(column[row as usize])];
        sum.gradient += f64::from(gradient);
        sum.hessian += f64::from(hessian);
        sum.rows += 1;
    }
    sums
}

fn best_split(
    table: &Table,
    s: &Settings,
    histogram: &Histogram,
    total: Sum,
    features: &[usize],
) -> Option<Split> {
    let ridge = f64::from(s.ridge);
    let mut best: Option<Split> = None;
    for (feature, bins) in histogram.iter().enumerate() {
        let mut left = Sum::default();
        for (bin, sum) in bins.iter().enumerate().take(table.cuts[features[feature]].len()) {
            left.gradient += sum.gradient;
            left.hessian += sum.hessian;
            left.rows += sum.rows;
            let right = total.minus(left);
            if left.rows < s.least_rows || right.rows < s.least_rows {
                continue;
            }
            let gain = left.gain(ridge) + right.gain(ridge) - total.gain(ridge);
            if gain > 1e-3 && best.as_ref().is_none_or(|b| gain > b.gain) {
                best = Some(Split { gain, feature, bin });
            }
        }
    }
    best
}

/// Adds the values of one tree to the scores.
fn add(table: &Table, forest: &Forest, tree: usize, scores: &mut [f32]) {
    let bins: Vec<u8> = forest
        .nodes
        .iter()
        .map(|(f, threshold, ..)| table.cuts[usize::from(*f)].partition_point(|cut| cut < threshold) as u8)
        .collect();
    for (row, score) in scores.iter_mut().enumerate() {
        let mut at = forest.roots[tree] as i16;
        while let Ok(node) = usize::try_from(at) {
            let (feature, _, left, right) = forest.nodes[node];
            at = if table.columns[usize::from(feature)][row] <= bins[node] { left } else { right };
        }
        *score += forest.leaves[usize::from((-1 - at).unsigned_abs())];
    }
}
