//! Floor control of a live room. Keeps the conversation and the members in the form that `greenroom_floor` takes, and
//! the record of a decision in the form that is stored (RM2).

use std::collections::{HashMap, HashSet, VecDeque};

use greenroom_core::{Author, ChannelKey, Message, MessageId, PersonaName, Timestamp, Unanswered, UserId};
use greenroom_floor::{
    Decision, Evidence, Inputs, Kind, Member, MemberId, Members, Message as FloorMessage, Policy, Reason,
    RoomPolicy, Stop, WINDOW, Window, decide, hash,
};
use greenroom_persona::{Answer, Persona};
use serde::{Deserialize, Serialize};

use crate::{relevance::Unmoderated, rooms::RoomLedger};

/// The number of a message that the store has not numbered yet.
const UNNUMBERED: u64 = u64::MAX;

/// The member id of a persona.
pub(crate) fn persona_id(name: &PersonaName) -> MemberId {
    name.as_str().into()
}

/// The member id of a person or a bot. No persona has such a name.
pub(crate) fn user_id(user: &UserId) -> MemberId {
    format!(":{user}").into()
}

/// The member id of an author.
pub(crate) fn author_id(author: &Author) -> MemberId {
    match author {
        Author::User { id, .. } => user_id(id),
        Author::Persona { name } => persona_id(name),
    }
}

/// The policy of a persona in the terms of floor control.
fn policy(persona: &Persona) -> Policy {
    match persona.room.answer {
        Answer::Never => Policy::Never,
        Answer::Mentioned => Policy::Mentioned,
        Answer::Addressed => Policy::Addressed,
        Answer::Relevant => Policy::Relevant(persona.room.relevance),
        Answer::Talkative => Policy::Talkative(persona.room.talkativeness),
        Answer::Always => Policy::Always,
    }
}

/// The policy of a room in the terms of floor control.
pub(crate) fn room_policy(policy: greenroom_persona::RoomPolicy) -> RoomPolicy {
    match policy {
        greenroom_persona::RoomPolicy::Free => RoomPolicy::Free,
        greenroom_persona::RoomPolicy::RoundRobin => RoomPolicy::RoundRobin,
        greenroom_persona::RoomPolicy::Moderator => RoomPolicy::Moderator,
        greenroom_persona::RoomPolicy::Quiet => RoomPolicy::Quiet,
    }
}

/// The recent conversation of a live room. It is built when a decision needs it, and dropped with the room.
pub(crate) struct FloorWindow {
    window: Window,
    members: Members,
    /// The people and bots of the window, with the id of their last message.
    speakers: HashMap<MemberId, MessageId>,
    /// The platform's ids of the messages in the window, hashed, with the messages' numbers and authors.
    events: VecDeque<(u64, u64, MemberId)>,
}

impl FloorWindow {
    /// Builds the window from a history, oldest message first.
    pub(crate) fn read(history: &[Message], personas: &[&Persona], ledger: &RoomLedger) -> Self {
        let mut this = Self {
            window: Window::new(),
            members: Members::new(),
            speakers: HashMap::new(),
            events: VecDeque::new(),
        };
        this.set_personas(personas);
        for message in history {
            this.push(message, None, ledger);
        }
        this
    }

    /// How many messages a waking room reads from the history.
    pub(crate) const LOOK_BACK: usize = WINDOW;

    /// Replaces the personas among the members.
    pub(crate) fn set_personas(&mut self, personas: &[&Persona]) {
        let mut members = Members::new();
        for persona in personas {
            members.insert(Member {
                id: persona_id(&persona.name),
                kind: Kind::Persona,
                names: vec![persona.display_name.clone(), persona.name.to_string()],
                policy: policy(persona),
            });
        }
        let others = self.members.iter().filter(|m| m.kind != Kind::Persona);
        others.filter(|m| self.speakers.contains_key(&m.id)).for_each(|m| members.insert(m.clone()));
        self.members = members;
    }

    /// Sets the id of the message that was pushed before it was stored.
    pub(crate) fn numbered(&mut self, id: MessageId) {
        self.window.rename(UNNUMBERED, number(id));
        if let Some(event) = self.events.back_mut().filter(|(_, known, _)| *known == UNNUMBERED) {
            event.1 = number(id);
        }
        for last in self.speakers.values_mut().filter(|last| **last == MessageId::UNSTORED) {
            *last = id;
        }
    }

