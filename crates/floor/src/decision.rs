//! Who answers a message, in which order, and why (RM2, RM3). Pure: the same arguments give the same decision.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::draw::draw;
use crate::members::{Kind, Member, MemberId, Members, Policy};
use crate::naming::NameForm;
use crate::reason::Reason;
use crate::situation::Situation;
use crate::window::{Entry, Message, SpeakerIndex, Window, index};

/// In the middle of a text, a name that is also a common word mentions its member only from this rarity on.
const RARE: f32 = 0.35;
/// A message is settled when this much of it has been answered.
const SETTLED: f32 = 0.5;

/// Which personas of a room may answer (RM3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoomPolicy {
    /// Each persona by its own policy.
    #[default]
    Free,
    /// One persona per message, in turn. Mentioned personas come first.
    RoundRobin,
    /// The personas that a moderator has chosen, and those that are mentioned; `Free` if the moderator failed.
    Moderator,
    /// Only mentioned personas.
    Quiet,
}

/// What the caller knows besides the conversation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs<'a> {
    /// How relevant the message is for a member, 0 to 1, if that is known.
    pub scores: Option<&'a HashMap<MemberId, f32>>,
    /// What the moderator has chosen, in order. `None` if there is no moderator or it failed.
    pub chosen: Option<&'a [MemberId]>,
    /// The seed of the draws of talkative personas. Each message has another one.
    pub seed: u64,
    /// The member that the message is addressed to, whatever its text says. Others answer if they are mentioned.
    pub to: Option<&'a MemberId>,
    /// Members that spoke too recently to speak unasked.
    pub resting: Option<&'a HashSet<MemberId>>,
    /// Members that are about to speak anyway.
    pub busy: Option<&'a HashSet<MemberId>>,
}

/// The numbers that decided about one member.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The probability that the message is for the member.
    pub meant: f32,
    /// The probability that the member would answer if it were one of the people whose chats the model was fitted on.
    pub speaks: f32,
    /// The probability that the message is for the most likely other member.
    pub rival: f32,
    /// The probability that the message answers no message.
    pub opens: f32,
    /// How many messages ago it last spoke; `None` if that is not in the window.
    pub silent_for: Option<u32>,
}

/// The verdict about one member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The member.
    pub member: MemberId,
    /// Its name.
    pub name: String,
    /// Its place among the members that answer, from 1; `None` if it stays silent.
    pub position: Option<u32>,
    /// The reason.
    pub reason: Reason,
    /// The numbers of the model.
    pub evidence: Evidence,
}

/// Who answers a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The message.
    pub message: u64,
    /// The members that the message answers, the most likely first, with probabilities. At most three.
    pub answers: Vec<(MemberId, f32)>,
    /// The verdict about each member, in the order of the members.
    pub verdicts: Vec<Verdict>,
}

impl Decision {
    /// The personas that answer, in order.
    pub fn speakers(&self) -> Vec<&Verdict> {
        let mut speakers: Vec<_> = self.verdicts.iter().filter(|v| v.position.is_some()).collect();
        speakers.sort_by_key(|v| v.position);
        speakers
    }
}

/// Decides who answers a message. The message must be in the window; otherwise no member answers it.
///
/// Call it again before each further answer, after pushing the earlier ones: they may have settled the message.
pub fn decide(
    window: &Window,
    message: &Message,
    members: &Members,
    room: RoomPolicy,
    inputs: &Inputs<'_>,
) -> Decision {
    let Some(situation) = Situation::of(window, message.id) else {
        let verdicts = members.iter().map(|m| verdict(m, Reason::Unknown, Evidence::default())).collect();
        return Decision { message: message.id, answers: Vec::new(), verdicts };
    };
    let floor = Floor { window, message, members, room, inputs, situation: &situation };
    let mut verdicts = Vec::with_capacity(members.iter().len());
    let mut speakers: Vec<(u8, f32, usize)> = Vec::new();
    for member in members.iter() {
        let evidence = floor.evidence(member);
        let reason = floor.reason(member, &evidence);
        if let Some((class, strength)) = reason.precedence() {
            speakers.push((class, -strength, verdicts.len()));
        }
        verdicts.push(verdict(member, reason, evidence));
    }
    speakers.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    if room == RoomPolicy::RoundRobin {
        let kept = floor.turn(&verdicts, &speakers);
        for &(.., at) in speakers.iter().filter(|(.., at)| Some(*at) != kept) {
            verdicts[at].reason = Reason::NotItsTurn;
        }
        speakers.retain(|(.., at)| Some(*at) == kept);
    }
    for (position, (.., at)) in (1..).zip(speakers) {
        verdicts[at].position = Some(position);
    }
    let answers = situation.message().reading.answers.iter().take(3);
    let answers = answers.filter_map(|(slot, p)| Some((window.id_of(*slot)?.clone(), *p))).collect();
    Decision { message: message.id, answers, verdicts }
}

