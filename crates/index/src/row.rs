//! The content of a shard: rows, and their changes.

use crate::words::{Entry, Overlap, WordQuery, Words};

/// The position of a row in its shard. Rows are in the order of their ids, except rows that came late. A slot is
/// valid for the snapshot it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// A message or a memory, as it is written into a shard.
#[derive(Clone, Debug)]
pub struct Row {
    /// The id, unique in the shard.
    pub id: i64,
    /// When it was said or learned, in any unit that all rows share.
    pub at: i64,
    /// Searches do not find the row from this moment on; `i64::MAX`: never expires.
    pub expires_at: i64,
    /// The kind of its source, 0..=31; see [`Filter::sources`](crate::Filter::sources).
    pub source: u8,
    /// The author's name.
    pub author: Option<String>,
    /// Its analyzed text.
    pub words: Words,
    /// The embedding, of any length but zero: it is normalised. A row without one is found by its words alone.
    pub vector: Option<Vec<f32>>,
}

/// A row's data in a shard, besides its vector and its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowMeta {
    /// The id, unique in the shard.
    pub id: i64,
    /// When it was said or learned.
    pub at: i64,
    /// No search finds the row from this moment on.
    pub expires_at: i64,
    /// The index in the shard's list of authors; `u32::MAX`: none.
    pub(crate) author: u32,
    /// The number of terms in the text: the length in BM25.
    pub term_count: u16,
    /// The number of words in the text, stop words included.
    pub word_count: u16,
    /// The kind of its source.
    pub source: u8,
    /// Whether it asks something.
    pub is_question: bool,
    /// Whether it asks something and says nothing else.
    pub only_asks: bool,
    /// Whether it only asks or requests something and tells nothing about its author.
    pub tells_nothing: bool,
    /// Whether it names something other than the participants.
    pub names_something: bool,
    /// Whether the text says when something happened.
    pub says_when: bool,
}

/// A row as a reader sees it.
#[derive(Clone, Copy)]
pub struct RowRef<'a> {
    /// The stored data of the row.
    pub meta: &'a RowMeta,
    /// The author's name.
    pub author: Option<&'a str>,
    pub(crate) entries: &'a [Entry],
}

impl RowRef<'_> {
    /// The terms that the row shares with a query.
    pub fn overlap(&self, query: &WordQuery) -> Overlap {
        query.overlap(self.entries, self.meta.term_count)
    }

    /// The share of the query's weight that the row has, 0 to 1; 0 for an empty query. Terms of the date count if the
    /// query searches dates.
    pub fn coverage(&self, query: &WordQuery) -> f32 {
        query.coverage(self.entries)
    }
}

/// A change of a shard. Applying a change twice has the effect of applying it once.
#[derive(Clone, Debug)]
pub enum Change {
    /// Adds a row, or replaces the one of the same id.
    Put(Row),
    /// Removes the row of this id.
    Remove(i64),
}

impl Change {
    pub(crate) fn id(&self) -> i64 {
        match self {
            Change::Put(row) => row.id,
            Change::Remove(id) => *id,
        }
    }
}

/// Why a vector cannot be searched (FG2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    /// The vector probably comes from another model.
    #[error("the vector has {found} numbers instead of {expected}: embed the text again with this model")]
    Dimension {
        /// The dimension of the shard.
        expected: usize,
        /// The dimension of the vector.
        found: usize,
    },
    /// The embedder found nothing in the text.
    #[error("the vector is zero and points nowhere: leave it out, the row is found by its words")]
    Zero,
    /// The embedder is broken.
    #[error("the vector has a number that is not finite: embed the text again")]
    NotFinite,
}
