//! The one owner of a shard: takes changes, gives snapshots.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;

use crate::chunk::{CHUNK, Chunk, Meta};
use crate::graph::Graph;
use crate::row::{Change, Row, VectorError};
use crate::shard::Shard;
use crate::vectors::Unit;
use crate::words::{Entry, Segment, entries};

/// Owns the rows of a place. Readers hold the [`Shard`]s it gave out; those never change.
#[derive(Debug, Default)]
pub struct ShardWriter {
    shard: Arc<Shard>,
    by_id: HashMap<i64, u32>,
    authors: HashMap<Arc<str>, u32>,
}

/// What became of changes.
#[derive(Debug)]
pub struct Applied {
    /// The snapshot with them.
    pub shard: Arc<Shard>,
    /// Rows whose vector was refused (FG2, FG3). They are found by their words.
    pub refused: Vec<(i64, VectorError)>,
}

/// Rows a segment of words is made of at most before it is merged with others: sorting stays small.
const BATCH: usize = 8192;

impl ShardWriter {
    /// An empty shard for vectors of so many numbers; 0: words alone.
    pub fn new(dimension: usize) -> ShardWriter {
        ShardWriter { shard: Arc::new(Shard { dimension, ..Shard::default() }), ..ShardWriter::default() }
    }

    /// The latest snapshot.
    pub fn shard(&self) -> Arc<Shard> {
        Arc::clone(&self.shard)
    }

    /// Applies changes: all of them are in the snapshot returned, none in earlier ones (FG1). Of several
    /// changes of an id the last counts. New rows are added in the order of their ids. A writer that panicked
    /// here has lost its rows.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = Change>) -> Applied {
        let latest: BTreeMap<i64, Change> = changes.into_iter().map(|change| (change.id(), change)).collect();
        // one that nobody looks at any more is changed where it lies
        let mut shard = Arc::unwrap_or_clone(mem::take(&mut self.shard));
        let mut refused = Vec::new();
        let mut first = shard.end();
        for (id, change) in latest {
            match change {
                Change::Gone(id) => self.remove(&mut shard, id),
                Change::Put(mut row) => {
                    let unit =
                        row.vector.take().map(|vector| Unit::new(&vector, shard.dimension)).transpose();
                    let unit = unit.unwrap_or_else(|error| {
                        refused.push((id, error));
                        None
                    });
                    self.put(&mut shard, row, unit.as_ref());
                }
            }
            if (shard.end() - first) as usize >= BATCH {
                seal(&mut shard, first);
                first = shard.end();
            }
        }
        seal(&mut shard, first);
        if shard.gone > 64 && shard.gone * 7 > shard.live * 3 {
            shard = self.compacted(&shard);
        }
        self.shard = Arc::new(shard);
        Applied { shard: self.shard(), refused }
    }

    /// Takes over a graph that was built of a snapshot. False if the rows have been laid anew since: build
    /// it again. It serves the searches from the next snapshot on, this one.
    pub fn adopt(&mut self, graph: Graph) -> bool {
        let fits = graph.generation() == self.shard.generation;
        if fits {
            self.shard = Arc::new(Shard { graph: Some(Arc::new(graph)), ..Shard::clone(&self.shard) });
        }
        fits
    }

    fn put(&mut self, shard: &mut Shard, row: Row, unit: Option<&Unit>) {
        let words = entries(&row.words);
        let meta = Meta {
            id: row.id,
            at: row.at,
            expires_at: row.expires_at,
            author: row.author.map_or(u32::MAX, |author| self.author(shard, author)),
            length: row.words.text.len().try_into().unwrap_or(u16::MAX),
            count: row.words.count.try_into().unwrap_or(u16::MAX),
            source: row.source,
            question: row.words.question,
            names: row.words.names,
            time: row.words.time,
        };
        // A row that says the same stays where it is: most often it only got its vector.
        if let Some(slot) = self.by_id.get(&row.id).copied() {
            let (at, row) = (slot as usize / CHUNK, slot as usize % CHUNK);
            let same = |chunk: &Arc<Chunk>| {
                chunk.words(row) == words && chunk.rows.get(row).is_some_and(|old| old.length == meta.length)
            };
            if let Some(chunk) = shard.chunks.get_mut(at).filter(|chunk| same(chunk)) {
                shard.vectors =
                    shard.vectors + usize::from(unit.is_some()) - usize::from(chunk.vectors.has(row));
                replace(chunk, shard.dimension, row, meta, unit);
                return;
            }
        }
        self.remove(shard, meta.id);
        self.by_id.insert(meta.id, shard.end());
        append(shard, meta, &words, unit);
    }

    fn remove(&mut self, shard: &mut Shard, id: i64) {
        let Some(slot) = self.by_id.remove(&id) else { return };
        let row = slot as usize % CHUNK;
        let Some(chunk) = shard.chunks.get_mut(slot as usize / CHUNK) else { return };
        let chunk = Arc::make_mut(chunk);
        chunk.remove(row);
        shard.live -= 1;
        shard.gone += 1;
        shard.vectors -= usize::from(chunk.vectors.has(row));
        shard.length -= chunk.rows.get(row).map_or(0, |meta| u64::from(meta.length));
    }

    fn author(&mut self, shard: &mut Shard, name: String) -> u32 {
        let name: Arc<str> = name.into();
        let next = self.authors.len() as u32;
        *self.authors.entry(name).or_insert_with_key(|name| {
            Arc::make_mut(&mut shard.authors).push(Arc::clone(name));
            next
        })
    }

    /// The rows that are there, laid anew in the order of their ids.
    fn compacted(&mut self, old: &Shard) -> Shard {
        let mut shard = Shard {
            dimension: old.dimension,
            authors: Arc::clone(&old.authors),
            generation: old.generation + 1,
            ..Shard::default()
        };
        let mut first = 0;
        let mut rows: Vec<(i64, &Chunk, usize)> = Vec::with_capacity(old.live);
        for chunk in old.chunks.iter() {
            rows.extend(chunk.live().map(|(row, meta)| (meta.id, &**chunk, row)));
        }
        rows.sort_unstable_by_key(|(id, _, _)| *id);
        self.by_id.clear();
        for (id, chunk, row) in rows {
            if let Some(meta) = chunk.rows.get(row) {
                self.by_id.insert(id, shard.end());
                let unit = chunk.vectors.unit(shard.dimension, row);
                append(&mut shard, *meta, chunk.words(row), unit.as_ref());
            }
            if (shard.end() - first) as usize >= BATCH {
                seal(&mut shard, first);
                first = shard.end();
            }
        }
        seal(&mut shard, first);
        shard
    }
}

