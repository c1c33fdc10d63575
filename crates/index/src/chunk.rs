//! Up to 128 rows, the unit of copying. A writer copies a chunk before a change only if a reader still holds it;
//! snapshots share all other chunks. The vectors are allocated apart because most changes do not touch them.

use std::sync::Arc;

use crate::filter::Filter;
use crate::row::RowMeta;
use crate::top::TopK;
use crate::vectors::Vectors;
use crate::words::Entry;

/// The number of rows in a chunk.
pub const CHUNK: usize = 128;

#[derive(Default)]
pub struct Chunk {
    pub rows: Vec<RowMeta>,
    /// The entries of all rows, row after row, sorted by term within a row; and the end of each row.
    entries: Vec<Entry>,
    ends: Vec<u32>,
    pub vectors: Arc<Vectors>,
    /// One bit per deleted row. The data of the row stays until the shard is compacted.
    deleted: [u64; CHUNK / 64],
}

impl Clone for Chunk {
    fn clone(&self) -> Self {
        Chunk {
            rows: with_room(&self.rows, 1),
            entries: with_room(&self.entries, 32),
            ends: with_room(&self.ends, 1),
            vectors: Arc::clone(&self.vectors),
            ..*self
        }
    }
}

/// A copy with spare capacity, because most copies are made to add a row.
pub fn with_room<T: Copy>(values: &[T], more: usize) -> Vec<T> {
    let mut copy = Vec::with_capacity(values.len() + more);
    copy.extend_from_slice(values);
    copy
}

impl Chunk {
    /// Adds a row without its vector, which the caller adds to `vectors`.
    pub fn push(&mut self, meta: RowMeta, entries: &[Entry]) {
        self.rows.push(meta);
        self.entries.extend_from_slice(entries);
        self.ends.push(self.entries.len() as u32);
        if self.rows.len() == CHUNK {
            self.entries.shrink_to_fit();
        }
    }

    /// The entries of a row, ascending.
    pub fn entries(&self, row: usize) -> &[Entry] {
        let end = |row: usize| self.ends.get(row).map(|end| *end as usize);
        let from = row.checked_sub(1).map_or(Some(0), end);
        from.zip(end(row)).and_then(|(from, to)| self.entries.get(from..to)).unwrap_or_default()
    }

    pub fn is_deleted(&self, row: usize) -> bool {
        self.deleted.get(row / 64).is_none_or(|bits| bits >> (row % 64) & 1 == 1)
    }

    pub fn delete(&mut self, row: usize) {
        if let Some(bits) = self.deleted.get_mut(row / 64) {
            *bits |= 1 << (row % 64);
        }
    }

    /// Sets the scores of deleted rows to 0.
    pub fn forget_deleted(&self, scores: &mut [f32]) {
        if self.deleted.iter().any(|bits| *bits != 0) {
            for (_, score) in scores.iter_mut().enumerate().filter(|(row, _)| self.is_deleted(*row)) {
                *score = 0.0;
            }
        }
    }

    /// Offers the rows that pass the filter to a search, the newest first. `largest` is the largest score and `first`
    /// the slot of the first row.
    pub fn offer(&self, scores: &[f32], largest: f32, filter: &Filter<'_>, top: &mut TopK, first: u32) {
        if largest <= top.bar {
            return; // this is the usual case once the search has found its first hits
        }
        for (row, score) in scores.iter().enumerate().rev() {
            if *score > top.bar && self.admits(row, filter) {
                top.push(*score, first + row as u32);
            }
        }
    }

    /// Whether the row is live and passes.
    pub fn admits(&self, row: usize, filter: &Filter<'_>) -> bool {
        self.rows.get(row).is_some_and(|meta| {
            !self.is_deleted(row) && filter.admits(meta.id, meta.at, meta.expires_at, meta.source)
        })
    }

    /// The live rows.
    pub fn live(&self) -> impl Iterator<Item = (usize, &RowMeta)> {
        self.rows.iter().enumerate().filter(|(row, _)| !self.is_deleted(*row))
    }
}
