//! Decides who answers a message, and counts the answers against the room's limits (RM2 to RM4).

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use greenroom_core::{Author, Envelope, Message, PersonaName, Timestamp};
use greenroom_floor::{Decision, Inputs, Kind, MemberId, Reason, Stop, Verdict};
use greenroom_persona::{Answer, Persona};
use greenroom_store::{Departure, JoinReason, MembershipChange, StoreError};

use super::{RoomArgs, RoomState, cache::RoomCache};
use crate::{
    cue::{HeldCues, ReplyTerms},
    floor::{self, DecisionRecord, FloorWindow, author_id, persona_id, user_id},
    grant::Grant,
    mailbox::PlannedTurn,
    relevance::Choice,
    rooms::RoomLedger,
};

/// The decision about a message.
#[derive(Default)]
pub(super) struct RoomDecision {
    pub(super) turns: Vec<PlannedTurn>,
    /// What is stored of the decision. `None` if a persona alone with the message answers it and it calls no other
    /// persona: then there was nothing to decide.
    pub(super) record: Option<DecisionRecord>,
    /// The room's new state, if it changes.
    pub(super) ledger: Option<RoomLedger>,
    /// If a person has begun a new chain: the waiting cues of the chain before, which is over.
    pub(super) overtaken: Option<HeldCues>,
}

/// A message, as input of floor control.
pub(super) struct FloorRequest<'a> {
    pub(super) message: &'a Message,
    /// The personas that may answer.
    pub(super) members: &'a BTreeSet<PersonaName>,
    /// The member it is addressed to, whatever its text says.
    pub(super) to: Option<MemberId>,
    /// The personas of the account that it addresses, if it does. One of them answers if no persona would.
    pub(super) one_of: &'a [PersonaName],
    /// Whether only its author and personas read the channel.
    pub(super) is_direct: bool,
    /// The seed of the random draws.
    pub(super) seed: u64,
    /// Personas with a waiting or a running cue.
    pub(super) busy: HashSet<MemberId>,
    /// Whether the limits of the room apply: several personas belong to it, or a bot speaks there.
    /// [`Envelope::group`] is about something else: whether others than the author read the channel.
    pub(super) has_limits: bool,
    /// The terms on which it is answered.
    pub(super) terms: ReplyTerms,
    /// Whom the moderator chose, if it was asked.
    pub(super) choice: Option<Choice>,
    /// The persona that it calls by its name and that does not belong to the channel.
    pub(super) absent: Option<PersonaName>,
}

/// The decision of floor control within the limits.
struct Permitted {
    decision: Decision,
    /// The tokens that each answer may take, in a group.
    granted: HashMap<MemberId, u64>,
    /// The limit that ended the answers.
    stopped: Option<Stop>,
}

/// Whom a message addresses.
struct Addressees {
    to: Option<PersonaName>,
    /// The other personas that it mentions or replies to.
    others: Vec<PersonaName>,
    /// How the addressed personas come that are no members.
    via: JoinReason,
}

