//! A room that tries to talk for ever: personas that always answer and mention a member, foreign bots that answer back,
//! one persona on two platforms, a clock that is put back, and restarts at the worst moments.

use std::sync::Arc;

use greenroom_floor::{
    Bound, Counters, Inputs, Kind, Limits, Member, MemberId, Members, Message, Policy, Remaining, RoomPolicy,
    Stop, Window, bound, decide, nearly_repeats,
};

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }
}

/// What happened in a room.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Chains that were measured: the messages of persons.
    pub chains: u32,
    /// The most answers after a message of a person.
    pub longest: u32,
    /// The most tokens after a message of a person.
    pub tokens: u64,
    /// All answers.
    pub answers: u32,
    pub restarts: u32,
    pub repetitions: u32,
    /// The first violation of the bound.
    pub violation: Option<String>,
}

pub struct Room {
    random: Random,
    members: Members,
    window: Window,
    counters: Counters,
    limits: Limits,
    remaining: Remaining,
    ours: Vec<MemberId>,
    bots: Vec<MemberId>,
    said: Vec<Vec<String>>,
    id: u64,
    now: i64,
    policy: RoomPolicy,
    outcome: Outcome,
    bound: Bound,
    answers: u32,
    tokens: u64,
    bot_messages: u32,
    person: u64,
    latest: Option<Message>,
}

