//! Words: how a text becomes terms, where they are kept, and how they are searched.

mod analyse;
mod irregular;
mod names;
mod query;
mod segment;

pub use analyse::{Term, Words, terms};
pub use names::{Names, without_names};
pub use query::{Bm25, WordHits, WordQuery};
pub use segment::{Entry, Segment, entries};
