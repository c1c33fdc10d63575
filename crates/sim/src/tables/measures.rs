//! Computes measures as curves: the measures of the scenario, the values of a population, and for agents the number of
//! lines and the spread of topics.

use std::collections::BTreeMap;

use serde::Serialize;

use super::presence::Stay;
use crate::{
    scenario::{Measure, holds_one},
    trace::{Line, LineKind},
};

/// How the report draws a curve between its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shape {
    /// The value stays constant until the next point.
    Steps,
    /// The value exists at the points only.
    Points,
    /// The value changes linearly between points.
    Line,
}

/// A measure over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Curve {
    pub(crate) measure: String,
    /// The counted unit: `lines`, `answers`, `agents`. Empty for values of a population.
    pub(crate) unit: &'static str,
    pub(crate) shape: Shape,
    /// Milliseconds from the start and values, sorted by time, one per time.
    pub(crate) points: Vec<(i64, f64)>,
}

impl Curve {
    fn new(measure: &str, unit: &'static str, shape: Shape) -> Self {
        Self { measure: measure.into(), unit, shape, points: Vec::new() }
    }

    /// Adds a point. Of several points at one time, the last one stays.
    fn add(&mut self, ms: i64, value: f64) {
        match self.points.last_mut() {
            Some((last, known)) if *last == ms => *known = value,
            _ => self.points.push((ms, value)),
        }
    }

    fn last(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, value)| *value)
    }
}

impl Measure {
    fn is_of(&self, who: &str) -> bool {
        self.who.is_empty() || self.who.iter().any(|known| known == who)
    }

    fn counts(&self, line: &Line) -> bool {
        let is_of_kind = match &self.probe {
            Some(probe) => line.kind == LineKind::Probe && line.probe.as_ref() == Some(probe),
            None => line.kind == LineKind::Said,
        };
        is_of_kind
            && self.is_of(&line.who)
            && (self.places.is_empty() || self.places.contains(&line.place))
            && match self.words.is_empty() {
                true => self.without.is_empty() || !holds_one(&self.without, &[], line.answer()),
                false => holds_one(&self.words, &self.without, line.answer()),
            }
    }

    fn curve(&self, lines: &[Line], stays: &[Stay]) -> Curve {
        match (&self.present, &self.probe) {
            (Some(place), _) => self.presence(place, stays),
            (None, Some(_)) if self.mean => self.mean(lines),
            (None, Some(_)) => self.answers(lines),
            (None, None) => {
                let mut curve = Curve::new(&self.name, "lines", Shape::Steps);
                lines
                    .iter()
                    .filter(|line| self.counts(line))
                    .for_each(|line| curve.add(line.ms, curve.last() + 1.0));
                curve
            }
        }
    }

    /// The number of matching answers, for each time the probe is asked. Each time starts at zero, because agents may
    /// change their minds.
    fn answers(&self, lines: &[Line]) -> Curve {
        let mut curve = Curve::new(&self.name, "answers", Shape::Points);
        let mut counts: BTreeMap<i64, u32> = BTreeMap::new();
        for (asked, line) in lines.iter().filter(|line| line.probe == self.probe).filter_map(asking) {
            *counts.entry(asked).or_default() += u32::from(self.counts(line));
        }
        curve.points = counts.into_iter().map(|(asked, count)| (asked, f64::from(count))).collect();
        curve
    }

    /// The mean of the chosen numbers, for each time the probe is asked. No point if no agent chose a number.
    fn mean(&self, lines: &[Line]) -> Curve {
        let mut curve = Curve::new(&self.name, "on average", Shape::Points);
        let mut chosen: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for (asked, line) in lines.iter().filter(|line| self.counts(line)).filter_map(asking) {
            chosen.entry(asked).or_default().extend(line.answer().parse::<f64>());
        }
        chosen.retain(|_, numbers| !numbers.is_empty());
        let mean = |numbers: Vec<f64>| numbers.iter().sum::<f64>() / numbers.len() as f64;
        curve.points = chosen.into_iter().map(|(asked, numbers)| (asked, mean(numbers))).collect();
        curve
    }

    fn presence(&self, place: &str, stays: &[Stay]) -> Curve {
        let mut changes = BTreeMap::from([(0, 0.0)]);
        for stay in stays.iter().filter(|stay| stay.place == place && self.is_of(&stay.agent)) {
            *changes.entry(stay.from).or_default() += 1.0;
            if !stay.stays {
                *changes.entry(stay.until).or_default() -= 1.0;
            }
        }
        let mut curve = Curve::new(&self.name, "agents", Shape::Steps);
        changes.into_iter().for_each(|(ms, change)| curve.add(ms, curve.last() + change));
        curve
    }
}

/// A line of a probe with the time at which it was asked.
fn asking(line: &Line) -> Option<(i64, &Line)> {
    line.asked.map(|asked| (asked, line))
}

/// The curves of a run, sorted by name.
pub(crate) fn curves(lines: &[Line], measures: &[Measure], stays: &[Stay]) -> Vec<Curve> {
    // the trace is in the order of planned times, but speaking takes time, so the lines' own times may differ
    let mut lines = lines.to_vec();
    lines.sort_by_key(|line| line.ms);
    let mut curves = built_in_curves(&lines);
    curves.extend(measures.iter().map(|measure| measure.curve(&lines, stays)));
    curves.sort_by(|a, b| a.measure.cmp(&b.measure));
    curves
}

