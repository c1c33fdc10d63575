//! The limits that end a conversation among bots (RM4, RM5). Pure: the caller stores the [`Counters`] with each change.
//!
//! Messages of all non-persons count: of our personas, of foreign bots, of one persona on two platforms. Only a new
//! message of a person begins a new chain. An answer counts when it is permitted, before it is generated. So a crash in
//! between uses up a part of the limits and never adds to them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::members::{Kind, MemberId};

const HOUR: i64 = 3600;

/// The limits of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// The most messages of non-persons after the last message of a person.
    pub chain: u32,
    /// Of these, the most answers between the same two non-persons, in both directions.
    pub pair: u32,
    /// The most answers to personas and bots in any hour. It does not limit answers to people.
    pub per_hour: u32,
    /// The most tokens of one answer, with its tool rounds, small-model calls and the moderator.
    pub tokens_per_answer: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { chain: 4, pair: 3, per_hour: 120, tokens_per_answer: 8192 }
    }
}

/// What may still be spent. It comes from the persona, the person or the operator that pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remaining {
    /// Tokens.
    pub tokens: u64,
    /// Cost, in millionths of the currency.
    pub cost: u64,
}

impl Remaining {
    /// No limit.
    pub const UNLIMITED: Self = Self { tokens: u64::MAX, cost: u64::MAX };
}

/// What a permitted answer may spend. What it does not spend is given back by [`Counters::settle`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Tokens, at most [`Limits::tokens_per_answer`].
    pub tokens: u64,
    /// Cost, in millionths of the currency.
    pub cost: u64,
}

/// Why no answer is permitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Non-persons have sent as many messages as they may since the last message of a person.
    Chain,
    /// These two have answered each other as often as they may.
    Pair,
    /// Personas and bots have had all their answers of this hour.
    Hour,
    /// No tokens remain.
    Tokens,
    /// No money remains.
    Cost,
    /// An answer repeated earlier words of its author.
    Repetition,
    /// A member told the room to be quiet.
    Quiet,
}

impl Stop {
    /// The limit in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Chain => "enough was said since the last message of a person",
            Self::Pair => "these two have answered each other often enough",
            Self::Hour => "personas and bots have had their answers for this hour",
            Self::Tokens => "no tokens remain",
            Self::Cost => "no money remains",
            Self::Repetition => "an answer repeated what its author had said",
            Self::Quiet => "somebody told the room to be quiet",
        }
    }

    /// Whether the limit concerns the whole room, and not one author alone.
    pub fn is_of_room(self) -> bool {
        !matches!(self, Self::Pair | Self::Tokens | Self::Cost)
    }
}

/// What has happened in a room since the last message of a person. It is small, and it is the whole state of the
/// limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    chain: u32,
    /// Of these, answers of the previous chain that were running when the person spoke.
    #[serde(default)]
    carried: u32,
    pairs: Vec<(MemberId, MemberId, u32)>,
    /// When the answers of the last hour to personas and bots were permitted.
    answered_at: VecDeque<i64>,
    /// The id of the newest message of a person.
    person: Option<u64>,
    /// The id of the newest message of a foreign bot.
    bot: Option<u64>,
    ended: Option<Stop>,
    quiet_until: Option<i64>,
}

/// The most that can follow the last message of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Answers of our personas.
    pub answers: u32,
    /// Tokens that they may take, together.
    pub tokens: u64,
}

/// The bound of a room. It holds however long the room exists, for any members, and however often the process restarts
/// (RM5).
///
/// Each answer takes one of `chain` places before it is generated. Only a message of a person frees the places.
pub fn bound(limits: &Limits, remaining: Remaining) -> Bound {
    let possible = if remaining.cost == 0 || remaining.tokens == 0 { 0 } else { limits.chain };
    // each answer takes one token or more
    let answers = possible.min(u32::try_from(remaining.tokens).unwrap_or(u32::MAX));
    let tokens = limits.tokens_per_answer.saturating_mul(u64::from(answers)).min(remaining.tokens);
    if tokens == 0 { Bound { answers: 0, tokens: 0 } } else { Bound { answers, tokens } }
}

