//! Search by words: analysis of texts into terms, the inverted index, and BM25.

mod analyse;
mod irregular;
mod names;
mod query;
mod segment;
mod tokens;

pub use analyse::{Term, Words, terms};
pub use names::{Names, question_without_names, without_names};
pub use query::{Bm25, Overlap, WordHits, WordQuery};
pub use segment::{Entry, Segment, entries};