impl RoomState {
    /// Decides who answers a new message of a person or a bot. Adds the personas that come because of it to `change`.
    pub(super) async fn decide(
        &self,
        cache: &mut RoomCache,
        change: &mut MembershipChange,
        envelope: &Envelope,
        choice: Option<Choice>,
    ) -> Result<RoomDecision, StoreError> {
        let message = &envelope.message;
        let Author::User { id: user, .. } = &message.author else { return Ok(RoomDecision::default()) };
        if envelope.unanswered.is_some() {
            // the next decision reads the conversation again, with this message
            cache.window = None;
            let mut ledger = cache.ledger.clone();
            if envelope.bot {
                ledger.add_bot(user);
            }
            let ledger = (ledger != cache.ledger).then_some(ledger);
            // the record: a repeat of the message is not answered either
            let record = DecisionRecord { unanswered: envelope.unanswered, ..DecisionRecord::default() };
            return Ok(RoomDecision { ledger, record: Some(record), ..RoomDecision::default() });
        }
        let mut members: BTreeSet<_> = cache.presence.members_after(change).cloned().collect();
        let called = self.args.services.cast.called(&message.text);
        // a persona that was let go comes back when it is called; whether it answers is decided as for every member
        let back = called.as_ref().filter(|called| !envelope.bot && self.comes_back(cache, called));
        if let Some(back) = back.filter(|back| members.insert(PersonaName::clone(back))) {
            change.joins.push((back.clone(), JoinReason::Addressed));
        }
        let Addressees { to, others, via } =
            self.addressed(cache, &members, envelope, called.as_ref()).await?;
        for persona in to.iter().chain(&others) {
            if members.insert(persona.clone()) && self.why_away(persona).is_none() {
                change.joins.push((persona.clone(), via));
            }
        }
        let absent = called.filter(|called| !members.contains(called));
        let mut ledger = cache.ledger.clone();
        if envelope.bot {
            ledger.add_bot(user);
        }
        let has_limits = members.len() > 1 || !ledger.bots.is_empty();
        if !has_limits
            && let Some(decided) =
                self.decide_alone(cache, &members, to.as_ref(), &others, via, absent.as_ref())
        {
            return Ok(decided);
        }
        let kind = if ledger.is_bot(user) { Kind::Bot } else { Kind::Person };
        if has_limits {
            ledger.heard += 1;
            ledger.counters.heard(ledger.heard, kind);
        }
        let queue = &self.args.queue;
        let begins_chain = has_limits && kind == Kind::Person;
        let overtaken = begins_chain.then(|| queue.hold(|cue| cue.terms.ends_with_chain()));
        if let Some(HeldCues { under_way, .. }) = &overtaken {
            let under_way = u32::try_from(*under_way).unwrap_or(u32::MAX);
            ledger.counters.carry_over(under_way);
        }
        self.window(cache, &members).await?.push(message, None, &ledger);
        let asked = FloorRequest {
            message,
            members: &members,
            to: to.as_ref().map(persona_id),
            one_of: &envelope.one_of,
            is_direct: !envelope.group,
            seed: floor::seed(&message.channel, &message.event_id),
            busy: HashSet::new(),
            has_limits,
            terms: ReplyTerms {
                is_heard: has_limits,
                // what is said to one person concerns other personas only if it mentions them
                meant_for: to.map(|_| user_id(user)),
                answers: (kind == Kind::Bot).then(|| user_id(user)),
                ..ReplyTerms::default()
            },
            choice,
            absent,
        };
        Ok(RoomDecision { overtaken, ..self.decide_by_floor(cache, asked, ledger).await })
    }

    /// Whether a persona that is called was let go here and may be here again.
    fn comes_back(&self, cache: &RoomCache, called: &PersonaName) -> bool {
        !self.args.services.settings.by_invitation
            && cache.presence.was_let_go(called)
            && self.why_away(called).is_none()
    }

    /// The personas that a message addresses: by its envelope, by a mention of any persona of the cast, or as a reply.
    /// `called` is the persona that it calls by its name, without a mention. If it addresses none and the channel has
    /// no members, the default persona is addressed, or the only persona of the cast.
    async fn addressed(
        &self,
        cache: &mut RoomCache,
        members: &BTreeSet<PersonaName>,
        envelope: &Envelope,
        called: Option<&PersonaName>,
    ) -> Result<Addressees, StoreError> {
        let services = &self.args.services;
        let message = &envelope.message;
        let mut others = Vec::new();
        if let Some(event) = &message.reply_to {
            let window = self.window(cache, members).await?;
            let author = window.author_of(event).and_then(|author| author.parse::<PersonaName>().ok());
            others.extend(author.filter(|author| services.cast.persona(author).is_some()));
        }
        if !envelope.bot {
            others.extend(services.cast.mentioned(&message.text));
        }
        // a stopped member is addressed too, so that it says that it is stopped, as when it is mentioned with `@`
        if let Some(called) = called.filter(|_| !envelope.bot)
            && self.why_away(called) == Some(Departure::Stopped)
            && cache.presence.is_stopped(called)
            && !others.contains(called)
        {
            others.push(called.clone());
        }
        others.retain(|persona| Some(persona) != envelope.to.as_ref());
        let is_reached =
            |persona: &PersonaName| !services.settings.by_invitation || members.contains(persona);
        others.retain(is_reached);
        let to = envelope.to.clone().filter(is_reached);
        if to.is_some() || !others.is_empty() {
            return Ok(Addressees { to, others, via: JoinReason::Addressed });
        }
        let sole = members.first().filter(|_| members.len() == 1);
        let usual = envelope.default_persona.as_ref().filter(|usual| match sole {
            _ if !is_reached(usual) => false,
            Some(sole) => sole == *usual || cache.presence.via(sole) == Some(JoinReason::File),
            None => members.is_empty(),
        });
        if let Some(usual) = usual {
            return Ok(Addressees { to: Some(usual.clone()), others, via: JoinReason::Addressed });
        }
        let cast = services.cast.get();
        let only = cast.first().filter(|only| cast.len() == 1 && only.room.answer != Answer::Never);
        let to = match (only, sole) {
            (Some(only), None) if members.is_empty() && is_reached(&only.name) => Some(only.name.clone()),
            // one person and one persona talk with each other, until another person speaks there; a persona that
            // answers unasked follows its own policy and cooldown (WB12), unless it is the only one of the cast
            (_, Some(sole)) if !envelope.group && !envelope.bot => {
                let waits = |it: &Persona| matches!(it.room.answer, Answer::Mentioned | Answer::Addressed);
                let answers = cache.presence.via(sole) == Some(JoinReason::Alone)
                    || services.cast.persona(sole).is_some_and(|it| waits(&it));
                let alone = answers && self.window(cache, members).await?.hears_nobody_but(&message.author);
                alone.then(|| sole.clone())
            }
            _ => None,
        };
        Ok(Addressees { to, others, via: JoinReason::Alone })
    }

