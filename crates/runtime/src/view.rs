//! Views of rooms and decisions for people: in the terminal, on the page and over the API.

mod decision;

use std::sync::Arc;

use greenroom_context::{ReservedNames, Speakers};
use greenroom_core::{Author, ChannelKey, PersonaName, Timestamp};
use greenroom_floor::{Bound, Limits};
use greenroom_persona::{Answer, Persona, RoomPolicy, matches_channel};
use greenroom_store::{Departure, JoinReason, Membership, MembershipChange, Store, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

pub use self::decision::{AnswerView, DecisionView, RoundView, VerdictView};
use crate::{RoomsSettings, presence::PresenceTracker, rooms::RoomLedger};

/// The problem of a room whose policy is `moderator` where nothing moderates.
const NO_MODERATOR: &str = "nothing moderates: no member names a small model, so the room works as `free`; set \
                            `memory.hyde.model` in the file of a persona that belongs to it";

/// A room as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RoomView {
    /// Who answers there: `free`, `round-robin`, `moderator`, `quiet`.
    #[schema(value_type = String)]
    pub policy: RoomPolicy,
    /// Why the room does not do what its policy says, with a remedy; null where it does.
    pub problem: Option<String>,
    /// Until when nobody answers, in microseconds; null unless the room was told to be quiet, the end of the year 9999
    /// where it holds until it is lifted.
    pub quiet_until: Option<Timestamp>,
    /// Personas first, then people and bots in the order in which they first spoke.
    pub members: Vec<MemberView>,
    /// The most that can follow the last message of a person (RM5).
    pub bound: BoundView,
    /// How much of it is used: replies of personas and bots since then.
    pub chain: u32,
}

/// The most that can follow the last message of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BoundView {
    /// Replies of personas.
    pub replies: u32,
    /// Tokens that they may take, together.
    pub tokens: u64,
    /// Of these replies, those between the same two.
    pub pair: u32,
    /// Replies to personas and bots in any hour.
    pub per_hour: u32,
    /// All of it, for people.
    pub text: String,
}

impl BoundView {
    fn of(Bound { answers, tokens }: Bound, Limits { pair, per_hour, .. }: Limits) -> Self {
        let replies = if answers == 1 { "reply" } else { "replies" };
        let text = format!(
            "after a message of a person at most {answers} {replies} and {tokens} tokens follow, beside what people had \
             asked for before; at most {pair} of them between the same two, and {per_hour} in an hour to personas and bots"
        );
        Self { replies: answers, tokens, pair, per_hour, text }
    }
}

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemberKind {
    /// One of the cast.
    Persona,
    /// A human being.
    Person,
    /// A program of others.
    Bot,
}

/// A member of a room.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MemberView {
    /// What it is.
    pub kind: MemberKind,
    /// A persona's name, a user's id.
    pub id: String,
    /// What it is called: a persona's display name, the label of a person or a bot, which is nobody else's (RM7).
    pub name: String,
    /// How a persona came, where that is known.
    pub via: Option<JoinReason>,
    /// The time of the first message that a persona heard since it came, in microseconds.
    pub since: Option<Timestamp>,
    /// When a persona answers: `never`, `mentioned`, `addressed`, `relevant`, `talkative`, `always`.
    #[schema(value_type = Option<String>)]
    pub policy: Option<Answer>,
}

/// The sources from which views are made.
pub struct RoomViews<'a> {
    /// Rooms, messages, decisions.
    pub store: &'a dyn Store,
    /// The settings of rooms.
    pub rooms: &'a RoomsSettings,
    /// The personas there are.
    pub cast: Vec<&'a Persona>,
}

