//! Up to 128 rows. A snapshot is a list of chunks; a writer copies the chunk it changes and shares the
//! others. What is copied lies in few pieces. The vectors stand apart because most changes do not touch them.

use std::sync::Arc;

use crate::filter::Filter;
use crate::top::Top;
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
    pub names: bool,
    pub time: bool,
}

#[derive(Default)]
pub struct Chunk {
    pub rows: Vec<Meta>,
    /// The words of the rows, one row's after the other's, each ascending; and where they end.
    words: Vec<Entry>,
    ends: Vec<u32>,
    pub vectors: Arc<Vectors>,
    gone: [u64; CHUNK / 64],
    span: Span,
}

impl Clone for Chunk {
    fn clone(&self) -> Self {
        Chunk {
            rows: with_room(&self.rows, 1),
            words: with_room(&self.words, 32),
            ends: with_room(&self.ends, 1),
            vectors: Arc::clone(&self.vectors),
            ..*self
        }
    }
}

/// A copy with room for some more: most copies are made to add a row.
pub fn with_room<T: Copy>(values: &[T], more: usize) -> Vec<T> {
    let mut copy = Vec::with_capacity(values.len() + more);
    copy.extend_from_slice(values);
    copy
}

/// What the rows of a chunk have in common, so that most chunks need no look at each row.
#[derive(Clone, Copy)]
struct Span {
    last_id: i64,
    at: (i64, i64),
    first_expiry: i64,
    sources: u32,
}

impl Default for Span {
    fn default() -> Self {
        Span { last_id: i64::MIN, at: (i64::MAX, i64::MIN), first_expiry: i64::MAX, sources: 0 }
    }
}

impl Chunk {
    /// Adds what is known of a row; its vector is added apart.
    pub fn push(&mut self, meta: Meta, words: &[Entry]) {
        self.widen(&meta);
        self.rows.push(meta);
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len() as u32);
        if self.rows.len() == CHUNK {
            self.words.shrink_to_fit();
        }
    }

    /// The words of a row, ascending.
    pub fn words(&self, row: usize) -> &[Entry] {
        let end = |row: usize| self.ends.get(row).map(|end| *end as usize);
        let from = row.checked_sub(1).map_or(Some(0), end);
        from.zip(end(row)).and_then(|(from, to)| self.words.get(from..to)).unwrap_or_default()
    }

    /// Replaces what is known of a row, its words and its vector excepted.
    pub fn replace(&mut self, row: usize, meta: Meta) {
        self.widen(&meta);
        if let Some(place) = self.rows.get_mut(row) {
            *place = meta;
        }
    }

    fn widen(&mut self, meta: &Meta) {
        let Span { last_id, at, first_expiry, sources } = &mut self.span;
        *last_id = meta.id.max(*last_id);
        *at = (meta.at.min(at.0), meta.at.max(at.1));
        *first_expiry = meta.expires_at.min(*first_expiry);
        match 1u32.checked_shl(u32::from(meta.source)) {
            Some(bit) => *sources |= bit,
            // Such a row never passes.
            None => *first_expiry = i64::MIN,
        }
    }

    /// Whether a row may pass: one of the filter's sources is among those here.
    pub fn may_admit(&self, filter: &Filter<'_>) -> bool {
        self.span.sources & filter.sources != 0
    }

    /// Whether every row that is there passes. False may be too strict.
    pub fn admits_all(&self, filter: &Filter<'_>) -> bool {
        let Span { last_id, at, first_expiry, sources } = self.span;
        first_expiry > filter.now
            && filter.within.is_none()
            && filter.before.is_none_or(|before| last_id < before)
            && filter.between.is_none_or(|(from, to)| from <= at.0 && at.1 < to)
            && sources & !filter.sources == 0
    }

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

    /// The score of a row that is gone is nothing.
    pub fn forget_gone(&self, scores: &mut [f32]) {
        if self.any_gone() {
            for (_, score) in scores.iter_mut().enumerate().filter(|(row, _)| self.is_gone(*row)) {
                *score = 0.0;
            }
        }
    }

    /// Offers the rows to a search, from the newest on: those that pass and whose scores are good enough.
    /// `first` is the slot of the first.
    pub fn offer(&self, scores: &[f32], largest: f32, filter: &Filter<'_>, top: &mut Top, first: u32) {
        if largest <= top.bar || !self.may_admit(filter) {
            return;
        }
        if !self.any_gone() && self.admits_all(filter) {
            return top.push_all(scores, first);
        }
        for (row, score) in scores.iter().enumerate().rev() {
            if *score > top.bar && self.admits(row, filter) {
                top.push(*score, first + row as u32);
            }
        }
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

/// Chunks a page.
const PAGE: usize = 64;

/// The chunks of a shard, in pages: a snapshot shares all but one of them with the last, so that an insert
/// costs about the same in a shard of any size.
#[derive(Clone, Default)]
pub struct Chunks(Vec<Arc<Vec<Arc<Chunk>>>>);

impl Chunks {
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * PAGE + last.len())
    }

    pub fn get(&self, at: usize) -> Option<&Arc<Chunk>> {
        self.0.get(at / PAGE)?.get(at % PAGE)
    }

    pub fn get_mut(&mut self, at: usize) -> Option<&mut Arc<Chunk>> {
        Arc::make_mut(self.0.get_mut(at / PAGE)?).get_mut(at % PAGE)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Chunk>> {
        self.0.iter().flat_map(|page| page.iter())
    }

    /// The chunks with their places, from the last on.
    pub fn newest_first(&self) -> impl Iterator<Item = (usize, &Arc<Chunk>)> {
        (0..self.len()).rev().zip(self.0.iter().rev().flat_map(|page| page.iter().rev()))
    }

    pub fn last(&self) -> Option<&Arc<Chunk>> {
        self.0.last()?.last()
    }

    /// The last chunk that is not full.
    pub fn open(&mut self) -> Option<&mut Chunk> {
        if self.last().is_none_or(|chunk| chunk.rows.len() == CHUNK) {
            if self.0.last().is_none_or(|page| page.len() == PAGE) {
                self.0.push(Arc::default());
            }
            Arc::make_mut(self.0.last_mut()?).push(Arc::default());
        }
        Arc::make_mut(self.0.last_mut()?).last_mut().map(Arc::make_mut)
    }

    /// How many chunks, from the first on, are as `is` says; they all come before those that are not.
    pub fn partition_point(&self, is: impl Fn(&Chunk) -> bool) -> usize {
        let pages = self.0.partition_point(|page| page.first().is_some_and(|chunk| is(chunk)));
        let Some(before) = pages.checked_sub(1) else { return 0 };
        before * PAGE + self.0.get(before).map_or(0, |page| page.partition_point(|chunk| is(chunk)))
    }
}
