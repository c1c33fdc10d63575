//! How a room accepts a message: it decides who answers, stores the message with the turns that answer it, and queues
//! their cues.

use std::sync::Arc;

use greenroom_core::{Author, Envelope, Message, PersonaName, Platform, Timestamp};
use greenroom_store::{Departure, MembershipChange, NewTurn, Plan};

use super::{
    RoomArgs, RoomState, SlotActor, cache::RoomCache, deciding::RoomDecision, retrying::AnswerAgain,
};
use crate::{
    RuntimeError, TurnEvents,
    cue::Cue,
    mailbox::{Accepted, Incoming, PlannedTurn, StoredUndecided, asks_for_another_answer},
    relevance::Choice,
};

/// An accepted message, for the room.
struct PlannedMessage {
    duplicate: bool,
    turns: Vec<PlannedTurn>,
    /// The envelope, with the message as it is stored.
    envelope: Envelope,
    /// Whether the first turn was stored as running; otherwise it was stored as waiting.
    begun: bool,
}

/// A decision about a message, before it is stored.
struct DecidedMessage {
    decision: RoomDecision,
    /// The personas that come and go.
    change: MembershipChange,
    /// Whether the message was decided before and is answered again.
    is_again: bool,
    /// Whether the first turn is stored as running.
    begins: bool,
    at: Timestamp,
}

impl DecidedMessage {
    /// What is stored with the message, except its vector.
    fn plan(&self, envelope: &Envelope) -> Plan {
        let new_turn = |(n, turn): (usize, &PlannedTurn)| NewTurn {
            id: turn.id,
            persona: turn.persona.clone(),
            at: self.at,
            begins: self.begins && n == 0,
        };
        // a message that is answered again was heard when it was said, so personas come and go after it
        let now = if self.is_again { MembershipChange::default() } else { self.change.clone() };
        Plan {
            turns: self.decision.turns.iter().enumerate().map(new_turn).collect(),
            vector: None,
            joins: now.joins,
            leaves: now.leaves,
            without_memory: envelope.disable_memory,
            room: self.decision.ledger.as_ref().map(|ledger| ledger.to_json()),
            decision: self.decision.record.as_ref().map(|record| record.to_json()),
            // a bot reads the channel and may repeat elsewhere what it reads
            group: envelope.group || envelope.bot,
            undecided: false,
        }
    }
}

/// A message after its decision was stored.
struct StoredMessage {
    envelope: Envelope,
    /// The newest erasure when the message was stored; `None` if it had been stored before.
    erased: Option<i64>,
    /// Whether it repeats a message that was decided already; then nothing was stored.
    is_settled: bool,
}

