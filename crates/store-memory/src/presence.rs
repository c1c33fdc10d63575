//! Who was there for which stretches of a channel (GR2).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MessageId, PersonaName};
use greenroom_store::{Presence, PresenceStore, Result};

use crate::{InMemoryStore, state::Participation};

#[async_trait]
impl PresenceStore for InMemoryStore {
    async fn enter(&self, persona: &PersonaName, channel: &ChannelKey, from: MessageId) -> Result<()> {
        self.state()?.participation_mut(persona, channel).arrive(from);
        Ok(())
    }

    async fn leave(&self, persona: &PersonaName, channel: &ChannelKey, until: MessageId) -> Result<()> {
        self.state()?.participation_mut(persona, channel).leave(until);
        Ok(())
    }

    async fn attend(&self, channel: &ChannelKey, come: &[PersonaName], gone: &[PersonaName]) -> Result<()> {
        let mut state = self.state()?;
        // ids of messages grow over all channels: whatever is said from now on has this one or a later one
        let next = MessageId(state.last.message + 1);
        if !state.channels.contains_key(channel) {
            return Ok(());
        }
        for persona in gone {
            state.participation_mut(persona, channel).leave(next);
        }
        for persona in come {
            state.participation_mut(persona, channel).arrive(next);
        }
        Ok(())
    }

    async fn present(&self, channel: &ChannelKey) -> Result<Vec<PersonaName>> {
        let state = self.state()?;
        let participations = state.channels.get(channel).into_iter().flat_map(|channel| &channel.personas);
        Ok(participations
            .filter(|(_, participation)| participation.is_present())
            .map(|(persona, _)| persona.clone())
            .collect())
    }

    async fn presence(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Vec<Presence>> {
        Ok(self
            .state()?
            .participation(persona, channel)
            .map_or_else(Vec::new, |participation| participation.presence.clone()))
    }
}

impl Participation {
    /// Opens a stretch, unless one is open. It begins no earlier than the last one ended.
    pub(crate) fn arrive(&mut self, from: MessageId) {
        let from = match self.presence.last() {
            Some(Presence { until: None, .. }) => return,
            Some(Presence { until: Some(until), .. }) => from.max(*until),
            None => from,
        };
        self.presence.push(Presence { from, until: None });
    }

    /// Ends the stretch that is open. One in which nothing was heard is none.
    pub(crate) fn leave(&mut self, until: MessageId) {
        match self.presence.last_mut() {
            Some(stretch) if stretch.until.is_none() && stretch.from < until => stretch.until = Some(until),
            Some(stretch) if stretch.until.is_none() => drop(self.presence.pop()),
            _ => {}
        }
    }

    fn is_present(&self) -> bool {
        self.presence.last().is_some_and(|stretch| stretch.until.is_none())
    }

    /// Whether the persona was there for a message.
    pub(crate) fn witnessed(&self, id: MessageId) -> bool {
        self.presence.iter().any(|stretch| stretch.from <= id && stretch.until.is_none_or(|until| id < until))
    }
}