impl<'a> RoomViews<'a> {
    /// The members of a channel, which of them answer there, and the bound of its room. If nothing was said yet, the
    /// members are those that come with the first message.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn room(&self, channel: &ChannelKey) -> Result<RoomView, StoreError> {
        let room = self.store.room(channel).await?;
        let ledger = RoomLedger::read(room.state.as_deref());
        let policy = self.rooms.policy(channel);
        let personas = self.present(channel, room.members);
        let has_small_model = |(member, ..): &(PersonaName, _, _)| {
            self.persona(member).is_some_and(|known| known.memory.hyde.model.is_some())
        };
        let is_unmoderated = policy == RoomPolicy::Moderator && !personas.iter().any(has_small_model);
        let persona = |(member, via, since): (PersonaName, _, _)| {
            let known = self.persona(&member);
            MemberView {
                kind: MemberKind::Persona,
                name: known.map_or_else(|| member.to_string(), |known| known.display_name.clone()),
                id: member.to_string(),
                via,
                since,
                policy: known.map(|known| known.room.answer),
            }
        };
        let mut members: Vec<_> = personas.into_iter().map(persona).collect();
        let authors = self.store.participants(channel).await?;
        let labels = self.labels(&authors);
        for author in &authors {
            let Author::User { id, .. } = author else { continue };
            let kind = if ledger.is_bot(id) { MemberKind::Bot } else { MemberKind::Person };
            let (id, name) = (id.to_string(), labels.label(author).into_owned());
            // if a person has several names, the last one counts
            members.retain(|known| known.kind == MemberKind::Persona || known.id != id);
            members.push(MemberView { kind, id, name, via: None, since: None, policy: None });
        }
        let quiet_until = ledger.counters.quiet().map(|seconds| Timestamp(seconds.saturating_mul(1_000_000)));
        Ok(RoomView {
            policy,
            problem: is_unmoderated.then(|| NO_MODERATOR.to_owned()),
            quiet_until,
            members,
            bound: BoundView::of(self.rooms.bound(channel), self.rooms.limits(channel)),
            chain: ledger.counters.chain(),
        })
    }

    /// Lets a persona leave a channel without a live room. Only the owner of the channel may call this.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn leave(&self, channel: &ChannelKey, persona: &PersonaName) -> Result<(), StoreError> {
        let stored = self.store.room(channel).await?.members;
        let is_member = stored.iter().any(|member| member.is_member && member.persona == *persona);
        let present = self.present(channel, stored);
        // a persona that belongs here and never came is let go as well, and stays away
        if let Some((_, Some(via), _)) = present.into_iter().find(|(name, ..)| name == persona && !is_member)
        {
            let joins = vec![(persona.clone(), via)];
            self.store.attend(channel, &MembershipChange { joins, leaves: Vec::new() }).await?;
        }
        let leaves = vec![(persona.clone(), Departure::Left)];
        self.store.attend(channel, &MembershipChange { joins: Vec::new(), leaves }).await
    }

    /// The labels of the authors (RM7), in the order in which they first spoke.
    pub fn labels(&self, authors: &[Author]) -> Speakers {
        let names = self.cast.iter().map(|persona| persona.spoken_names());
        Speakers::new(Arc::new(ReservedNames::new(names)), authors)
    }

    /// The personas that belong to a channel, how they came, and since when. Includes those that come with the next
    /// message.
    fn present(
        &self,
        channel: &ChannelKey,
        stored: Vec<Membership>,
    ) -> Vec<(PersonaName, Option<JoinReason>, Option<Timestamp>)> {
        let by_file = self
            .cast
            .iter()
            .filter(|persona| persona.room.channels.iter().any(|pattern| matches_channel(pattern, channel)));
        let belonging = self.rooms.belonging(channel, by_file.map(|persona| persona.name.clone()));
        let known = stored.iter().filter(|member| member.is_member);
        let mut members: Vec<_> =
            known.map(|member| (member.persona.clone(), member.via, member.since)).collect();
        // only the runtime knows whether a stopped persona may answer again, and stores that it comes back
        let stopped: Vec<_> = stored
            .iter()
            .filter(|member| member.ended == Some(Departure::Stopped))
            .map(|member| member.persona.clone())
            .collect();
        let away = |name: &PersonaName| match self.persona(name) {
            None => Some(Departure::Removed),
            Some(_) => stopped.contains(name).then_some(Departure::Stopped),
        };
        let change = PresenceTracker::of(stored, 0).change(&belonging, away);
        members.retain(|(member, ..)| change.leaves.iter().all(|(leaving, _)| leaving != member));
        members.extend(change.joins.into_iter().map(|(persona, via)| (persona, Some(via), None)));
        members.sort_by(|(a, ..), (b, ..)| a.cmp(b));
        members
    }

    fn persona(&self, name: &PersonaName) -> Option<&'a Persona> {
        self.cast.iter().find(|persona| persona.name == *name).copied()
    }
}
