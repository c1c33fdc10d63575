//! The outbox of undelivered replies, and the dead letters (S8).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, ErrorCode, Message, MessageId, PersonaName, Timestamp};
use greenroom_store::{DeadLetter, DeliveryState, OutboxEntry, OutboxStore, Result, TRIES, TurnState};

use crate::{
    InMemoryStore,
    state::{State, StoredTurn},
};

#[async_trait]
impl OutboxStore for InMemoryStore {
    async fn outbox(&self, channel: &ChannelKey) -> Result<Vec<OutboxEntry>> {
        let state = self.state()?;
        let entries = state.outbox.iter().filter_map(|(id, turn)| {
            let turn = state.turns.get(turn)?;
            let reply = state.message(turn.reply?)?;
            let entry = || OutboxEntry { id: *id, reply: Message::clone(reply), trigger: turn.trigger };
            (reply.channel == *channel).then(entry)
        });
        Ok(entries.collect())
    }

    async fn delivered(&self, entry: i64, _: Timestamp) -> Result<()> {
        let mut state = self.state()?;
        if state.outbox.remove(&entry).is_some()
            && let Some(delivery) = state.deliveries.get_mut(&entry)
        {
            delivery.state = DeliveryState::Delivered;
        }
        Ok(())
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<DeadLetter>> {
        let state = self.state()?;
        let mut letters = Vec::new();
        for (id, said) in &state.messages {
            let mut personas: Vec<_> = state.turns_for(*id).map(|(_, turn)| &turn.persona).collect();
            personas.sort();
            personas.dedup();
            let open = personas.into_iter().filter(|persona| !said.dismissed.contains(persona));
            letters.extend(open.filter_map(|persona| state.dead_letter(*id, persona)));
        }
        letters.sort_by_key(|(planned, _)| std::cmp::Reverse(*planned));
        Ok(letters.into_iter().map(|(_, letter)| letter).take(limit).collect())
    }

    async fn dead_letter(&self, message: MessageId, persona: &PersonaName) -> Result<Option<DeadLetter>> {
        Ok(self.state()?.dead_letter(message, persona).map(|(_, letter)| letter))
    }

    async fn dismiss(&self, message: MessageId, persona: &PersonaName, _: Timestamp) -> Result<bool> {
        let mut state = self.state()?;
        let is_one = state.dead_letter(message, persona).is_some();
        if let Some(said) = state.messages.get_mut(&message).filter(|_| is_one) {
            said.dismissed.insert(persona.clone());
        }
        Ok(is_one)
    }
}

impl State {
    /// A message for which every turn of a persona broke, dismissed or not, with the number of the last turn. At least
    /// one turn broke, and none is in progress or has a reply.
    fn dead_letter(&self, id: MessageId, persona: &PersonaName) -> Option<(u64, DeadLetter)> {
        let ended_badly = |turn: &&StoredTurn| matches!(turn.state, TurnState::Failed | TurnState::Cancelled);
        let broke =
            |turn: &&StoredTurn| matches!(turn.code, Some(ErrorCode::Internal | ErrorCode::Interrupted));
        let theirs = || self.turns_for(id).map(|(_, turn)| turn).filter(|turn| turn.persona == *persona);
        let tries = u32::try_from(theirs().filter(broke).count()).unwrap_or(u32::MAX);
        let last = theirs().filter(broke).last()?;
        if tries < TRIES || !theirs().all(|turn| ended_badly(&turn)) {
            return None;
        }
        let letter = DeadLetter {
            message: Message::clone(self.message(id)?),
            persona: persona.clone(),
            tries,
            why: last.note.clone().unwrap_or_default(),
            at: last.ended_at?,
        };
        Some((last.planned, letter))
    }
}
