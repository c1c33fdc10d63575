//! Words: how a text becomes terms, where they are kept, and how they are searched.

mod analyse;
mod irregular;
mod list;
mod names;
mod query;
mod segment;
mod tokens;

pub use analyse::{Term, Words, terms};
pub use list::WordList;
pub use names::{Names, without_names};
pub use query::{Bm25, Shared, WordHits, WordQuery};
pub use segment::{Entry, Segment, entries};
