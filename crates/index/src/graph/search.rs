//! Searching the graph, with the filter inside.

use std::collections::BinaryHeap;

use super::{Graph, NONE};
use crate::chunk::CHUNK;
use crate::dense::{DenseHits, candidates};
use crate::filter::Filter;
use crate::kernels::{Kernels, prefetch};
use crate::shard::Shard;
use crate::sums::ScoreSums;
use crate::top::{TopK, key, score_of, slot_of};
use crate::vectors::{QueryCodes, UnitVector};

/// Sample size for the share of rows that pass a filter, and for the statistics.
const SAMPLE: usize = 512;
/// If less than one in this many rows passes, a scan is as fast and has perfect recall.
const FEW: usize = 8;

impl Shard {
    /// The nearest rows by the graph, and by a scan of the rows outside it. `None` if the exact search must answer.
    pub(crate) fn search_graph(
        &self,
        kernels: Kernels,
        query: &UnitVector,
        k: usize,
        filter: &Filter<'_>,
    ) -> Option<DenseHits> {
        let graph = self.graph()?;
        let width = graph.width.max(candidates(k));
        let admits = |slot: u32| self.locate(slot).is_some_and(|(chunk, row)| chunk.admits(row, filter));
        let passing = self.spread().filter(|slot| admits(*slot)).count();
        if width > graph.nodes / 64 || passing < SAMPLE / FEW {
            return None;
        }
        let mut top = TopK::new(width);
        let in_graph = |node: u32| self.is_as_in(graph, node as usize / CHUNK) && admits(node);
        for (score, slot) in graph.search(query.codes(), width, in_graph)? {
            top.push(score, slot);
        }
        let mut search = [(*filter, top)];
        let outside = |at: usize| !self.is_as_in(graph, at);
        self.scan_chunks(kernels, query, &mut search, &mut ScoreSums::default(), outside);
        let [(_, top)] = search;
        let (sums, count) = self.sample(kernels, query);
        Some(DenseHits::of(&sums, count, self.rescore(kernels, query, k, top)))
    }

    /// The scores of a sample of rows, and how many there were.
    fn sample(&self, kernels: Kernels, query: &UnitVector) -> (ScoreSums, usize) {
        let score = |slot| {
            let (chunk, row) = self.locate(slot)?;
            let live = chunk.vectors.has(row) && !chunk.is_deleted(row);
            live.then(|| chunk.vectors.score_one(kernels, query.codes(), row))
        };
        let scores: Vec<f32> = self.spread().filter_map(score).collect();
        let mut sums = ScoreSums::default();
        sums.add(kernels, &scores);
        (sums, scores.len())
    }

    /// [`SAMPLE`] slots at even distances.
    fn spread(&self) -> impl Iterator<Item = u32> {
        let step = (self.end() as usize).div_ceil(SAMPLE).max(1);
        (0..self.end()).step_by(step)
    }
}

impl Graph {
    /// The best `width` nodes that are admitted, best first. `None` when it visited as many nodes as a scan would.
    pub(super) fn search(
        &self,
        query: &QueryCodes,
        width: usize,
        admits: impl Fn(u32) -> bool,
    ) -> Option<Vec<(f32, u32)>> {
        let mut at = self.entry;
        if at == NONE {
            return Some(Vec::new());
        }
        for layer in (1..=self.top).rev() {
            at = self.descend(query, at, layer);
        }
        let limit = self.nodes / 8 + 1024;
        self.search_layer(query, &[at], 0, width, limit, admits)
    }

    /// Greedy search: the node of a layer nearest to the query that improving steps from `from` reach.
    pub(super) fn descend(&self, query: &QueryCodes, from: u32, layer: usize) -> u32 {
        let mut best = key(self.score(query, from), from);
        loop {
            let neighbours = self.neighbours(layer, slot_of(best)).iter();
            let next = neighbours.map(|node| key(self.score(query, *node), *node)).max().unwrap_or(0);
            if next <= best {
                return slot_of(best);
            }
            best = next;
        }
    }

    /// The best `width` admitted nodes that can be reached from `from` on a layer, best first (algorithm 2). The
    /// search follows the links of nodes that are not admitted too. `None` after more than `limit` nodes.
    pub(super) fn search_layer(
        &self,
        query: &QueryCodes,
        from: &[u32],
        layer: usize,
        width: usize,
        limit: usize,
        admits: impl Fn(u32) -> bool,
    ) -> Option<Vec<(f32, u32)>> {
        let mut visited = Visited(vec![0; self.base.len().div_ceil(64)]);
        let mut frontier = BinaryHeap::with_capacity(4 * width);
        let mut top = TopK::new(width);
        let mut count = 0;
        let mut new: Vec<u32> = from.iter().copied().filter(|node| visited.insert(*node)).collect();
        loop {
            for node in &new {
                let score = self.score(query, *node);
                if score >= top.bar {
                    frontier.push(key(score, *node));
                    if admits(*node) {
                        top.push(score, *node);
                    }
                }
            }
            count += new.len();
            if count > limit {
                return None;
            }
            let Some(next) = frontier.pop().filter(|next| score_of(*next) >= top.bar) else {
                return Some(top.into_sorted());
            };
            new.clear();
            new.extend(self.neighbours(layer, slot_of(next)).iter().filter(|node| visited.insert(**node)));
            for node in &new {
                if let (Some(vectors), row) = self.locate(*node) {
                    prefetch(vectors.codes(self.dimension, row));
                }
            }
        }
    }
}

/// The set of visited nodes, one bit per node.
struct Visited(Vec<u64>);

impl Visited {
    /// True if `node` is new; false for a known node and for one that does not exist.
    fn insert(&mut self, node: u32) -> bool {
        let Some(bits) = self.0.get_mut(node as usize / 64) else { return false };
        let bit = 1 << (node % 64);
        let first = *bits & bit == 0;
        *bits |= bit;
        first
    }
}
