//! Runs the events of a scenario in virtual time, independent events concurrently.
//!
//! Events are ordered by `(time, place, source)`. An event waits for every earlier event that concerns one of its
//! places, and for no other. This is the witness rule (SM7). It suffices because an agent is in one place, and takes
//! its knowledge of other places along in a move, which concerns both places. So the result does not depend on the
//! order in which independent places run (SM3).

mod plan;
mod queue;
mod step;
mod world;

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
};

use futures::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use greenroom_core::Usage;
use tokio::sync::{Notify, watch};

use crate::{
    error::SimError,
    mind::Topics,
    place::{PlaceHandle, Shared, start},
    scenario::{Agent, Scenario},
    trace::{EndReason, EventResult, Left, LineKind, Trace},
};
use plan::Plan;
pub(crate) use plan::{Action, Key};
use queue::Queue;
use step::FinishedEvent;

/// The most events that may have run before an earlier one has finished. Bounds memory and the overrun of a budget.
const AHEAD: usize = 4_096;

/// Events ahead of the first may spend at most a tenth of what is left of a limit. They may turn out to be after the
/// end, but their cost is spent nevertheless (SM8).
const AHEAD_SHARE: u64 = 10;

/// With the barrier, all places wait for each other after each step of this many milliseconds, as in Generative Agents.
const BARRIER: i64 = 10_000;

/// The progress of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// Virtual milliseconds from the start.
    pub ms: i64,
    /// The latest possible end in virtual milliseconds.
    pub end_ms: i64,
    /// Finished events.
    pub events: u64,
    /// Calls of minds.
    pub calls: u64,
    /// Their tokens and cost.
    pub usage: Usage,
}

/// How the engine executes a run.
pub(crate) struct Control {
    pub(crate) threads: usize,
    /// Whether all places wait for each other at each step. For comparison with the witness rule.
    pub(crate) barrier: bool,
    /// Whether only the recording answers.
    pub(crate) replays: bool,
    pub(crate) stop: Arc<Notify>,
    pub(crate) progress: watch::Sender<Progress>,
}

/// A change of a branch: another scenario applies from a time on.
pub(crate) struct Change {
    pub(crate) at_ms: i64,
    pub(crate) scenario: Scenario,
    /// The minds of the scenario's agents.
    pub(crate) minds: Vec<crate::place::AgentMind>,
}

/// The running events.
type Running = FuturesUnordered<BoxFuture<'static, (Key, Result<FinishedEvent, SimError>)>>;

/// The cost of an event.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    calls: u64,
    tokens: u64,
    cost_micros: u64,
}

impl Cost {
    fn of(event: &EventResult) -> Self {
        Self { calls: event.calls, tokens: event.usage.total(), cost_micros: event.usage.cost_micros }
    }

    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.tokens += other.tokens;
        self.cost_micros += other.cost_micros;
    }

    fn raise_to(&mut self, other: &Self) {
        self.calls = self.calls.max(other.calls);
        self.tokens = self.tokens.max(other.tokens);
        self.cost_micros = self.cost_micros.max(other.cost_micros);
    }
}

/// A running simulation.
struct Engine<'a> {
    shared: Arc<Shared>,
    control: &'a Control,
    scenario: Arc<Scenario>,
    places: Arc<[PlaceHandle]>,
    queue: Queue,
    finished: BTreeMap<Key, EventResult>,
    /// The agents in each place, sorted.
    inhabitants: Vec<Arc<Vec<usize>>>,
    /// The time of each place, in microseconds.
    times: Vec<i64>,
    /// The topics that each agent knows.
    known: Vec<Topics>,
    /// The last answers of agents to probes, by agent and probe.
    answers: HashMap<(usize, String), String>,
    world: Option<Arc<world::WorldProcess>>,
    /// The directory of the world process: the input of the run.
    directory: &'a Path,
    /// If there is a world process: the lines of agents since its last request.
    said: BTreeMap<Key, Vec<world::WorldLine>>,
    events: u64,
    /// The highest cost of an event so far.
    dearest: Cost,
    /// Events of a replay that need a call which is not recorded. The run may have ended before them.
    failed: BTreeMap<Key, SimError>,
}

/// Runs a scenario to its end.
pub(crate) async fn simulate(
    scenario: &Scenario,
    changes: Vec<Change>,
    shared: Arc<Shared>,
    control: &Control,
    trace: &mut Trace,
    directory: &Path,
) -> Result<EndReason, SimError> {
    let places = start(&shared, &scenario.places, control.threads);
    let plan = Plan::of(scenario, &shared.agents);
    let knows = |agent| Arc::new(known_at_first(scenario, agent).map(str::to_owned).collect::<Vec<_>>());
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
        world: None,
        directory,
        said: BTreeMap::new(),
        events: 0,
        dearest: Cost::default(),
        failed: BTreeMap::new(),
    };
    engine.start_world()?;
    engine.run(changes, trace).await
}

/// The topics that an agent knows at the start.
fn known_at_first<'a>(scenario: &'a Scenario, agent: &Agent) -> impl Iterator<Item = &'a str> {
    let name = agent.persona.name.to_string();
    let topics = scenario.topics.iter().filter(move |topic| topic.known_by.contains(&name));
    topics.map(|topic| topic.name.as_str())
}

