//! Rooms for people and programs: who belongs to a channel, who comes and goes, quiet, and why a persona answered.

use std::{collections::HashMap, time::Duration};

use greenroom_core::{Author, ChannelKey, MessageId, PersonaName, Timestamp, UserId};
use greenroom_floor::{Bound, Evidence, Reason};
use greenroom_persona::{Answer, Persona, RoomPolicy};
use greenroom_store::{Attendance, Departure, Store, StoreError, TurnState, Via};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::oneshot;
use utoipa::ToSchema;

use super::Runtime;
use crate::{
    RoomsSettings, RuntimeError,
    cast::in_cast,
    floor::{DecisionRecord, VerdictRecord},
    mailbox::{RoomCommand, SupervisorMsg},
    rooms::RoomLedger,
};

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
    /// Until when nobody answers, in microseconds; null unless the room was told to be quiet.
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
    /// Both, for people.
    pub text: String,
}

impl From<Bound> for BoundView {
    fn from(Bound { answers, tokens }: Bound) -> Self {
        let replies = if answers == 1 { "reply" } else { "replies" };
        let text =
            format!("after a message of a person at most {answers} {replies} and {tokens} tokens follow");
        Self { replies: answers, tokens, text }
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
    /// What it is called.
    pub name: String,
    /// How a persona came, where that is known.
    pub via: Option<Via>,
    /// The time of the first message that a persona heard since it came, in microseconds.
    pub since: Option<Timestamp>,
    /// When a persona answers: `never`, `mentioned`, `addressed`, `relevant`, `talkative`, `always`.
    #[schema(value_type = Option<String>)]
    pub policy: Option<Answer>,
}

/// Why personas answered a message or did not.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DecisionView {
    /// The message.
    pub message: MessageId,
    /// It is decided again before each further answer. Empty where one persona alone had to answer.
    pub rounds: Vec<RoundView>,
    /// Why nobody more was permitted to answer.
    pub stopped: Option<String>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RoundView {
    /// The newest message that was known.
    pub after: MessageId,
    /// Of every persona that belonged to the channel.
    pub verdicts: Vec<VerdictView>,
}

/// What became of a persona.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct VerdictView {
    /// The persona's name in the cast.
    pub member: String,
    /// What it is called.
    pub name: String,
    /// Always `persona`: people and bots are not decided about.
    pub kind: MemberKind,
    /// Its place among those that answer, from 1.
    pub position: Option<u32>,
    /// The reason, for programs: `named-first`.
    pub why: String,
    /// The reason, for people: `Ada answers first: named at the beginning`.
    pub text: String,
    /// The numbers that decided; null where the conversation was not looked at.
    #[schema(value_type = Option<Object>)]
    pub evidence: Option<Evidence>,
}

