//! Up to 128 rows. A snapshot is a list of chunks; a writer copies the chunk it changes and shares the
//! others. The vectors stand apart because most changes do not touch them.

use std::sync::Arc;

use crate::filter::Filter;
use crate::vectors::Vectors;
use crate::words::Entry;

/// Rows a chunk.
pub const CHUNK: usize = 128;

/// What is known of a row besides its vector and its words.
#[derive(Clone, Copy, PartialEq)]
pub struct Meta {
    pub id: i64,
    pub at: i64,
    pub expires_at: i64,
    /// Place in the shard's list of authors; `u32::MAX`: none.
    pub author: u32,
    /// Indexed words of the text, for BM25.
    pub length: u16,
    /// Words of the text, all of them.
    pub count: u16,
    pub source: u8,
    pub question: bool,
}

#[derive(Clone, Default)]
pub struct Chunk {
    pub rows: Vec<Meta>,
    /// The words of each row, ascending.
    pub words: Vec<Arc<[Entry]>>,
    pub vectors: Arc<Vectors>,
    gone: [u64; CHUNK / 64],
}

impl Chunk {
    pub fn is_gone(&self, row: usize) -> bool {
        self.gone.get(row / 64).is_none_or(|bits| bits >> (row % 64) & 1 == 1)
    }

    /// Marks a row as gone. What it held stays until the shard is compacted.
    pub fn remove(&mut self, row: usize) {
        if let Some(bits) = self.gone.get_mut(row / 64) {
            *bits |= 1 << (row % 64);
        }
    }

    pub fn any_gone(&self) -> bool {
        self.gone.iter().any(|bits| *bits != 0)
    }

    /// Whether the row is there and passes.
    pub fn admits(&self, row: usize, filter: &Filter<'_>) -> bool {
        self.rows.get(row).is_some_and(|meta| {
            !self.is_gone(row) && filter.admits(meta.id, meta.at, meta.expires_at, meta.source)
        })
    }

    /// The rows that are there.
    pub fn live(&self) -> impl Iterator<Item = (usize, &Meta)> {
        self.rows.iter().enumerate().filter(|(row, _)| !self.is_gone(*row))
    }
}