    /// Adds a message that is stored or about to be. `answers` is the message that a reply is known to answer. A
    /// message that is in the window already only updates its author.
    pub(crate) fn push(&mut self, message: &Message, answers: Option<MessageId>, ledger: &RoomLedger) {
        let id = window_id(message);
        let author = author_id(&message.author);
        let is_in_window = message.is_stored() && self.events.iter().any(|(_, known, _)| *known == id);
        if let Author::User { id: user, name } = &message.author {
            if !is_in_window {
                self.speakers.insert(author.clone(), message.id);
            }
            let kind = if ledger.is_bot(user) { Kind::Bot } else { Kind::Person };
            let known = self.members.get(&author);
            if known.is_none_or(|member| member.kind != kind || member.names.first() != Some(name)) {
                let names = vec![name.clone()];
                self.members.insert(Member { id: author.clone(), kind, names, policy: Policy::Never });
            }
        }
        if is_in_window {
            return;
        }
        let replied = message.reply_to.as_ref().and_then(|event| self.event(event)).map(|(_, id, _)| *id);
        let reply_to = replied.or(answers.map(number));
        let at = message.at.0 / 1_000_000;
        let said = FloorMessage { id, author: author.clone(), text: message.text.clone(), reply_to, at };
        self.window.push(&said, &self.members);
        self.events.push_back((hash(&message.event_id), id, author));
        if self.events.len() > WINDOW {
            self.events.pop_front();
        }
    }

    /// The author of a message, by the platform's id of the message.
    pub(crate) fn author_of(&self, event: &str) -> Option<&MemberId> {
        self.event(event).map(|(.., author)| author)
    }

    fn event(&self, event: &str) -> Option<&(u64, u64, MemberId)> {
        let wanted = hash(event);
        self.events.iter().rev().find(|(known, ..)| *known == wanted)
    }

    /// Decides who answers a message in the window. A message without an id is the one that was pushed last.
    pub(crate) fn decide(&self, message: &Message, room: RoomPolicy, inputs: &Inputs<'_>) -> Decision {
        let author = author_id(&message.author);
        let said =
            FloorMessage { id: window_id(message), author, text: String::new(), reply_to: None, at: 0 };
        decide(&self.window, &said, &self.members, room, inputs)
    }

    /// The persona that answers a message to an account if no persona would answer it, as index of its verdict. In a
    /// direct chat it is the persona of the account that spoke last, else the first of `one_of` that is a member and
    /// may answer.
    pub(crate) fn usual(
        &self,
        decision: &Decision,
        one_of: &[PersonaName],
        is_direct: bool,
    ) -> Option<(usize, Reason)> {
        let at = |id: &MemberId| {
            let is_ours = one_of.iter().any(|persona| persona.as_str() == &**id);
            let verdict = decision.verdicts.iter().position(|verdict| verdict.member == *id);
            verdict.filter(|at| is_ours && decision.verdicts[*at].reason != Reason::Never)
        };
        if decision.verdicts.iter().any(|verdict| verdict.position.is_some()) {
            return None;
        }
        let last = || self.events.iter().rev().find_map(|(.., author)| at(author));
        let last = is_direct.then(last).flatten().map(|at| (at, Reason::SpokeLast));
        last.or_else(|| Some((one_of.iter().map(persona_id).find_map(|id| at(&id))?, Reason::Usual)))
    }

    /// Whether no other person and no bot has spoken recently.
    pub(crate) fn hears_nobody_but(&self, author: &Author) -> bool {
        let author = author_id(author);
        self.speakers.keys().all(|speaker| *speaker == author)
    }

    /// The record of a decision: the verdicts of personas. A person or a bot in a reason is recorded as the number of
    /// their last message, so that erasing the messages erases the name (GR10).
    pub(crate) fn record(&self, decision: &Decision, stopped: Option<Stop>) -> DecisionRecord {
        let is_persona = |id: &str| self.members.get(id).is_some_and(|m| m.kind == Kind::Persona);
        let unnamed = |id: &MemberId| match self.speakers.get(id) {
            Some(said) => format!("#{}", said.0).into(),
            None if is_persona(id) => id.clone(),
            None => "#0".into(),
        };
        let verdicts =
            decision.verdicts.iter().filter(|v| is_persona(&v.member)).map(|verdict| VerdictRecord {
                member: verdict.member.to_string(),
                position: verdict.position,
                reason: match &verdict.reason {
                    Reason::Settled { by } => Reason::Settled { by: unnamed(by) },
                    Reason::ForAnother { who, p } => Reason::ForAnother { who: unnamed(who), p: *p },
                    other => other.clone(),
                },
                evidence: Some(verdict.evidence),
            });
        DecisionRecord { verdicts: verdicts.collect(), stopped, ..Default::default() }
    }
}

/// The number of a message in the window.
fn window_id(message: &Message) -> u64 {
    if message.is_stored() { number(message.id) } else { UNNUMBERED }
}

/// The number of a message for floor control.
fn number(id: MessageId) -> u64 {
    id.0.unsigned_abs()
}

/// Whether a persona spoke too recently to speak unasked again (WB12).
pub(crate) fn is_cooling_down(persona: &Persona, spoke_at: Option<&Timestamp>, now: Timestamp) -> bool {
    // a moment in the future comes from a clock that was set back since (S5)
    spoke_at.is_some_and(|at| *at <= now && now.since(*at) < persona.room.cooldown)
}

