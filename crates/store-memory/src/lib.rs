//! The store in memory, for tests and simulations: what a store promises, in plain structures behind one lock.
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

/// A store in memory. Clones share it; what it holds goes with the last of them.
#[derive(Debug, Clone, Default)]
pub struct InMemoryStore {
    state: Arc<Mutex<State>>,
}

impl InMemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store in which memories of each of these personas, and messages of each of these channels, have numbers of
    /// their own: they depend on what was stored for it, and not on what is stored elsewhere meanwhile. Personas are told
    /// the numbers of memories, and what is drawn for a message is drawn by its number, so a simulation needs that (SM3).
    pub fn numbered_apart(
        personas: impl IntoIterator<Item = PersonaName>,
        channels: impl IntoIterator<Item = ChannelKey>,
    ) -> Self {
        let state =
            State { memory_series: series(personas), message_series: series(channels), ..State::default() };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Everything that is stored, for one call. A call checks what it was given before it writes, so that a call
    /// that fails has changed nothing.
    fn state(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed { Err(StoreError::Closed) } else { Ok(state) }
    }
}

/// The first numbers of series that take turns; 0 and its multiples are for all that has none.
fn series<K: Eq + Hash>(keys: impl IntoIterator<Item = K>) -> HashMap<K, i64> {
    let mut series = HashMap::new();
    for key in keys {
        let first = series.len() as i64 + 1;
        series.entry(key).or_insert(first);
    }
    series
}
