//! The rows of one place as a reader sees them: a snapshot that nothing changes any more (FG1).

use std::sync::Arc;

use crate::chunk::{CHUNK, Chunk, Chunks, Meta};
use crate::filter::Filter;
use crate::graph::Graph;
use crate::row::Slot;
use crate::words::{Entry, Segment, Shared, WordQuery};

/// A snapshot. Cheap to share; made by a [`ShardWriter`](crate::ShardWriter).
#[derive(Clone, Default)]
pub struct Shard {
    pub(crate) dimension: usize,
    pub(crate) chunks: Chunks,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) authors: Arc<Vec<Arc<str>>>,
    pub(crate) graph: Option<Arc<Graph>>,
    /// Counts compactions: slots mean the same while it stands.
    pub(crate) generation: u64,
    /// Rows that are there; rows that are gone; rows that are there and have a vector.
    pub(crate) live: usize,
    pub(crate) gone: usize,
    pub(crate) vectors: usize,
    /// Terms of the rows that are there.
    pub(crate) length: u64,
    /// Whether a row came after one of a larger id.
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
    /// Rows that are there, expired ones included.
    pub fn documents(&self) -> usize {
        self.live
    }

    /// Of those, the rows with a vector.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Numbers a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Terms of all texts; divided by [`Shard::documents`] the average length.
    pub fn total_length(&self) -> u64 {
        self.length
    }

    /// Where the row of an id lies.
    pub fn slot_of(&self, id: i64) -> Option<Slot> {
        let found = if self.unordered {
            self.live_slots().find(|slot| self.id(*slot) == Some(id))
        } else {
            let chunk =
                self.chunks.partition_point(|chunk| chunk.rows.first().is_some_and(|row| row.id <= id));
            let chunk = chunk.checked_sub(1)?;
            let row = self.chunks.get(chunk)?.rows.binary_search_by_key(&id, |row| row.id).ok()?;
            Some(Slot((chunk * CHUNK + row) as u32))
        };
        found.filter(|slot| self.is_live(slot.0))
    }

    /// Every row that is there, oldest first.
    pub fn live_slots(&self) -> impl DoubleEndedIterator<Item = Slot> {
        (0..self.end()).filter(|slot| self.is_live(*slot)).map(Slot)
    }

    /// The row after this one: what was said next.
    pub fn next(&self, slot: Slot) -> Option<Slot> {
        (slot.0 + 1..self.end()).find(|slot| self.is_live(*slot)).map(Slot)
    }

    /// The row before this one.
    pub fn previous(&self, slot: Slot) -> Option<Slot> {
        (0..slot.0.min(self.end())).rev().find(|slot| self.is_live(*slot)).map(Slot)
    }

    /// The row's id.
    pub fn id(&self, slot: Slot) -> Option<i64> {
        self.meta(slot).map(|meta| meta.id)
    }

    /// When it was said or learned.
    pub fn at(&self, slot: Slot) -> Option<i64> {
        self.meta(slot).map(|meta| meta.at)
    }

    /// What kind of source it is.
    pub fn source(&self, slot: Slot) -> Option<u8> {
        self.meta(slot).map(|meta| meta.source)
    }

    /// Who said it.
    pub fn author(&self, slot: Slot) -> Option<&str> {
        let author = self.meta(slot)?.author;
        self.authors.get(author as usize).map(|name| &**name)
    }

    /// All that is known of a row but its vector.
    pub fn row(&self, slot: Slot) -> Option<RowRef<'_>> {
        let (chunk, row) = self.place(slot.0)?;
        let meta = chunk.rows.get(row).filter(|_| !chunk.is_gone(row))?;
        let author = self.authors.get(meta.author as usize).map(|name| &**name);
        Some(RowRef { meta, author, words: chunk.words(row) })
    }

    /// Whether the row is there and passes the filter.
    pub fn passes(&self, slot: Slot, filter: &Filter<'_>) -> bool {
        self.admits(slot.0, filter)
    }

    /// One more than the last slot.
    pub(crate) fn end(&self) -> u32 {
        let last = self.chunks.last().map_or(0, |chunk| chunk.rows.len());
        (self.chunks.len().saturating_sub(1) * CHUNK + last) as u32
    }

    pub(crate) fn place(&self, slot: u32) -> Option<(&Arc<Chunk>, usize)> {
        let chunk = self.chunks.get(slot as usize / CHUNK)?;
        Some((chunk, slot as usize % CHUNK))
    }

    /// What is known of a row that is there.
    pub(crate) fn meta(&self, slot: Slot) -> Option<&Meta> {
        let (chunk, row) = self.place(slot.0)?;
        chunk.rows.get(row).filter(|_| !chunk.is_gone(row))
    }

    pub(crate) fn entries(&self, slot: Slot) -> &[Entry] {
        let there = self.place(slot.0).filter(|(chunk, row)| !chunk.is_gone(*row));
        there.map(|(chunk, row)| chunk.words(row)).unwrap_or_default()
    }

    pub(crate) fn is_live(&self, slot: u32) -> bool {
        self.meta(Slot(slot)).is_some()
    }

    pub(crate) fn admits(&self, slot: u32, filter: &Filter<'_>) -> bool {
        self.place(slot).is_some_and(|(chunk, row)| chunk.admits(row, filter))
    }

    pub(crate) fn any_gone(&self) -> bool {
        self.gone > 0
    }

    pub(crate) fn segments(&self) -> impl DoubleEndedIterator<Item = &Segment> {
        self.segments.iter().map(|segment| &**segment)
    }
}

/// What is known of a row.
#[derive(Clone, Copy)]
pub struct RowRef<'a> {
    meta: &'a Meta,
    author: Option<&'a str>,
    words: &'a [Entry],
}

impl<'a> RowRef<'a> {
    /// Its id.
    pub fn id(&self) -> i64 {
        self.meta.id
    }

    /// When it was said or learned.
    pub fn at(&self) -> i64 {
        self.meta.at
    }

    /// What kind of source it is.
    pub fn source(&self) -> u8 {
        self.meta.source
    }

    /// Who said it.
    pub fn author(&self) -> Option<&'a str> {
        self.author
    }

    /// Whether it asks something.
    pub fn is_question(&self) -> bool {
        self.meta.question
    }

    /// Whether it names something besides the participants.
    pub fn names_something(&self) -> bool {
        self.meta.names
    }

    /// Whether it says when something happened.
    pub fn says_when(&self) -> bool {
        self.meta.time
    }

    /// How many words its text has.
    pub fn word_count(&self) -> usize {
        usize::from(self.meta.count)
    }

    /// How many of them are terms: what it has to say.
    pub fn term_count(&self) -> usize {
        usize::from(self.meta.length)
    }

    /// What it has in common with a query.
    pub fn shared(&self, query: &WordQuery) -> Shared {
        query.shared(self.words, self.meta.length)
    }
}
