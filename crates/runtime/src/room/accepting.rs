//! How a room takes a message in: it decides who answers, stores the message with the turns that answer it, and queues
//! their cues.

use std::sync::Arc;

use greenroom_core::{Author, Envelope, PersonaName, Platform};
use greenroom_store::{Departure, NewTurn, Plan};

use super::{RoomArgs, RoomState, SlotActor, cache::RoomCache};
use crate::{
    RuntimeError, TurnEvents,
    cue::Cue,
    mailbox::{Accepted, Incoming, Kept, PlannedTurn, is_again},
    relevance::Choice,
};

/// An accepted message, for the room.
struct PlannedMessage {
    duplicate: bool,
    turns: Vec<PlannedTurn>,
    /// With the message as it is stored.
    envelope: Envelope,
    /// Whether the first turn was stored as running; otherwise it waits.
    begun: bool,
}

impl RoomState {
    /// Takes a message in and tells its sender what became of it.
    pub(super) async fn receive(&mut self, incoming: Incoming, choice: Option<Choice>) {
        self.handled += 1;
        let Incoming { envelope, span, ticket, token, kept, accepted: sender } = incoming;
        let erased = self.args.services.erasures.followed();
        let planned = self.accept(envelope, kept, choice).await.map(
            |PlannedMessage { duplicate, turns, envelope, begun }| {
                let RoomArgs { services, channel, queue, .. } = &self.args;
                // the sender listens before the first turn can begin
                let ids = turns.iter().map(|turn| turn.id);
                let events = TurnEvents::of(&services.store, &services.hub, channel, ids);
                let (message, envelope) = (envelope.message.id, Arc::new(envelope));
                let cues = turns.iter().cloned().enumerate().map(|(n, turn)| Cue {
                    turn: turn.id,
                    persona: turn.persona,
                    why: turn.why,
                    terms: turn.terms,
                    envelope: envelope.clone(),
                    begun: begun && n == 0,
                    erased,
                    span: span.clone(),
                    token: token.clone(),
                });
                queue.add(cues.collect(), ticket);
                Accepted { message, duplicate, turns, events }
            },
        );
        // the sender may have left; the turns run all the same
        let _ = sender.send(planned);
    }

    /// Decides who answers, and stores the message with the turns. Where nothing is in front of the first turn it is
    /// stored as running, which saves a write. Where the store fails, what is known of the room is read again.
    ///
    /// This is the only way in. A message that is stored already is answered once more by the persona it is addressed
    /// to. A repeat of a message changes nothing, unless the first attempt got no further than storing it.
    async fn accept(
        &mut self,
        envelope: Envelope,
        kept: Option<Kept>,
        choice: Option<Choice>,
    ) -> Result<PlannedMessage, RuntimeError> {
        let mut cache = self.take_cache().await?;
        let planned = self.accept_at(&mut cache, envelope, kept, choice).await;
        if matches!(planned, Ok(_) | Err(RuntimeError::NotRetried { .. })) {
            self.cache = Some(cache);
        }
        planned
    }