impl Room {
    /// The room of a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let personas = 2 + random.below(7);
        let mut members = Members::new();
        let mut ours = Vec::new();
        for i in 0..personas {
            // one persona speaks on two platforms, under two ids
            let member = Member::new(&format!("p{i}"), Kind::Persona, Policy::Always);
            ours.push(member.id.clone());
            members.insert(member);
        }
        let twin: MemberId = Arc::from("p0@elsewhere");
        members.insert(Member {
            id: twin.clone(),
            kind: Kind::Persona,
            names: vec!["p0".into()],
            policy: Policy::Always,
        });
        ours.push(twin);
        let bots: Vec<MemberId> = (0..random.below(4)).map(|i| Arc::from(format!("bot{i}"))).collect();
        bots.iter().for_each(|id| members.insert(Member::new(id, Kind::Bot, Policy::Never)));
        members.insert(Member::new("jo", Kind::Person, Policy::Never));
        let limits = Limits {
            chain: random.below(12) as u32,
            pair: 1 + random.below(5) as u32,
            per_hour: random.below(20) as u32,
            tokens_per_answer: 1 + random.below(5000),
        };
        let remaining = Remaining { tokens: random.below(60_000), cost: 1 + random.below(1_000_000) };
        let policies = [RoomPolicy::Free, RoomPolicy::RoundRobin, RoomPolicy::Moderator, RoomPolicy::Quiet];
        let policy = policies[random.below(4) as usize];
        let said = vec![Vec::new(); ours.len()];
        Self {
            random,
            members,
            window: Window::new(),
            counters: Counters::new(),
            limits,
            remaining,
            ours,
            bots,
            said,
            id: 0,
            now: 1_000_000,
            policy,
            outcome: Outcome::default(),
            bound: Bound { answers: 0, tokens: 0 },
            answers: 0,
            tokens: 0,
            bot_messages: 0,
            person: 0,
            latest: None,
        }
    }

    /// Two to four messages of a person, and everything that follows each of them.
    pub fn run(mut self) -> Outcome {
        for _ in 0..2 + self.random.below(3) {
            self.person_speaks();
            // everything that is said may be answered; a room without limits would go on for ever
            let mut steps = 0;
            while self.step() {
                steps += 1;
                if steps > 400 {
                    self.outcome.violation.get_or_insert_with(|| "does not end".into());
                    return self.outcome;
                }
            }
            self.outcome.longest = self.outcome.longest.max(self.answers);
            self.outcome.tokens = self.outcome.tokens.max(self.tokens);
        }
        self.outcome
    }

    fn person_speaks(&mut self) {
        let text = format!("{}: and what do you all think?", self.anybody());
        let message = self.say(&"jo".into(), text);
        self.counters.heard(message.id, Kind::Person);
        self.person = message.id;
        self.latest = Some(message);
        self.outcome.chains += 1;
        self.bound = bound(&self.limits, self.remaining);
        (self.answers, self.tokens, self.bot_messages) = (0, 0, 0);
    }

    /// A member answers the latest message. Returns whether anything was said.
    fn step(&mut self) -> bool {
        self.disturb();
        let Some(latest) = self.latest.clone() else { return false };
        let chosen: Vec<MemberId> = self.ours.iter().rev().take(3).cloned().collect();
        let chosen = (self.random.below(3) > 0).then_some(chosen);
        let inputs = Inputs { chosen: chosen.as_deref(), seed: latest.id, ..Inputs::default() };
        let decision = decide(&self.window, &latest, &self.members, self.policy, &inputs);
        let Some(author) = decision.speakers().first().map(|v| v.member.clone()) else {
            return self.bot_speaks();
        };
        let to = Some(&latest.author).filter(|to| &***to != "jo");
        let before = self.remaining;
        let permit = self.counters.permit(&self.limits, before, &author, to, self.now);
        let Ok(grant) = permit else { return self.bot_speaks() };
        if self.random.below(10) == 0 {
            // the process dies while the answer is generated; what it has spent is lost
            self.restart();
            self.remaining = Counters::settle(before, grant, grant.tokens, 0);
            self.spend(before);
            return true;
        }
        let (tokens, cost) = (self.random.below(2 * grant.tokens), self.random.below(1000));
        self.remaining = Counters::settle(before, grant, tokens, cost);
        self.spend(before);
        let text = match self.random.below(6) {
            0 => "Quite so, I could not have said it better myself!".to_owned(),
            n => format!(
                "{}: {n} {} and {}",
                self.anybody(),
                self.random.below(1 << 40),
                self.random.below(1 << 40)
            ),
        };
        let me = self.ours.iter().position(|id| *id == author).unwrap_or_default();
        if nearly_repeats(&text, self.said[me].iter().rev().map(String::as_str)) {
            self.counters.end(Stop::Repetition);
            self.outcome.repetitions += 1;
            return true;
        }
        self.said[me].push(text.clone());
        self.answers += 1;
        self.outcome.answers += 1;
        let message = self.say(&author, text);
        // asked again about the same message, or about the newest
        if self.random.below(2) == 0 {
            self.latest = Some(message);
        }
        self.check();
        true
    }

    /// A foreign bot answers anything that was said, and stops at some point.
    fn bot_speaks(&mut self) -> bool {
        if self.bots.is_empty() || self.bot_messages >= 20 {
            return false;
        }
        self.bot_messages += 1;
        let bot = self.bots[self.random.below(self.bots.len() as u64) as usize].clone();
        let text = format!("{}: beep {}", self.anybody(), self.id);
        let message = self.say(&bot, text);
        self.counters.heard(message.id, Kind::Bot);
        self.latest = Some(message);
        true
    }

    /// What must not change the bound: restarts, a message that comes twice, time that passes, a clock that is set
    /// back.
    fn disturb(&mut self) {
        match self.random.below(12) {
            0 => self.restart(),
            1 => self.counters.heard(self.person, Kind::Person),
            2 => self.now += 4000,
            3 => self.now -= 10_000,
            _ => self.now += 7,
        }
    }

    /// Loses everything but the stored counters.
    fn restart(&mut self) {
        let stored = serde_json::to_string(&self.counters);
        match stored.and_then(|stored| serde_json::from_str(&stored)) {
            Ok(counters) => self.counters = counters,
            Err(error) => self.outcome.violation = Some(error.to_string()),
        }
        self.window = Window::new();
        if let Some(latest) = &self.latest {
            self.window.push(latest, &self.members);
        }
        self.outcome.restarts += 1;
    }

    fn spend(&mut self, before: Remaining) {
        self.tokens += before.tokens - self.remaining.tokens;
        self.check();
    }

    fn check(&mut self) {
        if self.answers > self.bound.answers || self.tokens > self.bound.tokens {
            let Self { answers, tokens, bound, .. } = self;
            self.outcome
                .violation
                .get_or_insert_with(|| format!("{answers} answers, {tokens} tokens, {bound:?}"));
        }
    }

    fn anybody(&mut self) -> MemberId {
        let everybody = self.ours.len() + self.bots.len();
        let at = self.random.below(everybody as u64) as usize;
        self.ours.iter().chain(&self.bots).nth(at).cloned().unwrap_or_else(|| "p0".into())
    }

    fn say(&mut self, author: &MemberId, text: String) -> Message {
        self.id += 1;
        let message = Message { id: self.id, author: author.clone(), text, reply_to: None, at: self.now };
        self.window.push(&message, &self.members);
        message
    }
}