impl RoomState {
    /// Accepts a message and tells its sender the result.
    pub(super) async fn receive(&mut self, incoming: Incoming, choice: Option<Choice>) {
        self.handled += 1;
        let Incoming { envelope, span, ticket, token, undecided, addresses, accepted: sender } = incoming;
        let erased = self.args.services.erasures.followed();
        let planned = self.accept(envelope, (undecided, addresses), choice).await.map(
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
        // the sender may have left; the turns run nevertheless
        let _ = sender.send(planned);
    }

    /// Decides who answers, and stores the message with its turns. A first turn that can begin at once is stored as
    /// running, which saves a write. If the store fails, the room reads its cache again.
    ///
    /// All messages pass here. A message that is stored already is answered again by the persona it is addressed to. A
    /// repeat of a message changes nothing, unless the first attempt got no further than storing it.
    async fn accept(
        &mut self,
        envelope: Envelope,
        stored: (Option<StoredUndecided>, bool),
        choice: Option<Choice>,
    ) -> Result<PlannedMessage, RuntimeError> {
        let mut cache = self.take_cache().await?;
        let planned = self.decide_and_store(&mut cache, envelope, stored, choice).await;
        if matches!(planned, Ok(_) | Err(RuntimeError::NotRetried { .. })) {
            self.cache = Some(cache);
        }
        planned
    }

    async fn decide_and_store(
        &self,
        cache: &mut RoomCache,
        envelope: Envelope,
        (undecided, addresses): (Option<StoredUndecided>, bool),
        choice: Option<Choice>,
    ) -> Result<PlannedMessage, RuntimeError> {
        if undecided.is_some_and(|undecided| undecided.duplicate)
            && self.args.services.is_settled(envelope.message.id).await?
        {
            return Ok(PlannedMessage { duplicate: true, turns: Vec::new(), envelope, begun: false });
        }
        let again = asks_for_another_answer(&envelope, undecided).then_some(AnswerAgain { addresses });
        let mut decided = self.decided(cache, &envelope, choice, again).await?;
        let stored = self.store(cache, envelope, &decided).await?;
        let envelope = stored.envelope;
        if stored.is_settled {
            return Ok(PlannedMessage { duplicate: true, turns: Vec::new(), envelope, begun: false });
        }
        let (turns, begun) = (std::mem::take(&mut decided.decision.turns), decided.begins);
        self.apply(cache, &envelope.message, decided, stored.erased).await;
        Ok(PlannedMessage { duplicate: false, turns, envelope, begun })
    }

    /// Decides who answers, and which personas come and go because of the message.
    async fn decided(
        &self,
        cache: &mut RoomCache,
        envelope: &Envelope,
        choice: Option<Choice>,
        again: Option<AnswerAgain>,
    ) -> Result<DecidedMessage, RuntimeError> {
        let mut change = cache.presence.change(&cache.belonging, |persona| self.why_away(persona));
        let is_again = again.is_some();
        let is_bot_no_more = !is_again && forget_bot(cache, envelope);
        let mut decision = match again {
            Some(again) => self.again(cache, &mut change, envelope, again).await?,
            None => self.decide(cache, &mut change, envelope, choice).await?,
        };
        if is_bot_no_more && decision.ledger.is_none() {
            decision.ledger = Some(cache.ledger.clone());
        }
        for turn in &decision.turns {
            // an absent persona that was addressed hears this message and no later one
            let is_noted = change.leaves.iter().any(|(leaving, _)| *leaving == turn.persona);
            let why = self.why_away(&turn.persona).filter(|_| !is_noted);
            change.leaves.extend(why.map(|why| (turn.persona.clone(), why)));
        }
        let begins = decision.turns.first().is_some_and(|first| self.begins_at_once(&first.persona));
        Ok(DecidedMessage { decision, change, is_again, begins, at: self.args.services.now() })
    }

    /// Stores the message, if it is new, and its turns.
    async fn store(
        &self,
        cache: &mut RoomCache,
        mut envelope: Envelope,
        decided: &DecidedMessage,
    ) -> Result<StoredMessage, RuntimeError> {
        let RoomArgs { services, channel, .. } = &self.args;
        let plan = decided.plan(&envelope);
        let answering = decided.decision.turns.iter().map(|turn| &turn.persona);
        let vector = services.vector(answering, channel, &envelope.message.text).await;
        if envelope.message.is_stored() {
            if decided.is_again {
                self.welcome_answering(&decided.change, &plan).await?;
            }
            services.store.plan_turns(envelope.message.id, Plan { vector, ..plan }).await?;
            envelope.group |= services.store.group_since(channel).await?.is_some();
            return Ok(StoredMessage { envelope, erased: None, is_settled: false });
        }
        let stored = services.store.accept_planned(envelope.message, Plan { vector, ..plan.clone() }).await?;
        envelope.message = stored.message;
        envelope.group = stored.group;
        let mut is_settled = false;
        if stored.duplicate {
            // the message was counted and heard the first time
            cache.window = None;
            is_settled = services.is_settled(envelope.message.id).await?;
            if !is_settled {
                services.store.plan_turns(envelope.message.id, plan).await?;
            }
        }
        Ok(StoredMessage { envelope, erased: Some(stored.erased), is_settled })
    }

    /// Stores that personas come to answer an earlier message, before their turns are stored. With the turns alone they
    /// would count as having heard everything since that message (GR2).
    async fn welcome_answering(&self, change: &MembershipChange, plan: &Plan) -> Result<(), RuntimeError> {
        let answers = |name: &PersonaName| plan.turns.iter().any(|turn| turn.persona == *name);
        let joins: Vec<_> = change.joins.iter().filter(|(name, _)| answers(name)).cloned().collect();
        if !joins.is_empty() {
            let RoomArgs { services, channel, .. } = &self.args;
            services.store.attend(channel, &MembershipChange { joins, leaves: Vec::new() }).await?;
        }
        Ok(())
    }

    /// Applies a stored decision to the cache of the room.
    async fn apply(
        &self,
        cache: &mut RoomCache,
        message: &Message,
        decided: DecidedMessage,
        erased: Option<i64>,
    ) {
        let DecidedMessage { decision, change, is_again, .. } = decided;
        if let Some(window) = &mut cache.window {
            window.numbered(message.id);
        }
        if let Some(ledger) = decision.ledger {
            cache.ledger = ledger;
        }
        if let Some(overtaken) = decision.overtaken {
            self.withdraw_overtaken(overtaken).await;
        }
        match is_again {
            true => self.store_presence(cache, change).await,
            false => cache.presence.apply(change),
        }
        self.refresh_presence(cache, message, erased).await;
    }

    /// Whether a cue of this persona can begin at once.
    fn begins_at_once(&self, persona: &PersonaName) -> bool {
        self.may_answer(persona)
            && !self.args.queue.has(persona)
            && !self.slots.get(persona).is_some_and(|slot| matches!(slot.actor, SlotActor::Restarting))
    }

    /// Why a persona cannot be in this channel, if it cannot.
    pub(super) fn why_away(&self, persona: &PersonaName) -> Option<Departure> {
        let RoomArgs { services, channel, .. } = &self.args;
        services.why_away(persona, channel)
    }
}

/// A chat platform says with each message whether its author is a bot. So an author that is no longer marked as a bot
/// counts as a person again. Returns whether that changed.
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
