//! Branches of a run, and the scenarios that apply in them.

use std::{fs, path::Path};

use super::{
    CALLS, Parent, Run, change,
    input::{check_is_free, text_of},
    moment,
};
use crate::{error::SimError, scenario::Scenario};

/// Creates a variant of a run that differs from a time on. Copies nothing; [`resume`](crate::resume) executes it.
///
/// # Errors
/// [`SimError::Change`] if a change cannot be applied, and an error if the directory is not free.
pub fn branch(parent: &Path, at_ms: i64, sets: &[String], directory: &Path) -> Result<Run, SimError> {
    check_is_free(directory)?;
    let mut run = Run::open(parent)?;
    let calls = fs::metadata(parent.join(CALLS)).map_or(0, |file| file.len());
    run.parents.push(Parent { directory: parent.to_owned(), at_ms, calls, sets: sets.to_vec() });
    (run.ended, run.finished) = (None, None);
    let scenarios = changes(&run)?;
    let [.., (_, before), (_, after)] = &scenarios[..] else {
        return Err(SimError::NoRun(parent.display().to_string()));
    };
    let end = &after.clock.end;
    if after.population.is_none() && moment(end).is_some_and(|end| end <= at_ms) {
        let reason =
            format!("the run ends after {end}, so nothing is left to be otherwise; branch it before");
        return Err(SimError::Change { set: sets.join(" "), reason });
    }
    run.name.clone_from(&after.name);
    if let Some(reason) = change::missing(before, after, &run.input) {
        return Err(SimError::Change { set: sets.join(" "), reason });
    }
    if let Some(what) = change::past(before, after, at_ms) {
        let reason = format!(
            "{what} is before the branch, which begins {} s after the start, and would not happen; write a later `at`, or \
             branch earlier",
            at_ms / 1_000
        );
        return Err(SimError::Change { set: sets.join(" "), reason });
    }
    fs::create_dir_all(directory).map_err(|error| SimError::file(directory, error))?;
    run.save(directory)?;
    Ok(run)
}

/// The scenario of a run, and the changed scenarios of its branches with their times.
pub(super) fn changes(run: &Run) -> Result<Vec<(i64, Scenario)>, SimError> {
    let path = run.input.join("scenario.toml");
    let (text, mut sets) = (text_of(&path)?, run.sets.clone());
    let mut changed = vec![(0, change::apply(&path, &text, &sets)?)];
    let of_population = |scenario: &Scenario| {
        scenario
            .population
            .as_ref()
            .map(|population| (population.size, std::mem::discriminant(&population.rule)))
    };
    let mut since = 0;
    for parent in &run.parents {
        let error = |reason: String| SimError::Change { set: parent.sets.join(" "), reason };
        // The times must rise. Otherwise a change would be undone, and a parent's snapshot could belong to another
        // past.
        if parent.at_ms < since {
            return Err(error(format!(
                "the parent itself branched off {} ms after the start; branch from that moment on, or branch the run that \
                 it branched off",
                since
            )));
        }
        since = parent.at_ms;
        sets.extend(parent.sets.iter().cloned());
        let scenario = change::apply(&path, &text, &sets)?;
        let first = &changed[0].1;
        if of_population(&scenario) != of_population(first) {
            return Err(error(
                "a branch has the population of its parent: its size and the kind of its rule; run the scenario again with \
                 it"
                    .into(),
            ));
        }
        if scenario.places != first.places || scenario.agents != first.agents || scenario.casts != first.casts
        {
            return Err(error(
                "a branch has the agents and places of its parent; run the scenario again with it".into(),
            ));
        }
        let before = &changed.last().unwrap_or(&changed[0]).1;
        if let Some(reason) = change::undone(before, &scenario, parent.at_ms) {
            return Err(error(reason));
        }
        changed.push((parent.at_ms, scenario));
    }
    Ok(changed)
}
