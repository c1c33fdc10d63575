//! Runs the population of a scenario: steps, measures, snapshots, changes of branches. A step is one second of virtual
//! time.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use futures::FutureExt;
use greenroom_core::{Usage, real_time};
use tokio::sync::{Notify, watch};

use super::{
    Population,
    snapshot::{self, Header, Measured},
};
use crate::{
    engine::Progress,
    error::SimError,
    run::Outcome,
    scenario::{PopulationEntry, Scenario},
    trace::{EndReason, EventResult, Line, LineKind, Trace},
};

/// The shortest computing time between two snapshots.
const SNAPSHOT_EVERY: Duration = Duration::from_secs(1);
/// The computing time between two snapshots is at least this many times the time for writing one.
const SNAPSHOT_SHARE: u32 = 20;

/// A run of a population.
pub(crate) struct PopulationRun {
    /// The scenario and the changed scenarios of branches, with their times in milliseconds.
    pub(crate) scenarios: Vec<(i64, Scenario)>,
    /// The directory with its snapshots.
    pub(crate) directory: PathBuf,
    /// The runs from which it branched off, with the times.
    pub(crate) parents: Vec<(PathBuf, i64)>,
    pub(crate) threads: usize,
    pub(crate) stop: Arc<Notify>,
    pub(crate) progress: watch::Sender<Progress>,
    /// Whether it starts from the beginning and writes no snapshots.
    pub(crate) replays: bool,
}

/// The step at a time, or the first one after it.
fn step_at(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0).div_ceil(1_000)
}

fn ms_of(step: u64) -> i64 {
    i64::try_from(step).unwrap_or(i64::MAX).saturating_mul(1_000)
}

/// Runs the population of a scenario to its end.
pub(crate) fn run(run: &PopulationRun, trace: &mut Trace) -> Result<Outcome, SimError> {
    let (mut population, mut header) = run.begin()?;
    let names: Vec<_> = population.rule.measures().into_iter().map(|(name, _)| name).collect();
    for measured in &header.measured {
        add(trace, &names, measured)?;
    }
    let (mut computed, mut interval) = (real_time().instant(), SNAPSHOT_EVERY);
    let mut interrupted = false;
    if header.measured.is_empty() {
        measure(&population, &mut header, &names, trace)?;
    }
    while header.step < population.steps && !header.settled && !interrupted {
        let step = header.step + 1;
        if let Some((_, scenario)) = run.scenarios.iter().skip(1).rfind(|(at, _)| step_at(*at) == step) {
            population = changed(population, scenario)?;
        }
        let changed = population.step(step, run.threads);
        (header.step, header.settled) = (step, !changed);
        if population.measures_after(step, changed) {
            measure(&population, &mut header, &names, trace)?;
        }
        let events = step * run.size();
        let end_ms = ms_of(population.steps);
        run.progress.send_replace(Progress { ms: ms_of(step), end_ms, events, ..Progress::default() });
        interrupted = run.stop.notified().now_or_never().is_some();
        let is_last = step == population.steps || header.settled;
        if !run.replays && (interrupted || (!is_last && real_time().elapsed(computed) >= interval)) {
            let begun = real_time().instant();
            snapshot::write(&run.directory, &header, |to| population.rule.save(to))?;
            interval = SNAPSHOT_EVERY.max(real_time().elapsed(begun) * SNAPSHOT_SHARE);
            computed = real_time().instant();
        }
    }
    let ended = match (header.settled, interrupted && header.step < population.steps) {
        (true, _) => EndReason::Quiescent,
        (false, true) => EndReason::Interrupted,
        (false, false) => EndReason::Time,
    };
    Ok(Outcome {
        ended,
        ms: ms_of(header.step),
        lines: trace.lines,
        events: header.step * run.size(),
        calls: 0,
        unused_calls: 0,
        unused_usage: Usage::default(),
        late_ms: 0,
        answers: 0,
        failed: 0,
        usage: trace.usage,
        same: None,
    })
}

impl PopulationRun {
    fn size(&self) -> u64 {
        self.entry(0).map_or(0, |(entry, _)| u64::from(entry.size))
    }

    /// The population's entry and seed in the scenario that applies at a step.
    fn entry(&self, step: u64) -> Option<(&PopulationEntry, u64)> {
        let holds = |(at, _): &&(i64, Scenario)| *at == 0 || step_at(*at) <= step;
        let (_, scenario) = self.scenarios.iter().rfind(holds)?;
        Some((scenario.population.as_ref()?, scenario.seed))
    }

    /// Restores the newest snapshot of the run or of a run from which it branched off. Without one, returns the initial
    /// state.
    fn begin(&self) -> Result<(Population, Header), SimError> {
        let none = || SimError::NoRun(self.directory.display().to_string());
        let own = (self.directory.clone(), u64::MAX);
        // steps of a parent after the branch do not belong to this run
        let parents =
            self.parents.iter().rev().map(|(parent, at)| (parent.clone(), step_at(*at).saturating_sub(1)));
        for (directory, until) in std::iter::once(own).chain(parents).filter(|_| !self.replays) {
            let found = snapshot::read(&directory, until, |header, from| {
                let (entry, seed) =
                    self.entry(header.step).ok_or_else(|| io::Error::other("no scenario holds then"))?;
                let mut population = Population::empty(entry, seed);
                population.rule.load(from)?;
                Ok(population)
            });
            if let Some((header, population)) = found {
                return Ok((population, header));
            }
        }
        let (entry, seed) = self.entry(0).ok_or_else(none)?;
        Ok((Population::of(entry, seed), Header::default()))
    }
}

/// Converts a population to another scenario.
fn changed(population: Population, scenario: &Scenario) -> Result<Population, SimError> {
    let Some(entry) = &scenario.population else { return Ok(population) };
    let mut state = Vec::new();
    let mut changed = Population::empty(entry, scenario.seed);
    let moved = population.rule.save(&mut state).and_then(|()| changed.rule.load(&mut state.as_slice()));
    moved.map_err(|error| SimError::Broken(format!("the population cannot change: {error}")))?;
    Ok(changed)
}

/// Measures a population and writes the values to the trace.
fn measure(
    population: &Population,
    header: &mut Header,
    names: &[&str],
    trace: &mut Trace,
) -> Result<(), SimError> {
    let values = population.rule.measures().into_iter().map(|(_, value)| value.to_bits()).collect();
    let measured = (header.step, values);
    add(trace, names, &measured)?;
    header.measured.push(measured);
    Ok(())
}

fn add(trace: &mut Trace, names: &[&str], (step, values): &Measured) -> Result<(), SimError> {
    let ms = ms_of(*step);
    let line = |(name, value): (&&str, &u64)| Line {
        value: Some(f64::from_bits(*value)),
        ..Line::new(ms, "", LineKind::Value, name, "")
    };
    let lines = names.iter().zip(values).map(line).collect();
    trace.add(EventResult { ms, lines, ..EventResult::default() }).map(drop)
}
