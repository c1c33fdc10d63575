//! A scenario file (SM1): who is where, what answers for them, what happens, what is measured, and when it ends.

mod cast;
mod check;
mod shape;

use std::{collections::BTreeMap, path::PathBuf};

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};

pub(crate) use cast::{Agent, load_cast};
pub use check::Problem;
pub(crate) use check::{parse_moment, parse_wait};

/// A scenario as its file has it. Waits are texts as `90s`, `5m`, `2h`, `3d`, counted from the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Greenroom scenario")]
pub struct Scenario {
    /// What it is called.
    pub name: String,
    /// What it shows, in a line.
    #[serde(default)]
    pub about: String,
    /// Makes every draw. Another seed is another run.
    #[serde(default = "one")]
    pub seed: u64,
    /// When it begins and ends.
    #[serde(default)]
    pub clock: Clock,
    /// What ends it before its time.
    #[serde(default)]
    pub stop: Stop,
    /// Where agents meet.
    #[serde(default, rename = "place")]
    pub places: Vec<Place>,
    /// The agents, one by one.
    #[serde(default, rename = "agent")]
    pub agents: Vec<AgentEntry>,
    /// Agents from a template and a table of people.
    #[serde(default, rename = "cast")]
    pub casts: Vec<CastTable>,
    /// Scripts that answer for agents.
    #[serde(default, rename = "mind")]
    pub minds: Vec<Script>,
    /// What is said at given times.
    #[serde(default, rename = "event")]
    pub events: Vec<Event>,
    /// Who goes where at given times.
    #[serde(default, rename = "move")]
    pub moves: Vec<Move>,
    /// Agents in the same place begin to talk.
    #[serde(default, rename = "encounter")]
    pub encounters: Vec<Encounter>,
    /// What spreads from one to another.
    #[serde(default, rename = "topic")]
    pub topics: Vec<Topic>,
    /// Questions that do not change the story.
    #[serde(default, rename = "probe")]
    pub probes: Vec<Probe>,
    /// What is counted, as curves of the report and the table `measures`.
    #[serde(default, rename = "measure")]
    pub measures: Vec<Measure>,
    /// A process that decides what happens besides.
    #[serde(default)]
    pub world: Option<World>,
    /// Agents of a rule, without texts: up to a million.
    #[serde(default)]
    pub population: Option<PopulationEntry>,
}

fn one() -> u64 {
    1
}

/// When a scenario begins and ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Clock {
    /// The moment it begins, as `2026-02-14T08:00:00Z`.
    pub start: String,
    /// How long it goes on.
    pub end: String,
    /// How fast agents speak; what is said takes its time.
    pub words_per_minute: u32,
}

impl Default for Clock {
    fn default() -> Self {
        Self { start: "2026-01-01T08:00:00Z".into(), end: "1h".into(), words_per_minute: 150 }
    }
}

/// What ends a run before its time. A limit that is left out does not hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// Nobody has said anything for so long.
    pub silence: Option<String>,
    /// Calls of minds.
    pub calls: Option<u64>,
    /// Tokens of calls, requests and answers together.
    pub tokens: Option<u64>,
    /// What calls have cost, in the currency of the prices of the settings.
    pub cost: Option<f64>,
}

/// Where agents meet: who is there hears what is said there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Small letters, digits, `-` and `_`.
    pub name: String,
    /// Replies that may follow what the scenario says there (RM4).
    #[serde(default)]
    pub chain: Option<u32>,
    /// Of these, replies between the same two.
    #[serde(default)]
    pub pair: Option<u32>,
}

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
    /// To what it answers, instead of what its file says: `mentioned`, `addressed`, `talkative`, `always`, `never`.
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
    /// Who; empty for everybody.
    #[serde(default)]
    pub who: Vec<String>,
    /// Where to.
    pub to: String,
    /// Only those that know this topic.
    #[serde(default)]
    pub knows: Option<String>,
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
    /// Where; empty for every place.
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
    /// Whom; empty for everybody.
    #[serde(default)]
    pub who: Vec<String>,
    /// The question.
    pub ask: String,
}

