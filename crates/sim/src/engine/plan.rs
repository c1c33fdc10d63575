//! Computes the planned events of a scenario, each with its key in the order of all events.

use std::{collections::BTreeMap, fmt};

use crate::draw::{draw, share};
use crate::scenario::{Agent, Scenario, parse_wait};

/// The position of an event in the order of all events: by time, then place, then source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    /// Milliseconds from the start.
    pub(crate) ms: i64,
    pub(crate) place: usize,
    pub(crate) source: Source,
}

/// The entry of the scenario that planned an event. Appending entries in a branch does not change it, so that draws and
/// recorded calls of the other entries stay valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Source {
    /// The kind. Moves are first, so that an agent that arrives hears the messages of the same time.
    kind: u8,
    /// The index among the entries of this kind.
    entry: usize,
    /// The agent, if an entry applies to several.
    agent: usize,
}

impl Key {
    /// The key of an action at a time, in the place for which it is planned.
    pub(crate) fn of(ms: i64, place: usize, action: &Action) -> Self {
        Self { ms, place, source: Source::of(action) }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.kind, self.entry, self.agent)
    }
}

impl Source {
    fn of(action: &Action) -> Self {
        let (kind, entry, agent) = match *action {
            Action::Move { agent, step, .. } => (0, step, agent),
            Action::Say { event, .. } => (1, event, 0),
            Action::Meet { encounter, .. } => (2, encounter, 0),
            Action::World => (3, 0, 0),
            Action::Probe { agent, probe } => (4, probe, agent),
        };
        Self { kind, entry, agent }
    }
}

/// The action of an event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// The scenario sends a message: the index of an `[[event]]`.
    Say { place: usize, event: usize },
    /// Agents in a place start a conversation: the index of an `[[encounter]]`.
    Meet { place: usize, encounter: usize },
    /// An agent moves: the index of a `[[move]]`.
    Move { agent: usize, to: usize, step: usize },
    /// An agent is asked a question: the index of a `[[probe]]`.
    Probe { agent: usize, probe: usize },
    /// A request to the world process.
    World,
}

/// Parses a wait into milliseconds. The checks of the scenario have already validated it.
pub(crate) fn millis(wait: &str) -> i64 {
    parse_wait(wait).map_or(0, |wait| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX))
}

/// An action that happens once or repeatedly.
struct Recurring {
    at: i64,
    every: Option<i64>,
    /// The longest random delay of each occurrence, in milliseconds.
    jitter: i64,
    place: usize,
    action: Action,
}

/// All planned actions of a scenario.
pub(crate) struct Plan {
    end: i64,
    seed: u64,
    recurring: Vec<Recurring>,
}

impl Plan {
    /// The plan of a scenario. Moves come before messages of the same time and place, so that an agent that arrives
    /// hears them.
    pub(crate) fn of(scenario: &Scenario, agents: &[Agent]) -> Self {
        let place_of = |name: &str| scenario.places.iter().position(|place| place.name == name).unwrap_or(0);
        let mut recurring = Vec::new();
        let mut add = |at: &str, every: Option<&str>, jitter: Option<&str>, place, action| {
            let (every, jitter) = (every.map(millis), jitter.map_or(0, millis));
            recurring.push(Recurring { at: millis(at), every, jitter, place, action });
        };
        let chosen = |who: &[String]| {
            let chosen = |(_, agent): &(usize, &Agent)| {
                who.is_empty() || who.iter().any(|name| name == agent.persona.name.as_str())
            };
            agents.iter().enumerate().filter(chosen).map(|(n, _)| n).collect::<Vec<_>>()
        };
        for (n, step) in scenario.moves.iter().enumerate() {
            let to = place_of(&step.to);
            for agent in chosen(&step.who) {
                add(&step.at, step.every.as_deref(), None, to, Action::Move { agent, to, step: n });
            }
        }
        for (n, event) in scenario.events.iter().enumerate() {
            let place = place_of(&event.place);
            add(&event.at, event.every.as_deref(), None, place, Action::Say { place, event: n });
        }
        for (n, encounter) in scenario.encounters.iter().enumerate() {
            for (place, named) in scenario.places.iter().enumerate() {
                if encounter.places.is_empty() || encounter.places.contains(&named.name) {
                    let (every, jitter) = (Some(&*encounter.every), encounter.jitter.as_deref());
                    add(&encounter.at, every, jitter, place, Action::Meet { place, encounter: n });
                }
            }
        }
        if let Some(world) = &scenario.world {
            add(&world.every, Some(&world.every), None, scenario.places.len(), Action::World);
        }
        for (n, probe) in scenario.probes.iter().enumerate() {
            for agent in chosen(&probe.who) {
                let after_all = scenario.places.len() + 1;
                add(&probe.at, probe.every.as_deref(), None, after_all, Action::Probe { agent, probe: n });
            }
        }
        Self { end: millis(&scenario.clock.end), seed: scenario.seed, recurring }
    }

