//! The counters of a runtime for Prometheus: turns, the time of their steps, tokens, recalls.
//!
//! Counting costs a turn next to nothing: a turn looks its persona's counters up once, they are atomics, and an
//! observation allocates nothing.

use std::sync::Arc;

use dashmap::DashMap;
use greenroom_core::{PersonaName, Usage, real_time};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};
use tracing::{Instrument, Span};

/// The buckets in seconds: from the assembly of a short context to the longest usual turn.
const SECONDS: [f64; 18] = [
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    10.0, 30.0, 120.0,
];

/// The counters of one runtime.
pub(crate) struct Metrics {
    /// How long each step took.
    pub(crate) steps: Steps,
    personas: DashMap<PersonaName, Arc<PersonaCounters>>,
    step_seconds: Family<StepLabel, Histogram>,
    turns: Family<TurnLabels, Counter>,
    tokens: Family<TokenLabels, Counter>,
    cost: Family<PersonaLabel, Counter>,
    recalls: Family<RecallLabels, Counter>,
}

/// How long each step of a turn took. Tool rounds and retries are separate observations.
pub(crate) struct Steps {
    pub(crate) recall: Histogram,
    pub(crate) assemble: Histogram,
    /// From the first model call to the first piece of its answer, once per turn.
    pub(crate) first_token: Histogram,
    pub(crate) model: Histogram,
    pub(crate) tools: Histogram,
    pub(crate) commit: Histogram,
    /// From the cue to the last event.
    pub(crate) turn: Histogram,
}

/// The counters of one persona.
pub(crate) struct PersonaCounters {
    done: Counter,
    failed: Counter,
    cancelled: Counter,
    prompt: Counter,
    completion: Counter,
    cost: Counter,
    hit: Counter,
    empty: Counter,
    degraded: Counter,
}

/// How a turn ended, for its counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    Failed,
    Cancelled,
}

/// The result of a recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecallOutcome {
    /// Recall found something.
    Hit,
    /// Recall found nothing.
    Empty,
    /// The embedder was down, or the time was up (L20).
    Degraded,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StepLabel {
    step: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TurnLabels {
    persona: String,
    end: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PersonaLabel {
    persona: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    persona: String,
    direction: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RecallLabels {
    persona: String,
    result: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        let step_seconds: Family<StepLabel, Histogram> =
            Family::new_with_constructor(|| Histogram::new(SECONDS));
        let step = |step| step_seconds.get_or_create_owned(&StepLabel { step });
        let steps = Steps {
            recall: step("recall"),
            assemble: step("assemble"),
            first_token: step("first_token"),
            model: step("model"),
            tools: step("tools"),
            commit: step("commit"),
            turn: step("turn"),
        };
        let (turns, tokens, recalls) = (Family::default(), Family::default(), Family::default());
        Self {
            steps,
            personas: DashMap::new(),
            step_seconds,
            turns,
            tokens,
            cost: Family::default(),
            recalls,
        }
    }
}

impl Metrics {
    /// The counters of a persona.
    pub(crate) fn of(&self, persona: &PersonaName) -> Arc<PersonaCounters> {
        if let Some(counters) = self.personas.get(persona) {
            return counters.clone();
        }
        self.personas.entry(persona.clone()).or_insert_with(|| Arc::new(self.counters(persona))).clone()
    }

    fn counters(&self, persona: &PersonaName) -> PersonaCounters {
        let name = || persona.to_string();
        let turns = |end| self.turns.get_or_create_owned(&TurnLabels { persona: name(), end });
        let tokens = |direction| self.tokens.get_or_create_owned(&TokenLabels { persona: name(), direction });
        let recalls = |result| self.recalls.get_or_create_owned(&RecallLabels { persona: name(), result });
        PersonaCounters {
            done: turns("done"),
            failed: turns("failed"),
            cancelled: turns("cancelled"),
            prompt: tokens("prompt"),
            completion: tokens("completion"),
            cost: self.cost.get_or_create_owned(&PersonaLabel { persona: name() }),
            hit: recalls("hit"),
            empty: recalls("empty"),
            degraded: recalls("degraded"),
        }
    }

    /// Registers all counters.
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register("turns", "Turns that ended, by persona and how", self.turns.clone());
        registry.register(
            "turn_step_seconds",
            "How long the steps of a turn took, and the whole turn",
            self.step_seconds.clone(),
        );
        registry.register(
            "tokens",
            "Tokens of turns that ended, by persona and direction",
            self.tokens.clone(),
        );
        registry.register(
            "cost_micros",
            "Cost of turns that ended, by persona, in millionths of the currency of the prices",
            self.cost.clone(),
        );
        registry.register("recalls", "Recalls by persona and what they came to", self.recalls.clone());
    }
}

impl PersonaCounters {
    /// Counts a turn that ended.
    pub(crate) fn ended(&self, end: End, usage: Usage) {
        match end {
            End::Done => self.done.inc(),
            End::Failed => self.failed.inc(),
            End::Cancelled => self.cancelled.inc(),
        };
        self.prompt.inc_by(usage.prompt_tokens);
        self.completion.inc_by(usage.completion_tokens);
        self.cost.inc_by(usage.cost_micros);
    }

    /// Counts a recall.
    pub(crate) fn recalled(&self, outcome: RecallOutcome) {
        match outcome {
            RecallOutcome::Hit => self.hit.inc(),
            RecallOutcome::Empty => self.empty.inc(),
            RecallOutcome::Degraded => self.degraded.inc(),
        };
    }
}

/// Runs one step of a turn in its own span and records its duration. An interrupted step is not recorded.
pub(crate) async fn step<T>(span: Span, seconds: &Histogram, work: impl Future<Output = T>) -> T {
    let begun = real_time().instant();
    let done = work.instrument(span).await;
    seconds.observe(real_time().elapsed(begun).as_secs_f64());
    done
}

/// The same for a step that does not wait.
pub(crate) fn step_at_once<T>(span: &Span, seconds: &Histogram, work: impl FnOnce() -> T) -> T {
    let begun = real_time().instant();
    let done = span.in_scope(work);
    seconds.observe(real_time().elapsed(begun).as_secs_f64());
    done
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text;

    use super::*;

    #[test]
    fn what_is_counted_stands_in_the_registry_under_its_persona() {
        let metrics = Metrics::default();
        let mut registry = Registry::with_prefix("greenroom");
        metrics.register(&mut registry);
        let ada = metrics.of(&"ada".parse().unwrap());
        let usage = Usage { prompt_tokens: 10, completion_tokens: 3, ..Usage::default() };
        ada.ended(End::Done, usage);
        ada.ended(End::Failed, usage);
        metrics.of(&"ada".parse().unwrap()).recalled(RecallOutcome::Hit);
        step_at_once(&Span::none(), &metrics.steps.assemble, || ());
        let mut out = String::new();
        text::encode(&mut out, &registry).unwrap();
        for line in [
            r#"greenroom_turns_total{persona="ada",end="done"} 1"#,
            r#"greenroom_turns_total{persona="ada",end="cancelled"} 0"#,
            r#"greenroom_tokens_total{persona="ada",direction="prompt"} 20"#,
            r#"greenroom_recalls_total{persona="ada",result="hit"} 1"#,
            r#"greenroom_turn_step_seconds_count{step="assemble"} 1"#,
            r#"greenroom_turn_step_seconds_count{step="commit"} 0"#,
        ] {
            assert!(out.lines().any(|found| found == line), "{line} is missing in\n{out}");
        }
    }
}