/// What one answer may spend.
fn grant(limits: &Limits, remaining: Remaining) -> Grant {
    Grant { tokens: remaining.tokens.min(limits.tokens_per_answer), cost: remaining.cost }
}

impl Counters {
    /// The counters of a room without messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a message of a person or a foreign bot: a person begins a new chain, a bot lengthens it. A message that
    /// was counted before changes nothing. Ids must grow.
    pub fn heard(&mut self, message: u64, kind: Kind) {
        let newest = if kind == Kind::Person { &mut self.person } else { &mut self.bot };
        if newest.is_some_and(|known| message <= known) {
            return;
        }
        *newest = Some(message);
        if kind == Kind::Person {
            self.chain = 0;
            self.carried = 0;
            self.pairs.clear();
            self.ended = None;
        } else {
            self.chain = self.chain.saturating_add(1);
        }
    }

    /// A person has begun a new chain while this many unasked answers of the previous one are running. They take places
    /// of the new chain.
    pub fn carry_over(&mut self, answers: u32) {
        self.carried = answers;
        self.chain = self.chain.saturating_add(answers);
    }

    /// Permits an answer of `author` to `to`, and counts it. `to` is `None` if the message is a person's.
    ///
    /// # Errors
    /// The limit that is reached. Then nothing is counted.
    pub fn permit(
        &mut self,
        limits: &Limits,
        remaining: Remaining,
        author: &MemberId,
        to: Option<&MemberId>,
        now: i64,
    ) -> Result<Grant, Stop> {
        self.permit_at(self.chain, limits, remaining, author, to, now)
    }

    /// Permits an answer that a person asks for, and counts it. Running answers of the previous chain take no place
    /// from it.
    ///
    /// # Errors
    /// The limit that is reached. Then nothing is counted.
    pub fn permit_asked(
        &mut self,
        limits: &Limits,
        remaining: Remaining,
        author: &MemberId,
        now: i64,
    ) -> Result<Grant, Stop> {
        self.permit_at(self.chain.saturating_sub(self.carried), limits, remaining, author, None, now)
    }

