//! The events of a scenario in virtual time, and which of them run at the same time.
//!
//! Events are ordered by `(time, place, source)`. An event waits for every earlier one that touches a place of its own, and
//! for no other. That is the witness rule (SM7): an agent is in one place, and what it witnessed elsewhere comes with its
//! move, which touches both places. So the order in which independent places come to run changes nothing (SM3).

mod plan;
mod queue;
mod step;
mod world;

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use futures::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use greenroom_core::Usage;
use tokio::sync::{Notify, watch};

use crate::{
    error::SimError,
    mind::Topics,
    place::{PlaceHandle, Shared, start},
    scenario::Scenario,
    trace::{EndReason, EventResult, LineKind, Trace},
};
use plan::Plan;
pub(crate) use plan::{Action, Key};
use queue::Queue;
use step::FinishedEvent;

/// Events that may have run before an earlier one has ended: it bounds memory, and what a budget may be exceeded by.
const AHEAD: usize = 4_096;

/// The step at whose end all places wait for each other with a barrier, in milliseconds: that of Generative Agents.
const BARRIER: i64 = 10_000;

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// Virtual milliseconds from the start.
    pub ms: i64,
    /// Where it ends at the latest.
    pub end_ms: i64,
    /// Events that have happened.
    pub events: u64,
    /// Calls of minds.
    pub calls: u64,
    /// Their tokens and cost.
    pub usage: Usage,
}

/// How a run is run.
pub(crate) struct Control {
    pub(crate) threads: usize,
    /// Whether all places wait for each other at each moment: what the witness rule is measured against.
    pub(crate) barrier: bool,
    /// Whether nothing answers but the recording.
    pub(crate) replays: bool,
    pub(crate) stop: Arc<Notify>,
    pub(crate) progress: watch::Sender<Progress>,
}

/// A change of a branch: from this moment on another scenario holds.
pub(crate) struct Change {
    pub(crate) at_ms: i64,
    pub(crate) scenario: Scenario,
    /// The minds of its agents.
    pub(crate) minds: Vec<crate::place::AgentMind>,
}

/// A run under way.
struct Engine<'a> {
    shared: Arc<Shared>,
    control: &'a Control,
    scenario: Arc<Scenario>,
    places: Arc<[PlaceHandle]>,
    queue: Queue,
    finished: BTreeMap<Key, EventResult>,
    /// The agents in each place, in order.
    inhabitants: Vec<Arc<Vec<usize>>>,
    /// The time of each place, in microseconds.
    times: Vec<i64>,
    /// The topics that each agent knows.
    known: Vec<Topics>,
    /// What agents answered to probes the last time.
    answers: HashMap<(usize, String), String>,
    world: Option<Arc<world::WorldProcess>>,
    /// What agents have said since the world process was asked, where there is one.
    said: BTreeMap<Key, Vec<world::WorldLine>>,
    events: u64,
}

/// Runs a scenario to its end.
pub(crate) async fn simulate(
    scenario: &Scenario,
    changes: Vec<Change>,
    shared: Arc<Shared>,
    control: &Control,
    trace: &mut Trace,
    directory: &std::path::Path,
) -> Result<EndReason, SimError> {
    let places = start(&shared, &scenario.places, control.threads);
    let world = match &scenario.world {
        Some(world) if !control.replays => Some(Arc::new(world::WorldProcess::start(world, directory)?)),
        _ => None,
    };
    let plan = Plan::of(scenario, &shared.agents);
    let knows = |agent: &crate::scenario::Agent| {
        let topics = scenario.topics.iter();
        let known =
            topics.filter(|topic| topic.known_by.iter().any(|name| name == agent.persona.name.as_str()));
        Arc::new(known.map(|topic| topic.name.clone()).collect::<Vec<_>>())
    };
    let location = shared.agents.iter().map(|agent| agent.at).collect();
    let mut inhabitants = vec![Vec::new(); places.len()];
    for (n, agent) in shared.agents.iter().enumerate() {
        inhabitants[agent.at].push(n);
    }
    let mut engine = Engine {
        inhabitants: inhabitants.into_iter().map(Arc::new).collect(),
        times: vec![shared.begin.0; places.len()],
        known: shared.agents.iter().map(knows).collect(),
        queue: Queue::new(plan.events(0), location, places.len()),
        finished: BTreeMap::new(),
        scenario: Arc::new(scenario.clone()),
        shared,
        control,
        places: places.into(),
        answers: HashMap::new(),
        world,
        said: BTreeMap::new(),
        events: 0,
    };
    engine.run(changes, trace).await
}

