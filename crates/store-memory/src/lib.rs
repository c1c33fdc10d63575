//! The store in memory, for tests and simulations: implements the promises of a store with plain structures behind one
//! lock.
//!
#![doc = include_str!("../README.md")]

mod accounts;
mod captures;
mod contexts;
mod erase;
mod health;
mod history;
mod inbox;
mod journal;
mod keys;
mod links;
mod log;
mod memories;
mod outbox;
mod presence;
mod rows;
mod state;
mod transfer;
mod turns;
mod vectors;

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::{ChannelKey, PersonaName};
use greenroom_store::{Result, StoreError};

use crate::state::State;

/// A store in memory. Clones share the data, which is dropped with the last clone.
#[derive(Debug, Clone, Default)]
pub struct InMemoryStore {
    state: Arc<Mutex<State>>,
}

impl InMemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store in which each of these personas has a separate series of memory ids, and each of these channels a
    /// separate series of message ids. Then an id does not depend on what is stored elsewhere at the same time. A
    /// simulation needs this to be reproducible: personas see the ids of memories, and the ids of messages seed random
    /// draws (SM3).
    pub fn numbered_apart(
        personas: impl IntoIterator<Item = PersonaName>,
        channels: impl IntoIterator<Item = ChannelKey>,
    ) -> Self {
        let state =
            State { memory_series: series(personas), message_series: series(channels), ..State::default() };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Locks all data for one call. A call checks its arguments before it writes, so that a call that fails changes
    /// nothing.
    fn state(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed { Err(StoreError::Closed) } else { Ok(state) }
    }
}

/// The first id of each series. The series interleave; 0 and its multiples are for items without a series.
fn series<K: Eq + Hash>(keys: impl IntoIterator<Item = K>) -> HashMap<K, i64> {
    let mut series = HashMap::new();
    for key in keys {
        let first = series.len() as i64 + 1;
        series.entry(key).or_insert(first);
    }
    series
}