    /// Permits again an answer to a person that a crash interrupted. It took its place of a chain when the person
    /// spoke, and takes no second one. So every message that a crash left unanswered is answered, however many there
    /// are.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn permit_again(
        &mut self,
        limits: &Limits,
        remaining: Remaining,
        author: &MemberId,
        now: i64,
    ) -> Result<Grant, Stop> {
        let taken_by_others = self.chain.saturating_sub(self.carried).saturating_sub(1);
        self.check(taken_by_others, limits, remaining, author, None, now)?;
        // a chain that has begun since then counts it
        self.chain = self.chain.max(1);
        Ok(grant(limits, remaining))
    }

    /// Permits an answer if `taken` places of the chain are taken.
    fn permit_at(
        &mut self,
        taken: u32,
        limits: &Limits,
        remaining: Remaining,
        author: &MemberId,
        to: Option<&MemberId>,
        now: i64,
    ) -> Result<Grant, Stop> {
        self.check(taken, limits, remaining, author, to, now)?;
        self.chain += 1;
        if let Some(to) = to {
            self.answered_at.push_back(now);
            let (a, b) = sorted(author, to);
            match self.pairs.iter_mut().find(|(x, y, _)| x == a && y == b) {
                Some((.., n)) => *n += 1,
                None => self.pairs.push((a.clone(), b.clone(), 1)),
            }
        }
        Ok(grant(limits, remaining))
    }

    fn check(
        &mut self,
        taken: u32,
        limits: &Limits,
        remaining: Remaining,
        author: &MemberId,
        to: Option<&MemberId>,
        now: i64,
    ) -> Result<(), Stop> {
        if let Some(stop) = self.ended {
            return Err(stop);
        }
        if self.quiet_until.is_some_and(|until| now < until) {
            return Err(Stop::Quiet);
        }
        if taken >= limits.chain {
            return Err(Stop::Chain);
        }
        let pair = to.map(|to| sorted(author, to));
        let count = pair.and_then(|(a, b)| self.pairs.iter().find(|(x, y, _)| x == a && y == b));
        if pair.is_some() && count.map_or(0, |(.., n)| *n) >= limits.pair {
            return Err(Stop::Pair);
        }
        // a moment in the future comes from a clock that was set back since (S5), and counts
        self.answered_at.retain(|at| now.saturating_sub(*at) < HOUR);
        if to.is_some() && self.answered_at.len() >= limits.per_hour as usize {
            return Err(Stop::Hour);
        }
        // cost first: without money left, there are no tokens either
        if remaining.cost == 0 {
            return Err(Stop::Cost);
        }
        if remaining.tokens == 0 || limits.tokens_per_answer == 0 { Err(Stop::Tokens) } else { Ok(()) }
    }

    /// Takes back a permitted answer to `to` that was not generated, unless a person has spoken since then. `person` is
    /// the value of [`Counters::person`] when it was permitted.
    pub fn withdraw(&mut self, person: Option<u64>, author: &MemberId, to: Option<&MemberId>) {
        if person != self.person {
            return;
        }
        self.chain = self.chain.saturating_sub(1);
        let Some((a, b)) = to.map(|to| sorted(author, to)) else { return };
        self.answered_at.pop_back();
        if let Some((.., n)) = self.pairs.iter_mut().find(|(x, y, _)| x == a && y == b) {
            *n = n.saturating_sub(1);
        }
    }

    /// Takes a place of the chain for tokens that were spent without an answer, for example by a moderator that chose
    /// nobody. So each place stands for one grant at most.
    pub fn spend_place(&mut self) {
        self.chain = self.chain.saturating_add(1);
    }

    /// Whether any answer to a new message of this kind could be permitted. If not, nothing needs to be decided.
    pub fn is_open(&self, limits: &Limits, kind: Kind, now: i64) -> bool {
        let chain = match kind {
            Kind::Person => return limits.chain > 0 && !self.is_quiet(now),
            Kind::Bot => self.chain.saturating_add(1),
            Kind::Persona => self.chain,
        };
        chain < limits.chain && self.ended.is_none() && !self.is_quiet(now)
    }

    /// The id of the newest message of a person.
    pub fn person(&self) -> Option<u64> {
        self.person
    }

    /// Whether nothing is permitted at this moment because a member told the room to be quiet.
    pub fn is_quiet(&self, now: i64) -> bool {
        self.quiet_until.is_some_and(|until| now < until)
    }

    /// Until when nothing is permitted, in seconds.
    pub fn quiet(&self) -> Option<i64> {
        self.quiet_until
    }

    /// What remains after a permitted answer has spent this much. A model that spends more tokens than granted uses up
    /// the whole grant.
    pub fn settle(remaining: Remaining, grant: Grant, tokens: u64, cost: u64) -> Remaining {
        Remaining {
            tokens: remaining.tokens.saturating_sub(tokens.max(1).min(grant.tokens)),
            cost: remaining.cost.saturating_sub(cost),
        }
    }

    /// Ends the chain until a person speaks, after an answer that repeated its author.
    pub fn end(&mut self, stop: Stop) {
        self.ended = Some(stop);
    }

    /// Sets `/quiet`: nothing is permitted before this moment. Only another call ends it, not a message of a person.
    pub fn quiet_until(&mut self, until: Option<i64>) {
        self.quiet_until = until;
    }

    /// Messages of non-persons since the last message of a person, plus the places that were taken without one.
    pub fn chain(&self) -> u32 {
        self.chain
    }
}

fn sorted<'a>(a: &'a MemberId, b: &'a MemberId) -> (&'a MemberId, &'a MemberId) {
    if a <= b { (a, b) } else { (b, a) }
}
