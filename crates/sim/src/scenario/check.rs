//! Checks a scenario. Each problem has a position and a remedy.

mod cast;
mod doubts;
mod happenings;
mod size;
mod syntax;

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use greenroom_core::{PersonaName, Timestamp};
use serde::Serialize;
use toml::de::{DeTable, DeValue};

use super::{
    Scenario, filled_strictly,
    shape::{without_unknown, wrong_fields},
    wait::{WaitError, read_wait},
};
pub(super) use doubts::doubts;

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The scenario cannot be run.
    Error,
    /// The scenario can be run, but this is probably a mistake.
    Warning,
}

/// One problem of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// From 1; 0 if the problem has no line.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The remedy.
    pub remedy: String,
    /// Whether the scenario can be run nevertheless.
    pub severity: Severity,
}

impl Problem {
    /// Whether the scenario cannot be run.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, remedy, severity } = self;
        let warning = if *severity == Severity::Warning { "warning: " } else { "" };
        match line {
            0 => write!(f, "{file}: {warning}{message}; {remedy}"),
            _ => write!(f, "{file}:{line}:{column}: {warning}{message}; {remedy}"),
        }
    }
}

/// Parses a time as `2026-02-14T08:00:00Z`.
pub(crate) fn parse_moment(text: &str) -> Option<Timestamp> {
    Some(Timestamp(text.parse::<jiff::Timestamp>().ok()?.as_microsecond()))
}

/// A key or an index in the path of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'a> {
    Key(&'a str),
    At(usize),
}

pub(super) fn parse(file: &str, text: &str) -> Result<Scenario, Vec<Problem>> {
    let lines = Lines { file, text };
    let tree = DeTable::parse(text).ok().map(|table| table.into_inner());
    let wrong = tree.as_ref().map(wrong_fields).unwrap_or_default();
    if !wrong.is_empty() {
        let others = without_unknown(text, &wrong).map(|scenario| {
            let mut check = Check { lines: Lines { file, text }, tree, problems: Vec::new() };
            check.scenario(&scenario);
            check.problems
        });
        let problems = wrong.into_iter().map(|wrong| lines.problem(wrong.at, wrong.message, wrong.remedy));
        return Err(problems.chain(others.unwrap_or_default()).collect());
    }
    let scenario: Scenario = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let (message, remedy) = syntax::plain(error.message(), text.get(span.clone()).unwrap_or_default());
        vec![lines.problem(span.start, message, remedy)]
    })?;
    let mut check = Check { lines, tree, problems: Vec::new() };
    check.scenario(&scenario);
    if check.problems.is_empty() { Ok(scenario) } else { Err(check.problems) }
}

/// Converts problems at entries of a scenario to problems of its file.
pub(super) fn at_entries(
    file: &str,
    text: &str,
    found: Vec<(Vec<Step<'_>>, String, String)>,
) -> Vec<Problem> {
    let tree = DeTable::parse(text).ok().map(|table| table.into_inner());
    let mut check = Check { lines: Lines { file, text }, tree, problems: Vec::new() };
    found.into_iter().for_each(|(path, message, remedy)| check.wrong(&path, message, remedy));
    check.problems
}

/// The most problems that one kind of check reports. A large table may have a problem in each row.
const MOST_TOLD: usize = 1_000;
/// The most names that a remedy lists.
const LISTED: usize = 30;

pub(crate) fn suggestion<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut seen = HashSet::new();
    let known: Vec<_> = known.filter(|name| !name.is_empty() && seen.insert(*name)).collect();
    let near = known.iter().map(|name| (strsim::damerau_levenshtein(wrong, name), name)).min();
    match near {
        Some((distance, name)) if distance <= 1 + wrong.len() / 3 => format!("write `{name}`"),
        _ if known.is_empty() => "there is none yet".into(),
        _ if known.len() > LISTED => {
            format!("there are {}, as {}", known.len(), known[..LISTED].join(", "))
        }
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
        let line = before.matches('\n').count() + 1;
        Problem { file: self.file.into(), line, column, message, remedy, severity: Severity::Error }
    }
}

struct Check<'a> {
    lines: Lines<'a>,
    tree: Option<DeTable<'a>>,
    problems: Vec<Problem>,
}