impl Engine<'_> {
    async fn run(&mut self, changes: Vec<Change>, trace: &mut Trace) -> Result<EndReason, SimError> {
        let mut changes = changes.into_iter().peekable();
        let mut running: FuturesUnordered<BoxFuture<'static, Result<FinishedEvent, SimError>>> =
            FuturesUnordered::new();
        loop {
            let change_at = changes.peek().map(|change| change.at_ms);
            for key in self.ready(change_at, trace.calls_left()) {
                running.push(self.begin(key));
            }
            if running.is_empty() {
                if let Some(change) = changes.next() {
                    trace.limit(change.scenario.stop.clone());
                    self.change(change);
                    continue;
                }
                if let Some(ended) = self.write(trace)? {
                    return Ok(ended);
                }
                return Ok(if self.scenario.recurs() { EndReason::Time } else { EndReason::Quiescent });
            }
            let done = tokio::select! {
                biased;
                () = self.control.stop.notified() => {
                    self.write(trace)?;
                    return Ok(EndReason::Interrupted);
                }
                done = running.next() => match done {
                    Some(done) => done?,
                    None => continue,
                },
            };
            self.settle(done);
            if let Some(ended) = self.write(trace)? {
                return Ok(ended);
            }
        }
    }

    /// The events that may begin now, in order, at the latest those before `until`. Where calls are limited, no more begin
    /// ahead of the first than calls are left: most make one at least.
    fn ready(&mut self, until: Option<i64>, calls_left: Option<u64>) -> Vec<Key> {
        let first = self.queue.first();
        let moment = first.map(|first| first.ms / BARRIER);
        let ahead = self.queue.running();
        let is_far_ahead = self.finished.len() + ahead >= AHEAD;
        let finished = || self.finished.values().map(|event| event.calls).sum::<u64>();
        let begins = Cell::new(calls_left.map(|left| left.saturating_sub(finished() + ahead as u64)));
        // an event that begins uses up one of the calls
        let may_call = || match begins.get() {
            None => true,
            Some(left) => {
                begins.set(Some(left.saturating_sub(1)));
                left > 0
            }
        };
        let barrier = self.control.barrier;
        self.queue.ready(|key| {
            until.is_none_or(|until| key.ms < until)
                && (!barrier || Some(key.ms / BARRIER) == moment)
                // the first event is what the finished ones wait for
                && (Some(key) == first || !is_far_ahead && may_call())
        })
    }

    /// Takes in what an event came to: what agents learned, where they are.
    fn settle(&mut self, done: FinishedEvent) {
        let FinishedEvent { key, agent, result, times, moved, learned } = done;
        for line in result.lines.iter().filter(|line| line.kind == LineKind::Probe) {
            if let (Some(agent), Some(probe)) = (agent, &line.probe) {
                self.answers.insert((agent, probe.clone()), line.text.clone());
            }
        }
        for (agent, to) in &moved {
            let from = self.queue.location(*agent);
            Arc::make_mut(&mut self.inhabitants[from]).retain(|other| other != agent);
            let there = Arc::make_mut(&mut self.inhabitants[*to]);
            there.push(*agent);
            there.sort_unstable();
        }
        self.queue.finish(key, agent, &moved);
        self.events += 1;
        for (place, time) in times {
            self.times[place] = time;
        }
        for (agent, topic) in learned {
            if !self.known[agent].contains(&topic) {
                Arc::make_mut(&mut self.known[agent]).push(topic);
            }
        }
        if self.scenario.world.is_some() {
            let said = result.lines.iter().filter(|line| line.kind == LineKind::Said);
            self.said.insert(key, said.map(world::WorldLine::of).collect());
        }
        self.finished.insert(key, result);
    }

    /// Writes what no earlier event can precede any more.
    fn write(&mut self, trace: &mut Trace) -> Result<Option<EndReason>, SimError> {
        let first = self.queue.first();
        while let Some(entry) = self.finished.first_entry() {
            if first.is_some_and(|first| first < *entry.key()) {
                break;
            }
            if let Some(ended) = trace.add(entry.remove())? {
                return Ok(Some(ended));
            }
        }
        let progress = Progress {
            ms: self.at_ms(),
            end_ms: self.end_ms(),
            events: self.events,
            calls: trace.calls,
            usage: trace.usage,
        };
        self.control.progress.send_replace(progress);
        Ok(None)
    }

    fn at_ms(&self) -> i64 {
        let next = self.queue.first_pending().map(|key| key.ms);
        let reached = self.times.iter().map(|time| (time - self.shared.begin.0) / 1_000).max().unwrap_or(0);
        next.map_or(reached, |next| next.min(reached))
    }

    fn end_ms(&self) -> i64 {
        plan::millis(&self.scenario.clock.end)
    }

    /// From here on another scenario holds.
    fn change(&mut self, change: Change) {
        let Change { at_ms, scenario, minds } = change;
        let events = Plan::of(&scenario, &self.shared.agents).events(at_ms);
        self.queue = Queue::new(events, self.queue.locations().to_vec(), self.places.len());
        self.scenario = Arc::new(scenario);
        *self.shared.minds.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = minds;
    }
}
