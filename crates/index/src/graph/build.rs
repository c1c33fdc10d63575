//! Building the graph. Deterministic: the level of a node follows from the row's id.

use std::collections::HashMap;
use std::sync::Arc;

use super::{GOOD, GROUND, Graph, NONE, UPPER};
use crate::dense::candidates;
use crate::filter::Filter;
use crate::kernels::Kernels;
use crate::row::Slot;
use crate::shard::Shard;
use crate::vectors::{Coded, Unit};

/// Candidates kept while a node looks for its neighbours.
const WIDTH: usize = 96;
/// Rows the recall is measured with.
const SAMPLE: usize = 100;
/// The widths of search to choose from: the first that reaches the recall is taken.
const WIDTHS: [usize; 6] = [40, 56, 80, 112, 160, 256];

impl Shard {
    /// Builds a graph of this snapshot: seconds to minutes of one core, so not where somebody waits.
    /// Nothing when `cancelled` says so; it is asked often.
    pub fn build_graph(&self, cancelled: impl Fn() -> bool) -> Option<Graph> {
        let mut graph = Graph {
            generation: self.generation,
            dimension: self.dimension,
            kernels: Kernels::detect(),
            vectors: self.chunks.iter().map(|chunk| Arc::clone(&chunk.vectors)).collect(),
            ground: vec![[NONE; GROUND]; self.end() as usize],
            upper: HashMap::new(),
            entry: NONE,
            top: 0,
            nodes: 0,
            width: 0,
            recall: 0.0,
        };
        for slot in self.live_slots() {
            if cancelled() {
                return None;
            }
            if let (Some(coded), Some(id)) = (graph.coded(slot.0), self.id(slot)) {
                graph.insert(slot.0, &coded, level(id));
            }
        }
        self.measure(&mut graph, cancelled)?;
        if !graph.is_used() {
            // Only its size is of interest still.
            (graph.ground, graph.upper, graph.vectors) = Default::default();
        }
        Some(graph)
    }

    /// Chooses the width of search by the recall@10 on a sample. A query is near a row but is none: seven
    /// parts of one row and three of another.
    fn measure(&self, graph: &mut Graph, cancelled: impl Fn() -> bool) -> Option<()> {
        let rows: Vec<Slot> = self.live_slots().filter(|slot| graph.coded(slot.0).is_some()).collect();
        let row = |at: usize| rows.get(at % rows.len().max(1)).and_then(|slot| graph.unit(slot.0));
        let mut asked = Vec::with_capacity(SAMPLE);
        for at in 0..SAMPLE.min(rows.len()) {
            if cancelled() {
                return None;
            }
            let place = at * rows.len() / SAMPLE;
            let (Some(one), Some(other)) = (row(place), row(place + rows.len() / 3)) else { continue };
            let Ok(query) = one.mixed_with(&other, self.dimension) else { continue };
            let truth = self.scan(graph.kernels, &query, 10, &Filter::default());
            asked.push((query, truth.hits));
        }
        let wanted: usize = asked.iter().map(|(_, truth)| truth.len()).sum();
        for width in WIDTHS {
            let mut found = 0;
            for (query, truth) in &asked {
                if cancelled() {
                    return None;
                }
                let hits = graph
                    .search(query.coded(), width.max(candidates(10)), |node| self.is_live(node))
                    .unwrap_or_default();
                found += truth.iter().filter(|(slot, _)| hits.iter().any(|(_, hit)| *hit == slot.0)).count();
            }
            (graph.width, graph.recall) = (width, found as f32 / wanted.max(1) as f32);
            if graph.recall >= GOOD {
                break;
            }
        }
        Some(())
    }
}

/// The highest level of a node: each has a sixteenth of the nodes of the one below.
fn level(id: i64) -> usize {
    // SplitMix64 (Steele, Lea & Flood 2014): every bit of the result depends on every bit of the id.
    let mut bits = id.cast_unsigned().wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31).leading_zeros() / UPPER.ilog2()) as usize
}

impl Graph {
    fn unit(&self, node: u32) -> Option<Unit> {
        let (vectors, row) = self.place(node);
        vectors?.unit(self.dimension, row)
    }

    fn coded(&self, node: u32) -> Option<Coded> {
        let (vectors, row) = self.place(node);
        vectors?.coded(self.dimension, row)
    }

    /// Adds a node (algorithm 1).
    fn insert(&mut self, node: u32, vector: &Coded, level: usize) {
        self.nodes += 1;
        if level > 0 {
            self.upper.insert(node, vec![[NONE; UPPER]; level]);
        }
        if self.entry == NONE {
            (self.entry, self.top) = (node, level);
            return;
        }
        let mut from = vec![self.entry];
        for above in (level + 1..=self.top).rev() {
            from = vec![self.descend(vector, from[0], above)];
        }
        for here in (0..=level.min(self.top)).rev() {
            let Some(found) = self.spread_out(vector, &from, here, WIDTH, usize::MAX, |_| true) else {
                return;
            };
            let chosen = self.choose(&found, UPPER);
            self.set(here, node, &chosen);
            for neighbour in chosen {
                self.link(here, neighbour, node);
            }
            from = found.into_iter().map(|(_, node)| node).collect();
        }
        if level > self.top {
            (self.entry, self.top) = (node, level);
        }
    }

    /// Up to `most` of the candidates (best first), each nearer to the node than to any chosen before it:
    /// so that they lie in all directions (algorithm 4).
    fn choose(&self, candidates: &[(f32, u32)], most: usize) -> Vec<u32> {
        let mut chosen: Vec<u32> = Vec::with_capacity(most);
        for (score, candidate) in candidates {
            if chosen.len() == most {
                break;
            }
            let Some(vector) = self.coded(*candidate) else { continue };
            if chosen.iter().all(|other| self.score(&vector, *other) < *score) {
                chosen.push(*candidate);
            }
        }
        chosen
    }

    /// Makes `to` a neighbour of `node`; where there are too many, chooses anew.
    fn link(&mut self, level: usize, node: u32, to: u32) {
        let most = if level == 0 { GROUND } else { UPPER };
        let mut all = self.neighbours(level, node).to_vec();
        all.push(to);
        if all.len() > most {
            let Some(vector) = self.coded(node) else { return };
            let mut scored: Vec<(f32, u32)> =
                all.iter().map(|other| (self.score(&vector, *other), *other)).collect();
            scored.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
            all = self.choose(&scored, most);
        }
        self.set(level, node, &all);
    }

    fn set(&mut self, level: usize, node: u32, neighbours: &[u32]) {
        let place = match level.checked_sub(1) {
            None => self.ground.get_mut(node as usize).map(<[u32; GROUND]>::as_mut_slice),
            Some(above) => self
                .upper
                .get_mut(&node)
                .and_then(|levels| levels.get_mut(above))
                .map(<[u32; UPPER]>::as_mut_slice),
        };
        if let Some(place) = place {
            place.fill(NONE);
            for (place, neighbour) in place.iter_mut().zip(neighbours) {
                *place = *neighbour;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn a_sixteenth_of_the_nodes_rises_at_each_level() {
        let above = |least| (0..160_000).filter(|id| level(*id) >= least).count();
        assert!((9_500..10_500).contains(&above(1)), "{}", above(1));
        assert!((525..725).contains(&above(2)), "{}", above(2));
    }
}
