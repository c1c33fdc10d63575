//! Executes one event.

use std::{collections::HashMap, sync::Arc};

use futures::future::BoxFuture;
use greenroom_core::{PersonaName, Timestamp};
use minijinja::context;

use super::{Action, Engine, Key};
use crate::{
    draw::{below, draw, key, share},
    error::SimError,
    mind::{CurrentEvent, Topics},
    place::{Answer, Command, CommandResult, NARRATOR, PlaceHandle, Question, Reply, Shared, Speech},
    scenario::{Scenario, Topic, filled, holds_one},
    trace::{EventResult, Line, LineKind},
};

/// A finished event.
pub(super) struct FinishedEvent {
    pub(super) key: Key,
    /// The agent of a move or probe.
    pub(super) agent: Option<usize>,
    pub(super) result: EventResult,
    pub(super) times: Vec<(usize, i64)>,
    pub(super) moved: Vec<(usize, usize)>,
    pub(super) learned: Vec<(usize, String)>,
}

/// A running event, with its places, the agents there and the topics that they know.
pub(super) struct EventTask {
    pub(super) key: Key,
    agent: Option<usize>,
    begin: i64,
    pub(super) shared: Arc<Shared>,
    pub(super) scenario: Arc<Scenario>,
    handles: Arc<[PlaceHandle]>,
    /// The places of the event with the agents in each, sorted.
    pub(super) present: Vec<(usize, Arc<Vec<usize>>)>,
    /// The topics that these agents know.
    known: HashMap<usize, Topics>,
    /// The times of its places, in microseconds.
    times: HashMap<usize, i64>,
    /// The prefix of the keys of its calls.
    pub(super) event: String,
}

impl Engine<'_> {
    /// Begins an event.
    pub(super) fn begin(&mut self, key: Key) -> BoxFuture<'static, (Key, Result<FinishedEvent, SimError>)> {
        let Some((action, places)) = self.queue.begin(key) else {
            return Box::pin(async move { (key, Err(SimError::Ended)) });
        };
        let agent = match action {
            Action::Move { agent, .. } | Action::Probe { agent, .. } => Some(agent),
            Action::Say { .. } | Action::Meet { .. } | Action::World => None,
        };
        let present: Vec<_> = places.iter().map(|place| (*place, self.inhabitants[*place].clone())).collect();
        let agents = present.iter().flat_map(|(_, agents)| agents.iter());
        let known = agents.map(|agent| (*agent, self.known[*agent].clone())).collect();
        let times = places.iter().map(|place| (*place, self.times[*place])).collect();
        let task = EventTask {
            key,
            agent,
            begin: self.shared.begin.0,
            shared: self.shared.clone(),
            scenario: self.scenario.clone(),
            handles: self.places.clone(),
            present,
            known,
            times,
            event: format!("{}/{}/{}", key.ms, key.place, key.source),
        };
        let world = self.world.clone();
        // events of one agent run one after another, so its answers are complete
        let says_so = match action {
            Action::Move { agent, step, .. } => self.says_so(agent, step),
            _ => true,
        };
        // complete, because the world process concerns all places: all earlier events have finished and no later one
        // has begun
        let said = match action {
            Action::World => std::mem::take(&mut self.said).into_values().flatten().collect(),
            _ => Vec::new(),
        };
        Box::pin(async move {
            let done = match action {
                Action::Say { place, event } => task.say(place, event).await,
                Action::Meet { place, encounter } => task.meet(place, encounter).await,
                Action::Move { agent, to, step } => task.go(agent, to, step, says_so).await,
                Action::Probe { agent, probe } => task.probe(agent, probe).await,
                Action::World => task.world(world, said).await,
            };
            (key, done)
        })
    }
}

impl Engine<'_> {
    /// Whether an agent has given the answer that a move requires. True if the move requires none.
    fn says_so(&self, agent: usize, step: usize) -> bool {
        let Some(step) = self.scenario.moves.get(step) else { return true };
        let Some(probe) = &step.probe else { return true };
        self.answers
            .get(&(agent, probe.clone()))
            .is_some_and(|answer| holds_one(&step.words, &step.without, answer))
    }
}

impl EventTask {
    /// The time of the event: as planned, or later if its places are still busy.
    fn at(&self) -> Timestamp {
        let planned = self.begin + self.key.ms * 1_000;
        Timestamp(self.times.values().copied().fold(planned, i64::max))
    }

    /// The context of this event for the minds in a place.
    fn current(&self, place: usize, event: String) -> CurrentEvent {
        let present = self.here(place);
        let knows = present.iter().map(|agent| self.known.get(agent).cloned().unwrap_or_default()).collect();
        let (seed, words_per_minute) = (self.scenario.seed, self.scenario.clock.words_per_minute);
        CurrentEvent { event, seed, words_per_minute, present, knows, ..CurrentEvent::default() }
    }

