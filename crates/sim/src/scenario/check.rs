//! What is wrong with a scenario, where, and what to do about it.

mod cast;
mod happenings;

use std::{collections::HashSet, fmt, time::Duration};

use greenroom_core::{PersonaName, Timestamp};
use greenroom_persona::parse_duration_within;
use serde::Serialize;
use toml::de::{DeTable, DeValue};

use super::{Scenario, shape::wrong_fields};

/// The longest wait, in seconds: ten years.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 86_400);

/// One problem of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// From 1; 0 where it is of no line.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, remedy } = self;
        match line {
            0 => write!(f, "{file}: {message}; {remedy}"),
            _ => write!(f, "{file}:{line}:{column}: {message}; {remedy}"),
        }
    }
}

/// A wait as people write it: `90s`, `5m`, `2h`, `3d`, `250ms`.
pub(crate) fn parse_wait(text: &str) -> Option<Duration> {
    match text.strip_suffix('d') {
        Some(days) if days.bytes().all(|c| c.is_ascii_digit()) => {
            let wait = Duration::from_secs(days.parse::<u64>().ok()?.checked_mul(86_400)?);
            (wait <= LONGEST).then_some(wait)
        }
        _ => parse_duration_within(text, LONGEST),
    }
}

/// A moment as `2026-02-14T08:00:00Z`.
pub(crate) fn parse_moment(text: &str) -> Option<Timestamp> {
    Some(Timestamp(text.parse::<jiff::Timestamp>().ok()?.as_microsecond()))
}

/// A key or an index on the way to a value.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    At(usize),
}

pub(super) fn parse(file: &str, text: &str) -> Result<Scenario, Vec<Problem>> {
    let lines = Lines { file, text };
    let tree = DeTable::parse(text).ok().map(|table| table.into_inner());
    let wrong = tree.as_ref().map(wrong_fields).unwrap_or_default();
    if !wrong.is_empty() {
        let problems = wrong.into_iter().map(|wrong| lines.problem(wrong.at, wrong.message, wrong.remedy));
        return Err(problems.collect());
    }
    let scenario: Scenario = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let remedy = "`greenroom sim new` writes a scenario to begin with".to_owned();
        vec![lines.problem(at, error.message().to_owned(), remedy)]
    })?;
    let mut check = Check { lines, tree, problems: Vec::new() };
    check.scenario(&scenario);
    if check.problems.is_empty() { Ok(scenario) } else { Err(check.problems) }
}

/// What never happens because the scenario ends before.
pub(super) fn unreached(file: &str, text: &str, scenario: &Scenario) -> Vec<Problem> {
    let tree = DeTable::parse(text).ok().map(|table| table.into_inner());
    let mut check = Check { lines: Lines { file, text }, tree, problems: Vec::new() };
    let Some(end) = parse_wait(&scenario.clock.end) else { return Vec::new() };
    let moments: [(&str, Vec<&String>); 4] = [
        ("event", scenario.events.iter().map(|event| &event.at).collect()),
        ("move", scenario.moves.iter().map(|step| &step.at).collect()),
        ("encounter", scenario.encounters.iter().map(|encounter| &encounter.at).collect()),
        ("probe", scenario.probes.iter().map(|probe| &probe.at).collect()),
    ];
    for (entry, moments) in moments {
        for (n, at) in moments.into_iter().enumerate() {
            if parse_wait(at).is_some_and(|at| at > end) {
                let message =
                    format!("this {entry} never happens: the scenario ends after {}", scenario.clock.end);
                let path = [Step::Key(entry), Step::At(n), Step::Key("at")];
                check.wrong(&path, message, "let it happen earlier, or let `clock.end` be later");
            }
        }
    }
    check.problems
}

pub(crate) fn suggestion<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.collect();
    let near = known.iter().map(|name| (strsim::damerau_levenshtein(wrong, name), name)).min();
    match near {
        Some((distance, name)) if distance <= 2 + wrong.len() / 4 => format!("write `{name}`"),
        _ if known.is_empty() => "there is none yet".into(),
        _ => format!("there are: {}", known.join(", ")),
    }
}

struct Lines<'a> {
    file: &'a str,
    text: &'a str,
}

impl Lines<'_> {
    fn problem(&self, at: usize, message: String, remedy: String) -> Problem {
        let before = self.text.get(..at).unwrap_or_default();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Problem { file: self.file.into(), line: before.matches('\n').count() + 1, column, message, remedy }
    }
}

struct Check<'a> {
    lines: Lines<'a>,
    tree: Option<DeTable<'a>>,
    problems: Vec<Problem>,
}

