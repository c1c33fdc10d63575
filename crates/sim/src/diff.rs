//! Compares two runs (SM5): finds the first different line, and the lines that depend on it through who heard what.

use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
};

use serde::Serialize;

use crate::{
    error::SimError,
    run::Run,
    trace::{Line, LineKind, read},
};

/// The first difference of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The number of the first different line, from 1.
    pub line: usize,
    /// The line in the first run; `None` if that run has ended, or if only the second one has the line.
    pub a: Option<Line>,
    /// The line in the second run; `None` if that run has ended, or if only the first one has the line.
    pub b: Option<Line>,
    /// The agents that the difference reached in either run: they heard the line, or heard a reached agent.
    pub reached: Vec<String>,
    /// For the first run: the number of later lines by reached agents, and of all later lines.
    pub depend_a: (usize, usize),
    /// The same for the second run.
    pub depend_b: (usize, usize),
    /// The first dependent lines of the second run.
    pub first_b: Vec<Line>,
}

/// The number of dependent lines in `first_b`.
const NAMED: usize = 5;

/// Compares the traces of two runs. Ignores receipts.
///
/// # Errors
/// A trace cannot be read.
pub fn diff(a: &Path, b: &Path) -> Result<Option<Difference>, SimError> {
    let mut deciding = HashSet::new();
    for run in [a, b] {
        let moves = Run::open(run)?.last_scenario()?.moves;
        deciding.extend(moves.into_iter().filter_map(|step| step.probe));
    }
    Ok(first_difference(&read(&a.join("trace.jsonl"))?, &read(&b.join("trace.jsonl"))?, &deciding))
}

/// Compares lines. `deciding`: the probes whose answers decide on moves.
fn first_difference(a: &[Line], b: &[Line], deciding: &HashSet<String>) -> Option<Difference> {
    let plain = |line: &Line| Line { context: None, tokens: None, ..line.clone() };
    let same = a.iter().zip(b).take_while(|(a, b)| plain(a) == plain(b)).count();
    if same == a.len() && same == b.len() {
        return None;
    }
    let (rest_a, rest_b) = (&a[same..], &b[same..]);
    // how many lines only one of the runs has, before the next line of the other one
    let before_first_of = |other: &[Line], rest: &[Line]| {
        let first = plain(other.first()?);
        rest.iter().position(|line| plain(line) == first)
    };
    let (only_a, only_b) = (before_first_of(rest_b, rest_a), before_first_of(rest_a, rest_b));
    let is_only_of_b = only_b.is_some_and(|in_b| only_a.is_none_or(|in_a| in_b <= in_a));
    let first_a = rest_a.first().filter(|_| !is_only_of_b);
    let first_b = rest_b.first().filter(|_| is_only_of_b || only_a.is_none());
    let later_a = &rest_a[usize::from(first_a.is_some())..];
    let later_b = &rest_b[usize::from(first_b.is_some())..];
    // a run without the line is compared with what the line reached in the other run
    let (reached_a, depend_a) = dependent(first_a.or(first_b)?, later_a, deciding);
    let (reached_b, depend_b) = dependent(first_b.or(first_a)?, later_b, deciding);
    Some(Difference {
        line: same + 1,
        a: first_a.cloned(),
        b: first_b.cloned(),
        reached: reached_a.union(&reached_b).cloned().collect(),
        depend_a: (depend_a.len(), later_a.len()),
        depend_b: (depend_b.len(), later_b.len()),
        first_b: depend_b.into_iter().take(NAMED).cloned().collect(),
    })
}

/// The agents that a line reaches, and the later lines that depend on it.
fn dependent<'a>(
    first: &'a Line,
    later: &'a [Line],
    deciding: &HashSet<String>,
) -> (BTreeSet<String>, Vec<&'a Line>) {
    let mut reached: HashSet<&str> = first.heard.iter().map(String::as_str).collect();
    // the answer to a probe is not stored, so it only affects moves
    let acts = first.probe.as_ref().is_none_or(|probe| deciding.contains(probe));
    if !matches!(first.kind, LineKind::Told | LineKind::Value) && acts {
        reached.insert(&first.who);
    }
    let mut depend = Vec::new();
    for line in later {
        if reached.contains(line.who.as_str()) {
            reached.extend(line.heard.iter().map(String::as_str));
            depend.push(line);
        }
    }
    (reached.into_iter().map(str::to_owned).collect(), depend)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(who: &str, heard: &[&str], text: &str) -> Line {
        let heard = heard.iter().map(ToString::to_string).collect();
        Line { heard, ..Line::new(0, "p", LineKind::Said, who, text) }
    }

    #[test]
    fn sm5_nothing_depends_on_the_answer_to_a_probe_that_decides_nothing() {
        let answer = Line { probe: Some("mood".into()), ..said("ada", &[], "good") };
        let a = [answer, said("ada", &["jo"], "b")];
        let mut b = a.clone();
        b[0].text = "bad".into();
        let found = first_difference(&a, &b, &HashSet::new()).unwrap();
        assert_eq!((found.reached.len(), found.depend_a, found.depend_b), (0, (0, 1), (0, 1)));
        let found = first_difference(&a, &b, &["mood".to_owned()].into()).unwrap();
        assert_eq!(found.reached.join(" "), "ada jo", "the answer decides where she goes");
    }

    #[test]
    fn sm5_a_line_that_only_one_run_has_is_the_difference_and_not_the_line_beside_it() {
        let a = [said("ada", &["jo"], "a"), said("ada", &["jo"], "b"), said("max", &["kim"], "c")];
        for (heard, reached, depend) in [(&[][..], "", 0), (&["max"], "kim max", 1)] {
            let inserted = Line { kind: LineKind::Told, ..said("Narrator", heard, "An empty room.") };
            let b = [&a[..1], std::slice::from_ref(&inserted), &a[1..]].concat();
            let found = first_difference(&a, &b, &HashSet::new()).unwrap();
            assert_eq!((found.line, &found.a, found.b.as_ref()), (2, &None, Some(&inserted)));
            assert_eq!(found.reached.join(" "), reached);
            assert_eq!((found.depend_a, found.depend_b), ((depend, 2), (depend, 2)));
            let found = first_difference(&b, &a, &HashSet::new()).unwrap();
            assert_eq!((found.a.as_ref(), &found.b), (Some(&inserted), &None));
        }
    }

    #[test]
    fn sm5_a_difference_names_the_first_line_and_what_comes_of_it() {
        let a = [
            said("ada", &["jo"], "a"),
            said("ada", &["jo"], "b"),
            said("max", &["kim"], "c"),
            said("jo", &["lea"], "d"),
        ];
        let mut b = a.clone();
        b[1].text = "x".into();
        let found = first_difference(&a, &b, &HashSet::new()).unwrap();
        assert_eq!((found.line, found.reached.join(" ")), (2, "ada jo lea".into()));
        assert_eq!((found.depend_a, found.depend_b), ((1, 2), (1, 2)), "what max says does not depend on it");
        assert_eq!(first_difference(&a, &a, &HashSet::new()), None);
        assert_eq!(first_difference(&a, &a[..2], &HashSet::new()).unwrap().b, None);
    }
}