impl Engine<'_> {
    async fn run(&mut self, changes: Vec<Change>, trace: &mut Trace) -> Result<EndReason, SimError> {
        let mut changes = changes.into_iter().peekable();
        let mut running = Running::new();
        loop {
            let change_at = changes.peek().map(|change| change.at_ms);
            for key in self.ready(change_at, trace) {
                running.push(self.begin(key));
            }
            if running.is_empty() {
                if let Some((_, error)) = self.failed.pop_first() {
                    return Err(error);
                }
                if let Some(change) = changes.next() {
                    trace.limit(change.scenario.stop.clone());
                    self.change(change)?;
                    continue;
                }
                if let Some(ended) = self.write(trace)? {
                    return Ok(ended);
                }
                return Ok(if self.scenario.recurs() { EndReason::Time } else { EndReason::Quiescent });
            }
            let (key, done) = tokio::select! {
                biased;
                () = self.control.stop.notified() => {
                    self.write(trace)?;
                    return Ok(EndReason::Interrupted);
                }
                done = running.next() => match done {
                    Some(done) => done,
                    None => continue,
                },
            };
            match done {
                Ok(done) => self.settle(done),
                // the event stays in the queue, so that no later event in its places begins
                Err(error) if self.control.replays => _ = self.failed.insert(key, error),
                Err(error) => return Err(error),
            }
            if let Some(ended) = self.write(trace)? {
                self.drain(running).await;
                return Ok(ended);
            }
            if let Some(first) =
                self.failed.first_entry().filter(|entry| self.queue.first() == Some(*entry.key()))
            {
                return Err(first.remove());
            }
        }
    }

    /// Waits for calls in flight after the end of the run, because sent calls are recorded and counted (SM8).
    async fn drain(&self, mut running: Running) {
        self.shared.closing.cancel();
        let ended = async { while running.next().await.is_some() {} };
        tokio::select! {
            biased;
            () = self.control.stop.notified() => {}
            () = ended => {}
        }
    }

    /// The events that may begin now, in order, before `until`. Of the events ahead of the first, returns only as many
    /// as the remaining limits can pay for, and none after the time at which silence would end the run.
    fn ready(&mut self, until: Option<i64>, trace: &Trace) -> Vec<Key> {
        let first = self.queue.first();
        let moment = first.map(|first| first.ms / BARRIER);
        let is_far_ahead = self.finished.len() + self.queue.running() >= AHEAD;
        let begins = Cell::new(self.affordable(&trace.left()));
        // each event that begins uses up one
        let is_paid_for = || match begins.get() {
            None => true,
            Some(left) => {
                begins.set(Some(left.saturating_sub(1)));
                left > 0
            }
        };
        let silent_at = trace.silent_at();
        let barrier = self.control.barrier;
        self.queue.ready(|key| {
            until.is_none_or(|until| key.ms < until)
                && (!barrier || Some(key.ms / BARRIER) == moment)
                // the first event always begins, because the finished events behind it wait for it
                && (Some(key) == first
                    || !is_far_ahead && silent_at.is_none_or(|at| key.ms <= at) && is_paid_for())
        })
    }

    /// The number of events that may begin ahead of the first: what a share of the remaining limits can pay for, if
    /// each event costs as much as the most expensive one so far. Zero until an event has made a call. `None` without
    /// limits.
    fn affordable(&self, left: &Left) -> Option<u64> {
        let mut spent = Cost::default();
        self.finished.values().for_each(|event| spent.add(&Cost::of(event)));
        let events = |left: Option<u64>, spent: u64, dearest: u64| match (left, dearest) {
            (None, _) => None,
            (Some(_), 0) if self.dearest.calls > 0 => None,
            (Some(left), dearest) => {
                Some((left / AHEAD_SHARE).saturating_sub(spent).checked_div(dearest).unwrap_or(0))
            }
        };
        let most = [
            events(left.calls, spent.calls, self.dearest.calls),
            events(left.tokens, spent.tokens, self.dearest.tokens),
            events(left.cost_micros, spent.cost_micros, self.dearest.cost_micros),
        ];
        let most = most.into_iter().flatten().min();
        most.map(|most| most.saturating_sub(self.queue.running() as u64))
    }

    /// Applies the results of an event: the agents' knowledge and places.
    fn settle(&mut self, done: FinishedEvent) {
        let FinishedEvent { key, agent, result, times, moved, learned } = done;
        self.dearest.raise_to(&Cost::of(&result));
        for line in result.lines.iter().filter(|line| line.kind == LineKind::Probe) {
            if let (Some(agent), Some(probe)) = (agent, &line.probe) {
                self.answers.insert((agent, probe.clone()), line.answer().to_owned());
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

    /// Writes the finished events that no earlier event can precede.
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

    /// Switches to another scenario. No event is running.
    fn change(&mut self, change: Change) -> Result<(), SimError> {
        let Change { at_ms, scenario, minds } = change;
        let events = Plan::of(&scenario, &self.shared.agents).events(at_ms);
        self.queue = Queue::new(events, self.queue.locations().to_vec(), self.places.len());
        *self.shared.minds.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = minds;
        for (agent, known) in self.shared.agents.iter().zip(&mut self.known) {
            // what was known at the start is known already
            let before: Vec<_> = known_at_first(&self.scenario, agent).collect();
            for topic in known_at_first(&scenario, agent).filter(|topic| !before.contains(topic)) {
                if !known.iter().any(|known| known == topic) {
                    Arc::make_mut(known).push(topic.to_owned());
                }
            }
        }
        let is_same_world = scenario.has_world_of(&self.scenario);
        self.scenario = Arc::new(scenario);
        if is_same_world { Ok(()) } else { self.start_world() }
    }

    /// Starts the world process of the scenario. A process before it ends.
    fn start_world(&mut self) -> Result<(), SimError> {
        self.world = match &self.scenario.world {
            Some(world) if !self.control.replays => {
                Some(Arc::new(world::WorldProcess::start(world, self.directory)?))
            }
            _ => None,
        };
        Ok(())
    }
}
