//! The view of a decision: why personas answered a message or did not.

use std::collections::HashMap;

use greenroom_core::{MessageId, PersonaName, TurnId};
use greenroom_floor::{Evidence, Reason};
use greenroom_store::{StoreError, Turn, TurnState};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{MemberKind, RoomViews};
use crate::{
    floor::{DecisionRecord, VerdictRecord},
    relevance::Unmoderated,
};

/// The problem of a decision without a moderator, in a room that should have one.
fn unmoderated(why: Unmoderated) -> String {
    let why = match why {
        Unmoderated::None => "there is no moderator: no member names a small model",
        Unmoderated::Budget => {
            "the moderator was not asked: the budget of the persona that pays for it is used up"
        }
        Unmoderated::Failed => "the moderator failed, the log says more",
    };
    format!("{why}; each persona went by its own rule")
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
    /// The turns that answer it, in the order in which they were planned.
    pub answers: Vec<AnswerView>,
    /// Of each persona that was asked to answer once more: what became of its tries, for people.
    pub tries: Vec<String>,
}

/// A turn that answers a message.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct AnswerView {
    /// Its id.
    pub id: TurnId,
    /// Whose it is.
    pub persona: PersonaName,
    /// Where it stands.
    pub state: TurnState,
    /// Why there is no reply, for people; null where there is one or may be.
    pub problem: Option<String>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RoundView {
    /// The newest message that was known.
    pub after: MessageId,
    /// Why the room did not do what its policy says, who is called and not here, or why nobody was asked to
    /// answer; null otherwise.
    pub problem: Option<String>,
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

impl RoomViews<'_> {
    /// Why personas answered a message or did not (RM2). Without rounds if there was nothing to decide.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn decision(&self, message: MessageId) -> Result<DecisionView, StoreError> {
        let turns = self.store.answers(message).await?;
        let earlier = self.store.without_reply(&[message]).await?;
        let answer = |turn: &Turn| AnswerView {
            id: turn.id,
            persona: turn.persona.clone(),
            state: turn.state,
            problem: without_reply(turn).map(str::to_owned),
        };
        let answers = turns.iter().map(answer).collect();
        let tries = turns.iter().filter_map(|turn| self.tries(&earlier, turn)).collect();
        let mut view = DecisionView { message, rounds: Vec::new(), stopped: None, answers, tries };
        let ended = |verdict: &VerdictView| {
            let turn = turns.iter().find(|turn| turn.persona.as_str() == verdict.member)?;
            let is_only = earlier.iter().all(|other| other.persona != turn.persona || other.id == turn.id);
            without_reply(turn).filter(|_| is_only).map(|why| format!("; it said nothing: {why}"))
        };
        let mut names = Names { views: self, known: HashMap::new() };
        for stored in self.store.decisions(message).await? {
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
            let absent = record.absent.map(|absent| {
                let name = self.called(&absent);
                format!("{name} is called and is not here; invite it, or write @{absent}")
            });
            let nobody = record.unanswered.map(|why| format!("nobody was asked to answer: {}", why.text()));
            let problems = record.unmoderated.map(unmoderated).into_iter().chain(absent).chain(nobody);
            let problems: Vec<_> = problems.collect();
            let problem = (!problems.is_empty()).then(|| problems.join("; "));
            view.rounds.push(RoundView { after: stored.after, problem, verdicts });
        }
        Ok(view)
    }
}

impl RoomViews<'_> {
    /// The display name of a persona.
    fn called(&self, persona: &PersonaName) -> String {
        self.persona(persona).map_or_else(|| persona.to_string(), |known| known.display_name.clone())
    }

    /// The results of a persona's attempts to answer a message, for people; `None` if `last` is the only one.
    fn tries(&self, earlier: &[Turn], last: &Turn) -> Option<String> {
        let is_earlier = |turn: &&Turn| turn.persona == last.persona && turn.id != last.id;
        let tries = earlier.iter().filter(is_earlier).filter_map(without_reply);
        let tries: Vec<_> = tries.map(|why| format!("said nothing: {why}")).collect();
        if tries.is_empty() {
            return None;
        }
        let end = match (without_reply(last), last.state) {
            (Some(why), _) => format!("it said nothing: {why}"),
            (None, TurnState::Done) => "it answered".to_owned(),
            (None, _) => "it is about to answer".to_owned(),
        };
        let tries = tries.join("; asked to answer again, it ");
        Some(format!("{} {tries}; asked to answer again, {end}", self.called(&last.persona)))
    }
}

/// Why a turn ended without a reply, if it did.
fn without_reply(turn: &Turn) -> Option<&str> {
    let ended = matches!(turn.state, TurnState::Failed | TurnState::Cancelled);
    let why = turn.message.as_deref().or(turn.code.map(|code| code.as_str()));
    ended.then(|| why.unwrap_or("the turn ended"))
}

/// The current names of members. A person whose message was erased has no name any more (GR10).
struct Names<'a> {
    views: &'a RoomViews<'a>,
    known: HashMap<String, String>,
}

impl Names<'_> {
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
            Some(Ok(message)) => match self.views.store.message(MessageId(message)).await? {
                Some(said) => {
                    let authors = self.views.store.participants(&said.channel).await?;
                    self.views.labels(&authors).label(&said.author).into_owned()
                }
                None => "a person".to_owned(),
            },
            _ => {
                let persona = id.parse().ok().and_then(|name| self.views.persona(&name));
                persona.map_or_else(|| id.to_owned(), |persona| persona.display_name.clone())
            }
        };
        self.known.insert(id.to_owned(), name);
        Ok(())
    }
}
