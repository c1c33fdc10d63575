//! The single owner of a shard: applies changes, returns snapshots.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;

use crate::chunk::{CHUNK, Chunk};
use crate::graph::Graph;
use crate::row::{Change, Row, RowMeta, VectorError};
use crate::shard::Shard;
use crate::vectors::UnitVector;
use crate::words::{Entry, Segment, entries};

/// Owns the rows of a place. Readers hold the [`Shard`]s that it returned; those never change.
#[derive(Debug, Default)]
pub struct ShardWriter {
    shard: Arc<Shard>,
    by_id: HashMap<i64, u32>,
    authors: HashMap<Arc<str>, u32>,
}

/// The result of [`ShardWriter::apply`].
#[derive(Debug)]
pub struct Applied {
    /// The snapshot with the changes.
    pub shard: Arc<Shard>,
    /// Rows whose vector was refused (FG2, FG3). They are found by their words.
    pub refused: Vec<(i64, VectorError)>,
}

impl ShardWriter {
    /// An empty shard for vectors of `dimension` numbers; 0: words alone.
    pub fn new(dimension: usize) -> ShardWriter {
        ShardWriter { shard: Arc::new(Shard { dimension, ..Shard::default() }), ..ShardWriter::default() }
    }

    /// The latest snapshot.
    pub fn shard(&self) -> Arc<Shard> {
        Arc::clone(&self.shard)
    }

    /// Applies changes: the returned snapshot has all of them, earlier snapshots have none (FG1). If several changes
    /// have the same id, the last one counts. New rows are added in the order of their ids. If this call panics, the
    /// writer has lost its rows.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = Change>) -> Applied {
        let latest: BTreeMap<i64, Change> = changes.into_iter().map(|change| (change.id(), change)).collect();
        // a snapshot without readers is changed in place
        let mut shard = Arc::unwrap_or_clone(mem::take(&mut self.shard));
        let mut refused = Vec::new();
        let first = shard.end();
        for (id, change) in latest {
            match change {
                Change::Remove(id) => self.remove(&mut shard, id),
                Change::Put(mut row) => {
                    let unit = row.vector.take().map(|vector| UnitVector::new(&vector, shard.dimension));
                    let unit = unit.transpose().unwrap_or_else(|error| {
                        refused.push((id, error));
                        None
                    });
                    self.put(&mut shard, row, unit.as_ref());
                }
            }
        }
        index_words(&mut shard, first);
        if shard.deleted > 64 && shard.deleted * 7 > shard.live * 3 {
            shard = self.compacted(&shard);
        }
        self.shard = Arc::new(shard);
        Applied { shard: self.shard(), refused }
    }

    /// Adopts a graph of an earlier snapshot; searches of the next snapshots use it. False if the shard was compacted
    /// since that snapshot: build the graph again.
    pub fn adopt(&mut self, graph: Graph) -> bool {
        let fits = graph.generation() == self.shard.generation;
        if fits {
            self.shard = Arc::new(Shard { graph: Some(Arc::new(graph)), ..Shard::clone(&self.shard) });
        }
        fits
    }

    fn put(&mut self, shard: &mut Shard, row: Row, unit: Option<&UnitVector>) {
        let entries = entries(&row.words);
        let meta = RowMeta {
            id: row.id,
            at: row.at,
            expires_at: row.expires_at,
            author: row.author.map_or(u32::MAX, |author| self.author(shard, author)),
            term_count: row.words.text.len().try_into().unwrap_or(u16::MAX),
            word_count: row.words.count.try_into().unwrap_or(u16::MAX),
            source: row.source,
            is_question: row.words.is_question,
            only_asks: row.words.only_asks,
            tells_nothing: row.words.tells_nothing,
            names_something: row.words.names_something,
            says_when: row.words.says_when,
        };
        // A row with the same words keeps its slot: most often the change only adds its vector.
        if let Some(slot) = self.by_id.get(&row.id).copied() {
            let (at, row) = (slot as usize / CHUNK, slot as usize % CHUNK);
            let same = |chunk: &Arc<Chunk>| {
                chunk.entries(row) == entries
                    && chunk.rows.get(row).is_some_and(|old| old.term_count == meta.term_count)
            };
            if let Some(chunk) = shard.chunks.get_mut(at).filter(|chunk| same(chunk)) {
                shard.vectors =
                    shard.vectors + usize::from(unit.is_some()) - usize::from(chunk.vectors.has(row));
                return replace(chunk, shard.dimension, row, meta, unit);
            }
        }
        self.remove(shard, meta.id);
        self.by_id.insert(meta.id, shard.end());
        append(shard, meta, &entries, unit);
    }

    fn remove(&mut self, shard: &mut Shard, id: i64) {
        let Some(slot) = self.by_id.remove(&id) else { return };
        let row = slot as usize % CHUNK;
        let Some(chunk) = shard.chunks.get_mut(slot as usize / CHUNK) else { return };
        let chunk = Arc::make_mut(chunk);
        chunk.delete(row);
        shard.live -= 1;
        shard.deleted += 1;
        shard.vectors -= usize::from(chunk.vectors.has(row));
        shard.length -= chunk.rows.get(row).map_or(0, |meta| u64::from(meta.term_count));
    }

    fn author(&mut self, shard: &mut Shard, name: String) -> u32 {
        let next = self.authors.len() as u32;
        *self.authors.entry(name.into()).or_insert_with_key(|name| {
            Arc::make_mut(&mut shard.authors).push(Arc::clone(name));
            next
        })
    }

    /// Copies the live rows, in the order of their ids, into a new shard.
    fn compacted(&mut self, old: &Shard) -> Shard {
        let mut shard = Shard {
            dimension: old.dimension,
            authors: Arc::clone(&old.authors),
            generation: old.generation + 1,
            ..Shard::default()
        };
        let live = |chunk: &Arc<Chunk>| -> Vec<(RowMeta, Arc<Chunk>, usize)> {
            chunk.live().map(|(row, meta)| (*meta, Arc::clone(chunk), row)).collect()
        };
        let mut rows: Vec<_> = old.chunks.iter().flat_map(live).collect();
        rows.sort_unstable_by_key(|(meta, ..)| meta.id);
        self.by_id.clear();
        for (meta, chunk, row) in rows {
            self.by_id.insert(meta.id, shard.end());
            let unit = chunk.vectors.unit(shard.dimension, row);
            append(&mut shard, meta, chunk.entries(row), unit.as_ref());
        }
        index_words(&mut shard, 0);
        shard
    }
}

