//! Applies changes to a scenario: `--set KEY=VALUE`.

use std::path::Path;

use toml::{Table, Value};

use crate::{
    Problem,
    error::SimError,
    scenario::{RuleEntry, Scenario},
};

/// Applies changes to a scenario. In `KEY=VALUE`, dots separate the parts of the key. A number selects an entry of a
/// list, and the first free number adds an entry. A value that is not TOML is a text.
///
/// # Errors
/// [`SimError::Change`] if the key does not exist, [`SimError::Scenario`] if the result has problems. Each problem names
/// the change that causes it.
pub(super) fn apply(path: &Path, text: &str, sets: &[String]) -> Result<Scenario, SimError> {
    let file = path.display().to_string();
    let scenario = Scenario::parse(&file, text).map_err(SimError::Scenario)?;
    let Some((last, before)) = sets.split_last() else { return Ok(scenario) };
    let mut tree: Table = text.parse().map_err(|error: toml::de::Error| SimError::file(path, error))?;
    for set in sets {
        let failed = |reason: &str| SimError::Change { set: set.clone(), reason: reason.to_owned() };
        let (key, value) = set.split_once('=').ok_or_else(|| failed("write KEY=VALUE"))?;
        put(&mut tree, key.trim(), parsed(value)).map_err(failed)?;
    }
    let changed = toml::to_string(&tree).map_err(|error| SimError::file(path, error))?;
    Scenario::parse(&file, &changed).map_err(|problems| {
        let earlier = match apply(path, text, before) {
            Err(SimError::Scenario(earlier)) => earlier,
            _ => Vec::new(),
        };
        SimError::Scenario(problems.into_iter().map(|problem| named(problem, last, &earlier)).collect())
    })
}

/// A problem of the change that causes it. Its position would be one of a text that is in no file.
fn named(problem: Problem, set: &str, earlier: &[Problem]) -> Problem {
    let known = earlier.iter().find(|known| known.message == problem.message);
    let file = known.map_or_else(|| format!("--set {set}"), |known| known.file.clone());
    Problem { file, line: 0, column: 0, ..problem }
}

/// The value of a change. A date is a text in scenarios.
fn parsed(value: &str) -> Value {
    let table = format!("value = {value}").parse::<Table>().ok();
    match table.and_then(|mut table| table.remove("value")) {
        Some(Value::Datetime(_)) => Value::String(value.trim().to_owned()),
        Some(value) => value,
        None => Value::String(value.to_owned()),
    }
}

/// The first change of a branch that has no effect, because its time is before the branch.
pub(super) fn past(before: &Scenario, after: &Scenario, at_ms: i64) -> Option<String> {
    let new = |entry, at: &String, every: &Option<String>, is_known: bool| {
        let is_past = every.is_none() && super::moment(at).is_some_and(|at| at < at_ms);
        (is_past && !is_known).then(|| format!("the {entry} at {at}"))
    };
    let events = after
        .events
        .iter()
        .filter_map(|event| new("event", &event.at, &event.every, before.events.contains(event)));
    let moves =
        after.moves.iter().filter_map(|step| new("move", &step.at, &step.every, before.moves.contains(step)));
    let probes = after
        .probes
        .iter()
        .filter_map(|probe| new("probe", &probe.at, &probe.every, before.probes.contains(probe)));
    events.chain(moves).chain(probes).next()
}

/// Why a branch cannot undo what happened before it.
pub(super) fn undone(before: &Scenario, after: &Scenario, at_ms: i64) -> Option<String> {
    if at_ms == 0 {
        return None;
    }
    if before.clock.start != after.clock.start {
        return Some("the past has its moments; branch at 0s, or run the scenario again with it".into());
    }
    let rules = before.population.as_ref().zip(after.population.as_ref());
    if let Some(field) = rules.and_then(|(before, after)| begun_with(&before.rule, &after.rule)) {
        return Some(format!(
            "`{field}` is how the population begins; branch at 0s, or run the scenario again with it"
        ));
    }
    let forgets = after.topics.iter().find_map(|topic| {
        let known_before = before.topics.iter().find(|known| known.name == topic.name)?;
        let agent = known_before.known_by.iter().find(|agent| !topic.known_by.contains(agent))?;
        Some((agent, &topic.name))
    });
    forgets.map(|(agent, topic)| {
        format!(
            "`{agent}` knew of `{topic}` from the start and cannot forget it; branch at 0s, or keep it in `known_by`"
        )
    })
}

