//! Populations of a rule (SM6, SM11): agents without texts, in arrays of a few bytes each.
//!
//! A step draws by `(seed, agent, step)` and writes only what belongs to one agent or one pair, so that any number of
//! threads gives the same (SM3).

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

/// What the agents of a population do.
pub trait Rule: Send {
    /// Makes one step of every agent on `threads` threads. Returns whether anything changed that matters.
    fn step(&mut self, step: u64, threads: usize) -> bool;
    /// What is measured now: name and value.
    fn measures(&self) -> Vec<(&'static str, f64)>;
    /// Bytes that the agents take.
    fn bytes(&self) -> usize;
    /// Writes the state of all agents, without the parameters of the rule (SM5).
    ///
    /// # Errors
    /// Those of the writer.
    fn save(&self, to: &mut dyn Write) -> io::Result<()>;
    /// Replaces the state of all agents by a saved one. The parameters stay.
    ///
    /// # Errors
    /// Those of the reader, and where the state is none of this rule.
    fn load(&mut self, from: &mut dyn Read) -> io::Result<()>;
}

/// How a population ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PopulationReport {
    /// Steps made.
    pub steps: u64,
    /// Whether nothing changed any more.
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

    /// The rule of a population without agents, for a state that is loaded.
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

    /// Makes one step. Returns whether anything changed.
    fn step(&mut self, step: u64, threads: usize) -> bool {
        self.rule.step(step, threads.max(1))
    }

    /// Whether the values are measured after this step, where `changed` says whether it changed anything.
    fn measures_after(&self, step: u64, changed: bool) -> bool {
        !changed || step == self.steps || step.is_multiple_of(self.measure_every)
    }

    /// A population of a rule of the program's own.
    pub fn with(rule: Box<dyn Rule>, steps: u64) -> Self {
        Self { rule, steps, measure_every: 1 }
    }

    /// Runs it; `told` hears the measures with their step.
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

    /// Bytes that the agents take.
    pub fn bytes(&self) -> usize {
        self.rule.bytes()
    }
}

/// Does `work` on parts of a slice, on `threads` threads. The parts depend on the length alone, so that sums do, too.
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
        // a panic of a part is one of the whole
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().flat_map(join).collect()
    });
    results.sort_by_key(|(n, _)| *n);
    results.into_iter().map(|(_, result)| result).collect()
}
