//! The types of agents and scripts in a scenario file.

use std::{collections::BTreeMap, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentEntry {
    /// The name of its persona.
    pub name: String,
    /// Its persona file, relative to the scenario; the same file plays in a live chat.
    #[serde(default)]
    pub persona: Option<PathBuf>,
    /// What it is, where it has no file.
    #[serde(default)]
    pub prompt: Option<String>,
    /// What others call it, where it has no file.
    #[serde(default)]
    pub display_name: Option<String>,
    /// Where it begins.
    pub at: String,
    /// What answers for it: the name of a `[[mind]]`, or `model`.
    #[serde(default = "model")]
    pub mind: String,
    /// To what it answers, instead of what its file says: `mentioned`, `addressed`, `relevant`,
    /// `talkative`, `always`, `never`.
    #[serde(default)]
    pub answer: Option<String>,
    /// With `answer = "talkative"`, the share of what it answers unasked.
    #[serde(default)]
    pub talkativeness: Option<f32>,
}

fn model() -> String {
    "model".into()
}

/// Agents from a template and a table of people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CastTable {
    /// A persona file with `{{ column }}` where a person's value stands, relative to the scenario.
    #[serde(default)]
    pub template: Option<PathBuf>,
    /// Such a template as text: what the persona is.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The people, one row each, with `name` and what the template uses. `at` and `mind` may be columns.
    #[serde(default)]
    pub rows: Vec<BTreeMap<String, String>>,
    /// Instead of rows: so many people `NAME-1`, `NAME-2` …
    #[serde(default)]
    pub generate: Option<Generate>,
    /// Where they begin, without a column `at`.
    #[serde(default)]
    pub at: Option<String>,
    /// What answers for them, without a column `mind`.
    #[serde(default = "model")]
    pub mind: String,
    /// As that of an agent.
    #[serde(default)]
    pub answer: Option<String>,
    /// As that of an agent.
    #[serde(default)]
    pub talkativeness: Option<f32>,
}

/// A generated population: people with values drawn from lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generate {
    /// How many.
    pub count: u32,
    /// Their names begin so.
    pub name: String,
    /// For each column the values it is drawn from.
    #[serde(default)]
    pub draw: BTreeMap<String, Vec<String>>,
}

/// A script that answers for agents: the first rule that applies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// What agents name it by.
    pub name: String,
    /// The rules, in order; the last one has no `when`. Without rules it is a mind of the program that runs the scenario.
    #[serde(rename = "rule", default)]
    pub rules: Vec<ScriptRule>,
}

/// A rule of a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptRule {
    /// When it applies; always without one.
    #[serde(default)]
    pub when: Option<When>,
    /// What is said: one of these, drawn. `{{ speaker }}`, `{{ me }}`, `{{ others }}`, `{{ place }}` stand for names.
    /// For an agent that is alone `{{ others }}` is empty: `{% if others %}…{% else %}…{% endif %}` asks for that.
    pub say: Vec<String>,
    /// The state that the agent is in then; it begins in none.
    #[serde(default)]
    pub state: Option<String>,
}

/// When a rule applies: everything that is given has to hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// What is answered contains one of these, in any case.
    pub hears: Vec<String>,
    /// The context holds one of these: what was heard, and what is remembered of other places.
    pub remembers: Vec<String>,
    /// The agent knows this topic.
    pub knows: Option<String>,
    /// The agent does not know this topic.
    pub ignorant_of: Option<String>,
    /// The agent is in this state.
    pub state: Option<String>,
    /// The agent is in one of these places.
    pub at: Vec<String>,
    /// In this share of cases, drawn.
    pub chance: Option<f64>,
}
