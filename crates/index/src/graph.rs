//! A graph over the vectors of a shard: hierarchical navigable small worlds (Malkov & Yashunin 2018).
//!
//! The search scores nodes by codes, and the best again in full precision. The graph works if the rows form clusters,
//! as texts do. It misses rows if all distances are about equal. Therefore the build measures the graph's recall, and
//! the exact search stays in use if the recall is too low. Rows that were added or changed after the build are scanned
//! in addition.

mod build;
mod search;

use std::collections::HashMap;
use std::sync::Arc;

use crate::chunk::CHUNK;
use crate::kernels::Kernels;
use crate::shard::Shard;
use crate::vectors::{QueryCodes, Vectors};

/// The least number of rows with vectors for which a graph is faster.
const LEAST_ROWS: usize = 50_000;
/// The number of neighbours of a node on a layer above the base.
const UPPER: usize = 16;
/// The number of neighbours of a node on the base layer, which holds all nodes.
const BASE: usize = 32;
/// Marks an unused place in a list of neighbours.
const NONE: u32 = u32::MAX;
/// The least recall@10 on a sample with which the graph is used.
const LEAST_RECALL: f32 = 0.99;
/// The recall on a sample at which no wider search is tried.
const GOOD_RECALL: f32 = 0.995;
/// A graph is outdated if more than one in this many rows is not in it.
const OUTSIDE: usize = 8;

/// A graph of the rows of one snapshot, for [`ShardWriter::adopt`](crate::ShardWriter::adopt).
pub struct Graph {
    generation: u64,
    dimension: usize,
    kernels: Kernels,
    /// The vectors of the build. A chunk whose vectors have changed since is scanned instead.
    vectors: Vec<Arc<Vectors>>,
    base: Vec<[u32; BASE]>,
    /// The neighbours of the few higher nodes, for each layer above the base.
    upper: HashMap<u32, Vec<[u32; UPPER]>>,
    /// The node where every search begins, and its layer.
    entry: u32,
    top: usize,
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

    /// Whether searches use the graph.
    pub fn is_used(&self) -> bool {
        self.recall >= LEAST_RECALL
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// The cosine of a node with a query, by codes.
    fn score(&self, query: &QueryCodes, node: u32) -> f32 {
        let (vectors, row) = self.locate(node);
        vectors.map_or(0.0, |vectors| vectors.score_one(self.kernels, query, row))
    }

    fn locate(&self, node: u32) -> (Option<&Vectors>, usize) {
        let (chunk, row) = (node as usize / CHUNK, node as usize % CHUNK);
        (self.vectors.get(chunk).map(|vectors| &**vectors), row)
    }

    fn neighbours(&self, layer: usize, node: u32) -> &[u32] {
        let all = match layer.checked_sub(1) {
            None => self.base.get(node as usize).map(<[u32; BASE]>::as_slice),
            Some(above) => {
                self.upper.get(&node).and_then(|layers| layers.get(above)).map(<[u32; UPPER]>::as_slice)
            }
        };
        let all = all.unwrap_or_default();
        all.get(..all.iter().position(|node| *node == NONE).unwrap_or(all.len())).unwrap_or_default()
    }
}

impl Shard {
    /// Whether a graph should be built: there are enough rows, and there is no graph or too many rows are outside it.
    /// After a graph with low recall, the next is tried when the number of rows has doubled.
    pub fn wants_graph(&self) -> bool {
        let outside = |graph: &Graph| -> usize {
            let changed = self.chunks.iter().enumerate().filter(|(at, _)| !self.is_as_in(graph, *at));
            changed.map(|(_, chunk)| chunk.rows.len()).sum()
        };
        self.vectors >= LEAST_ROWS
            && self.graph.as_ref().is_none_or(|graph| match graph.is_used() {
                true => outside(graph) > self.vectors / OUTSIDE,
                false => self.vectors >= 2 * graph.nodes,
            })
    }

    /// The graph that searches use, if any.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.as_deref().filter(|graph| graph.is_used())
    }

    /// Whether a chunk still has the vectors from which the graph was built.
    fn is_as_in(&self, graph: &Graph, chunk: usize) -> bool {
        match (self.chunks.get(chunk), graph.vectors.get(chunk)) {
            (Some(now), Some(then)) => Arc::ptr_eq(&now.vectors, then),
            _ => false,
        }
    }
}