impl Check<'_> {
    /// Where a value is in the text; of what is not there, where its table is.
    fn position(&self, path: &[Step<'_>]) -> usize {
        let (Some(tree), Some((Step::Key(first), rest))) = (&self.tree, path.split_first()) else { return 0 };
        let Some(mut value) = tree.get(*first) else { return 0 };
        for step in rest {
            let next = match (step, value.get_ref()) {
                (Step::Key(key), DeValue::Table(table)) => table.get(*key),
                (Step::At(index), DeValue::Array(array)) => array.get(*index),
                _ => None,
            };
            match next {
                Some(next) => value = next,
                None => break,
            }
        }
        value.span().start
    }

    fn wrong(&mut self, path: &[Step<'_>], message: impl Into<String>, remedy: impl Into<String>) {
        let at = self.position(path);
        self.problems.push(self.lines.problem(at, message.into(), remedy.into()));
    }

    fn wait(&mut self, path: &[Step<'_>], text: &str, positive: bool) {
        match parse_wait(text) {
            None => {
                self.wrong(path, format!("`{text}` is no wait"), "write a number and a unit: 90s, 5m, 2h, 3d")
            }
            Some(wait) if positive && wait.is_zero() => {
                self.wrong(
                    path,
                    format!("`{text}` repeats without end at one moment"),
                    "write a longer wait",
                );
            }
            Some(_) => {}
        }
    }

    fn waits(&mut self, entry: &str, n: usize, at: &str, every: Option<&str>) {
        self.wait(&[Step::Key(entry), Step::At(n), Step::Key("at")], at, false);
        if let Some(every) = every {
            self.wait(&[Step::Key(entry), Step::At(n), Step::Key("every")], every, true);
        }
    }

    fn known(&mut self, path: &[Step<'_>], what: &str, name: &str, known: &[String]) {
        if !known.iter().any(|other| other == name) {
            let remedy = suggestion(name, known.iter().map(String::as_str));
            self.wrong(path, format!("there is no {what} `{name}`"), remedy);
        }
    }

    fn unique(&mut self, entry: &str, what: &str, names: &[String]) {
        let mut seen = HashSet::new();
        for (n, name) in names.iter().enumerate() {
            if !seen.insert(name) {
                let path = [Step::Key(entry), Step::At(n), Step::Key("name")];
                self.wrong(&path, format!("there are two {what}s `{name}`"), "give one of them another name");
            }
        }
    }

    fn share(&mut self, path: &[Step<'_>], share: Option<f64>) {
        if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            self.wrong(path, "a share lies between 0 and 1", "write 0.5 for a half");
        }
    }

    fn scenario(&mut self, scenario: &Scenario) {
        let clock = &scenario.clock;
        if parse_moment(&clock.start).is_none() {
            let message = format!("`{}` is no moment", clock.start);
            self.wrong(
                &[Step::Key("clock"), Step::Key("start")],
                message,
                "write it as 2026-02-14T08:00:00Z",
            );
        }
        self.wait(&[Step::Key("clock"), Step::Key("end")], &clock.end, true);
        if clock.words_per_minute == 0 {
            self.wrong(
                &[Step::Key("clock"), Step::Key("words_per_minute")],
                "nobody speaks at 0 words a minute",
                "write 150",
            );
        }
        if let Some(silence) = &scenario.stop.silence {
            self.wait(&[Step::Key("stop"), Step::Key("silence")], silence, true);
        }
        let places: Vec<_> = scenario.places.iter().map(|place| place.name.clone()).collect();
        self.unique("place", "place", &places);
        for (n, place) in places.iter().enumerate() {
            self.name("place", n, place);
        }
        let agents = self.cast(scenario, &places);
        if agents.is_empty() && scenario.population.is_none() {
            self.wrong(
                &[],
                "the scenario has nobody in it",
                "add an [[agent]], a [[cast]] or a [population]",
            );
        }
        self.minds(scenario, &places);
        self.happenings(scenario, &places, &agents);
        self.population(scenario);
    }

    fn name(&mut self, entry: &str, n: usize, name: &str) {
        if name.parse::<PersonaName>().is_err() {
            let path = [Step::Key(entry), Step::At(n), Step::Key("name")];
            self.wrong(&path, format!("`{name}` is no name"), "use small letters, digits, `-` and `_`");
        }
    }

    /// A text with names in braces, all of which are known.
    fn template(&mut self, path: &[Step<'_>], text: &str, known: &[&str]) {
        match minijinja::Environment::new().template_from_str(text) {
            Err(error) => {
                self.wrong(path, format!("a text is no template: {error}"), "names stand in {{ }}");
            }
            Ok(template) => {
                let mut used: Vec<_> = template.undeclared_variables(false).into_iter().collect();
                used.sort();
                for name in used.iter().filter(|name| !known.contains(&name.as_str())) {
                    let remedy = suggestion(name, known.iter().copied());
                    self.wrong(path, format!("nothing is called `{{{{ {name} }}}}` here"), remedy);
                }
            }
        }
    }
}
