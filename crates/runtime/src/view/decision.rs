//! Why personas answered a message or did not.

use std::collections::HashMap;

use greenroom_core::{MessageId, PersonaName, TurnId};
use greenroom_floor::{Evidence, Reason};
use greenroom_store::{StoreError, Turn, TurnState};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{MemberKind, RoomViews};
use crate::floor::{DecisionRecord, VerdictRecord};

/// The problem of a decision in a room with a moderator that none made.
const UNMODERATED: &str =
    "no moderator chose: there is none, or it failed; each persona went by its own rule";

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
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RoundView {
    /// The newest message that was known.
    pub after: MessageId,
    /// Why the room did not do what its policy says; null where it did.
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
    /// Why personas answered a message or did not (RM2). Without rounds where there was nothing to decide.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn decision(&self, message: MessageId) -> Result<DecisionView, StoreError> {
        let turns = self.store.answers(message).await?;
        let answer =
            |turn: &Turn| AnswerView { id: turn.id, persona: turn.persona.clone(), state: turn.state };
        let answers = turns.iter().map(answer).collect();
        let mut view = DecisionView { message, rounds: Vec::new(), stopped: None, answers };
        let ended = |verdict: &VerdictView| {
            let turn = turns.iter().find(|turn| turn.persona.as_str() == verdict.member)?;
            let is_without_reply = matches!(turn.state, TurnState::Failed | TurnState::Cancelled);
            let why = turn.message.as_deref().or(turn.code.map(|code| code.as_str()));
            is_without_reply.then(|| format!("; it said nothing: {}", why.unwrap_or("the turn ended")))
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
            let problem = record.unmoderated.then(|| UNMODERATED.to_owned());
            view.rounds.push(RoundView { after: stored.after, problem, verdicts });
        }
        Ok(view)
    }
}

/// What members are called now. A person whose message is gone has no name any more (GR10).
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