/// What is counted: lines that agents say, or answers to a probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// What it is called in the tables and the report.
    pub name: String,
    /// Only what holds one of these, in any case; empty for everything.
    #[serde(default)]
    pub words: Vec<String>,
    /// Answers to this probe, counted anew each time it is asked; without it, lines that agents said so far.
    #[serde(default)]
    pub probe: Option<String>,
    /// Only of these agents; empty for everybody.
    #[serde(default)]
    pub who: Vec<String>,
    /// Only in these places; empty for every place.
    #[serde(default)]
    pub places: Vec<String>,
}

/// A process that decides what happens besides: a line of JSON in, a line of JSON out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// The program and its arguments; relative paths are relative to the scenario.
    pub command: Vec<String>,
    /// How often it is asked.
    pub every: String,
}

/// A population of a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PopulationEntry {
    /// How many agents.
    pub size: u32,
    /// How many steps at most; it ends earlier when nothing changes any more.
    pub steps: u32,
    /// A value is measured every so many steps.
    #[serde(default = "every_step")]
    pub measure_every: u32,
    /// What they do.
    pub rule: RuleEntry,
}

fn every_step() -> u32 {
    1
}

/// What the agents of a population do in a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum RuleEntry {
    /// Pairs whose opinions are nearer than the threshold approach each other (Deffuant et al. 2000).
    Deffuant {
        /// The threshold, 0 to 1.
        threshold: f64,
        /// How far they approach: the share of their difference, 0 to 0.5.
        convergence: f64,
    },
    /// Each takes the opinion of another one (Clifford and Sudbury 1973; Holley and Liggett 1975).
    Voter {
        /// The share that holds opinion 1 at the start.
        share: f64,
    },
    /// Posts that followers pass on, and follows that come of it.
    Feed {
        /// Whom an agent follows at the start: so many, drawn.
        follows: u32,
        /// Posts an agent writes in a step, in the mean.
        posts: f64,
        /// The share of posts in a feed that is passed on.
        share: f64,
        /// The share of readers that follow the author of a post that reached them by another.
        follow: f64,
    },
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place and a remedy.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        check::parse(file, text)
    }

    /// What a scenario without problems has that never happens, because it ends before.
    pub(crate) fn unreached(&self, file: &str, text: &str) -> Vec<Problem> {
        check::unreached(file, text, self)
    }

    /// Whether a model answers for one of its agents.
    pub fn asks_model(&self) -> bool {
        let asks = |mind: &str| !self.minds.iter().any(|script| script.name == mind);
        self.agents.iter().any(|agent| asks(&agent.mind))
            || self.casts.iter().any(|cast| {
                let minds: Vec<_> = cast.rows.iter().filter_map(|row| row.get("mind")).collect();
                minds.iter().any(|mind| asks(mind))
                    || (minds.len() < cast.rows.len().max(1) && asks(&cast.mind))
            })
    }

    /// Whether anything happens again and again until the end of the time.
    pub(crate) fn recurs(&self) -> bool {
        !self.encounters.is_empty()
            || self.world.is_some()
            || self.events.iter().any(|event| event.every.is_some())
            || self.moves.iter().any(|step| step.every.is_some())
            || self.probes.iter().any(|probe| probe.every.is_some())
    }
}

/// The JSON Schema of a scenario file.
pub fn scenario_schema() -> String {
    let mut text = serde_json::to_string_pretty(&schema_for!(Scenario)).unwrap_or_default();
    text.push('\n');
    text
}
/// Whether a text holds a word, both in lower case: not within a longer word, but for scripts that put no spaces between
/// words.
pub(crate) fn holds_word(text: &str, word: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
    let inner = |edge: Option<char>, beside: Option<char>| joins(edge) && joins(beside);
    !word.is_empty()
        && text.match_indices(word).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            !inner(word.chars().next(), before.chars().next_back())
                && !inner(word.chars().next_back(), after.chars().next())
        })
}

/// A character of Chinese, Japanese or Thai.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}
