//! What goes into a shard: rows, and how they change.

use crate::words::Words;

/// A row's place in its shard. Rows lie in the order of their ids, unless they came late. Valid for the
/// snapshot it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// One item of a place: a message or a memory.
#[derive(Clone, Debug)]
pub struct Row {
    /// Unique in the shard.
    pub id: i64,
    /// When it was said or learned; any unit, the same everywhere.
    pub at: i64,
    /// From this moment on it is not found any more; `i64::MAX`: never.
    pub expires_at: i64,
    /// What kind of source it is, 0..=31; see [`Filter::sources`](crate::Filter::sources).
    pub source: u8,
    /// Who said it.
    pub author: Option<String>,
    /// What it says.
    pub words: Words,
    /// Its meaning. Without one it is found by its words alone. Any length but zero: it is normalised.
    pub vector: Option<Vec<f32>>,
}

/// A change of a shard. Applying one twice is applying it once.
#[derive(Clone, Debug)]
pub enum Change {
    /// A new row, or what a row now is.
    Put(Row),
    /// The row of this id is no more.
    Gone(i64),
}

impl Change {
    pub(crate) fn id(&self) -> i64 {
        match self {
            Change::Put(row) => row.id,
            Change::Gone(id) => *id,
        }
    }
}

/// Why a vector cannot be searched (FG2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    /// It was made by another model, most likely.
    #[error("the vector has {found} numbers instead of {expected}: embed the text again with this model")]
    Dimension {
        /// What the shard holds.
        expected: usize,
        /// What came.
        found: usize,
    },
    /// The embedder found nothing in the text.
    #[error("the vector is zero and points nowhere: leave it out, the row is found by its words")]
    Zero,
    /// The embedder is broken.
    #[error("the vector has a number that is not finite: embed the text again")]
    NotFinite,
}
