//! Postponed captures: marks on turns whose exchange was not captured while the queue was full.

use async_trait::async_trait;
use greenroom_core::{Message, TurnId};
use greenroom_store::{CaptureStore, Postponed, Result};

use crate::{InMemoryStore, state::State};

#[async_trait]
impl CaptureStore for InMemoryStore {
    async fn postpone_capture(&self, turn: TurnId) -> Result<()> {
        let mut state = self.state()?;
        if state.turns.contains_key(&turn) {
            state.postponed.insert(turn);
        }
        Ok(())
    }

    async fn postponed_captures(&self, limit: usize) -> Result<Vec<Postponed>> {
        let state = self.state()?;
        Ok(state.postponed.iter().take(limit).filter_map(|turn| state.postponed_capture(*turn)).collect())
    }

    async fn count_postponed(&self) -> Result<u64> {
        Ok(self.state()?.postponed.len() as u64)
    }

    async fn capture_settled(&self, turn: TurnId) -> Result<()> {
        self.state()?.postponed.remove(&turn);
        Ok(())
    }
}

impl State {
    fn postponed_capture(&self, id: TurnId) -> Option<Postponed> {
        let turn = self.told_turn(id)?;
        let said = self.messages.get(&turn.trigger)?;
        // its own message, and earlier ones that were coalesced with it
        let earlier = said.coalesced.iter().filter_map(|id| self.turns.get(id));
        let mut burst: Vec<_> = earlier
            .filter(|earlier| earlier.persona == turn.persona && earlier.answered_with == Some(turn.trigger))
            .map(|earlier| earlier.trigger)
            .chain([turn.trigger])
            .collect();
        burst.sort_unstable();
        burst.dedup();
        let whole = |id| self.message(id).map(|message| Message::clone(message));
        Some(Postponed {
            burst: burst.into_iter().filter_map(whole).collect(),
            reply: turn.reply.and_then(whole),
            turn,
        })
    }
}
