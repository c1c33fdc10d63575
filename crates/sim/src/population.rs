//! Populations that follow a rule (SM6, SM11): agents without texts, in arrays of a few bytes per agent.
//!
//! In a step, random numbers depend on `(seed, agent, step)` only, and each write concerns one agent or one pair. So
//! any number of threads gives the same result (SM3).

mod feed;
mod live;
mod opinion;
mod snapshot;

use std::io::{self, Read, Write};

use serde::Serialize;

use crate::{
    error::SimError,
    scenario::{PopulationEntry, RuleEntry},
};
pub use feed::Feed;
pub(crate) use live::{PopulationRun, run};
pub use opinion::{Deffuant, Voter};

/// The behaviour of a population's agents.
pub trait Rule: Send {
    /// Executes one step for all agents on `threads` threads. Returns whether anything relevant changed.
    fn step(&mut self, step: u64, threads: usize) -> bool;
    /// The current measures: name and value.
    fn measures(&self) -> Vec<(&'static str, f64)>;
    /// The size of the agents in bytes.
    fn bytes(&self) -> usize;
    /// Writes the state of all agents, without the parameters of the rule (SM5).
    ///
    /// # Errors
    /// Errors of the writer.
    fn save(&self, to: &mut dyn Write) -> io::Result<()>;
    /// Replaces the state of all agents by a saved one. The parameters stay.
    ///
    /// # Errors
    /// Errors of the reader, and a state that belongs to another rule.
    fn load(&mut self, from: &mut dyn Read) -> io::Result<()>;
}

/// The result of a population's run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PopulationReport {
    /// The number of steps.
    pub steps: u64,
    /// Whether it ended because nothing changed any more.
    pub settled: bool,
    /// The last measures.
    pub measures: Vec<(&'static str, f64)>,
}

/// A population with its rule.
pub struct Population {
    rule: Box<dyn Rule>,
    steps: u64,
    measure_every: u64,
}

impl Population {
    pub(crate) fn of(entry: &PopulationEntry, seed: u64) -> Self {
        Self::sized(entry, entry.size as usize, seed)
    }

    /// The rule of a population without agents. Its state is loaded later.
    fn empty(entry: &PopulationEntry, seed: u64) -> Self {
        Self::sized(entry, 0, seed)
    }

    fn sized(entry: &PopulationEntry, size: usize, seed: u64) -> Self {
        let rule: Box<dyn Rule> = match entry.rule {
            RuleEntry::Deffuant { threshold, convergence } => {
                Box::new(Deffuant::new(size, seed, threshold as f32, convergence as f32))
            }
            RuleEntry::Voter { share } => Box::new(Voter::new(size, seed, share)),
            RuleEntry::Feed { follows, posts, share, follow } => {
                Box::new(Feed::new(size, seed, follows as usize, posts, share, follow))
            }
        };
        Self { rule, steps: u64::from(entry.steps), measure_every: u64::from(entry.measure_every.max(1)) }
    }

    /// Executes one step. Returns whether anything changed.
    fn step(&mut self, step: u64, threads: usize) -> bool {
        self.rule.step(step, threads.max(1))
    }

    /// Whether the values are measured after this step. `changed`: whether the step changed anything.
    fn measures_after(&self, step: u64, changed: bool) -> bool {
        !changed || step == self.steps || step.is_multiple_of(self.measure_every)
    }

    /// A population with a rule of the calling program.
    pub fn with(rule: Box<dyn Rule>, steps: u64) -> Self {
        Self { rule, steps, measure_every: 1 }
    }

    /// Runs the population. Calls `told` with the measures of each measured step.
    pub fn run(
        &mut self,
        threads: usize,
        mut told: impl FnMut(u64, &[(&'static str, f64)]) -> Result<(), SimError>,
    ) -> Result<PopulationReport, SimError> {
        told(0, &self.rule.measures())?;
        for step in 1..=self.steps {
            let changed = self.step(step, threads);
            if self.measures_after(step, changed) {
                told(step, &self.rule.measures())?;
            }
            if !changed {
                return Ok(PopulationReport { steps: step, settled: true, measures: self.rule.measures() });
            }
        }
        Ok(PopulationReport { steps: self.steps, settled: false, measures: self.rule.measures() })
    }

    /// The size of the agents in bytes.
    pub fn bytes(&self) -> usize {
        self.rule.bytes()
    }
}

/// Applies `work` to parts of a slice on `threads` threads. The partition depends on the length only, so that sums of
/// floats do not depend on the number of threads.
pub(crate) fn in_parts<T: Send, R: Send>(
    items: &mut [T],
    threads: usize,
    work: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    const PARTS: usize = 64;
    let part = items.len().div_ceil(PARTS).max(1);
    let chunks: Vec<_> = items.chunks_mut(part).enumerate().map(|(n, chunk)| (n * part, chunk)).collect();
    if threads <= 1 {
        return chunks.into_iter().map(|(first, chunk)| work(first, chunk)).collect();
    }
    let count = chunks.len();
    let mut groups: Vec<Vec<_>> = (0..threads.min(count.max(1))).map(|_| Vec::new()).collect();
    let groups_len = groups.len();
    for (n, chunk) in chunks.into_iter().enumerate() {
        groups[n % groups_len].push((n, chunk));
    }
    let work = &work;
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for group in groups {
            threads.push(scope.spawn(move || {
                let done = group.into_iter().map(|(n, (first, chunk))| (n, work(first, chunk)));
                done.collect::<Vec<_>>()
            }));
        }
        // propagate a panic of a part
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().flat_map(join).collect()
    });
    results.sort_by_key(|(n, _)| *n);
    results.into_iter().map(|(_, result)| result).collect()
}
