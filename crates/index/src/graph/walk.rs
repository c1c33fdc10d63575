//! Searching the graph, with the filter inside.

use std::collections::BinaryHeap;

use super::{Graph, NONE};
use crate::chunk::CHUNK;
use crate::dense::{Nearest, candidates};
use crate::filter::Filter;
use crate::kernels::Kernels;
use crate::shard::Shard;
use crate::sums::Sums;
use crate::top::{Top, key, score_of, slot_of};
use crate::vectors::{Coded, Unit};

/// Rows looked at to estimate how many pass a filter, and for the statistics.
const SAMPLE: usize = 512;
/// When less than one row in so many passes, scanning is as fast and finds all.
const FEW: usize = 8;

impl Shard {
    /// The nearest rows by the graph, and exactly beside it; nothing where the exact search has to answer.
    pub(crate) fn walk(
        &self,
        kernels: Kernels,
        query: &Unit,
        k: usize,
        filter: &Filter<'_>,
    ) -> Option<Nearest> {
        let graph = self.graph()?;
        let width = graph.width.max(candidates(k));
        if width > graph.nodes / 64 || self.passing(filter) < SAMPLE / FEW {
            return None;
        }
        let mut top = Top::new(width, kernels);
        let admits = |node: u32| {
            let chunk = node as usize / CHUNK;
            self.is_as_in(graph, chunk) && self.admits(node, filter)
        };
        for (score, slot) in graph.search(query.coded(), width, admits)? {
            top.push(score, slot);
        }
        let beside = |at: usize| !self.is_as_in(graph, at);
        let mut search = [(*filter, top)];
        self.scan_chunks(kernels, query, &mut search, &mut Sums::default(), beside);
        let [(_, top)] = search;
        let (sums, count) = self.sample(kernels, query);
        Some(Nearest::of(&sums, count, self.rescore(kernels, query, k, top)))
    }

    /// Of [`SAMPLE`] rows, evenly spread, those that pass.
    fn passing(&self, filter: &Filter<'_>) -> usize {
        self.spread().filter(|slot| self.admits(*slot, filter)).count()
    }

    /// The scores of rows evenly spread, and how many there were.
    fn sample(&self, kernels: Kernels, query: &Unit) -> (Sums, usize) {
        let mut scores = Vec::with_capacity(SAMPLE);
        for slot in self.spread() {
            if let Some((chunk, row)) =
                self.place(slot).filter(|(chunk, row)| chunk.vectors.has(*row) && !chunk.is_gone(*row))
            {
                scores.push(chunk.vectors.score_one(kernels, query.coded(), row));
            }
        }
        let mut sums = Sums::default();
        sums.add(kernels, &scores);
        (sums, scores.len())
    }

    fn spread(&self) -> impl Iterator<Item = u32> {
        let step = (self.end() as usize).div_ceil(SAMPLE).max(1);
        (0..self.end()).step_by(step)
    }
}

impl Graph {
    /// The best `width` nodes that are admitted, best first; nothing when the walk became as long as a scan.
    pub(super) fn search(
        &self,
        query: &Coded,
        width: usize,
        admits: impl Fn(u32) -> bool,
    ) -> Option<Vec<(f32, u32)>> {
        let mut at = self.entry;
        if at == NONE {
            return Some(Vec::new());
        }
        for level in (1..=self.top).rev() {
            at = self.descend(query, at, level);
        }
        let limit = self.nodes / 8 + 1024;
        self.spread_out(query, &[at], 0, width, limit, admits)
    }

    /// The node of a level nearest to the query, going from neighbour to better neighbour.
    pub(super) fn descend(&self, query: &Coded, from: u32, level: usize) -> u32 {
        let mut best = key(self.score(query, from), from);
        loop {
            let neighbours = self.neighbours(level, slot_of(best)).iter();
            let next = neighbours.map(|node| key(self.score(query, *node), *node)).max().unwrap_or(0);
            if next <= best {
                return slot_of(best);
            }
            best = next;
        }
    }

    /// The best `width` admitted nodes that can be reached from `from` on a level (algorithm 2). Nodes that
    /// are not admitted are passed through. Nothing after more than `limit` nodes.
    pub(super) fn spread_out(
        &self,
        query: &Coded,
        from: &[u32],
        level: usize,
        width: usize,
        limit: usize,
        admits: impl Fn(u32) -> bool,
    ) -> Option<Vec<(f32, u32)>> {
        let mut seen = Visited::new(self.ground.len());
        let mut ahead = BinaryHeap::with_capacity(4 * width);
        let mut top = Top::new(width, self.kernels);
        let mut visited = 0;
        let mut visit = |nodes: &[u32], ahead: &mut BinaryHeap<u64>, top: &mut Top| {
            for node in nodes {
                let score = self.score(query, *node);
                if score >= top.bar {
                    ahead.push(key(score, *node));
                    if admits(*node) {
                        top.push(score, *node);
                    }
                }
            }
            visited += nodes.len();
            visited <= limit
        };
        let mut fresh: Vec<u32> = from.iter().copied().filter(|node| seen.first(*node)).collect();
        let mut goes_on = visit(&fresh, &mut ahead, &mut top);
        while let Some(next) = ahead.pop().filter(|next| goes_on && score_of(*next) >= top.bar) {
            fresh.clear();
            for node in self.neighbours(level, slot_of(next)) {
                if seen.first(*node) {
                    self.prefetch(*node);
                    fresh.push(*node);
                }
            }
            goes_on = visit(&fresh, &mut ahead, &mut top);
        }
        goes_on.then(|| top.into_sorted())
    }

    fn prefetch(&self, node: u32) {
        if let (Some(vectors), row) = self.place(node) {
            crate::kernels::prefetch(vectors.codes(self.dimension, row));
        }
    }
}

/// Which nodes were seen, a bit each.
struct Visited(Vec<u64>);

impl Visited {
    fn new(nodes: usize) -> Visited {
        Visited(vec![0; nodes.div_ceil(64)])
    }

    /// Whether it is the first time; false for a node there is not.
    fn first(&mut self, node: u32) -> bool {
        let Some(bits) = self.0.get_mut(node as usize / 64) else { return false };
        let bit = 1 << (node % 64);
        let first = *bits & bit == 0;
        *bits |= bit;
        first
    }
}
