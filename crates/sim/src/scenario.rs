//! The scenario file (SM1): agents and their places, their minds, events, measures, and when it ends.

mod cast;
mod check;
mod entries;
mod files;
mod happenings;
mod population;
mod shape;
mod wait;
mod words;

use std::path::{Path, PathBuf};

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};

pub(crate) use cast::rows;
pub(crate) use cast::{Agent, load_cast};
pub use check::{Problem, Severity};
pub(crate) use check::{parse_moment, suggestion};
pub use entries::{AgentEntry, CastTable, Script, ScriptRule, When};
pub use happenings::{Encounter, Event, Move, Probe, Topic};
pub use population::{PopulationEntry, RuleEntry};
pub(crate) use wait::parse_wait;
use words::filled_strictly;
pub(crate) use words::{filled, holds_one, holds_word};

/// A scenario as its file has it. Waits are texts as `90s`, `5m`, `4h30m`, `3d`, counted from the start.
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

/// What is counted: lines that agents say, answers to a probe, or agents in a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// What it is called in the tables and the report.
    pub name: String,
    /// Only what holds one of these, in any case; empty for everything.
    #[serde(default)]
    pub words: Vec<String>,
    /// Only lines that have none of these words: "not", "no".
    #[serde(default)]
    pub without: Vec<String>,
    /// Answers to this probe, counted anew each time it is asked; without it, lines that agents said so far.
    #[serde(default)]
    pub probe: Option<String>,
    /// Instead of how many answers there are, the mean of the numbers that they choose: the choices of the probe are numbers.
    #[serde(default)]
    pub mean: bool,
    /// Instead of these: how many agents are in this place.
    #[serde(default)]
    pub present: Option<String>,
    /// Only of these agents; left out for everybody.
    #[serde(default)]
    pub who: Vec<String>,
    /// Only in these places; left out for every place.
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
    /// Files beside the program that it reads; a run keeps copies of them and of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
}

impl Scenario {
    /// Parses a scenario.
    ///
    /// # Errors
    /// All errors, each with its position and a remedy.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        check::parse(file, text)
    }

    /// Warnings for a scenario without errors: what is probably a mistake.
    pub(crate) fn doubts(&self, file: &str, text: &str) -> Vec<Problem> {
        check::doubts(file, text, self)
    }

    /// The problems of the files that the scenario names, relative to `directory`. Files made of templates are written
    /// to `rendered`.
    pub(crate) fn file_problems(
        &self,
        (file, text): (&str, &str),
        directory: &Path,
        rendered: &Path,
    ) -> Vec<Problem> {
        cast::file_problems(self, (file, text), directory, rendered)
    }

    /// The first problem of the program and the files of the world process, relative to `directory`.
    pub(crate) fn world_problem(&self, directory: &Path) -> Option<String> {
        files::world_entries(self, directory).into_iter().next().map(|(_, message, _)| message)
    }

    /// Whether a model answers for at least one agent.
    pub fn asks_model(&self) -> bool {
        let asks = |mind: &str| !self.minds.iter().any(|script| script.name == mind);
        self.agents.iter().any(|agent| asks(&agent.mind))
            || self.casts.iter().any(|cast| {
                let minds: Vec<_> = cast.rows.iter().filter_map(|row| row.get("mind")).collect();
                minds.iter().any(|mind| asks(mind))
                    || (minds.len() < cast.rows.len().max(1) && asks(&cast.mind))
            })
    }

    /// Whether the world process is the one of another scenario. It may be asked at other times.
    pub(crate) fn has_world_of(&self, other: &Self) -> bool {
        let program = |scenario: &Self| {
            let world = scenario.world.as_ref();
            world.map(|world| (world.command.clone(), world.files.clone()))
        };
        program(self) == program(other)
    }

    /// The names of all agents.
    pub(crate) fn agent_names(&self) -> Vec<String> {
        let rows = self.casts.iter().flat_map(|cast| cast::rows(cast, self.seed));
        let people = rows.filter_map(|mut person| person.remove("name"));
        self.agents.iter().map(|agent| agent.name.clone()).chain(people).collect()
    }

    /// Whether anything repeats until the end of the scenario.
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