impl Runtime {
    /// Who belongs to a channel, who answers there, and the bound of its room.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn room(&self, channel: &ChannelKey) -> Result<RoomView, RuntimeError> {
        let cast = self.services.cast.get();
        let find = |name: &PersonaName| in_cast(&cast, name).map(|persona| &**persona);
        Ok(room_view(&*self.services.store, &self.services.rooms, find, channel).await?)
    }

    /// The bots that spoke in a channel, as far as their entry told that they are bots.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn bots(&self, channel: &ChannelKey) -> Result<Vec<UserId>, RuntimeError> {
        Ok(RoomLedger::read(self.services.store.room(channel).await?.state.as_deref()).bots)
    }

    /// Invites a persona to a channel: it hears what is said there from now on (RM1).
    ///
    /// # Errors
    /// Where there is no such persona, or the store fails.
    pub async fn invite(&self, channel: &ChannelKey, persona: &PersonaName) -> Result<(), RuntimeError> {
        self.check_persona(Some(persona))?;
        let come = vec![(persona.clone(), Via::Invited)];
        self.command(channel, RoomCommand::Attend(Attendance { come, gone: Vec::new() })).await
    }

    /// Lets a persona leave a channel. It comes back when it is invited or addressed there.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn leave(&self, channel: &ChannelKey, persona: &PersonaName) -> Result<(), RuntimeError> {
        let gone = vec![(persona.clone(), Departure::Left)];
        self.command(channel, RoomCommand::Attend(Attendance { come: Vec::new(), gone })).await
    }

    /// Nobody answers in a channel for so long, or until this is lifted (RM4).
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn quiet(&self, channel: &ChannelKey, wait: Option<Duration>) -> Result<(), RuntimeError> {
        let until = quiet_until(self.services.now(), wait);
        self.command(channel, RoomCommand::Quiet(Some(until))).await
    }

    /// Lifts the quiet of a channel.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn lift_quiet(&self, channel: &ChannelKey) -> Result<(), RuntimeError> {
        self.command(channel, RoomCommand::Quiet(None)).await
    }

    /// Why personas answered a message or did not (RM2). Without rounds where there was nothing to decide.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn decision(&self, message: MessageId) -> Result<DecisionView, RuntimeError> {
        let cast = self.services.cast.get();
        let find = |name: &PersonaName| in_cast(&cast, name).map(|persona| &**persona);
        Ok(decision_view(&*self.services.store, &find, message).await?)
    }

    async fn command(&self, channel: &ChannelKey, command: RoomCommand) -> Result<(), RuntimeError> {
        let (done, answer) = oneshot::channel();
        self.tell(SupervisorMsg::Command { channel: channel.clone(), command, done })?;
        Ok(answer.await.map_err(|_| RuntimeError::Crashed { channel: channel.clone() })??)
    }
}

/// A moment that does not come, in seconds: far enough, and its microseconds fit.
const FOR_EVER: i64 = i64::MAX / 1_000_000;

/// A room as it is shown; `persona` finds one of the cast.
///
/// # Errors
/// Where the store fails.
pub async fn room_view<'a>(
    store: &dyn Store,
    settings: &RoomsSettings,
    persona: impl Fn(&PersonaName) -> Option<&'a Persona>,
    channel: &ChannelKey,
) -> Result<RoomView, StoreError> {
    let room = store.room(channel).await?;
    let ledger = RoomLedger::read(room.state.as_deref());
    let policy = settings.policy(channel);
    let mut members = Vec::new();
    let mut has_small_model = false;
    for member in room.members.into_iter().filter(|member| member.is_member) {
        let known = persona(&member.persona);
        has_small_model |= known.is_some_and(|known| known.memory.hyde.model.is_some());
        members.push(MemberView {
            kind: MemberKind::Persona,
            name: known.map_or_else(|| member.persona.to_string(), |known| known.display_name.clone()),
            id: member.persona.to_string(),
            via: member.via,
            since: member.since,
            policy: known.map(|known| known.room.answer),
        });
    }
    for author in store.participants(channel).await? {
        let Author::User { id, name } = author else { continue };
        let kind = if ledger.is_bot(&id) { MemberKind::Bot } else { MemberKind::Person };
        let id = id.to_string();
        // of several names the last one
        members.retain(|known| known.kind == MemberKind::Persona || known.id != id);
        members.push(MemberView { kind, id, name, via: None, since: None, policy: None });
    }
    let quiet_until = ledger.counters.quiet().map(|seconds| Timestamp(seconds.saturating_mul(1_000_000)));
    Ok(RoomView {
        policy,
        problem: (policy == RoomPolicy::Moderator && !has_small_model).then(|| NO_MODERATOR.to_owned()),
        quiet_until,
        members,
        bound: settings.bound(channel).into(),
        chain: ledger.counters.chain(),
    })
}

/// Finds one of the cast.
type Find<'a> = dyn Fn(&PersonaName) -> Option<&'a Persona> + Sync + 'a;

