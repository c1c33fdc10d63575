//! The state of the store, and its shutdown.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, TurnId};
use greenroom_store::{Health, HealthStore, Result};

use crate::{InMemoryStore, state::State};

#[async_trait]
impl HealthStore for InMemoryStore {
    async fn health(&self) -> Result<Health> {
        let state = self.state()?;
        let mut vectors: Vec<_> = state.spaces.iter().map(|space| (space.clone(), 0)).collect();
        for stored in state.vectors.values().flatten().filter(|stored| stored.vector.is_some()) {
            if let Some((_, count)) = vectors.get_mut(stored.space) {
                *count += 1;
            }
        }
        vectors.retain(|(_, count)| *count > 0);
        Ok(Health {
            location: "memory".into(),
            engine: "memory".into(),
            writable: true,
            messages: state.messages.len() as u64,
            memories: state.memories.len() as u64,
            postponed: state.postponed.len() as u64,
            vectors,
        })
    }

    async fn check_integrity(&self) -> Result<()> {
        self.state().map(drop)
    }

    async fn ready(&self) -> Result<()> {
        self.state().map(drop)
    }

    async fn stray_turns(&self) -> Result<Vec<(TurnId, ChannelKey)>> {
        // the model gives a turn the channel of its message
        self.state().map(|_| Vec::new())
    }

    /// There is nothing to release: all data is in memory only.
    async fn release_memory(&self) {}

    async fn close(&self) {
        if let Ok(mut state) = self.state() {
            *state = State { closed: true, ..State::default() };
        }
    }
}