    async fn accept_at(
        &self,
        cache: &mut RoomCache,
        mut envelope: Envelope,
        kept: Option<Kept>,
        choice: Option<Choice>,
    ) -> Result<PlannedMessage, RuntimeError> {
        if kept.is_some_and(|kept| kept.duplicate)
            && self.args.services.is_settled(envelope.message.id).await?
        {
            return Ok(PlannedMessage { duplicate: true, turns: Vec::new(), envelope, begun: false });
        }
        let again = is_again(&envelope, kept);
        let mut change = cache.presence.change(&cache.belonging, |persona| self.why_away(persona));
        let is_bot_no_more = !again && forget_bot(cache, &envelope);
        let mut decided = match again {
            true => self.again(cache, &change, &envelope).await?,
            false => self.decide(cache, &mut change, &envelope, choice).await?,
        };
        if is_bot_no_more && decided.ledger.is_none() {
            decided.ledger = Some(cache.ledger.clone());
        }
        let turns = decided.turns;
        for turn in &turns {
            // one that is not here and was addressed has heard the message, and nothing after it
            let is_noted = change.gone.iter().any(|(gone, _)| *gone == turn.persona);
            let why = self.why_away(&turn.persona).filter(|_| !is_noted);
            change.gone.extend(why.map(|why| (turn.persona.clone(), why)));
        }
        let RoomArgs { services, channel, .. } = &self.args;
        let begins = turns.first().is_some_and(|first| self.begins_at_once(&first.persona));
        let at = services.now();
        let new_turn = |(n, turn): (usize, &PlannedTurn)| NewTurn {
            id: turn.id,
            persona: turn.persona.clone(),
            at,
            begins: begins && n == 0,
        };
        // a bot reads and may tell what it reads
        let (aside, group) = (envelope.disable_memory, envelope.group || envelope.bot);
        // a message that is answered again was heard when it was said: personas come and go after it
        let now = if again { Default::default() } else { change.clone() };
        let plan = |vector| Plan {
            turns: turns.iter().enumerate().map(new_turn).collect(),
            vector,
            come: now.come.clone(),
            gone: now.gone.clone(),
            aside,
            room: decided.ledger.as_ref().map(|ledger| ledger.to_json()),
            decision: decided.record.as_ref().map(|record| record.to_json()),
            group,
            undecided: false,
        };
        let answering = turns.iter().map(|turn| &turn.persona);
        let vector = services.vector(answering, channel, &envelope.message.text).await;
        let mut erased = None;
        if envelope.message.is_stored() {
            services.store.plan_turns(envelope.message.id, plan(vector)).await?;
            envelope.group |= services.store.group_since(channel).await?.is_some();
        } else {
            let stored = services.store.accept_planned(envelope.message, plan(vector)).await?;
            envelope.message = stored.message;
            envelope.group = stored.group;
            erased = Some(stored.erased);
            if stored.duplicate {
                // it was counted and heard the first time
                cache.window = None;
                if services.is_settled(envelope.message.id).await? {
                    return Ok(PlannedMessage { duplicate: true, turns: Vec::new(), envelope, begun: false });
                }
                services.store.plan_turns(envelope.message.id, plan(None)).await?;
            }
        }
        if let Some(window) = &mut cache.window {
            window.numbered(envelope.message.id);
        }
        if let Some(ledger) = decided.ledger {
            cache.ledger = ledger;
        }
        if let Some(overtaken) = decided.overtaken {
            self.withdraw_overtaken(overtaken).await;
        }
        match again {
            true => self.store_presence(cache, change).await,
            false => cache.presence.apply(change),
        }
        self.refresh_presence(cache, &envelope.message, erased).await;
        Ok(PlannedMessage { duplicate: false, turns, envelope, begun: begins })
    }

    /// Whether nothing is in front of what this persona answers next.
    fn begins_at_once(&self, persona: &PersonaName) -> bool {
        self.may_answer(persona)
            && !self.args.queue.has(persona)
            && !self.slots.get(persona).is_some_and(|slot| matches!(slot.actor, SlotActor::Restarting))
    }

    /// Why a persona cannot be here, if it cannot.
    pub(super) fn why_away(&self, persona: &PersonaName) -> Option<Departure> {
        let RoomArgs { services, channel, .. } = &self.args;
        match services.cast.persona(persona) {
            None => Some(Departure::Removed),
            Some(_) => (!services.directory.may_answer(persona, channel)).then_some(Departure::Stopped),
        }
    }
}

/// A chat platform says with each message whether its author is a bot, so one that is none any more counts as a person.
/// Returns whether that changed.
fn forget_bot(cache: &mut RoomCache, envelope: &Envelope) -> bool {
    let platform = envelope.message.channel.platform();
    let says_each_time = platform.is_some_and(|platform| Platform::ACCOUNTS.contains(&platform));
    let Author::User { id, .. } = &envelope.message.author else { return false };
    let was_bot = says_each_time && !envelope.bot && cache.ledger.is_bot(id);
    if was_bot {
        cache.ledger.bots.retain(|bot| bot != id);
        cache.window = None;
    }
    was_bot
}