/// Why personas answered a message or did not (RM2); `persona` finds one of the cast.
///
/// # Errors
/// Where the store fails.
pub async fn decision_view<'a>(
    store: &dyn Store,
    persona: &Find<'a>,
    message: MessageId,
) -> Result<DecisionView, StoreError> {
    let mut view = DecisionView { message, rounds: Vec::new(), stopped: None };
    let turns = store.answers(message).await?;
    let ended = |verdict: &VerdictView| {
        let turn = turns.iter().find(|turn| turn.persona.as_str() == verdict.member)?;
        let is_without_reply = matches!(turn.state, TurnState::Failed | TurnState::Cancelled);
        let why = turn.message.as_deref().or(turn.code.map(|code| code.as_str()));
        is_without_reply.then(|| format!("; it said nothing: {}", why.unwrap_or("the turn ended")))
    };
    let mut names = Names { store, persona, known: HashMap::new() };
    for stored in store.decisions(message).await? {
        let Ok(record) = serde_json::from_str::<DecisionRecord>(&stored.decision) else { continue };
        let mut verdicts = Vec::with_capacity(record.verdicts.len());
        for verdict in record.verdicts {
            let mut verdict = names.verdict(verdict).await?;
            if verdict.position.is_some() {
                verdict.text += &ended(&verdict).unwrap_or_default();
            }
            verdicts.push(verdict);
        }
        view.stopped = record.stopped.map(|stop| stop.text().to_owned()).or(view.stopped);
        view.rounds.push(RoundView { after: stored.after, verdicts });
    }
    Ok(view)
}

/// Quiets a channel without a live room until a moment in seconds, or lifts it. For the owner of the channel.
///
/// # Errors
/// Where the store fails.
pub async fn put_quiet(
    store: &dyn Store,
    channel: &ChannelKey,
    until: Option<i64>,
) -> Result<(), StoreError> {
    let mut ledger = RoomLedger::read(store.room(channel).await?.state.as_deref());
    ledger.counters.quiet_until(until);
    store.put_room(channel, &ledger.to_json()).await
}

/// The moment until which a room is quiet that is told to be so now, in seconds.
pub fn quiet_until(now: Timestamp, wait: Option<Duration>) -> i64 {
    let end = |wait: Duration| {
        let wait = i64::try_from(wait.as_secs()).unwrap_or(FOR_EVER);
        (now.0 / 1_000_000).saturating_add(wait).min(FOR_EVER)
    };
    wait.map_or(FOR_EVER, end)
}

/// What members are called now. A person whose message is gone has no name any more (GR10).
struct Names<'a, 'c> {
    store: &'a dyn Store,
    persona: &'a Find<'c>,
    known: HashMap<String, String>,
}

impl Names<'_, '_> {
    async fn verdict(&mut self, verdict: VerdictRecord) -> Result<VerdictView, StoreError> {
        let VerdictRecord { member, position, reason, evidence } = verdict;
        if let Reason::Settled { by: other } | Reason::ForAnother { who: other, .. } = &reason {
            self.learn(other).await?;
        }
        self.learn(&member).await?;
        let called = |id: &str| self.known.get(id).cloned().unwrap_or_else(|| id.to_owned());
        let name = called(&member);
        let why = match serde_json::to_value(&reason) {
            Ok(Value::String(word)) => word,
            Ok(Value::Object(fields)) => fields.keys().next().cloned().unwrap_or_default(),
            _ => String::new(),
        };
        let reason = reason.text(&called);
        let text = match position {
            Some(1) => format!("{name} answers first: {reason}"),
            Some(n) => format!("{name} answers as number {n}: {reason}"),
            None => format!("{name} stays silent: {reason}"),
        };
        Ok(VerdictView { member, name, kind: MemberKind::Persona, position, why, text, evidence })
    }

    async fn learn(&mut self, id: &str) -> Result<(), StoreError> {
        if self.known.contains_key(id) {
            return Ok(());
        }
        let name = match id.strip_prefix('#').map(str::parse) {
            Some(Ok(message)) => {
                let said = self.store.message(MessageId(message)).await?;
                said.map_or_else(|| "a person".to_owned(), |said| said.author.name().to_owned())
            }
            _ => {
                let persona = id.parse().ok().and_then(|name| (self.persona)(&name));
                persona.map_or_else(|| id.to_owned(), |persona| persona.display_name.clone())
            }
        };
        self.known.insert(id.to_owned(), name);
        Ok(())
    }
}
