//! What follows a reply: the cues that it settles are withdrawn, and other personas may answer it (RM2, RM4).

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
    time::Duration,
};

use greenroom_core::{Author, Envelope, Message, PersonaName, TurnId};
use greenroom_floor::{Inputs, Kind, Reason, RoomPolicy, Stop};
use greenroom_store::{JoinReason, MembershipChange, NewTurn, Plan, StoreError};
use ractor::ActorRef;
use tracing::Span;

use super::{
    PersonaSlot, RoomArgs, RoomState,
    cache::RoomCache,
    deciding::{FloorRequest, RoomDecision},
};
use crate::{
    cue::{Cue, HeldCues, ReplyTerms},
    delayed::send_after,
    directory::ShutdownToken,
    floor::{self, author_id, persona_id},
    mailbox::{ChannelMsg, FollowUp, ModeratorQuestion, PlannedTurn, RoomCommand, RoomMsg, TurnReply},
    relevance::Choice,
    turn::{
        ending::{LEFT, withdraw},
        interrupt::InterruptReason,
    },
};

/// The wait before a decision about a reply is tried again after a failure of the store.
const RETRY_AFTER: Duration = Duration::from_secs(1);

impl RoomState {
    /// A turn has ended: records its reply, and decides who answers the reply.
    pub(super) async fn turn_ended(&mut self, myself: &ActorRef<RoomMsg>, spoken: TurnReply) {
        let TurnReply { trigger, reply, repeats } = spoken;
        let follow_up = reply.clone().filter(|_| trigger.terms.is_heard).map(|reply| FollowUp {
            reply,
            meant_for: trigger.terms.meant_for.clone(),
            envelope: trigger.envelope.clone(),
            span: trigger.span.clone(),
            token: trigger.token.clone(),
        });
        let done = self.process_reply(myself, &trigger, reply, follow_up.clone(), repeats).await;
        self.retry_where_failed(myself, done, follow_up);
    }

    async fn process_reply(
        &mut self,
        myself: &ActorRef<RoomMsg>,
        trigger: &Arc<Cue>,
        reply: Option<Arc<Message>>,
        follow_up: Option<FollowUp>,
        repeats: bool,
    ) -> Result<(), StoreError> {
        let mut cache = self.take_cache().await?;
        if let Some(reply) = reply {
            cache.spoke_at.insert(trigger.persona.clone(), reply.at);
            if let Some(window) = &mut cache.window {
                // a reply to a person answers the trigger; whom a reply to a persona answers is read from its text
                let answers = matches!(trigger.message().author, Author::User { .. });
                window.push(&reply, answers.then_some(trigger.message().id), &cache.ledger);
            }
        }
        if let Some(follow_up) = follow_up {
            self.withdraw_settled(&mut cache, trigger, &follow_up.reply).await?;
            self.follow_up(myself, &mut cache, follow_up).await?;
        } else if repeats && trigger.terms.chain == Some(cache.ledger.counters.person()) {
            // if a person has spoken meanwhile, another chain has begun, and that one goes on
            self.end_chain(&mut cache).await?;
        }
        self.cache = Some(cache);
        Ok(())
    }

    /// Tries a decision about a reply again after a moment, if the store failed. If the store refuses it for good, or
    /// the reply was erased, there is nothing to decide any more.
    pub(super) fn retry_where_failed(
        &mut self,
        myself: &ActorRef<RoomMsg>,
        done: Result<(), StoreError>,
        follow_up: Option<FollowUp>,
    ) {
        let Err(error) = done else { return };
        let RoomArgs { services, channel, .. } = &self.args;
        tracing::warn!(%channel, %error, "who answers a reply could not be decided");
        let is_final = error.is_refusal() || matches!(error, StoreError::Erased(_) | StoreError::Closed);
        if let Some(follow_up) = follow_up.filter(|_| !is_final && !services.directory.is_closed()) {
            self.awaited += 1;
            send_after(services, RETRY_AFTER, myself, RoomMsg::Retry(follow_up));
        }
    }

    /// Decides who answers a stored reply, also after a crash or a failure of the store left it undecided.
    pub(super) async fn try_follow_up(&mut self, myself: &ActorRef<RoomMsg>, follow_up: FollowUp) {
        let tried = async {
            let mut cache = self.take_cache().await?;
            self.follow_up(myself, &mut cache, follow_up.clone()).await?;
            self.cache = Some(cache);
            Ok(())
        };
        let done = tried.await;
        self.retry_where_failed(myself, done, Some(follow_up));
    }

    /// Decides who answers a reply, or asks the moderator first.
    async fn follow_up(
        &mut self,
        myself: &ActorRef<RoomMsg>,
        cache: &mut RoomCache,
        follow_up: FollowUp,
    ) -> Result<(), StoreError> {
        match self.eligible(cache, follow_up.meant_for.is_some(), Kind::Persona) {
            Some(personas) => {
                self.ask_moderator(myself, ModeratorQuestion::Reply(follow_up), personas);
                Ok(())
            }
            None => self.answer_reply(cache, follow_up, None).await,
        }
    }

