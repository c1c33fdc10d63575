//! Vectors and words searched in memory, exactly and approximately. Pure: no store, no clock, no I/O, and
//! the same answer every time.
//!
//! A *shard* holds the rows of one place: the messages of a channel, or a persona's memories of one scope.
//! Scope is thus a matter of which shards one is given, and no recall is lost to filtering by it. The one
//! [`ShardWriter`] applies changes and gives out immutable [`Shard`]s; a reader sees all of a change or
//! nothing of it (FG1), and inserts show up at once.
//!
//! | want | ask |
//! |---|---|
//! | the nearest by meaning | [`Shard::nearest`]: every row by one byte a number, the best anew in full; past 50,000 rows by a [`Graph`], if its recall is good |
//! | the best by words | [`Shard::bm25`] with a [`WordQuery`] weighed over all shards in question |
//! | one row's worth | [`Shard::cosines`], [`Shard::shared`], [`Shard::coverage_of`], [`Shard::row`] |
//! | its neighbours in the conversation | [`Shard::previous`], [`Shard::next`] |
//! | less than all | a [`Filter`]: newer messages, expiry, time, presence, source |
//!
//! ```
//! use greenroom_index::{Bm25, Change, Filter, Names, Row, ShardWriter, WordQuery, Words, terms};
//!
//! let names = Names::new(["Caroline", "Mel"]);
//! let mut writer = ShardWriter::new(2);
//! let said = [(1, "Mel", "I painted a lake", [0.0, 1.0]), (2, "Caroline", "My sister sails", [1.0, 0.0])];
//! let shard = writer.apply(said.map(|(id, author, text, vector)| Change::Put(Row {
//!     id,
//!     at: 1_700_000_000 + id,
//!     expires_at: i64::MAX,
//!     source: 0,
//!     author: Some(author.to_owned()),
//!     words: Words::of(text, "14 November 2023", &names),
//!     vector: Some(vector.to_vec()),
//! }))).shard;
//!
//! let near = shard.nearest(&[0.1, 0.9], 1, &Filter::default())?;
//! assert_eq!(shard.author(near.hits[0].0), Some("Mel"));
//!
//! let asked = terms("Does Caroline's sister sail?", &names);
//! let query = WordQuery::over(&[&shard], asked.into_iter().map(|term| (term, 1.0)), &Bm25::default());
//! let found = shard.bm25(&query, 10, &Filter::default());
//! assert_eq!(shard.id(found.hits[0].0), Some(2));
//! assert_eq!(shard.coverage_of(found.hits[0].0, &query), 1.0);
//! # Ok::<(), greenroom_index::VectorError>(())
//! ```

mod chunk;
mod dense;
mod filter;
mod graph;
mod kernels;
mod row;
mod shard;
mod sums;
mod top;
mod vectors;
mod words;
mod writer;

pub use dense::Nearest;
pub use filter::Filter;
pub use graph::Graph;
pub use row::{Change, Row, Slot, VectorError};
pub use shard::{RowRef, Shard};
pub use vectors::Unit;
pub use words::{Bm25, Names, Shared, Term, WordHits, WordList, WordQuery, Words, terms, without_names};
pub use writer::{Applied, ShardWriter};