/// Adds a row at the end.
fn append(shard: &mut Shard, meta: Meta, words: &[Entry], unit: Option<&Unit>) {
    let before = shard.end();
    shard.unordered |= before.checked_sub(1).is_some_and(|last| {
        shard.place(last).and_then(|(chunk, row)| chunk.rows.get(row)).is_some_and(|last| last.id >= meta.id)
    });
    shard.live += 1;
    shard.vectors += usize::from(unit.is_some());
    shard.length += u64::from(meta.length);
    if let Some(chunk) = shard.chunks.open() {
        chunk.push(meta, words);
        Arc::make_mut(&mut chunk.vectors).push(shard.dimension, unit);
    }
}

/// Replaces what is known of a row, its words excepted; copies nothing that stays.
fn replace(chunk: &mut Arc<Chunk>, dimension: usize, row: usize, meta: Meta, unit: Option<&Unit>) {
    let turned = !chunk.vectors.is(dimension, row, unit);
    let changed = chunk.rows.get(row) != Some(&meta);
    if !turned && !changed {
        return;
    }
    let chunk = Arc::make_mut(chunk);
    chunk.replace(row, meta);
    if turned {
        Arc::make_mut(&mut chunk.vectors).set(dimension, row, unit);
    }
}

/// Indexes the words of the rows from `first` on, and merges segments of like size.
fn seal(shard: &mut Shard, first: u32) {
    let end = shard.end();
    if first == end {
        return;
    }
    let rows = (first..end).filter_map(|slot| {
        let (chunk, row) = shard.place(slot)?;
        Some((slot, chunk.rows.get(row)?.length, chunk.words(row)))
    });
    let mut last = Segment::of(rows);
    while let Some(previous) = shard.segments.pop_if(|previous| previous.merges_with(&last)) {
        last = previous.followed_by(&last);
    }
    shard.segments.push(Arc::new(last));
}
