//! What the accounts on chat platforms store: deliveries and cursors (AD1).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use async_trait::async_trait;
use greenroom_core::{
    Author, ChannelKey, Message, MessageId, PersonaName, Platform, Timestamp, TurnId, UserId,
};
use greenroom_store::{
    AccountStore, AnsweredEvent, Delivery, DeliveryState, DeliveryStep, MAX_COUNTED_MESSAGES, OpenDelivery,
    PersonActivity, Result, Retraction,
    rules::deliveries::{after, is_over},
};

use crate::{
    InMemoryStore,
    state::{State, same_chat},
};

/// A row of the outbox. It stays after the delivery.
#[derive(Debug, Clone)]
pub(crate) struct StoredDelivery {
    pub(crate) turn: TurnId,
    pub(crate) state: DeliveryState,
    begun_at: Option<Timestamp>,
    note: Option<String>,
    /// By part number, for the parts that were sent or are uncertain: the platform's id, and whether the part is
    /// uncertain.
    parts: BTreeMap<u32, (Option<String>, bool)>,
}

impl StoredDelivery {
    pub(crate) fn new(turn: TurnId) -> Self {
        Self { turn, state: DeliveryState::Waiting, begun_at: None, note: None, parts: BTreeMap::new() }
    }
}

#[async_trait]
impl AccountStore for InMemoryStore {
    async fn next_deliveries(&self, platform: Platform, after: i64, limit: usize) -> Result<Vec<Delivery>> {
        let state = self.state()?;
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for id in state.outbox.keys() {
            let Some((delivery, reply)) = state.delivery(*id) else { continue };
            let is_open = matches!(delivery.state, DeliveryState::Waiting | DeliveryState::Sending);
            if !is_open || reply.channel.platform() != Some(platform) || !seen.insert(&reply.channel) {
                continue;
            }
            if *id <= after {
                continue;
            }
            let trigger = state.turns.get(&delivery.turn).and_then(|turn| state.message(turn.trigger));
            let answers = trigger.and_then(|trigger| state.answered_event(trigger));
            next.push(Delivery {
                id: *id,
                reply: reply.clone(),
                answers,
                over: delivery.parts.keys().copied().collect(),
                begun_at: delivery.begun_at,
            });
        }
        next.truncate(limit);
        Ok(next)
    }

    async fn step_delivery(&self, delivery: i64, step: DeliveryStep, at: Timestamp) -> Result<bool> {
        let mut state = self.state()?;
        let Some(stored) = state.deliveries.get_mut(&delivery) else { return Ok(false) };
        let is_uncertain = stored.parts.values().any(|(_, uncertain)| *uncertain)
            || matches!(step, DeliveryStep::Part { uncertain: Some(_), .. });
        let Some(next) = after(stored.state, &step, is_uncertain) else { return Ok(false) };
        stored.state = next;
        match step {
            DeliveryStep::Begun => stored.begun_at = Some(at),
            DeliveryStep::Part { number, event_id, uncertain, .. } => {
                stored.begun_at = None;
                stored.parts.entry(number).or_insert((event_id, uncertain.is_some()));
                stored.note = uncertain.or(stored.note.take());
            }
            DeliveryStep::NotSent => stored.begun_at = None,
            DeliveryStep::Dead(why) => (stored.begun_at, stored.note) = (None, Some(why)),
            // the note stays: it tells that an operator knows of the reply
            DeliveryStep::Resend => stored.parts.retain(|_, (_, uncertain)| !*uncertain),
            DeliveryStep::Drop => {}
        }
        let turn = stored.turn;
        match is_over(next) {
            true => state.outbox.remove(&delivery),
            false => state.outbox.insert(delivery, turn),
        };
        Ok(true)
    }

    async fn open_deliveries(&self, limit: usize) -> Result<Vec<OpenDelivery>> {
        let state = self.state()?;
        let mut open = Vec::new();
        for id in state.deliveries.keys() {
            let Some((delivery, reply)) = state.delivery(*id) else { continue };
            let is_owed = state.outbox.contains_key(id) || delivery.state == DeliveryState::Uncertain;
            let Some(turn) = state.turns.get(&delivery.turn).filter(|_| is_owed) else { continue };
            if reply.channel.platform() != Some(Platform::Terminal) {
                open.push(OpenDelivery {
                    id: *id,
                    channel: reply.channel.clone(),
                    persona: turn.persona.clone(),
                    text: reply.text.clone(),
                    state: delivery.state,
                    why: delivery.note.clone(),
                    at: reply.at,
                });
            }
        }
        open.truncate(limit);
        Ok(open)
    }

    async fn message_of_event(&self, channel: &ChannelKey, event_id: &str) -> Result<Option<Message>> {
        let state = self.state()?;
        let said = state.messages.values().map(|said| &*said.message);
        let known = said
            .filter(|said| said.channel == *channel && said.turn_id.is_none())
            .find(|said| said.event_id == event_id);
        let sent = || {
            let sent = state.deliveries.iter().filter(|(_, delivery)| {
                delivery.parts.values().any(|(id, _)| id.as_deref() == Some(event_id))
            });
            sent.filter_map(|(id, _)| state.delivery(*id))
                .map(|(_, reply)| reply)
                .find(|reply| reply.channel == *channel)
        };
        Ok(known.or_else(sent).cloned())
    }

