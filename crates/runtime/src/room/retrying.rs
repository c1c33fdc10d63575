//! Answers a message again, by a persona whose turn for it failed or was stopped. The answer counts like any other
//! (RM5). Membership does not change, unless the sender of the message repeats it and so addresses the persona.

use greenroom_core::{Author, Envelope, ErrorCode, PersonaName};
use greenroom_floor::Stop;
use greenroom_persona::Answer;
use greenroom_store::{Departure, JoinReason, MembershipChange, StoreError, TurnState};

use super::{RoomArgs, RoomState, cache::RoomCache, deciding::RoomDecision};
use crate::{
    RetryRefusal, RuntimeError,
    cue::ReplyTerms,
    floor::{persona_id, user_id},
    grant::Grant,
    mailbox::PlannedTurn,
};

/// How a message is answered again.
#[derive(Clone, Copy)]
pub(super) struct AnswerAgain {
    /// Whether its sender addresses the persona. Then the persona comes, and answers even if it had no turn for the
    /// message.
    pub(super) addresses: bool,
}

impl RoomState {
    /// The turn that answers a stored message again, if the persona may answer it.
    pub(super) async fn again(
        &self,
        cache: &RoomCache,
        change: &mut MembershipChange,
        envelope: &Envelope,
        AnswerAgain { addresses }: AnswerAgain,
    ) -> Result<RoomDecision, RuntimeError> {
        let Some(persona) = &envelope.to else { return Ok(RoomDecision::default()) };
        let message = envelope.message.id;
        let turns = self.args.services.store.answers(message).await?;
        let last = turns.iter().rfind(|turn| turn.persona == *persona);
        let why = match last.map(|turn| turn.state) {
            None if !addresses => Err(RetryRefusal::NeverAsked),
            None | Some(TurnState::Failed | TurnState::Cancelled) => {
                if addresses {
                    self.come_back(cache, change, persona);
                }
                let interrupted = last.is_some_and(|turn| turn.code == Some(ErrorCode::Interrupted));
                self.retried(cache, change, envelope, (persona, interrupted)).await
            }
            Some(_) => {
                return Err(StoreError::AlreadyAnswered { persona: persona.clone(), message }.into());
            }
        };
        why.map_err(|why| RuntimeError::NotRetried { message, persona: persona.clone(), why })
    }

    /// Lets an addressed persona come to the channel, as a new message does.
    fn come_back(&self, cache: &RoomCache, change: &mut MembershipChange, persona: &PersonaName) {
        let is_member = cache.presence.members_after(change).any(|member| member == persona);
        let may_come = !self.args.services.settings.by_invitation && self.why_away(persona).is_none();
        if may_come && !is_member {
            change.joins.push((persona.clone(), JoinReason::Addressed));
        }
    }

    async fn retried(
        &self,
        cache: &RoomCache,
        change: &MembershipChange,
        envelope: &Envelope,
        (persona, interrupted): (&PersonaName, bool),
    ) -> Result<RoomDecision, RetryRefusal> {
        let RoomArgs { services, channel, .. } = &self.args;
        if self.why_away(persona) == Some(Departure::Stopped) {
            return Err(RetryRefusal::Stopped);
        }
        let members: Vec<_> = cache.presence.members_after(change).collect();
        let known = services.cast.persona(persona).filter(|_| members.contains(&persona));
        let Some(known) = known else { return Err(RetryRefusal::NoMember) };
        if known.room.answer == Answer::Never {
            return Err(RetryRefusal::Never);
        }
        let (now, mut ledger) = (services.now(), cache.ledger.clone());
        let seconds = now.0 / 1_000_000;
        if ledger.counters.is_quiet(seconds) {
            return Err(RetryRefusal::Limit(Stop::Quiet));
        }
        let answers = match &envelope.message.author {
            Author::User { id, .. } => ledger.is_bot(id).then(|| user_id(id)),
            Author::Persona { name } => Some(persona_id(name)),
        };
        let mut terms = ReplyTerms { asked: true, ..ReplyTerms::default() };
        if members.len() > 1 || ledger.has_bots() || answers.is_some() {
            let remaining = services.remaining(Some(&known), answers.is_some(), now).await;
            let (limits, author) = (services.rooms.limits(channel), persona_id(persona));
            let counters = &mut ledger.counters;
            let permit = match &answers {
                None if interrupted => counters.permit_again(&limits, remaining, &author, seconds),
                None => counters.permit_asked(&limits, remaining, &author, seconds),
                to => counters.permit(&limits, remaining, &author, to.as_ref(), seconds),
            };
            terms.grant = Some(Grant::new(permit.map_err(RetryRefusal::Limit)?.tokens));
            terms.chain = Some(ledger.counters.person());
        }
        // no persona answers the reply, because its chain may be over
        let terms = ReplyTerms { answers, ..terms };
        let why = "asked to answer again".to_owned();
        let turns = vec![PlannedTurn { id: services.turn_id(), persona: persona.clone(), why, terms }];
        let ledger = (ledger != cache.ledger).then_some(ledger);
        Ok(RoomDecision { turns, ledger, ..RoomDecision::default() })
    }
}
