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
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::PersonaName;
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

    /// An empty store in which each of these personas has memory numbers of its own: they depend on what was stored for it, and
    /// not on what others store meanwhile. A persona is told the number of a memory, so a simulation needs that (SM3).
    pub fn numbered_by_persona(personas: impl IntoIterator<Item = PersonaName>) -> Self {
        let mut series = HashMap::new();
        for persona in personas {
            let first = series.len() as i64 + 1;
            series.entry(persona).or_insert(first);
        }
        Self { state: Arc::new(Mutex::new(State { series, ..State::default() })) }
    }

    /// Everything that is stored, for one call. A call checks what it was given before it writes, so that a call
    /// that fails has changed nothing.
    fn state(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed { Err(StoreError::Closed) } else { Ok(state) }
    }
}