    async fn message_in_chat(&self, chat: &ChannelKey, event_id: &str) -> Result<Option<Message>> {
        let state = self.state()?;
        let said = state.messages.values().map(|said| &said.message);
        let mut here = said.filter(|said| same_chat(&said.channel, chat) && said.turn_id.is_none());
        Ok(here.find(|said| said.event_id == event_id).map(|said| Message::clone(said)))
    }

    async fn retractions(&self, platform: Platform, after: i64, limit: usize) -> Result<Vec<Retraction>> {
        let state = self.state()?;
        let next = state.retractions.iter().filter(|one| one.id > after);
        let here = next.filter(|one| one.channel.platform() == Some(platform));
        Ok(here.take(limit).cloned().collect())
    }

    async fn retract(&self, channel: &ChannelKey, persona: &PersonaName, event_id: &str) -> Result<()> {
        self.state()?.add_retraction(channel.clone(), persona.clone(), event_id.to_owned());
        Ok(())
    }

    async fn retracted(&self, retraction: i64) -> Result<()> {
        self.state()?.retractions.retain(|one| one.id != retraction);
        Ok(())
    }

    async fn settle(&self, marks: Vec<String>, at: Timestamp, keep_from: Timestamp) -> Result<()> {
        let settled = &mut self.state()?.settled;
        for mark in marks {
            let kept = settled.entry(mark).or_insert(at);
            *kept = at.max(*kept);
        }
        settled.retain(|_, at| *at >= keep_from);
        Ok(())
    }

    async fn settled(&self, marks: &[String]) -> Result<Vec<(String, Timestamp)>> {
        let state = self.state()?;
        let kept = state.settled.iter().filter(|(mark, _)| marks.contains(mark));
        Ok(kept.map(|(mark, at)| (mark.clone(), *at)).collect())
    }

    async fn activity_since(&self, platform: Platform, since: Timestamp) -> Result<Vec<PersonActivity>> {
        let state = self.state()?;
        let from = MessageId(state.last.message - MAX_COUNTED_MESSAGES + 1);
        let mut heard: BTreeMap<(ChannelKey, UserId), PersonActivity> = BTreeMap::new();
        for said in state.messages.range(from..).map(|(_, said)| said) {
            let Message { channel, author, at, .. } = &*said.message;
            let Author::User { id, .. } = author else { continue };
            if channel.platform() != Some(platform) || *at < since {
                continue;
            }
            let old = || {
                state
                    .messages
                    .values()
                    .any(|said| same_chat(&said.message.channel, channel) && said.message.at < since)
            };
            let one = heard.entry((channel.clone(), id.clone())).or_insert_with(|| PersonActivity {
                channel: channel.clone(),
                user: id.clone(),
                messages: 0,
                answered: 0,
                is_new: !old(),
            });
            one.messages += 1;
            one.answered += u64::from(!said.turns.is_empty());
        }
        Ok(heard.into_values().collect())
    }

    async fn cursor(&self, account: &str, name: &str) -> Result<Option<String>> {
        Ok(self.state()?.cursors.get(&(account.to_owned(), name.to_owned())).cloned())
    }

    async fn keep_cursor(&self, account: &str, name: &str, value: &str) -> Result<()> {
        self.state()?.cursors.insert((account.to_owned(), name.to_owned()), value.to_owned());
        Ok(())
    }
}

impl State {
    /// The platform's id of a message, for a reply that answers it.
    fn answered_event(&self, message: &Message) -> Option<AnsweredEvent> {
        let Some(turn) = message.turn_id else {
            return Some(AnsweredEvent { event_id: message.event_id.clone(), persona: None });
        };
        let delivery = self.deliveries.values().find(|delivery| delivery.turn == turn)?;
        let event_id = delivery.parts.values().rev().find_map(|(id, _)| id.clone())?;
        Some(AnsweredEvent { event_id, persona: Some(self.turns.get(&turn)?.persona.clone()) })
    }

    /// Records a retraction for each sent part of these replies, so that the platform deletes it.
    pub(crate) fn retract_parts_of(&mut self, replies: &BTreeSet<MessageId>) {
        let mut sent = Vec::new();
        for delivery in self.deliveries.values() {
            let Some(turn) = self.turns.get(&delivery.turn) else { continue };
            let Some(reply) = turn.reply.filter(|reply| replies.contains(reply)) else { continue };
            let Some(channel) = self.message(reply).map(|reply| reply.channel.clone()) else { continue };
            let ids = delivery.parts.values().filter_map(|(id, _)| id.clone());
            sent.extend(ids.map(|id| (channel.clone(), turn.persona.clone(), id)));
        }
        for (channel, persona, event_id) in sent {
            self.add_retraction(channel, persona, event_id);
        }
    }

    fn add_retraction(&mut self, channel: ChannelKey, persona: PersonaName, event_id: String) {
        self.last.retraction += 1;
        self.retractions.push(Retraction { id: self.last.retraction, channel, persona, event_id });
    }

    /// A row of the outbox, with its reply.
    fn delivery(&self, id: i64) -> Option<(&StoredDelivery, &Message)> {
        let delivery = self.deliveries.get(&id)?;
        Some((delivery, self.message(self.turns.get(&delivery.turn)?.reply?)?))
    }
}
