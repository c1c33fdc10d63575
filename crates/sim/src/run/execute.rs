//! Executes a run, from its directory to its result.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use greenroom_core::{SimulatedTime, Timestamp, Usage};
use greenroom_memory::Memory;
use greenroom_models::{Embedder, StaticEmbedder};
use greenroom_store::Store;
use greenroom_store_memory::InMemoryStore;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{
    CALLS, Finished, Options, Outcome, REPLAYED, Run, TRACE, branch::changes, lock::lock, minds::MindResolver,
};
use crate::{
    engine::{Change, Control, simulate},
    error::SimError,
    place::{Shared, channel_of},
    population::{self, PopulationRun},
    recording::{Mode, Recording},
    scenario::{Agent, Scenario, load_cast, parse_moment},
    trace::{EndReason, Trace},
};

pub(super) async fn execute(
    run: &mut Run,
    directory: &Path,
    options: &Options,
    mode: Mode,
) -> Result<Outcome, SimError> {
    let replays = mode == Mode::Replay;
    let _lock = lock(directory)?;
    let scenarios = changes(run)?;
    let Some((_, scenario)) = scenarios.first().cloned() else {
        return Err(SimError::NoRun(directory.display().to_string()));
    };
    let trace_path = directory.join(if replays { REPLAYED } else { TRACE });
    let mut trace = Trace::create(&trace_path, scenario.stop.clone())?;
    let mut outcome;
    if scenario.population.is_some() {
        (outcome, trace) = populated(run, directory, options, replays, scenarios, trace).await?;
    } else {
        let agents =
            load_cast(&scenario, &run.input, &directory.join("personas")).map_err(SimError::Scenario)?;
        // a change at the start is one of the whole run, except for the people, who are those of the parent
        let (first, later): (Vec<_>, Vec<_>) = scenarios.into_iter().partition(|(at_ms, _)| *at_ms == 0);
        let scenario = first.into_iter().next_back().map_or(scenario, |(_, scenario)| scenario);
        trace.limit(scenario.stop.clone());
        let (ended, (answered, usage)) =
            live(run, directory, options, mode, (scenario, later, agents), &mut trace).await?;
        let progress = *options.progress.borrow();
        outcome = Outcome {
            ended,
            ms: trace.ended_at(ended, progress.ms, progress.end_ms),
            lines: trace.lines,
            events: progress.events,
            calls: trace.calls,
            unused_calls: answered.saturating_sub(trace.calls),
            unused_usage: beyond(usage, trace.usage),
            late_ms: trace.late_ms,
            answers: trace.answers,
            failed: trace.failed,
            usage: trace.usage,
            same: None,
        };
    }
    let trace = trace.finish()?;
    if replays {
        let replayed = fs::read(&trace_path).map_err(|error| SimError::file(&trace_path, error))?;
        outcome.same = Some(fs::read(directory.join(TRACE)).is_ok_and(|trace| trace == replayed));
    } else {
        run.ended = Some(outcome.ended);
        let calls = fs::metadata(directory.join(CALLS)).map_or(0, |file| file.len());
        let is_over = outcome.ended != EndReason::Interrupted;
        run.finished = is_over.then(|| Finished { trace, calls, outcome: outcome.clone() });
        run.save(directory)?;
    }
    Ok(outcome)
}

/// Runs the population of a scenario on a separate thread.
async fn populated(
    run: &Run,
    directory: &Path,
    options: &Options,
    replays: bool,
    scenarios: Vec<(i64, Scenario)>,
    mut trace: Trace,
) -> Result<(Outcome, Trace), SimError> {
    let population = PopulationRun {
        scenarios,
        directory: directory.to_owned(),
        parents: run.parents.iter().map(|parent| (parent.directory.clone(), parent.at_ms)).collect(),
        threads: options.threads,
        stop: options.stop.clone(),
        progress: options.progress.clone(),
        replays,
    };
    let running = tokio::task::spawn_blocking(move || {
        let outcome = population::run(&population, &mut trace);
        outcome.map(|outcome| (outcome, trace))
    });
    running.await.map_err(|_| SimError::Ended)?
}

/// The usage of calls that do not appear in the trace.
fn beyond(all: Usage, in_trace: Usage) -> Usage {
    Usage {
        prompt_tokens: all.prompt_tokens.saturating_sub(in_trace.prompt_tokens),
        completion_tokens: all.completion_tokens.saturating_sub(in_trace.completion_tokens),
        cost_micros: all.cost_micros.saturating_sub(in_trace.cost_micros),
        estimated: all.estimated,
    }
}

/// Runs the agents of a scenario. Returns why the run ended, and the number and usage of the answered calls.
async fn live(
    run: &mut Run,
    directory: &Path,
    options: &Options,
    mode: Mode,
    (scenario, later, mut agents): (Scenario, Vec<(i64, Scenario)>, Vec<Agent>),
    trace: &mut Trace,
) -> Result<(EndReason, (u64, Usage)), SimError> {
    let replays = mode == Mode::Replay;
    let (at_once, closing) = (Semaphore::new(options.calls_at_once.max(1)), CancellationToken::new());
    let resolving = MindResolver { options, replays, at_once: Arc::new(at_once), closing: closing.clone() };
    let minds = resolving.minds(run, &scenario, &agents)?;
    for (agent, _) in agents.iter_mut().zip(&minds).filter(|(_, mind)| !mind.summarises) {
        Arc::make_mut(&mut agent.persona).memory.summarise_history = false;
    }
    let changes = later.into_iter().map(|(at_ms, scenario)| {
        let minds = resolving.minds(run, &scenario, &agents)?;
        Ok(Change { at_ms, scenario, minds })
    });
    let changes = changes.collect::<Result<Vec<_>, SimError>>()?;
    if !replays {
        // clear the stored result, because the run continues
        (run.ended, run.finished) = (None, None);
        run.save(directory)?;
    }
    let embedder: Arc<dyn Embedder> = Arc::new(StaticEmbedder::new());
    let named = agents.iter().enumerate().map(|(n, agent)| (agent.persona.name.clone(), n));
    let personas = agents.iter().map(|agent| agent.persona.name.clone());
    let channels = scenario.places.iter().map(|place| channel_of(&place.name));
    let store = InMemoryStore::numbered_apart(personas, channels.collect::<Result<Vec<_>, _>>()?);
    let store: Arc<dyn Store> = Arc::new(store);
    let begin = parse_moment(&scenario.clock.start).unwrap_or(Timestamp(0));
    // Evict nothing from the index: the store is in memory, too, and a reload would depend on real time.
    let memory =
        Memory::new(store.clone(), None, Arc::new(SimulatedTime::at(begin))).with_index_bytes(usize::MAX);
    let shared = Shared {
        by_name: named.collect(),
        store,
        memory,
        agents,
        minds: minds.into(),
        embedder,
        recording: Arc::new(Recording::open(&run.recordings(directory), mode)?),
        answered: Mutex::default(),
        closing,
        states: Mutex::default(),
        begin,
        seed: scenario.seed,
    };
    let control = Control {
        threads: options.threads,
        barrier: options.barrier,
        replays,
        stop: options.stop.clone(),
        progress: options.progress.clone(),
    };
    let shared = Arc::new(shared);
    let ended = simulate(&scenario, changes, shared.clone(), &control, trace, &run.input).await?;
    Ok((ended, shared.answered()))
}
