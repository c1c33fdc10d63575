//! The memory service over a real store: recall, remember, search and indexing, row by row.

mod awaited;
mod capture;
mod forget_targets;
pub(crate) mod given;
mod graph;
mod hyde;
mod index;
mod learn;
mod library;
mod moving;
mod other_chats;
mod person;
mod places;
mod recall;
mod remember;
mod search;
mod strategies;
mod times;
