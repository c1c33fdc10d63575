//! A graph over the vectors of a shard: hierarchical navigable small worlds (Malkov & Yashunin 2018).
//! Distances by bytes, the best rescored in full. It helps where rows lie in clusters, as texts do; where
//! every row is about as far from every other it loses rows, so it measures its own recall when built, and
//! the exact search stays where that is too low.

mod build;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use crate::chunk::CHUNK;
use crate::kernels::Kernels;
use crate::shard::Shard;
use crate::vectors::{Coded, Vectors};

/// From so many rows with vectors on a graph is worth its building.
const WORTH: usize = 50_000;
/// Neighbours of a node above the ground.
const UPPER: usize = 16;
/// Neighbours of a node on the ground.
const GROUND: usize = 32;
/// No neighbour.
const NONE: u32 = u32::MAX;
/// Below this recall@10 on a sample the graph is not used.
const RECALL: f32 = 0.99;
/// With this recall on a sample no wider search is tried.
const GOOD: f32 = 0.995;
/// A graph is too old when more than one row in so many lies beside it.
const BESIDE: usize = 8;

/// A graph of the rows of one snapshot. Take it over with [`ShardWriter::adopt`](crate::ShardWriter::adopt).
pub struct Graph {
    generation: u64,
    dimension: usize,
    kernels: Kernels,
    /// The vectors it was built of. A chunk whose vectors are others now is searched exactly instead.
    vectors: Vec<Arc<Vectors>>,
    ground: Vec<[u32; GROUND]>,
    /// Of the nodes above the ground, the neighbours on each level from the first on.
    upper: HashMap<u32, Vec<[u32; UPPER]>>,
    /// Where every search begins, and on which level.
    entry: u32,
    top: usize,
    /// Rows in it.
    nodes: usize,
    /// How many candidates a search keeps.
    width: usize,
    recall: f32,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Graph { nodes, width, recall, .. } = self;
        write!(formatter, "Graph {{ nodes: {nodes}, width: {width}, recall: {recall} }}")
    }
}

impl Graph {
    /// The recall@10 measured when it was built.
    pub fn recall(&self) -> f32 {
        self.recall
    }

    /// Whether it is good enough to be searched.
    pub fn is_used(&self) -> bool {
        self.recall >= RECALL
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    fn score(&self, query: &Coded, node: u32) -> f32 {
        let (vectors, row) = self.place(node);
        vectors.map_or(0.0, |vectors| vectors.score_one(self.kernels, query, row))
    }

    fn place(&self, node: u32) -> (Option<&Vectors>, usize) {
        let (chunk, row) = (node as usize / CHUNK, node as usize % CHUNK);
        (self.vectors.get(chunk).map(|vectors| &**vectors), row)
    }

    fn neighbours(&self, level: usize, node: u32) -> &[u32] {
        let all = match level.checked_sub(1) {
            None => self.ground.get(node as usize).map(<[u32; GROUND]>::as_slice),
            Some(above) => {
                self.upper.get(&node).and_then(|levels| levels.get(above)).map(<[u32; UPPER]>::as_slice)
            }
        };
        let all = all.unwrap_or_default();
        all.get(..all.iter().position(|node| *node == NONE).unwrap_or(all.len())).unwrap_or_default()
    }
}

impl Shard {
    /// Whether a graph should be built: enough rows, and none yet, or one that too many rows lie beside.
    /// Where a graph turned out to be no good another is tried when there are twice as many rows.
    pub fn wants_graph(&self) -> bool {
        self.vectors >= WORTH
            && self.graph.as_ref().is_none_or(|graph| match graph.is_used() {
                true => self.beside(graph) > self.vectors / BESIDE,
                false => self.vectors >= 2 * graph.nodes,
            })
    }

    /// The graph that searches go by, if any.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_deref().filter(|graph| graph.is_used())
    }

    /// Rows that have to be scanned beside the graph.
    fn beside(&self, graph: &Graph) -> usize {
        let changed = |(at, _): &(usize, _)| !self.is_as_in(graph, *at);
        self.chunks.iter().enumerate().filter(changed).map(|(_, chunk)| chunk.rows.len()).sum()
    }

    /// Whether the vectors of a chunk are those the graph was built of.
    fn is_as_in(&self, graph: &Graph, chunk: usize) -> bool {
        match (self.chunks.get(chunk), graph.vectors.get(chunk)) {
            (Some(now), Some(then)) => Arc::ptr_eq(&now.vectors, then),
            _ => false,
        }
    }
}