    fn knows(&self, agent: usize, topic: &str) -> bool {
        self.known.get(&agent).is_some_and(|known| known.iter().any(|known| known == topic))
    }

    fn ms(&self, at: Timestamp) -> i64 {
        (at.0 - self.begin) / 1_000
    }

    pub(super) fn done(&self, lines: Vec<Line>) -> FinishedEvent {
        let late_ms = self.ms(self.at()) - self.key.ms;
        let result = EventResult { ms: self.key.ms, late_ms, lines, ..EventResult::default() };
        FinishedEvent {
            key: self.key,
            agent: self.agent,
            result,
            times: Vec::new(),
            moved: Vec::new(),
            learned: Vec::new(),
        }
    }

    pub(super) fn name(&self, agent: usize) -> &PersonaName {
        &self.shared.agents[agent].persona.name
    }

    fn shown(&self, agent: usize) -> &str {
        &self.shared.agents[agent].persona.display_name
    }

    fn here(&self, place: usize) -> Arc<Vec<usize>> {
        self.present
            .iter()
            .find(|(other, _)| *other == place)
            .map(|(_, agents)| agents.clone())
            .unwrap_or_default()
    }

    /// A random number of this event.
    fn draw(&self, what: &str) -> u64 {
        draw(self.scenario.seed, key(what), key(&self.event))
    }

    async fn say(self, place: usize, event: usize) -> Result<FinishedEvent, SimError> {
        let Some(event) = self.scenario.events.get(event).cloned() else { return Ok(self.done(Vec::new())) };
        let to = event.to.as_ref().and_then(|to| to.parse().ok());
        self.speak(place, &event.from, to, &event.say).await
    }

    /// Starts a conversation: tells one agent in the place who else is there.
    async fn meet(self, place: usize, encounter: usize) -> Result<FinishedEvent, SimError> {
        let Some(encounter) = self.scenario.encounters.get(encounter).cloned() else {
            return Ok(self.done(Vec::new()));
        };
        let here = self.here(place);
        let skipped = encounter.chance.is_some_and(|chance| share(self.draw("encounter")) >= chance);
        if here.len() < 2 || skipped {
            return Ok(self.done(Vec::new()));
        }
        let first = here[below(self.draw("first"), here.len())];
        let others: Vec<_> =
            here.iter().filter(|agent| **agent != first).map(|agent| self.shown(*agent)).collect();
        // the time of day in UTC, also before 1970
        let minutes = self.at().0.div_euclid(60_000_000).rem_euclid(24 * 60);
        let names = context! {
            me => self.shown(first),
            others => others.join(", "),
            place => self.scenario.places[place].name,
            time => format!("{}:{:02}", minutes / 60, minutes % 60),
        };
        let text = filled(&encounter.say, names);
        let text = text.map_err(|error| SimError::Broken(format!("an encounter is no template: {error}")))?;
        let to = self.name(first).clone();
        self.speak(place, NARRATOR, Some(to), &text).await
    }

    async fn speak(
        mut self,
        place: usize,
        from: &str,
        to: Option<PersonaName>,
        text: &str,
    ) -> Result<FinishedEvent, SimError> {
        let mut done = self.done(Vec::new());
        let event = self.event.clone();
        self.speak_into(&mut done, place, from, to, text, event).await?;
        Ok(done)
    }

    pub(super) async fn speak_into(
        &mut self,
        done: &mut FinishedEvent,
        place: usize,
        from: &str,
        to: Option<PersonaName>,
        text: &str,
        event: String,
    ) -> Result<(), SimError> {
        let at = self.at();
        let current = self.current(place, event.clone());
        // an agent elsewhere does not hear the message, so it cannot be its addressee (SM7)
        let to = to.filter(|name| self.here(place).iter().any(|agent| self.name(*agent) == name));
        let speech = Speech { id: event, from: from.to_owned(), to: to.clone(), text: text.to_owned() };
        let happened = self.handles[place].done(Command::Say { at, speech, current }).await?;
        let mut told = Line::new(self.ms(at), &self.scenario.places[place].name, LineKind::Told, from, text);
        told.to = to.map(|to| to.to_string());
        self.hear(done, place, told, None);
        self.take(done, place, happened);
        Ok(())
    }

    fn take(&mut self, done: &mut FinishedEvent, place: usize, happened: CommandResult) {
        let CommandResult { replies, calls, usage, until } = happened;
        for Reply { agent, at, answer, usage, receipt, .. } in replies {
            let (kind, text) = match &answer {
                Answer::Said(text) => (LineKind::Said, text),
                Answer::Withheld(text) => (LineKind::Withheld, text),
                Answer::Failed(why) => (LineKind::Failed, why),
            };
            let name = &self.scenario.places[place].name;
            let mut line = Line::new(self.ms(at), name, kind, self.name(agent).as_str(), text);
            line.tokens = Some([usage.prompt_tokens, usage.completion_tokens]);
            line.context = receipt.map(|receipt| (&*receipt).into());
            self.hear(done, place, line, Some(agent));
        }
        done.result.calls += calls;
        done.result.usage = done.result.usage.plus(usage);
        self.times.insert(place, until);
        done.times.push((place, until));
    }

