//! Computes which agents were in which place, and which were there together: from the agents' first places and their
//! moves. It does not use lines, so it includes agents that met in silence.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use crate::{
    run::Run,
    scenario::{Scenario, parse_wait, rows},
    trace::{EndReason, Line, LineKind},
};

/// With more agents there is no table of pairs, because its size grows with their square.
const MOST_AGENTS: usize = 1_000;

/// The stay of an agent in a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stay {
    pub(crate) agent: String,
    pub(crate) place: String,
    pub(crate) from: i64,
    pub(crate) until: i64,
    /// Whether the agent is still there when the run ends.
    pub(crate) stays: bool,
}

/// A row of the table of pairs: how long and how often two agents were in a place together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TogetherRow {
    pub(crate) agent: String,
    pub(crate) other: String,
    pub(crate) place: String,
    pub(crate) times: u64,
    pub(crate) ms: i64,
}

/// The end of a run: the end of its time, or its last line.
pub(crate) fn ended_at(run: &Run, scenario: &Scenario, lines: &[Line]) -> i64 {
    let end = parse_wait(&scenario.clock.end).and_then(|end| i64::try_from(end.as_millis()).ok());
    let end = end.filter(|_| run.ended == Some(EndReason::Time) && scenario.population.is_none());
    lines.iter().map(|line| line.ms).chain(end).max().unwrap_or(0)
}

/// The stays of all agents, sorted by their ends.
pub(crate) fn stays(scenario: &Scenario, lines: &[Line], end: i64) -> Vec<Stay> {
    let mut here: BTreeMap<String, (String, i64)> =
        scenario.agents.iter().map(|agent| (agent.name.clone(), (agent.at.clone(), 0))).collect();
    for cast in &scenario.casts {
        for mut person in rows(cast, scenario.seed) {
            let at = person.remove("at").or_else(|| cast.at.clone()).unwrap_or_default();
            here.insert(person.remove("name").unwrap_or_default(), (at, 0));
        }
    }
    let mut stays = Vec::new();
    for line in lines.iter().filter(|line| line.kind == LineKind::Moved) {
        let Some((place, from)) = here.get_mut(&line.who) else { continue };
        let place = std::mem::replace(place, line.place.clone());
        let from = std::mem::replace(from, line.ms);
        stays.push(Stay { agent: line.who.clone(), place, from, until: line.ms, stays: false });
    }
    let last = |(agent, (place, from))| Stay { agent, place, from, until: end, stays: true };
    stays.extend(here.into_iter().map(last));
    stays
}

/// The rows of the table of pairs, sorted by name.
pub(crate) fn together_rows(stays: &[Stay]) -> Vec<TogetherRow> {
    let agents: HashSet<_> = stays.iter().map(|stay| &stay.agent).collect();
    if agents.len() > MOST_AGENTS {
        return Vec::new();
    }
    let mut of_place: HashMap<&str, Vec<&Stay>> = HashMap::new();
    for stay in stays.iter().filter(|stay| stay.from < stay.until) {
        of_place.entry(&stay.place).or_default().push(stay);
    }
    let mut pairs: BTreeMap<(&str, &str, &str), (u64, i64)> = BTreeMap::new();
    for (place, mut stays) in of_place {
        stays.sort_by_key(|stay| stay.from);
        let mut present: Vec<&Stay> = Vec::new();
        for stay in stays {
            present.retain(|other| other.until > stay.from);
            for other in &present {
                let (a, b) = (stay.agent.as_str().min(&other.agent), stay.agent.as_str().max(&other.agent));
                let (times, ms) = pairs.entry((a, b, place)).or_default();
                *times += 1;
                *ms += stay.until.min(other.until) - stay.from;
            }
            present.push(stay);
        }
    }
    let row = |((agent, other, place), (times, ms)): ((&str, &str, &str), (u64, i64))| TogetherRow {
        agent: agent.into(),
        other: other.into(),
        place: place.into(),
        times,
        ms,
    };
    pairs.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sm9_who_was_together_includes_those_who_were_silent() {
        let stay = |agent: &str, place: &str, from, until| Stay {
            agent: agent.into(),
            place: place.into(),
            from,
            until,
            stays: false,
        };
        let found = together_rows(&[
            stay("bo", "cafe", 0, 60),
            stay("ada", "cafe", 20, 30),
            stay("ada", "park", 30, 50),
            stay("ada", "cafe", 50, 90),
            // an agent that arrives when another leaves has not met it
            stay("cy", "cafe", 90, 95),
            stay("cy", "park", 40, 90),
        ]);
        let row = |agent: &str, other: &str, place: &str, times, ms| TogetherRow {
            agent: agent.into(),
            other: other.into(),
            place: place.into(),
            times,
            ms,
        };
        assert_eq!(found, [row("ada", "bo", "cafe", 2, 20), row("ada", "cy", "park", 1, 10)]);
    }
}