    /// The decision if there is nothing to decide: at most one persona, which is addressed or answers everything.
    /// `None` if the conversation is needed for the decision.
    fn decide_alone(
        &self,
        cache: &RoomCache,
        members: &BTreeSet<PersonaName>,
        to: Option<&PersonaName>,
        others: &[PersonaName],
        via: JoinReason,
        absent: Option<&PersonaName>,
    ) -> Option<RoomDecision> {
        let services = &self.args.services;
        let record = |verdict: Option<_>, stopped| {
            let absent = absent.cloned();
            DecisionRecord { absent, ..DecisionRecord::plain(verdict, stopped) }
        };
        let nobody = |reason: Option<(PersonaName, Reason)>, stopped| {
            let verdict = reason.map(|(persona, reason)| (persona, None, reason));
            Some(RoomDecision { record: Some(record(verdict, stopped)), ..RoomDecision::default() })
        };
        if cache.ledger.counters.is_quiet(services.now().0 / 1_000_000) {
            let quiet = |name: &PersonaName| (name.clone(), Reason::Limit { stop: Stop::Quiet });
            return nobody(members.first().map(quiet), Some(Stop::Quiet));
        }
        let Some(name) = members.first() else { return nobody(None, None) };
        let Some(persona) = services.cast.persona(name) else { return nobody(None, None) };
        let cooling = floor::is_cooling_down(&persona, cache.spoke_at.get(name), services.now());
        let reason = match persona.room.answer {
            Answer::Never => return nobody(Some((name.clone(), Reason::Never)), None),
            _ if to.is_some() && via == JoinReason::Alone => Reason::Alone,
            _ if to.is_some() => Reason::AddressedTo,
            _ if others.contains(name) => Reason::Named { place: 1 },
            Answer::Always if !cooling => Reason::Always,
            _ => return None,
        };
        let turn = PlannedTurn {
            id: services.turn_id(),
            persona: name.clone(),
            why: reason.to_string(),
            terms: ReplyTerms::default(),
        };
        let record = absent.map(|_| record(Some((name.clone(), Some(1), reason)), None));
        Some(RoomDecision { turns: vec![turn], record, ..RoomDecision::default() })
    }

    /// The decision of floor control, and the turns that follow from it. Counts the permitted answers in `ledger`.
    pub(super) async fn decide_by_floor(
        &self,
        cache: &RoomCache,
        asked: FloorRequest<'_>,
        mut ledger: RoomLedger,
    ) -> RoomDecision {
        let services = &self.args.services;
        let Some(window) = &cache.window else { return RoomDecision::default() };
        let Permitted { decision, granted, stopped } =
            self.permitted(cache, window, &asked, &mut ledger).await;
        let FloorRequest { has_limits, terms, choice, message, absent, .. } = asked;
        let terms = ReplyTerms { chain: has_limits.then(|| ledger.counters.person()), ..terms };
        let unmoderated = choice.as_ref().and_then(|choice| choice.chosen.as_ref().err().copied());
        // the first answer pays for the moderator; if no persona answers, the moderator takes its place in the chain
        let mut moderated = choice.map(|choice| choice.grant).filter(|grant| grant.is_touched());
        let turn = |verdict: &Verdict| {
            let persona = services.cast.persona(&verdict.member.parse().ok()?)?;
            let grant = granted.get(&verdict.member).map(|tokens| match moderated.take() {
                Some(moderated) => moderated.lowered_to(*tokens),
                None => Grant::new(*tokens),
            });
            let is_usual = matches!(verdict.reason, Reason::Usual | Reason::SpokeLast);
            Some(PlannedTurn {
                id: services.turn_id(),
                persona: persona.name.clone(),
                why: verdict.reason.to_string(),
                terms: ReplyTerms {
                    grant,
                    // only one persona answers what is said to an account
                    meant_for: terms
                        .meant_for
                        .clone()
                        .or_else(|| is_usual.then(|| author_id(&message.author))),
                    asked: terms.answers.is_none() && verdict.reason.is_asked(),
                    ..terms.clone()
                },
            })
        };
        let turns: Vec<_> = decision.speakers().into_iter().filter_map(turn).collect();
        if moderated.is_some() {
            ledger.counters.spend_place();
        }
        let is_kept = has_limits || turns.is_empty() || absent.is_some();
        let record =
            is_kept.then(|| DecisionRecord { unmoderated, absent, ..window.record(&decision, stopped) });
        let ledger = (ledger != cache.ledger).then_some(ledger);
        RoomDecision { turns, record, ledger, overtaken: None }
    }

