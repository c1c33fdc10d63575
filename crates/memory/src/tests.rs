//! The memory service over a real store: recall, remember, search and indexing, row by row.

mod capture;
pub(crate) mod given;
mod index;
mod library;
mod recall;
mod remember;
mod search;