    /// Decides again who answers the trigger of a reply, and withdraws the cues that the reply settles.
    async fn withdraw_settled(
        &self,
        cache: &mut RoomCache,
        trigger: &Arc<Cue>,
        reply: &Message,
    ) -> Result<(), StoreError> {
        let RoomArgs { services, channel, queue, .. } = &self.args;
        let waiting = queue.waiting(|cue| cue.message().id == trigger.message().id);
        if waiting.is_empty() || services.rooms.policy(channel) != greenroom_persona::RoomPolicy::Free {
            return Ok(());
        }
        let members: BTreeSet<_> = cache.presence.members().cloned().collect();
        let seed = floor::seed(channel, &trigger.message().event_id);
        let personas: Vec<_> = members.iter().filter_map(|name| services.cast.persona(name)).collect();
        let resting = floor::resting(personas.iter().map(|p| &**p), &cache.spoke_at, services.now());
        let to = trigger.envelope.to.as_ref().map(persona_id);
        let inputs = Inputs { seed, to: to.as_ref(), resting: Some(&resting), ..Inputs::default() };
        let window = self.window(cache, &members).await?;
        let decision = window.decide(trigger.message(), RoomPolicy::Free, &inputs);
        let settles = |cue: &Arc<Cue>| {
            let id = persona_id(&cue.persona);
            let verdict = decision.verdicts.iter().find(|verdict| verdict.member == id)?;
            let Reason::Settled { by } = &verdict.reason else { return None };
            Some((cue.clone(), by.clone()))
        };
        let settled: Vec<_> = waiting.iter().filter_map(settles).collect();
        if settled.is_empty() {
            return Ok(());
        }
        let record = window.record(&decision, None).to_json();
        services.store.note_decision(trigger.message().id, reply.id, &record).await?;
        let mut ledger = cache.ledger.clone();
        for (cue, by) in settled {
            let Some(cue) = queue.withdraw_turn(cue.turn) else { continue };
            if let Some(person) = cue.terms.chain {
                let author = persona_id(&cue.persona);
                ledger.counters.withdraw(person, &author, cue.terms.answers.as_ref());
            }
            let by = by.parse().ok().and_then(|name| services.cast.persona(&name));
            let by = by.map_or_else(|| "another speaker".to_owned(), |persona| persona.display_name.clone());
            withdraw(services, &cue, &format!("{by} has answered meanwhile")).await;
        }
        if ledger != cache.ledger {
            services.store.put_room(channel, &ledger.to_json()).await?;
            cache.ledger = ledger;
        }
        Ok(())
    }

    /// Decides who answers a reply, and plans their turns in one write. So after a crash the reply is either still
    /// undecided, or its turns are stored.
    pub(super) async fn answer_reply(
        &self,
        cache: &mut RoomCache,
        follow_up: FollowUp,
        choice: Option<Choice>,
    ) -> Result<(), StoreError> {
        let FollowUp { reply, meant_for, envelope: answered, span, token } = follow_up;
        let RoomArgs { services, channel, queue, .. } = &self.args;
        if services.directory.is_closed() {
            // the next run of the program decides it
            return Ok(());
        }
        let change = cache.presence.change(&cache.belonging, |persona| self.why_away(persona));
        self.store_presence(cache, change).await;
        let members = cache.presence.members().cloned().collect();
        self.window(cache, &members).await?;
        // running turns count too: while a moderator thinks, the next turns begin
        let mut busy: HashSet<_> = queue.busy().iter().map(persona_id).collect();
        busy.remove(&author_id(&reply.author));
        let asked = FloorRequest {
            message: &reply,
            members: &members,
            to: meant_for.clone(),
            one_of: &[],
            is_direct: false,
            seed: floor::seed(channel, &reply.event_id),
            busy,
            has_limits: true,
            terms: ReplyTerms {
                is_heard: true,
                meant_for,
                answers: Some(author_id(&reply.author)),
                ..ReplyTerms::default()
            },
            choice,
            absent: None,
        };
        let RoomDecision { turns, record, ledger, .. } =
            self.decide_by_floor(cache, asked, cache.ledger.clone()).await;
        let at = services.now();
        let new_turn =
            |turn: &PlannedTurn| NewTurn { id: turn.id, persona: turn.persona.clone(), at, begins: false };
        let erased = services.erasures.followed();
        let plan = Plan {
            turns: turns.iter().map(new_turn).collect(),
            room: ledger.as_ref().map(|ledger| ledger.to_json()),
            decision: record.map(|record| record.to_json()),
            without_memory: answered.disable_memory,
            ..Plan::default()
        };
        services.store.plan_turns(reply.id, plan).await?;
        if let Some(ledger) = ledger {
            cache.ledger = ledger;
        }
        let envelope = Arc::new(Envelope {
            disable_memory: answered.disable_memory,
            group: answered.group,
            project: answered.project.clone(),
            ..Envelope::new((*reply).clone())
        });
        let cues = turns.into_iter().map(|turn| Cue {
            turn: turn.id,
            persona: turn.persona,
            why: turn.why,
            terms: turn.terms,
            envelope: envelope.clone(),
            begun: false,
            erased,
            span: span.clone(),
            token: token.clone(),
        });
        queue.add_behind(cues.collect());
        Ok(())
    }

