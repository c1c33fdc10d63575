//! Building the graph. Deterministic: the top layer of a node is a function of the row's id.

use std::collections::HashMap;
use std::sync::Arc;

use super::{BASE, GOOD_RECALL, Graph, NONE, UPPER};
use crate::dense::candidates;
use crate::filter::Filter;
use crate::kernels::Kernels;
use crate::row::Slot;
use crate::shard::Shard;
use crate::vectors::{QueryCodes, UnitVector};

/// How many candidates are kept while a node looks for its neighbours.
const WIDTH: usize = 96;
/// The number of queries in the measurement of the recall.
const SAMPLE: usize = 100;
/// Candidate search widths, ascending: the first that reaches the required recall is used.
const WIDTHS: [usize; 6] = [40, 56, 80, 112, 160, 256];

impl Shard {
    /// Builds a graph of this snapshot. It takes seconds to minutes of one core, so run it in the background.
    /// `cancelled` is called often; when it returns true, the result is `None`.
    pub fn build_graph(&self, cancelled: impl Fn() -> bool) -> Option<Graph> {
        let mut graph = Graph {
            generation: self.generation,
            dimension: self.dimension,
            kernels: Kernels::detect(),
            vectors: self.chunks.iter().map(|chunk| Arc::clone(&chunk.vectors)).collect(),
            base: vec![[NONE; BASE]; self.end() as usize],
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
            if let (Some(codes), Some(id)) = (graph.codes(slot.0), self.id(slot)) {
                graph.insert(slot.0, &codes, top_layer(id));
            }
        }
        self.measure(&mut graph, cancelled)?;
        if !graph.is_used() {
            // an unused graph needs only its number of nodes
            (graph.base, graph.upper, graph.vectors) = Default::default();
        }
        Some(graph)
    }

    /// Chooses the search width by the recall@10 on a sample. A query is a mix of 70 % of one row and 30 % of another:
    /// near a row, but not equal to it.
    fn measure(&self, graph: &mut Graph, cancelled: impl Fn() -> bool) -> Option<()> {
        let rows: Vec<Slot> = self.live_slots().filter(|slot| graph.codes(slot.0).is_some()).collect();
        let row = |at: usize| rows.get(at % rows.len().max(1)).and_then(|slot| graph.unit(slot.0));
        let mut sample = Vec::with_capacity(SAMPLE);
        for at in 0..SAMPLE.min(rows.len()) {
            if cancelled() {
                return None;
            }
            let place = at * rows.len() / SAMPLE;
            let (Some(one), Some(other)) = (row(place), row(place + rows.len() / 3)) else { continue };
            let Ok(query) = one.mixed_with(&other, self.dimension) else { continue };
            let nearest = self.scan(graph.kernels, &query, &[(Filter::default(), 10)]);
            sample.push((query, nearest.into_iter().flat_map(|nearest| nearest.hits).collect::<Vec<_>>()));
        }
        let wanted: usize = sample.iter().map(|(_, nearest)| nearest.len()).sum();
        for width in WIDTHS {
            let mut found = 0;
            for (query, nearest) in &sample {
                if cancelled() {
                    return None;
                }
                let hits = graph
                    .search(query.codes(), width.max(candidates(10)), |node| self.meta(node).is_some())
                    .unwrap_or_default();
                found +=
                    nearest.iter().filter(|(slot, _)| hits.iter().any(|(_, hit)| *hit == slot.0)).count();
            }
            (graph.width, graph.recall) = (width, found as f32 / wanted.max(1) as f32);
            if graph.recall >= GOOD_RECALL {
                break;
            }
        }
        Some(())
    }
}

/// The highest layer of a node: each layer has a sixteenth of the nodes of the layer below.
fn top_layer(id: i64) -> usize {
    // SplitMix64 (Steele, Lea & Flood 2014): every bit of the result depends on every bit of the id
    let mut bits = id.cast_unsigned().wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31).leading_zeros() / UPPER.ilog2()) as usize
}

impl Graph {
    fn unit(&self, node: u32) -> Option<UnitVector> {
        let (vectors, row) = self.locate(node);
        vectors?.unit(self.dimension, row)
    }

    fn codes(&self, node: u32) -> Option<QueryCodes> {
        let (vectors, row) = self.locate(node);
        vectors?.query_codes(self.dimension, row)
    }

    /// Adds a node (algorithm 1).
    fn insert(&mut self, node: u32, vector: &QueryCodes, layer: usize) {
        self.nodes += 1;
        if layer > 0 {
            self.upper.insert(node, vec![[NONE; UPPER]; layer]);
        }
        if self.entry == NONE {
            (self.entry, self.top) = (node, layer);
            return;
        }
        let mut from = vec![self.entry];
        for above in (layer + 1..=self.top).rev() {
            from = vec![self.descend(vector, from[0], above)];
        }
        for here in (0..=layer.min(self.top)).rev() {
            let Some(found) = self.search_layer(vector, &from, here, WIDTH, usize::MAX, |_| true) else {
                return;
            };
            let neighbours = self.select(&found, UPPER);
            self.set_neighbours(here, node, &neighbours);
            for neighbour in neighbours {
                self.link(here, neighbour, node);
            }
            from = found.into_iter().map(|(_, node)| node).collect();
        }
        if layer > self.top {
            (self.entry, self.top) = (node, layer);
        }
    }

    /// Up to `most` of the candidates (best first). Each selected candidate is nearer to the node than to any
    /// selected before it, so that the neighbours lie in all directions (algorithm 4).
    fn select(&self, candidates: &[(f32, u32)], most: usize) -> Vec<u32> {
        let mut selected: Vec<u32> = Vec::with_capacity(most);
        for (score, candidate) in candidates {
            if selected.len() == most {
                break;
            }
            let Some(vector) = self.codes(*candidate) else { continue };
            if selected.iter().all(|other| self.score(&vector, *other) < *score) {
                selected.push(*candidate);
            }
        }
        selected
    }

    /// Makes `to` a neighbour of `node`; when the list is full, selects the neighbours again.
    fn link(&mut self, layer: usize, node: u32, to: u32) {
        let most = if layer == 0 { BASE } else { UPPER };
        let mut all = self.neighbours(layer, node).to_vec();
        all.push(to);
        if all.len() > most {
            let Some(vector) = self.codes(node) else { return };
            let mut scored: Vec<(f32, u32)> =
                all.iter().map(|other| (self.score(&vector, *other), *other)).collect();
            scored.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
            all = self.select(&scored, most);
        }
        self.set_neighbours(layer, node, &all);
    }

    fn set_neighbours(&mut self, layer: usize, node: u32, neighbours: &[u32]) {
        let place = match layer.checked_sub(1) {
            None => self.base.get_mut(node as usize).map(<[u32; BASE]>::as_mut_slice),
            Some(above) => self
                .upper
                .get_mut(&node)
                .and_then(|layers| layers.get_mut(above))
                .map(<[u32; UPPER]>::as_mut_slice),
        };
        if let Some(place) = place {
            place.fill(NONE);
            place.iter_mut().zip(neighbours).for_each(|(place, neighbour)| *place = *neighbour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::top_layer;

    #[test]
    fn a_sixteenth_of_the_nodes_rises_at_each_layer() {
        let above = |least| (0..160_000).filter(|id| top_layer(*id) >= least).count();
        assert!((9_500..10_500).contains(&above(1)), "{}", above(1));
        assert!((525..725).contains(&above(2)), "{}", above(2));
    }
}