/// The field of two rules that differs and concerns the first state alone.
fn begun_with(before: &RuleEntry, after: &RuleEntry) -> Option<&'static str> {
    match (before, after) {
        (RuleEntry::Voter { share: before }, RuleEntry::Voter { share: after }) => {
            (before != after).then_some("share")
        }
        (RuleEntry::Feed { follows: before, .. }, RuleEntry::Feed { follows: after, .. }) => {
            (before != after).then_some("follows")
        }
        _ => None,
    }
}

/// Why the world process of a branch cannot start: its program or a file is not in the input of the parent.
pub(super) fn missing(before: &Scenario, after: &Scenario, input: &Path) -> Option<String> {
    if after.has_world_of(before) {
        return None;
    }
    let problem = after.world_problem(input)?;
    Some(format!("{problem}; put it into {}, which a branch shares with its parent", input.display()))
}

fn put(tree: &mut Table, key: &str, value: Value) -> Result<(), &'static str> {
    let (first, rest) = key.split_once('.').unwrap_or((key, ""));
    if rest.is_empty() {
        tree.insert(first.to_owned(), value);
        return Ok(());
    }
    let (index, below) = rest.split_once('.').unwrap_or((rest, ""));
    let empty = match index.parse::<usize>() {
        Ok(_) => Value::Array(Vec::new()),
        Err(_) => Value::Table(Table::new()),
    };
    match tree.entry(first).or_insert(empty) {
        Value::Table(table) => put(table, rest, value),
        Value::Array(entries) => {
            let index: usize = index.parse().map_err(|_| "a list wants a number here, from 0")?;
            let next = entries.len();
            match entries.get_mut(index) {
                None if below.is_empty() && index == next => entries.push(value),
                None => {
                    return Err("the list has no such entry; the number after its last one adds an entry");
                }
                Some(entry) if below.is_empty() => *entry = value,
                Some(Value::Table(table)) => return put(table, below, value),
                Some(_) => return Err("this entry has no fields"),
            }
            Ok(())
        }
        _ => Err("this key has no fields"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "name = \"n\"\n[[place]]\nname = \"p\"\n[[agent]]\nname = \"a\"\nprompt = \"x\"\nat = \"p\"\n";

    fn applied(set: &str) -> Result<Scenario, SimError> {
        apply(Path::new("s.toml"), TEXT, &[set.to_owned()])
    }

    #[test]
    fn sm5_a_change_sets_a_value_an_entry_or_adds_one() {
        assert_eq!(applied("seed=9").unwrap().seed, 9);
        assert_eq!(applied("stop.calls=3").unwrap().stop.calls, Some(3));
        assert_eq!(
            applied("agent.0.prompt=You are tired").unwrap().agents[0].prompt.as_deref(),
            Some("You are tired")
        );
        assert_eq!(applied("event.0={place=\"p\", say=\"Fire!\"}").unwrap().events[0].say, "Fire!");
        for wrong in
            ["seed", "agent.7.prompt=x", "agent.x=1", "name.first=1", "event.0={place=\"q\", say=\"\"}"]
        {
            assert!(applied(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sm1_a_date_without_quotes_is_a_moment() {
        let start = |value: &str| applied(&format!("clock.start={value}")).unwrap().clock.start;
        assert_eq!(start("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00Z");
        assert_eq!(start("\"2026-01-01T00:00:00Z\""), "2026-01-01T00:00:00Z");
    }

    #[test]
    fn sm1_a_problem_names_the_change_that_causes_it() {
        let sets = ["seed=3", "agent.0.at=q", "event.0={place=\"p\", say=\"\"}"].map(str::to_owned);
        let error = apply(Path::new("s.toml"), TEXT, &sets).unwrap_err().to_string();
        let lines: Vec<_> = error.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "--set agent.0.at=q: there is no place `q`; write `p`",
                "--set event.0={place=\"p\", say=\"\"}: the text is empty; write what is said",
            ]
        );
        let solved = ["agent.0.at=q".to_owned(), "place.1={name=\"q\"}".to_owned()];
        apply(Path::new("s.toml"), TEXT, &solved).unwrap();
    }
}