fn verdict(member: &Member, reason: Reason, evidence: Evidence) -> Verdict {
    Verdict { member: member.id.clone(), name: member.name().to_owned(), position: None, reason, evidence }
}

struct Floor<'a> {
    window: &'a Window,
    message: &'a Message,
    members: &'a Members,
    room: RoomPolicy,
    inputs: &'a Inputs<'a>,
    situation: &'a Situation<'a>,
}

impl Floor<'_> {
    fn evidence(&self, member: &Member) -> Evidence {
        let entry = self.situation.message();
        let Some(slot) = self.window.slot_of(&member.id).filter(|slot| *slot != entry.slot) else {
            return Evidence { opens: entry.reading.opens, ..Evidence::default() };
        };
        let speaks = match self.situation.is_around(slot) && member.kind == Kind::Persona {
            true => self.window.model.speak.probability(&self.situation.row(slot)),
            false => 0.0,
        };
        Evidence {
            meant: entry.reading.meant_for(slot),
            speaks,
            rival: self.situation.rival(slot),
            opens: entry.reading.opens,
            silent_for: self.situation.silent_for(slot),
        }
    }

    fn reason(&self, member: &Member, evidence: &Evidence) -> Reason {
        let entry = self.situation.message();
        match member.kind {
            _ if member.id == self.message.author => return Reason::Author,
            Kind::Person => return Reason::Person,
            Kind::Bot => return Reason::Bot,
            Kind::Persona => {}
        }
        if member.policy == Policy::Never {
            return Reason::Never;
        }
        if self.inputs.to == Some(&member.id) {
            return Reason::AddressedTo;
        }
        if self.inputs.busy.is_some_and(|busy| busy.contains(&member.id)) {
            return Reason::Busy;
        }
        let slot = self.window.slot_of(&member.id);
        if slot.is_some_and(|slot| self.has_answered(entry, slot)) {
            return Reason::Answered;
        }
        let chosen = self.inputs.chosen.filter(|_| self.is_moderated());
        if let Some(at) = chosen.and_then(|chosen| chosen.iter().position(|id| *id == member.id)) {
            return Reason::Chosen { place: at as u32 + 1 };
        }
        if let Some(mention) = slot.and_then(|slot| self.mention(entry, slot)) {
            return mention;
        }
        if chosen.is_some() {
            return Reason::NotChosen;
        }
        if self.inputs.to.is_some() {
            return Reason::NotMeant;
        }
        if self.room == RoomPolicy::Quiet {
            return Reason::Quiet;
        }
        let rests = self.inputs.resting.is_some_and(|resting| resting.contains(&member.id));
        if self.room == RoomPolicy::RoundRobin {
            return if rests { Reason::Resting } else { Reason::Turn };
        }
        self.unmentioned(entry, member, slot, evidence, rests)
    }

    /// Whether the moderator's choice counts: the message is not sent to one persona.
    fn is_moderated(&self) -> bool {
        self.room == RoomPolicy::Moderator && self.inputs.to.is_none()
    }

    /// The reason for a message that does not mention the member.
    fn unmentioned(
        &self,
        entry: &Entry,
        member: &Member,
        slot: Option<SpeakerIndex>,
        evidence: &Evidence,
        rests: bool,
    ) -> Reason {
        if member.policy == Policy::Always {
            return if rests { Reason::Resting } else { Reason::Always };
        }
        if let Some(by) = self.settled_by(entry, slot) {
            return Reason::Settled { by };
        }
        if let Some(who) = slot.and_then(|slot| self.spoken_to_instead(entry, slot)) {
            return Reason::ForAnother { who, p: 1.0 };
        }
        let silent = self.not_addressed(entry, slot, evidence);
        if member.policy == Policy::Mentioned {
            return Reason::NotMentioned;
        }
        // a message that names another persona is for that persona, even after an exchange with this one; the model
        // does not know that, because the people on whom it was fitted are seldom all named by `@`
        if let Some(who) = self.named_persona(entry) {
            return Reason::ForAnother { who, p: 1.0 };
        }
        // a word that only resembles its name speaks to another member, or to none
        let is_other_name = entry.named.iter().any(|named| Some(named.slot) == slot && !named.is_name);
        if evidence.speaks >= self.window.model.speaks && !is_other_name {
            return Reason::Addressed { p: evidence.speaks };
        }
        if rests {
            return Reason::Resting;
        }
        if self.is_alone(member) {
            return Reason::Alone;
        }
        match member.policy {
            Policy::Relevant(threshold) => match self.inputs.scores.and_then(|s| s.get(&member.id)) {
                Some(&score) if score >= threshold => Reason::Relevant { score },
                Some(&score) => Reason::Irrelevant { score, threshold },
                None => silent,
            },
            Policy::Talkative(p) => match draw(self.inputs.seed, &member.id) < p {
                true => Reason::Drawn { p },
                false => Reason::NotDrawn { p },
            },
            _ => silent,
        }
    }

    /// The persona that a message certainly addresses by its name.
    fn named_persona(&self, entry: &Entry) -> Option<MemberId> {
        let sure = entry.named.iter().filter(|named| named.how.is_sure() && named.is_name);
        let mut ids = sure.filter_map(|named| self.window.id_of(named.slot));
        ids.find(|id| self.members.get(id).is_some_and(|member| member.kind == Kind::Persona)).cloned()
    }

    fn not_addressed(&self, entry: &Entry, slot: Option<SpeakerIndex>, evidence: &Evidence) -> Reason {
        let top =
            entry.reading.to.iter().filter(|(s, _)| Some(*s) != slot).max_by(|a, b| a.1.total_cmp(&b.1));
        let rival = top.filter(|(_, p)| *p > evidence.meant && *p > 0.5);
        let rival = rival.and_then(|(s, p)| Some((self.window.id_of(*s)?.clone(), *p)));
        match rival {
            Some((who, p)) => Reason::ForAnother { who, p },
            None => Reason::NotAddressed { p: evidence.speaks },
        }
    }

    /// How the message mentions a member, if it does: by its name, by `@`, or as a reply to it.
    fn mention(&self, entry: &Entry, slot: SpeakerIndex) -> Option<Reason> {
        let replied = entry.reply_to.and_then(|seq| index(&self.window.entries, seq));
        if replied.is_some_and(|at| self.window.entries[at].slot == slot) {
            return Some(Reason::RepliedTo);
        }
        let at = entry.named.iter().position(|n| n.slot == slot && n.is_name)?;
        let place = at as u32 + 1;
        let named = entry.named[at];
        match named.how {
            NameForm::At => Some(Reason::Named { place }),
            how if how.is_address() => Some(Reason::NamedFirst),
            // a member who is spoken to is meant, however common the name is as a word here
            NameForm::Early | NameForm::Last | NameForm::Inside
                if named.rarity >= RARE || named.spoken_to =>
            {
                self.spoken_to_instead(entry, slot).is_none().then_some(Reason::Named { place })
            }
            _ => None,
        }
    }

    /// The other persona that a text speaks to, if it only speaks of this one: "ada, what does bert think?".
    fn spoken_to_instead(&self, entry: &Entry, slot: SpeakerIndex) -> Option<MemberId> {
        if entry.named.iter().all(|named| named.slot != slot || named.spoken_to) {
            return None;
        }
        let others = entry.named.iter().filter(|named| named.slot != slot && named.is_name);
        let spoken_to = others.filter(|named| named.spoken_to || named.how == NameForm::At);
        let mut ids = spoken_to.filter_map(|named| self.window.id_of(named.slot));
        ids.find(|id| self.members.get(id).is_some_and(|member| member.kind == Kind::Persona)).cloned()
    }

    fn has_answered(&self, entry: &Entry, slot: SpeakerIndex) -> bool {
        let mut later = self.window.entries.iter().rev().take_while(|e| e.seq > entry.seq);
        later.any(|e| e.slot == slot && e.reply_to == Some(entry.seq)) || entry.answered_by(slot) >= SETTLED
    }

    /// The member that answered the message meanwhile, if one did.
    fn settled_by(&self, entry: &Entry, slot: Option<SpeakerIndex>) -> Option<MemberId> {
        let by = entry.answered_by.iter().filter(|(s, _)| Some(*s) != slot && *s != entry.slot);
        let (by, _) = by.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, p)| *p >= SETTLED)?;
        self.window.id_of(*by).cloned()
    }

    /// Whether the author has no other member to speak to.
    fn is_alone(&self, member: &Member) -> bool {
        self.members.iter().all(|m| m.id == member.id || m.id == self.message.author)
    }

    /// Whose turn it is, among the personas that may answer: a mentioned one, else the next after the one that spoke
    /// last.
    fn turn(&self, verdicts: &[Verdict], speakers: &[(u8, f32, usize)]) -> Option<usize> {
        if verdicts.iter().any(|v| v.reason == Reason::Answered) {
            return None;
        }
        if let Some(&(.., at)) = speakers.iter().find(|(.., at)| verdicts[*at].reason != Reason::Turn) {
            return Some(at);
        }
        let seq = |at: usize| self.window.slot_of(&verdicts[at].member).and_then(|s| self.window.last_of(s));
        let last = self.members.iter().enumerate().filter(|(_, m)| m.kind == Kind::Persona);
        let last = last.max_by_key(|(at, _)| seq(*at)).filter(|(at, _)| seq(*at).is_some()).map(|(at, _)| at);
        let next = speakers.iter().map(|(.., at)| *at).filter(|at| last.is_some_and(|l| *at > l)).min();
        next.or_else(|| speakers.iter().map(|(.., at)| *at).min())
    }
}