    /// Notes which agents heard a line, and what they learned from it.
    fn hear(&mut self, done: &mut FinishedEvent, place: usize, mut line: Line, speaker: Option<usize>) {
        let hearers: Vec<_> =
            self.here(place).iter().copied().filter(|agent| Some(*agent) != speaker).collect();
        if !matches!(line.kind, LineKind::Failed | LineKind::Withheld) {
            line.heard = hearers.iter().map(|agent| self.name(*agent).to_string()).collect();
            let scenario = self.scenario.clone();
            for topic in scenario.topics.iter().filter(|topic| mentions(topic, &line.text)) {
                for agent in hearers.iter().copied().chain(speaker) {
                    if !self.knows(agent, &topic.name) {
                        line.learned.push(format!("{}:{}", self.name(agent), topic.name));
                        Arc::make_mut(self.known.entry(agent).or_default()).push(topic.name.clone());
                        done.learned.push((agent, topic.name.clone()));
                    }
                }
            }
        }
        done.result.lines.push(line);
    }

    async fn go(
        mut self,
        agent: usize,
        to: usize,
        step: usize,
        says_so: bool,
    ) -> Result<FinishedEvent, SimError> {
        let mut done = self.done(Vec::new());
        let Some(step) = self.scenario.moves.get(step).cloned() else { return Ok(done) };
        let unknown = step.knows.as_ref().is_some_and(|topic| !self.knows(agent, topic));
        let name = self.name(agent).clone();
        let chance = share(draw(self.draw("move"), key(name.as_str()), 0));
        if unknown || !says_so || step.chance.is_some_and(|limit| chance >= limit) {
            return Ok(done);
        }
        self.walk(&mut done, agent, to).await?;
        Ok(done)
    }

    pub(super) async fn walk(
        &mut self,
        done: &mut FinishedEvent,
        agent: usize,
        to: usize,
    ) -> Result<(), SimError> {
        let Some(from) =
            self.present.iter().find(|(_, agents)| agents.contains(&agent)).map(|(place, _)| *place)
        else {
            return Ok(());
        };
        if from == to {
            return Ok(());
        }
        let (at, name) = (self.at(), self.name(agent).clone());
        self.handles[from].done(Command::Leave { at, agent }).await?;
        self.handles[to].done(Command::Join { at, agent }).await?;
        for (place, agents) in &mut self.present {
            let agents = Arc::make_mut(agents);
            agents.retain(|other| *other != agent);
            if *place == to {
                agents.push(agent);
                agents.sort_unstable();
            }
        }
        for place in [from, to] {
            self.times.insert(place, at.0);
            done.times.push((place, at.0));
        }
        done.moved.push((agent, to));
        let places = &self.scenario.places;
        let line =
            Line::new(self.ms(at), &places[to].name, LineKind::Moved, name.as_str(), &places[from].name);
        done.result.lines.push(line);
        Ok(())
    }

    async fn probe(self, agent: usize, probe: usize) -> Result<FinishedEvent, SimError> {
        let mut done = self.done(Vec::new());
        let Some(probe) = self.scenario.probes.get(probe).cloned() else { return Ok(done) };
        let Some(place) = self.present.first().map(|(place, _)| *place) else { return Ok(done) };
        let current = CurrentEvent { probe: true, ..self.current(place, self.event.clone()) };
        let (at, name) = (self.at(), self.name(agent).clone());
        let command = Command::Probe { at, agent, question: Question::of(&probe), current };
        let CommandResult { replies, calls, usage, .. } = self.handles[place].done(command).await?;
        for Reply { answer, choice, usage, receipt, .. } in replies {
            let place = &self.scenario.places[place].name;
            let line = |kind, text: &str| Line::new(self.ms(at), place, kind, name.as_str(), text);
            let mut line = match &answer {
                Answer::Said(text) | Answer::Withheld(text) => line(LineKind::Probe, text),
                Answer::Failed(why) => line(LineKind::Failed, why),
            };
            (line.probe, line.asked) = (Some(probe.name.clone()), Some(self.key.ms));
            line.choice =
                choice.or((line.kind == LineKind::Probe && !probe.choices.is_empty()).then(String::new));
            line.tokens = Some([usage.prompt_tokens, usage.completion_tokens]);
            line.context = receipt.map(|receipt| (&*receipt).into());
            done.result.lines.push(line);
        }
        (done.result.calls, done.result.usage) = (calls, usage);
        Ok(done)
    }
}

fn mentions(topic: &Topic, text: &str) -> bool {
    holds_one(&topic.words, &[], text)
}