    /// Decides who answers a reply that a crash left undecided (RM4).
    pub(super) async fn recover_reply(
        &mut self,
        myself: &ActorRef<RoomMsg>,
        reply: Message,
        token: ShutdownToken,
    ) {
        self.handled += 1;
        let envelope = Arc::new(Envelope::new(reply.clone()));
        let span = Span::current();
        let follow_up = FollowUp { reply: Arc::new(reply), meant_for: None, envelope, span, token };
        self.try_follow_up(myself, follow_up).await;
    }

    /// A persona nearly repeated itself: no persona says anything more until a person speaks (RM4).
    async fn end_chain(&self, cache: &mut RoomCache) -> Result<(), StoreError> {
        let RoomArgs { services, channel, queue, .. } = &self.args;
        let mut ledger = cache.ledger.clone();
        ledger.counters.end(Stop::Repetition);
        services.store.put_room(channel, &ledger.to_json()).await?;
        cache.ledger = ledger;
        let rest: Vec<TurnId> =
            queue.waiting(|cue| cue.terms.answers.is_some()).iter().map(|cue| cue.turn).collect();
        for turn in rest {
            if let Some(cue) = queue.withdraw_turn(turn) {
                withdraw(services, &cue, Stop::Repetition.text()).await;
            }
        }
        Ok(())
    }

    /// A person has spoken: withdraws the waiting cues of the chain before (RM5).
    pub(super) async fn withdraw_overtaken(&self, overtaken: HeldCues) {
        for cue in overtaken.withdraw() {
            withdraw(&self.args.services, &cue, "a person has spoken meanwhile").await;
        }
    }

    /// Carries out a person's command: personas come or go, or the room becomes quiet.
    pub(super) async fn command(&mut self, command: RoomCommand) -> Result<(), StoreError> {
        let mut cache = self.take_cache().await?;
        match command {
            RoomCommand::Attend(attendance) => self.attend(&mut cache, attendance).await?,
            RoomCommand::Quiet(until) => self.set_quiet(&mut cache, until).await?,
        }
        self.cache = Some(cache);
        Ok(())
    }

    async fn attend(&self, cache: &mut RoomCache, attendance: MembershipChange) -> Result<(), StoreError> {
        let RoomArgs { services, channel, queue, .. } = &self.args;
        // a persona that belongs here by its file but never joined is first recorded as joined, so that its leaving
        // lasts
        let change = cache.presence.change(&cache.belonging, |persona| self.why_away(persona));
        let departs = |(joining, _): &(PersonaName, JoinReason)| {
            attendance.leaves.iter().any(|(leaving, _)| leaving == joining)
        };
        let joins = change.joins.into_iter().filter(departs).collect();
        let joined = MembershipChange { joins, leaves: Vec::new() };
        if !joined.is_empty() {
            services.store.attend(channel, &joined).await?;
            cache.presence.apply(joined);
        }
        services.store.attend(channel, &attendance).await?;
        let departed: Vec<_> = attendance.leaves.iter().map(|(persona, _)| persona.clone()).collect();
        cache.presence.apply(attendance);
        for persona in departed {
            // presence ends at this moment, also in the middle of a reply (RM1)
            if let Some(actor) = self.slots.get(&persona).and_then(PersonaSlot::running) {
                let _ = actor.send_message(ChannelMsg::Cancel(InterruptReason::Left));
            }
            for cue in queue.withdraw(Some(&persona)) {
                withdraw(services, &cue, LEFT).await;
            }
        }
        let change = cache.presence.change(&cache.belonging, |persona| self.why_away(persona));
        let change = MembershipChange { joins: Vec::new(), ..change };
        self.store_presence(cache, change).await;
        Ok(())
    }

    async fn set_quiet(&self, cache: &mut RoomCache, until: Option<i64>) -> Result<(), StoreError> {
        let RoomArgs { services, channel, queue, .. } = &self.args;
        let mut ledger = cache.ledger.clone();
        ledger.counters.quiet_until(until);
        services.store.put_room(channel, &ledger.to_json()).await?;
        cache.ledger = ledger;
        if until.is_some() {
            for cue in queue.withdraw(None) {
                withdraw(services, &cue, Stop::Quiet.text()).await;
            }
        }
        Ok(())
    }
}
