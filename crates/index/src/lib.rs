//! Search in memory by vectors and by words, exact and approximate. Pure: no store, no clock, no I/O. The same rows
//! and the same query give the same answer.
//!
//! A *shard* holds the rows of one place: the messages of a channel, or a persona's memories of one scope. A search in
//! given scopes reads exactly their shards, so filtering by scope loses no hits. One [`ShardWriter`] applies changes
//! and returns immutable [`Shard`]s. A reader sees a whole change or nothing of it (FG1); the next snapshot contains
//! the change.
//!
//! | to find | use |
//! |---|---|
//! | the nearest rows by meaning | [`Shard::nearest`]: scores every row by one byte per number and the best again in full precision; from 50,000 rows on by a [`Graph`], if its recall is good |
//! | the best rows by words | [`Shard::bm25`] with a [`WordQuery`] that is weighed over all shards in question |
//! | the scores of one row | [`Shard::cosines`], [`RowRef::overlap`], [`RowRef::coverage`] |
//! | the rows before and after it | [`Shard::previous`], [`Shard::next`] |
//! | only some rows | a [`Filter`] by id, expiry, time, presence, source |
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
//! assert_eq!(shard.row(near.hits[0].0).and_then(|row| row.author), Some("Mel"));
//!
//! let asked = terms("Does Caroline's sister sail?", &names);
//! let query = WordQuery::over(&[&shard], asked.into_iter().map(|term| (term, 1.0)), &Bm25::default());
//! let found = shard.bm25(&query, 10, &Filter::default());
//! assert_eq!(shard.id(found.hits[0].0), Some(2));
//! # Ok::<(), greenroom_index::VectorError>(())
//! ```
//!
#![doc = include_str!("../README.md")]

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

pub use dense::DenseHits;
pub use filter::Filter;
pub use graph::Graph;
pub use row::{Change, Row, RowMeta, RowRef, Slot, VectorError};
pub use shard::Shard;
pub use vectors::UnitVector;
pub use words::{
    Bm25, Names, Overlap, Term, WordHits, WordQuery, Words, question_without_names, terms, without_names,
};
pub use writer::{Applied, ShardWriter};