    /// Asks floor control, and counts the answers that the limits permit.
    async fn permitted(
        &self,
        cache: &RoomCache,
        window: &FloorWindow,
        asked: &FloorRequest<'_>,
        ledger: &mut RoomLedger,
    ) -> Permitted {
        let services = &self.args.services;
        let now = services.now();
        let personas: Vec<_> = asked.members.iter().filter_map(|name| services.cast.persona(name)).collect();
        let mut decision = self.ask_floor(cache, window, asked, &personas, now).await;
        if let Some((at, reason)) = window.usual(&decision, asked.one_of, asked.is_direct) {
            let verdict = &mut decision.verdicts[at];
            (verdict.position, verdict.reason) = (Some(1), reason);
        }
        self.count_against_limits(decision, asked, &personas, ledger, now).await
    }

    /// The decision of floor control, with everything that the room knows.
    async fn ask_floor(
        &self,
        cache: &RoomCache,
        window: &FloorWindow,
        asked: &FloorRequest<'_>,
        personas: &[Arc<Persona>],
        now: Timestamp,
    ) -> Decision {
        let RoomArgs { services, channel, .. } = &self.args;
        let resting = floor::resting(personas.iter().map(|persona| &**persona), &cache.spoke_at, now);
        let scores = services.relevance.scores(&services.memory, &asked.message.text, personas).await;
        let policy = floor::room_policy(services.rooms.policy(channel));
        let inputs = Inputs {
            scores: Some(&scores),
            chosen: asked.choice.as_ref().and_then(|choice| choice.chosen.as_deref().ok()),
            seed: asked.seed,
            to: asked.to.as_ref(),
            resting: Some(&resting),
            busy: Some(&asked.busy),
        };
        window.decide(asked.message, policy, &inputs)
    }

    /// Counts the answers of a decision in `ledger`, in order. Answers beyond the limits get the limit as their reason.
    async fn count_against_limits(
        &self,
        mut decision: Decision,
        asked: &FloorRequest<'_>,
        personas: &[Arc<Persona>],
        ledger: &mut RoomLedger,
        now: Timestamp,
    ) -> Permitted {
        let RoomArgs { services, channel, .. } = &self.args;
        let limits = services.rooms.limits(channel);
        let to = match &asked.message.author {
            Author::User { id, .. } => ledger.is_bot(id).then(|| user_id(id)),
            Author::Persona { name } => Some(persona_id(name)),
        };
        let mut order: Vec<usize> = (0..decision.verdicts.len()).collect();
        order.retain(|at| decision.verdicts[*at].position.is_some());
        order.sort_by_key(|at| decision.verdicts[*at].position);
        let seconds = now.0 / 1_000_000;
        // in a quiet room no persona answers; this reason takes precedence over all others
        let mut granted = HashMap::new();
        let (mut position, mut stopped) = (0, ledger.counters.is_quiet(seconds).then_some(Stop::Quiet));
        for at in order {
            let member = decision.verdicts[at].member.clone();
            let permit = match (stopped, asked.has_limits) {
                (Some(stop), _) => Err(stop),
                (None, true) => {
                    let persona = personas.iter().find(|persona| persona.name.as_str() == &*member);
                    let remaining = services.remaining(persona.map(|p| &**p), to.is_some(), now).await;
                    let is_asked = to.is_none() && decision.verdicts[at].reason.is_asked();
                    let counters = &mut ledger.counters;
                    match is_asked {
                        true => counters.permit_asked(&limits, remaining, &member, seconds),
                        false => counters.permit(&limits, remaining, &member, to.as_ref(), seconds),
                    }
                    .map(Some)
                }
                (None, false) if ledger.counters.is_quiet(seconds) => Err(Stop::Quiet),
                (None, false) => Ok(None),
            };
            let verdict = &mut decision.verdicts[at];
            match permit {
                Ok(grant) => {
                    position += 1;
                    verdict.position = Some(position);
                    granted.extend(grant.map(|grant| (member, grant.tokens)));
                }
                Err(stop) => {
                    stopped = stopped.or(stop.is_of_room().then_some(stop));
                    verdict.position = None;
                    verdict.reason = Reason::Limit { stop };
                }
            }
        }
        Permitted { decision, granted, stopped }
    }
}