impl Check<'_> {
    /// The position of a value in the text. For a missing value, the position of its table.
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

    /// Whether a list is written at a path and is empty. A list that is left out means everybody or everywhere.
    fn is_empty_list(&self, (entry, n, key): (&str, usize, &str)) -> bool {
        let entries = self.tree.as_ref().and_then(|tree| tree.get(entry)?.get_ref().as_array());
        let list =
            entries.and_then(|entries| entries.get(n)?.get_ref().as_table()?.get(key)?.get_ref().as_array());
        list.is_some_and(|list| list.is_empty())
    }

    /// Checks a list that narrows an entry down to names.
    fn names(
        &mut self,
        (entry, n, key): (&'static str, usize, &'static str),
        what: &str,
        names: &[String],
        known: &[String],
    ) {
        let path = [Step::Key(entry), Step::At(n), Step::Key(key)];
        names.iter().for_each(|name| self.known(&path, what, name, known));
        if self.is_empty_list((entry, n, key)) {
            let message = format!("an empty `{key}` names no {what}");
            self.wrong(&path, message, format!("remove `{key}` for every {what}, or write names"));
        }
    }

    fn wrong(&mut self, path: &[Step<'_>], message: impl Into<String>, remedy: impl Into<String>) {
        self.add(Severity::Error, path, message.into(), remedy.into());
    }

    fn doubt(&mut self, path: &[Step<'_>], message: impl Into<String>, remedy: impl Into<String>) {
        self.add(Severity::Warning, path, message.into(), remedy.into());
    }

    fn add(&mut self, severity: Severity, path: &[Step<'_>], message: String, remedy: String) {
        if self.problems.len() < MOST_TOLD {
            let problem = self.lines.problem(self.position(path), message, remedy);
            self.problems.push(Problem { severity, ..problem });
        }
    }

    /// Checks a wait. `zero`: the error message for a wait of zero; `None` if zero is permitted.
    fn wait(&mut self, path: &[Step<'_>], text: &str, zero: Option<&str>) {
        match (read_wait(text), zero) {
            (Err(WaitError::NoWait), _) => self.wrong(
                path,
                format!("`{text}` is no wait"),
                "write a number and a unit: 90s, 5m, 2h, 3d, or 4h30m",
            ),
            (Err(WaitError::TooLong), _) => {
                self.wrong(path, format!("`{text}` is longer than ten years"), "write at most 3650d");
            }
            (Ok(wait), Some(zero)) if wait.is_zero() => self.wrong(path, zero, "write a longer wait"),
            (Ok(_), _) => {}
        }
    }

    /// Checks a list of search words: none may be empty.
    fn words(&mut self, path: &[Step<'_>], words: &[String]) {
        if words.iter().any(|word| word.trim().is_empty()) {
            self.wrong(path, "an empty word is in no text", "remove it, or write the word");
        }
    }

    fn text(&mut self, path: &[Step<'_>], text: &str) {
        if text.trim().is_empty() {
            self.wrong(path, "the text is empty", "write what is said");
        }
    }

    fn waits(&mut self, entry: &str, n: usize, at: &str, every: Option<&str>) {
        self.wait(&[Step::Key(entry), Step::At(n), Step::Key("at")], at, None);
        if let Some(every) = every {
            let zero = format!("`{every}` repeats without end at one moment");
            self.wait(&[Step::Key(entry), Step::At(n), Step::Key("every")], every, Some(&zero));
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
        let zero = "the scenario ends when it begins";
        self.wait(&[Step::Key("clock"), Step::Key("end")], &clock.end, Some(zero));
        if clock.words_per_minute == 0 {
            self.wrong(
                &[Step::Key("clock"), Step::Key("words_per_minute")],
                "nobody speaks at 0 words a minute",
                "write 150",
            );
        }
        self.stop(scenario);
        let places: Vec<_> = scenario.places.iter().map(|place| place.name.clone()).collect();
        self.unique("place", "place", &places);
        for (n, place) in places.iter().enumerate() {
            self.name("place", n, place);
        }
        if !self.fits(scenario) {
            return;
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
        self.measures(scenario, &places, &agents);
        self.events(scenario, agents.len());
        self.population(scenario);
    }

    fn stop(&mut self, scenario: &Scenario) {
        let stop = &scenario.stop;
        if let Some(silence) = &stop.silence {
            let zero = "each wait between two lines would be a silence";
            self.wait(&[Step::Key("stop"), Step::Key("silence")], silence, Some(zero));
        }
        let limits = [
            ("calls", stop.calls == Some(0)),
            ("tokens", stop.tokens == Some(0)),
            ("cost", stop.cost.is_some_and(|cost| !cost.is_finite() || cost <= 0.0)),
        ];
        for (key, is_none) in limits {
            if is_none {
                self.wrong(
                    &[Step::Key("stop"), Step::Key(key)],
                    format!("with this `{key}` the run ends with its first call"),
                    "write a number above 0, or remove it for no limit",
                );
            }
        }
    }

    fn name(&mut self, entry: &str, n: usize, name: &str) {
        if name.parse::<PersonaName>().is_err() {
            let path = [Step::Key(entry), Step::At(n), Step::Key("name")];
            self.wrong(&path, format!("`{name}` is no name"), "use small letters, digits, `-` and `_`");
        }
    }

    /// Checks a name for tables and the report. It may be any non-empty text.
    fn title(&mut self, entry: &str, n: usize, name: &str) {
        if name.trim().is_empty() {
            let path = [Step::Key(entry), Step::At(n), Step::Key("name")];
            self.wrong(
                &path,
                format!("this {entry} has an empty name"),
                "write what tables and report call it",
            );
        }
    }

    /// Checks a template: all names in braces must be known.
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

    /// Checks a template that agents say or hear. Also fills it in with sample texts.
    fn speech(&mut self, path: &[Step<'_>], text: &str, known: &[&str]) {
        let before = self.problems.len();
        self.template(path, text, known);
        let value = |name: &str| match name {
            "time" => "8:05",
            "others" => "Ada, Bo",
            _ => "Ada",
        };
        let names: BTreeMap<&str, &str> = known.iter().map(|name| (*name, value(name))).collect();
        if self.problems.len() == before
            && let Err(error) = filled_strictly(text, minijinja::Value::from_serialize(names))
        {
            let why = error.detail().map_or_else(|| error.kind().to_string(), ToOwned::to_owned);
            let remedy = "names are texts: write them as `{{ me }}`, without fields";
            self.wrong(path, format!("a text cannot be filled in: {why}"), remedy);
        }
    }
}
