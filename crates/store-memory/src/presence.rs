//! Presence: the parts of a channel's history for which a persona was present (GR2).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MessageId, PersonaName};
use greenroom_store::{
    Departure, JoinReason, Membership, MembershipChange, Presence, PresenceStore, Result, RoomRecord,
};

use crate::{
    InMemoryStore,
    state::{Participation, State},
};

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

    async fn attend(&self, channel: &ChannelKey, attendance: &MembershipChange) -> Result<()> {
        let mut state = self.state()?;
        // every later message there has this id or a greater one
        let next = state.next_message(channel);
        state.channels.entry(channel.clone()).or_default();
        for (persona, why) in &attendance.leaves {
            state.participation_mut(persona, channel).go(next, *why);
        }
        for (persona, via) in &attendance.joins {
            state.participation_mut(persona, channel).join(next, Some(*via));
        }
        Ok(())
    }

    async fn leave_everywhere(&self, persona: &PersonaName, why: Departure) -> Result<()> {
        let mut state = self.state()?;
        for channel in state.channels_of(persona) {
            let next = state.next_message(&channel);
            let participation = state.participation_mut(persona, &channel);
            if participation.is_present() {
                participation.go(next, why);
            }
        }
        Ok(())
    }

    async fn return_everywhere(&self, persona: &PersonaName) -> Result<()> {
        let mut state = self.state()?;
        for channel in state.channels_of(persona) {
            let next = state.next_message(&channel);
            let participation = state.participation_mut(persona, &channel);
            if let Some((Some(via), Some(Departure::Stopped | Departure::Removed))) =
                participation.reasons.last()
            {
                participation.join(next, Some(*via));
            }
        }
        Ok(())
    }

    async fn room(&self, channel: &ChannelKey) -> Result<RoomRecord> {
        let state = self.state()?;
        let Some(here) = state.channels.get(channel) else { return Ok(RoomRecord::default()) };
        let membership = |(persona, participation): (&PersonaName, &Participation)| {
            let (last, (via, ended)) = participation.presence.last().zip(participation.reasons.last())?;
            Some(Membership {
                persona: persona.clone(),
                via: *via,
                is_member: last.until.is_none(),
                ended: *ended,
                since: here.messages.range(last.from..).next().and_then(|id| Some(state.message(*id)?.at)),
            })
        };
        Ok(RoomRecord {
            members: here.personas.iter().filter_map(membership).collect(),
            state: here.room.clone(),
        })
    }

    async fn put_room(&self, channel: &ChannelKey, room: &str) -> Result<()> {
        self.state()?.channels.entry(channel.clone()).or_default().room = Some(room.to_owned());
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
    /// Opens a part of presence, unless one is open. It begins no earlier than the last one ended.
    pub(crate) fn arrive(&mut self, from: MessageId) {
        self.join(from, None);
    }

    /// Like [`arrive`](Self::arrive), and records how the persona joined.
    pub(crate) fn join(&mut self, from: MessageId, via: Option<JoinReason>) {
        // a persona that was stopped and is now addressed keeps the reason for its membership
        let was = self
            .reasons
            .last()
            .filter(|(_, why)| matches!(why, Some(Departure::Stopped | Departure::Removed)));
        let via = via.or(was.and_then(|(via, _)| *via));
        let from = match self.presence.last() {
            Some(Presence { until: None, .. }) => return,
            Some(Presence { until: Some(until), .. }) => from.max(*until),
            None => from,
        };
        // no message was heard in the last part: replace it
        if self.presence.last().is_some_and(|last| last.from == from) {
            self.pop();
        }
        self.presence.push(Presence { from, until: None });
        self.reasons.push((via, None));
    }

    /// Ends the open part of presence. A part in which nothing was heard is removed.
    pub(crate) fn leave(&mut self, until: MessageId) {
        match self.presence.last_mut() {
            Some(stretch) if stretch.until.is_none() && stretch.from < until => stretch.until = Some(until),
            Some(stretch) if stretch.until.is_none() => self.pop(),
            _ => {}
        }
    }

    /// Ends the open part of presence and records the reason. An absent persona that is dismissed gets the new reason.
    pub(crate) fn go(&mut self, until: MessageId, why: Departure) {
        let (Some(stretch), Some(reasons)) = (self.presence.last_mut(), self.reasons.last_mut()) else {
            return;
        };
        if stretch.until.is_none() || why == Departure::Left {
            stretch.until = stretch.until.or(Some(until.max(stretch.from)));
            reasons.1 = Some(why);
        }
    }

    fn pop(&mut self) {
        self.presence.pop();
        self.reasons.pop();
    }

    pub(crate) fn is_present(&self) -> bool {
        self.presence.last().is_some_and(|stretch| stretch.until.is_none())
    }

    /// Whether the persona was present for a message.
    pub(crate) fn witnessed(&self, id: MessageId) -> bool {
        self.presence.iter().any(|stretch| stretch.from <= id && stretch.until.is_none_or(|until| id < until))
    }
}

impl State {
    /// The channels in which a persona is or was present.
    fn channels_of(&self, persona: &PersonaName) -> Vec<ChannelKey> {
        let known = self.channels.iter().filter(|(_, channel)| channel.personas.contains_key(persona));
        known.map(|(key, _)| key.clone()).collect()
    }
}