    /// The planned events from a time on.
    pub(crate) fn events(&self, from: i64) -> BTreeMap<Key, Action> {
        let mut events = BTreeMap::new();
        for recurring in &self.recurring {
            let mut planned = recurring.at;
            loop {
                let later = share(draw(self.seed, recurring.place as u64, planned.unsigned_abs()));
                // in whole seconds
                let ms = planned + (recurring.jitter as f64 * later) as i64 / 1_000 * 1_000;
                if planned > self.end {
                    break;
                }
                if (from..=self.end).contains(&ms) {
                    let key = Key::of(ms, recurring.place, &recurring.action);
                    events.insert(key, recurring.action.clone());
                }
                match recurring.every {
                    Some(every) if every > 0 => planned = planned.saturating_add(every),
                    _ => break,
                }
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOWN: &str = r#"
name = "town"
[clock]
start = "2026-05-03T15:00:00Z"
end = "3h"
[[place]]
name = "square"
[[cast]]
prompt = "You live here."
at = "square"
mind = "quiet"
[[cast.rows]]
name = "ada"
[[cast.rows]]
name = "bo"
[[encounter]]
at = "10m"
every = "30m"
jitter = "10m"
say = "You meet {{ others }}."
[[probe]]
name = "why"
at = "2h"
ask = "Why?"
[[mind]]
name = "quiet"
[[mind.rule]]
say = ["Hm."]
"#;

    /// The events of the town sample with entries appended.
    fn events(more: &str) -> BTreeMap<Key, Action> {
        let scenario = Scenario::parse("town.toml", &format!("{TOWN}{more}")).unwrap();
        let rendered = tempfile::tempdir().unwrap();
        let agents =
            crate::scenario::load_cast(&scenario, std::path::Path::new(""), rendered.path()).unwrap();
        Plan::of(&scenario, &agents).events(0)
    }

    #[test]
    fn sm5_an_entry_that_is_added_behind_changes_nothing_for_the_others() {
        let before = events("");
        let after = events("[[event]]\nat = \"1h\"\nplace = \"square\"\nsay = \"A bell rings.\"\n");
        assert_eq!(after.len(), before.len() + 1);
        let rest: BTreeMap<_, _> =
            after.into_iter().filter(|(_, action)| !matches!(action, Action::Say { .. })).collect();
        assert_eq!(rest, before);
    }

    #[test]
    fn sm9_a_topic_is_learned_from_its_words_and_not_from_parts_of_words() {
        use crate::scenario::holds_word;
        assert!(holds_word("it will rain, they say", "rain") && holds_word("rain", "rain"));
        assert!(!holds_word("hello terrain", "rain") && !holds_word("a train", "rain"));
        assert!(holds_word("明日は雨が降る", "雨") && holds_word("the c++ club", "c++"));
        assert!(!holds_word("anything", ""));
    }
}