/// Adds a row at the end.
fn append(shard: &mut Shard, meta: RowMeta, entries: &[Entry], unit: Option<&UnitVector>) {
    let last = shard.chunks.last().and_then(|chunk| chunk.rows.last());
    shard.unordered |= last.is_some_and(|last| last.id >= meta.id);
    shard.live += 1;
    shard.vectors += usize::from(unit.is_some());
    shard.length += u64::from(meta.term_count);
    if shard.chunks.last().is_none_or(|chunk| chunk.rows.len() == CHUNK) {
        shard.chunks.push(Arc::default());
    }
    if let Some(chunk) = shard.chunks.last_mut().map(Arc::make_mut) {
        chunk.push(meta, entries);
        Arc::make_mut(&mut chunk.vectors).push(shard.dimension, unit);
    }
}

/// Replaces the data of a row except its words. An unchanged chunk is not copied.
fn replace(chunk: &mut Arc<Chunk>, dimension: usize, row: usize, meta: RowMeta, unit: Option<&UnitVector>) {
    let same_vector = chunk.vectors.is(dimension, row, unit);
    if same_vector && chunk.rows.get(row) == Some(&meta) {
        return;
    }
    let chunk = Arc::make_mut(chunk);
    if let Some(old) = chunk.rows.get_mut(row) {
        *old = meta;
    }
    if !same_vector {
        Arc::make_mut(&mut chunk.vectors).set(dimension, row, unit);
    }
}

/// Indexes the words of the rows from `first` on, and merges segments of like size.
fn index_words(shard: &mut Shard, first: u32) {
    if first == shard.end() {
        return;
    }
    let rows = (first..shard.end()).filter_map(|slot| {
        let (chunk, row) = shard.locate(slot)?;
        Some((slot, chunk.rows.get(row)?.term_count, chunk.entries(row)))
    });
    let mut last = Segment::of(rows);
    while let Some(previous) = shard.segments.pop_if(|previous| previous.merges_with(&last)) {
        last = previous.followed_by(&last);
    }
    shard.segments.push(Arc::new(last));
}
