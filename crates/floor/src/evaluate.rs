//! Measures floor control on labelled group chats (RM6), with the window and the decision of a live room.
//!
//! Every speaker of a log counts as a persona that answers what is addressed to it. Task T1: whom does a message
//! answer? Task T2: does a participant speak now?

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::decision::{Inputs, RoomPolicy, decide};
use crate::log::{Log, Truth};
use crate::members::Members;
use crate::model::Model;
use crate::window::Window;

/// Figures of an evaluation. Shares are percentages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Task T1: whom a message answers.
    pub t1: Addressee,
    /// Task T2: who speaks.
    pub t2: Speaking,
    /// Microseconds of CPU for a message and the decision on it, for all members.
    #[serde(serialize_with = "rounded")]
    pub decision_us: f64,
    /// Decisions that were timed.
    pub decisions: usize,
    /// The figures of each log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogReport>,
}

/// Figures of one log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogReport {
    /// The log.
    pub id: String,
    /// Task T1: whom a message answers.
    pub t1: Addressee,
    /// Task T2: who speaks.
    pub t2: Speaking,
}

/// Task T1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Addressee {
    /// The share of right answers.
    #[serde(serialize_with = "rounded")]
    pub accuracy: f64,
    /// Messages that answer another speaker.
    pub messages: usize,
    /// How many of them are right.
    pub right: usize,
}

/// Task T2. The F1 point and the point for balanced accuracy were chosen on training logs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speaking {
    /// Mean of the recall of speaking and of silence, at the point for balanced accuracy.
    #[serde(serialize_with = "rounded")]
    pub balanced: f64,
    /// At the F1 point.
    #[serde(serialize_with = "rounded")]
    pub f1: f64,
    /// At the F1 point.
    #[serde(serialize_with = "rounded")]
    pub precision: f64,
    /// At the F1 point.
    #[serde(serialize_with = "rounded")]
    pub recall: f64,
    /// Over all thresholds.
    #[serde(serialize_with = "rounded")]
    pub average_precision: f64,
    /// Decisions.
    pub decisions: usize,
    /// In how many of them the participant has to speak.
    pub speak: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((value * 100.0).round() / 100.0)
}

/// The decisions in one or more logs.
#[derive(Debug, Clone, Default)]
struct Tally {
    right: usize,
    messages: usize,
    /// Probabilities of speaking, and whether the participant spoke.
    spoke: Vec<(f32, bool)>,
}

/// Evaluates the built-in model. `cpu` returns the CPU time that this thread has used; any clock will do.
///
/// Logs whose id begins with `train/` are left out if there are others.
pub fn evaluate(logs: &[Log], cpu: &dyn Fn() -> Duration) -> Report {
    let measured: Vec<&Log> = logs.iter().filter(|log| !log.id.starts_with("train/")).collect();
    let measured = if measured.is_empty() { logs.iter().collect() } else { measured };
    evaluate_with(Model::built_in(), &measured, cpu)
}

/// Evaluates a model of the caller's choice on logs of its choice.
pub fn evaluate_with(model: &'static Model, logs: &[&Log], cpu: &dyn Fn() -> Duration) -> Report {
    let (mut all, mut reports) = (Tally::default(), Vec::new());
    let (mut spent, mut decisions) = (Duration::ZERO, 0);
    for log in logs {
        let truth = Truth::of(log);
        let mut tally = Tally::default();
        let (mut members, mut window) = (Members::new(), Window::with(model));
        for line in log.messages.iter().filter(|line| !line.system) {
            if members.get(&line.author()).is_none() {
                members.insert(line.member());
            }
            let message = line.message();
            let before = cpu();
            window.push(&message, &members);
            let decision = decide(&window, &message, &members, RoomPolicy::Free, &Inputs::default());
            spent += cpu().saturating_sub(before);
            decisions += 1;
            let addressees = truth.addressees(line.n);
            if !addressees.is_empty() {
                tally.messages += 1;
                tally.right +=
                    usize::from(decision.answers.first().is_some_and(|(id, _)| addressees.contains(&id)));
            }
            let around = decision.verdicts.iter().filter(|v| v.evidence.silent_for.is_some());
            tally
                .spoke
                .extend(around.filter_map(|v| Some((v.evidence.speaks, truth.speaks(line.n, &v.member)?))));
        }
        all.right += tally.right;
        all.messages += tally.messages;
        all.spoke.extend(&tally.spoke);
        reports.push(LogReport { id: log.id.clone(), t1: tally.addressee(), t2: tally.speaking(model) });
    }
    let decision_us = spent.as_secs_f64() * 1e6 / decisions.max(1) as f64;
    Report { t1: all.addressee(), t2: all.speaking(model), decision_us, decisions, logs: reports }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

impl Tally {
    fn addressee(&self) -> Addressee {
        Addressee { accuracy: percent(self.right, self.messages), messages: self.messages, right: self.right }
    }

    fn speaking(&self, model: &Model) -> Speaking {
        let speak = self.spoke.iter().filter(|(_, truth)| *truth).count();
        let silent = self.spoke.len() - speak;
        let at = |threshold: f32| {
            let chosen = self.spoke.iter().filter(|(p, _)| *p >= threshold);
            let right = chosen.clone().filter(|(_, truth)| *truth).count();
            (right, chosen.count() - right)
        };
        let (hits, false_alarms) = at(model.speaks);
        let (wide_hits, wide_alarms) = at(model.speaks_balanced);
        Speaking {
            balanced: (percent(wide_hits, speak) + percent(silent - wide_alarms, silent)) / 2.0,
            f1: percent(2 * hits, hits + false_alarms + speak),
            precision: percent(hits, hits + false_alarms),
            recall: percent(hits, speak),
            average_precision: self.average_precision(speak),
            decisions: self.spoke.len(),
            speak,
        }
    }

    /// The sum over thresholds of the gain in recall times the precision there; equal probabilities are one threshold.
    fn average_precision(&self, speak: usize) -> f64 {
        let mut sorted = self.spoke.clone();
        sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut hits, mut taken, mut sum) = (0, 0, 0.0);
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            let found = same.iter().filter(|(_, truth)| *truth).count();
            hits += found;
            taken += same.len();
            sum += percent(found, speak) * hits as f64 / taken as f64;
        }
        sum
    }
}