fn built_in_curves(lines: &[Line]) -> Vec<Curve> {
    let mut curves: BTreeMap<String, Curve> = BTreeMap::new();
    let mut of = |name: String, unit, shape, ms, value: Option<f64>| {
        let curve = curves.entry(name.clone()).or_insert_with(|| Curve::new(&name, unit, shape));
        curve.add(ms, value.unwrap_or_else(|| curve.last() + 1.0));
    };
    for line in lines {
        match line.kind {
            LineKind::Value => of(line.who.clone(), "", Shape::Line, line.ms, line.value.or(Some(0.0))),
            LineKind::Said => of("said".into(), "lines", Shape::Steps, line.ms, None),
            _ => {}
        }
        for learned in &line.learned {
            let Some((_, topic)) = learned.split_once(':') else { continue };
            of(format!("told of {topic}"), "agents", Shape::Steps, line.ms, None);
        }
    }
    curves.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &str, words: &[&str], probe: Option<&str>) -> Measure {
        Measure {
            name: name.into(),
            words: words.iter().map(ToString::to_string).collect(),
            without: Vec::new(),
            probe: probe.map(str::to_owned),
            present: None,
            who: Vec::new(),
            places: Vec::new(),
            mean: false,
        }
    }

    fn points(found: &[Curve], name: &str) -> Vec<(i64, f64)> {
        found.iter().find(|curve| curve.measure == name).map(|curve| curve.points.clone()).unwrap_or_default()
    }

    #[test]
    fn sm9_a_measure_counts_lines_and_answers_to_a_probe() {
        let said = |ms, who: &str, text: &str| Line::new(ms, "cafe", LineKind::Said, who, text);
        let answer = |ms, who: &str, text: &str| Line {
            probe: Some("party".into()),
            asked: Some(ms - ms % 4),
            ..Line::new(ms, "cafe", LineKind::Probe, who, text)
        };
        let lines = [
            said(1, "ada", "Thank you!"),
            said(2, "bo", "Thanks? For what."),
            answer(5, "ada", "Yes, I come."),
            answer(6, "bo", "Yes: later, from a place where much is said."),
            said(6, "bo", "thank you"),
            answer(9, "ada", "yes"),
            answer(9, "bo", "Yes!"),
        ];
        let measures = [measure("thanks", &["thank"], None), measure("coming", &["yes"], Some("party"))];
        let found = curves(&lines, &measures, &[]);
        assert_eq!(points(&found, "thanks"), [(1, 1.0), (6, 2.0)]);
        assert_eq!(points(&found, "coming"), [(4, 2.0), (8, 2.0)]);
    }

    #[test]
    fn sm9_a_curve_counts_who_knows_a_topic() {
        let line = Line {
            heard: vec!["jo".into()],
            learned: vec!["jo:party".into(), "max:party".into()],
            ..Line::new(5, "cafe", LineKind::Said, "ada", "the party")
        };
        let found = curves(std::slice::from_ref(&line), &[], &[]);
        assert_eq!(points(&found, "told of party"), [(5, 2.0)]);
    }

    #[test]
    fn sm9_a_measure_counts_who_is_in_a_place() {
        let stay = |agent: &str, place: &str, from, until| Stay {
            agent: agent.into(),
            place: place.into(),
            from,
            until,
            stays: until == 20,
        };
        let stays = [
            stay("ada", "home", 0, 5),
            stay("bo", "party", 0, 9),
            stay("ada", "party", 5, 20),
            stay("bo", "home", 9, 20),
        ];
        let come = Measure { present: Some("party".into()), ..measure("come", &[], None) };
        let ada = Measure { name: "ada".into(), who: vec!["ada".into()], ..come.clone() };
        let found = curves(&[], &[come, ada], &stays);
        assert_eq!(points(&found, "come"), [(0, 1.0), (5, 2.0), (9, 1.0)]);
        assert_eq!(points(&found, "ada"), [(0, 0.0), (5, 1.0)]);
    }

    #[test]
    fn sm9_a_measure_is_the_mean_of_the_numbers_that_were_chosen() {
        let answer = |ms, who: &str, choice: &str| Line {
            probe: Some("mood".into()),
            asked: Some(ms),
            choice: Some(choice.into()),
            ..Line::new(ms, "cafe", LineKind::Probe, who, "I would say 2 of 5.")
        };
        let lines = [answer(5, "ada", "4"), answer(5, "bo", "1"), answer(9, "ada", "5"), answer(9, "bo", "")];
        let mood = Measure { mean: true, ..measure("mood", &[], Some("mood")) };
        assert_eq!(points(&curves(&lines, &[mood], &[]), "mood"), [(5, 2.5), (9, 5.0)]);
        let high = measure("high", &["4", "5"], Some("mood"));
        assert_eq!(points(&curves(&lines, &[high], &[]), "high"), [(5, 1.0), (9, 1.0)]);
    }

    #[test]
    fn sm9_a_measure_leaves_out_answers_that_deny() {
        let answer = |text: &str| Line {
            probe: Some("invited".into()),
            ..Line::new(1, "cafe", LineKind::Probe, "ada", text)
        };
        let without = vec!["no".to_owned(), "not".to_owned()];
        let heard = Measure { without, ..measure("heard", &["party"], Some("invited")) };
        assert!(heard.counts(&answer("Isabella gives a party. I know of nothing else.")));
        assert!(!heard.counts(&answer("No, I have not heard of any party.")));
        let any = Measure { words: Vec::new(), ..heard };
        assert!(any.counts(&answer("Perhaps.")) && !any.counts(&answer("No.")));
    }
}