/// What is stored of a decision, as JSON. Short field names keep it small.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct DecisionRecord {
    #[serde(rename = "v")]
    pub(crate) verdicts: Vec<VerdictRecord>,
    /// The limit that permitted no more answers.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub(crate) stopped: Option<Stop>,
    /// In a room with a moderator: why it did not choose, so that each persona followed its own policy.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub(crate) unmoderated: Option<Unmoderated>,
    /// The persona that the message calls at its beginning and that does not belong to the channel.
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub(crate) absent: Option<PersonaName>,
    /// Why no persona was asked to answer, if that is so.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub(crate) unanswered: Option<Unanswered>,
}

/// The verdict about one persona.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct VerdictRecord {
    #[serde(rename = "m")]
    pub(crate) member: String,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<u32>,
    #[serde(rename = "r")]
    pub(crate) reason: Reason,
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Evidence>,
}

impl DecisionRecord {
    /// The record of a decision that needed no window.
    pub(crate) fn plain(
        verdicts: impl IntoIterator<Item = (PersonaName, Option<u32>, Reason)>,
        stopped: Option<Stop>,
    ) -> Self {
        let verdict = |(persona, position, reason): (PersonaName, _, _)| VerdictRecord {
            member: persona.to_string(),
            position,
            reason,
            evidence: None,
        };
        let verdicts = verdicts.into_iter().map(verdict).collect();
        Self { verdicts, stopped, ..Self::default() }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The members among these personas that spoke too recently.
pub(crate) fn resting<'a>(
    personas: impl Iterator<Item = &'a Persona>,
    spoke_at: &HashMap<PersonaName, Timestamp>,
    now: Timestamp,
) -> HashSet<MemberId> {
    personas
        .filter(|persona| is_cooling_down(persona, spoke_at.get(&persona.name), now))
        .map(|persona| persona_id(&persona.name))
        .collect()
}

/// The seed of the random draws for a message, so that the same message draws the same.
pub(crate) fn seed(channel: &ChannelKey, event: &str) -> u64 {
    hash(&format!("{channel} {event}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    fn persona(name: &str, answer: Answer) -> Persona {
        let mut persona = Persona::new(name.parse().unwrap(), "");
        persona.room.answer = answer;
        persona
    }

    #[test]
    fn s5_a_clock_that_ran_ahead_silences_nobody() {
        let mut ada = persona("ada", Answer::Always);
        ada.room.cooldown = Duration::from_secs(30);
        let now = Timestamp(60_000_000);
        for (spoke_at, rests) in [(59_000_000, true), (29_000_000, false), (1_000_000_000, false)] {
            assert_eq!(is_cooling_down(&ada, Some(&Timestamp(spoke_at)), now), rests, "{spoke_at}");
        }
        assert!(!is_cooling_down(&ada, None, now));
    }

    proptest! {
        /// Any text is decided, for every persona once, and the same way twice; whom it is addressed to comes first.
        #[test]
        fn gr7_any_text_is_decided(text in "(@|ada|bob|\\PC){0,30}", to in prop::option::of("(ada|bob)")) {
            let personas = [persona("ada", Answer::Always), persona("bob", Answer::Mentioned)];
            let author = Author::User { id: "mo".parse().unwrap(), name: "Mo".into() };
            let message = Message::new("terminal:default".parse().unwrap(), "e1", author, text);
            let ledger = RoomLedger::default();
            let to: Option<MemberId> = to.map(|to| to.as_str().into());
            let decide = || {
                let mut window = FloorWindow::read(&[], &[&personas[0], &personas[1]], &ledger);
                window.push(&message, None, &ledger);
                window.decide(&message, RoomPolicy::Free, &Inputs { to: to.as_ref(), ..Inputs::default() })
            };
            let decision = decide();
            prop_assert_eq!(&decision, &decide());
            let personas = decision.verdicts.iter().filter(|verdict| !verdict.member.starts_with(':'));
            prop_assert_eq!(personas.count(), 2);
            if let Some(to) = &to {
                prop_assert_eq!(&decision.speakers()[0].member, to);
            }
        }
    }

    #[test]
    fn rm2_a_decision_is_read_as_it_was_written() {
        let verdict = |reason: Reason, position| VerdictRecord {
            member: "ada".into(),
            position,
            reason,
            evidence: Some(Evidence { meant: 0.25, silent_for: Some(3), ..Evidence::default() }),
        };
        let verdicts = vec![
            verdict(Reason::Drawn { p: 0.2 }, Some(1)),
            verdict(Reason::Settled { by: "#7".into() }, None),
            verdict(Reason::Limit { stop: Stop::Chain }, None),
            verdict(Reason::Always, Some(2)),
        ];
        let unmoderated = Some(Unmoderated::Budget);
        let absent = Some("bob".parse().unwrap());
        let unanswered = Some(Unanswered::Late);
        let record = DecisionRecord { verdicts, stopped: Some(Stop::Chain), unmoderated, absent, unanswered };
        assert_eq!(serde_json::from_str::<DecisionRecord>(&record.to_json()).unwrap(), record);
    }
}
