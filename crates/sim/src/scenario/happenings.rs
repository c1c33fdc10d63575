//! The types of events in a scenario file: messages, moves, encounters, topics, probes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is said in a place at given times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When, from the start.
    #[serde(default = "at_once")]
    pub at: String,
    /// Again after so long, until the end.
    #[serde(default)]
    pub every: Option<String>,
    /// Where.
    pub place: String,
    /// Who says it: anyone but an agent.
    #[serde(default = "narrator")]
    pub from: String,
    /// The agent that is to answer; without one the place decides.
    #[serde(default)]
    pub to: Option<String>,
    /// The text.
    pub say: String,
}

fn at_once() -> String {
    "0s".into()
}

fn narrator() -> String {
    crate::place::NARRATOR.into()
}

/// Who goes where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// When, from the start.
    pub at: String,
    /// Again after so long, until the end.
    #[serde(default)]
    pub every: Option<String>,
    /// Who; left out for everybody.
    #[serde(default)]
    pub who: Vec<String>,
    /// Where to.
    pub to: String,
    /// Only those that know this topic.
    #[serde(default)]
    pub knows: Option<String>,
    /// Only those whose last answer to this probe has one of `words`: who says so, goes.
    #[serde(default)]
    pub probe: Option<String>,
    /// Words of that answer.
    #[serde(default)]
    pub words: Vec<String>,
    /// Words that such an answer must not have: "not", "no".
    #[serde(default)]
    pub without: Vec<String>,
    /// In this share of cases, drawn for each agent.
    #[serde(default)]
    pub chance: Option<f64>,
}

/// Agents in the same place begin to talk: one of them, drawn, is told who is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Encounter {
    /// The first, from the start.
    #[serde(default = "at_once")]
    pub at: String,
    /// How often.
    pub every: String,
    /// Up to so much later, drawn for each place and time: people do not meet everywhere at the same moment.
    #[serde(default)]
    pub jitter: Option<String>,
    /// Where; left out for every place.
    #[serde(default)]
    pub places: Vec<String>,
    /// In this share of cases, drawn.
    #[serde(default)]
    pub chance: Option<f64>,
    /// What the agent is told; `{{ me }}`, `{{ others }}`, `{{ place }}`, `{{ time }}` stand for names.
    pub say: String,
}

/// What spreads: who hears one of the words knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// What it is called.
    pub name: String,
    /// What gives it away, in any case.
    pub words: Vec<String>,
    /// Who knows it from the start.
    #[serde(default)]
    pub known_by: Vec<String>,
}

/// A question to agents that does not change the story: nothing of it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// What it is called in the tables.
    pub name: String,
    /// When, from the start.
    pub at: String,
    /// Again after so long, until the end.
    #[serde(default)]
    pub every: Option<String>,
    /// Whom; left out for everybody.
    #[serde(default)]
    pub who: Vec<String>,
    /// The question.
    pub ask: String,
    /// What may be answered, as `["yes", "no"]` or `["1", "2", "3"]`. An answer that names none of them, or several, is asked
    /// for once more, and chooses nothing if it does so again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}
