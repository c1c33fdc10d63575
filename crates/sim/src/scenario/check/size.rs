//! Checks the sizes of a scenario: agents, population, events. Counts them before anything is created.

use super::{Check, Step};
use crate::scenario::{RuleEntry, Scenario, parse_wait};

/// The most agents with texts. Ten thousand agents that talk need some hundred megabytes.
pub(crate) const MOST_AGENTS: u64 = 100_000;
/// The most agents of a population: ten times the goal of a million.
const MOST_PEOPLE: u32 = 10_000_000;
/// The most follow relations of a feed at the start, over all agents.
const MOST_FOLLOWS: u64 = 200_000_000;
/// The most planned events. All of them are in memory from the start.
const MOST_EVENTS: u64 = 5_000_000;

impl Check<'_> {
    /// Whether the number of agents is permitted. If not, no agents may be created.
    pub(super) fn fits(&mut self, scenario: &Scenario) -> bool {
        let mut agents = scenario.agents.len() as u64;
        for (n, cast) in scenario.casts.iter().enumerate() {
            let path = [Step::Key("cast"), Step::At(n), Step::Key("generate"), Step::Key("count")];
            let more = cast.generate.as_ref().map_or(cast.rows.len() as u64, |made| u64::from(made.count));
            agents += more;
            if agents > MOST_AGENTS {
                let message = format!("{agents} agents are too many: a scenario has at most {MOST_AGENTS}");
                let path = if cast.generate.is_some() { &path[..] } else { &path[..2] };
                self.wrong(path, message, "take fewer, or a [population] of a rule, of up to 10000000");
                return false;
            }
        }
        true
    }

    /// Checks the number of planned events. `agents`: the number of all agents.
    pub(super) fn events(&mut self, scenario: &Scenario, agents: usize) {
        let Some(end) = parse_wait(&scenario.clock.end) else { return };
        let places = scenario.places.len();
        let of = |names: &[String], all: usize| if names.is_empty() { all } else { names.len().min(all) };
        let mut planned: Vec<(&str, usize, &str, Option<&str>, usize)> = Vec::new();
        for (n, event) in scenario.events.iter().enumerate() {
            planned.push(("event", n, &event.at, event.every.as_deref(), 1));
        }
        for (n, step) in scenario.moves.iter().enumerate() {
            planned.push(("move", n, &step.at, step.every.as_deref(), of(&step.who, agents)));
        }
        for (n, encounter) in scenario.encounters.iter().enumerate() {
            let places = of(&encounter.places, places);
            planned.push(("encounter", n, &encounter.at, Some(&encounter.every), places));
        }
        for (n, probe) in scenario.probes.iter().enumerate() {
            planned.push(("probe", n, &probe.at, probe.every.as_deref(), of(&probe.who, agents)));
        }
        if let Some(world) = &scenario.world {
            planned.push(("world", 0, &world.every, Some(&world.every), 1));
        }
        let mut total = 0_u64;
        for (entry, n, at, every, each) in planned {
            let Some(left) = parse_wait(at).and_then(|at| end.checked_sub(at)) else { continue };
            let every = every.and_then(parse_wait).filter(|every| !every.is_zero());
            let times = every.map_or(0, |every| left.as_millis() / every.as_millis()) + 1;
            let events = u64::try_from(times).unwrap_or(u64::MAX).saturating_mul(each as u64);
            total = total.saturating_add(events);
            if total > MOST_EVENTS {
                let message = match events == total {
                    true => format!("{events} events are too many: a scenario plans at most {MOST_EVENTS}"),
                    false => format!(
                        "{events} events and {} of other entries are too many: a scenario plans at most {MOST_EVENTS}",
                        total - events
                    ),
                };
                let path = match entry {
                    "world" => vec![Step::Key("world"), Step::Key("every")],
                    _ => vec![
                        Step::Key(entry),
                        Step::At(n),
                        Step::Key(if every.is_some() { "every" } else { "at" }),
                    ],
                };
                self.wrong(&path, message, "write a longer `every`, or let `clock.end` be earlier");
                return;
            }
        }
    }

    pub(super) fn population(&mut self, scenario: &Scenario) {
        let Some(population) = &scenario.population else { return };
        let size = [Step::Key("population"), Step::Key("size")];
        let path = |key| [Step::Key("population"), Step::Key("rule"), Step::Key(key)];
        if population.size < 2 {
            self.wrong(&size, "a population has two or more", "write 1000");
        }
        if population.size > MOST_PEOPLE {
            let message = format!("{} are too many: a population has at most {MOST_PEOPLE}", population.size);
            self.wrong(&size, message, "write 1000000");
        }
        for (key, steps) in [("steps", population.steps), ("measure_every", population.measure_every)] {
            if steps == 0 {
                self.wrong(
                    &[Step::Key("population"), Step::Key(key)],
                    format!("`{key}` is 1 or more"),
                    "write 10",
                );
            }
        }
        if let Some(key) = [("agent", scenario.agents.is_empty()), ("cast", scenario.casts.is_empty())]
            .into_iter()
            .find_map(|(key, is_empty)| (!is_empty).then_some(key))
        {
            let message = format!("[[{key}]] beside [population]: a run is of one or the other");
            self.wrong(&[Step::Key(key), Step::At(0)], message, "make two scenarios of it");
        }
        match population.rule {
            RuleEntry::Deffuant { threshold, convergence } => {
                self.share(&path("threshold"), Some(threshold));
                if !(0.0..=0.5).contains(&convergence) {
                    self.wrong(&path("convergence"), "a convergence is between 0 and 0.5", "write 0.5");
                }
            }
            RuleEntry::Voter { share } => self.share(&path("share"), Some(share)),
            RuleEntry::Feed { follows, posts, share, follow } => {
                self.share(&path("posts"), Some(posts));
                self.share(&path("share"), Some(share));
                self.share(&path("follow"), Some(follow));
                let all = u64::from(follows) * u64::from(population.size);
                if population.size <= MOST_PEOPLE && all > MOST_FOLLOWS {
                    let message = format!(
                        "{all} follows are too many: `follows` times `size` is at most {MOST_FOLLOWS}"
                    );
                    self.wrong(&path("follows"), message, "write a smaller number");
                }
            }
        }
    }
}
