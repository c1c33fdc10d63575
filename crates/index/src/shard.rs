//! The rows of one place as a reader sees them: a snapshot that never changes (FG1).

use std::sync::Arc;

use crate::chunk::{CHUNK, Chunk};
use crate::filter::Filter;
use crate::graph::Graph;
use crate::row::{RowMeta, RowRef, Slot};
use crate::words::Segment;

/// A snapshot. Cheap to share; made by a [`ShardWriter`](crate::ShardWriter).
#[derive(Clone, Default)]
pub struct Shard {
    pub(crate) dimension: usize,
    pub(crate) chunks: Vec<Arc<Chunk>>,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) authors: Arc<Vec<Arc<str>>>,
    pub(crate) graph: Option<Arc<Graph>>,
    /// The number of compactions. Slots of two snapshots with the same number mean the same rows.
    pub(crate) generation: u64,
    /// The numbers of live rows, of deleted rows, and of live rows with a vector.
    pub(crate) live: usize,
    pub(crate) deleted: usize,
    pub(crate) vectors: usize,
    /// The number of terms of the live rows.
    pub(crate) length: u64,
    /// Whether a row was added after one with a larger id.
    pub(crate) unordered: bool,
}

impl std::fmt::Debug for Shard {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Shard")
            .field("dimension", &self.dimension)
            .field("documents", &self.live)
            .field("vectors", &self.vectors)
            .field("graph", &self.graph.is_some())
            .finish_non_exhaustive()
    }
}

impl Shard {
    /// The number of live rows, expired ones included.
    pub fn documents(&self) -> usize {
        self.live
    }

    /// The number of terms in the texts of all live rows.
    pub fn text_terms(&self) -> u64 {
        self.length
    }

    /// The number of live rows with a vector.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// The dimension of the vectors.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The slot of a live row.
    pub fn slot_of(&self, id: i64) -> Option<Slot> {
        let found = if self.unordered {
            self.live_slots().find(|slot| self.id(*slot) == Some(id))
        } else {
            let starts_before = |chunk: &Arc<Chunk>| chunk.rows.first().is_some_and(|row| row.id <= id);
            let chunk = self.chunks.partition_point(starts_before).checked_sub(1)?;
            let row = self.chunks.get(chunk)?.rows.binary_search_by_key(&id, |row| row.id).ok()?;
            Some(Slot((chunk * CHUNK + row) as u32))
        };
        found.filter(|slot| self.meta(slot.0).is_some())
    }

    /// Every live row, oldest first.
    pub fn live_slots(&self) -> impl DoubleEndedIterator<Item = Slot> {
        (0..self.end()).filter(|slot| self.meta(*slot).is_some()).map(Slot)
    }

    /// The next live row: the message said after this one.
    pub fn next(&self, slot: Slot) -> Option<Slot> {
        (slot.0 + 1..self.end()).find(|slot| self.meta(*slot).is_some()).map(Slot)
    }

    /// The live row before this one.
    pub fn previous(&self, slot: Slot) -> Option<Slot> {
        (0..slot.0.min(self.end())).rev().find(|slot| self.meta(*slot).is_some()).map(Slot)
    }

    /// The id of a live row.
    pub fn id(&self, slot: Slot) -> Option<i64> {
        self.meta(slot.0).map(|meta| meta.id)
    }

    /// A live row without its vector.
    pub fn row(&self, slot: Slot) -> Option<RowRef<'_>> {
        let meta = self.meta(slot.0)?;
        let (chunk, row) = self.locate(slot.0)?;
        let author = self.authors.get(meta.author as usize).map(|name| &**name);
        Some(RowRef { meta, author, entries: chunk.entries(row) })
    }

    /// Whether the row is live and passes the filter.
    pub fn passes(&self, slot: Slot, filter: &Filter<'_>) -> bool {
        self.locate(slot.0).is_some_and(|(chunk, row)| chunk.admits(row, filter))
    }

    /// One more than the last slot.
    pub(crate) fn end(&self) -> u32 {
        let last = self.chunks.last().map_or(0, |chunk| chunk.rows.len());
        (self.chunks.len().saturating_sub(1) * CHUNK + last) as u32
    }

    /// The chunk of a slot, and the row in it.
    pub(crate) fn locate(&self, slot: u32) -> Option<(&Arc<Chunk>, usize)> {
        let chunk = self.chunks.get(slot as usize / CHUNK)?;
        Some((chunk, slot as usize % CHUNK))
    }

    /// The stored data of a live row.
    pub(crate) fn meta(&self, slot: u32) -> Option<&RowMeta> {
        let (chunk, row) = self.locate(slot)?;
        chunk.rows.get(row).filter(|_| !chunk.is_deleted(row))
    }
}
