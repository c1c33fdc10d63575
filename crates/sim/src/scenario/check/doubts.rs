//! Warnings for a scenario without errors: what is probably a mistake.

use std::collections::{HashMap, HashSet};

use toml::de::DeTable;

use super::{Check, Lines, Problem, Step, suggestion};
use crate::scenario::{Measure, Move, PopulationEntry, RuleEntry, Scenario, cast::rows, parse_wait};

/// All warnings of a scenario without errors.
pub(in crate::scenario) fn doubts(file: &str, text: &str, scenario: &Scenario) -> Vec<Problem> {
    let tree = DeTable::parse(text).ok().map(|table| table.into_inner());
    let mut check = Check { lines: Lines { file, text }, tree, problems: Vec::new() };
    check.unreached(scenario);
    check.jitter(scenario);
    check.rules(scenario);
    check.unused_minds(scenario);
    check.absent(scenario);
    check.without_effect(scenario);
    check.silent_minds(scenario);
    check.problems
}

impl Check<'_> {
    /// Warns of entries that never happen, because the scenario ends earlier.
    fn unreached(&mut self, scenario: &Scenario) {
        let Some(end) = parse_wait(&scenario.clock.end) else { return };
        let moments: [(&str, Vec<&String>); 4] = [
            ("event", scenario.events.iter().map(|event| &event.at).collect()),
            ("move", scenario.moves.iter().map(|step| &step.at).collect()),
            ("encounter", scenario.encounters.iter().map(|encounter| &encounter.at).collect()),
            ("probe", scenario.probes.iter().map(|probe| &probe.at).collect()),
        ];
        for (entry, moments) in moments {
            for (n, at) in moments.into_iter().enumerate() {
                if parse_wait(at).is_some_and(|at| at > end) {
                    let message =
                        format!("this {entry} never happens: the scenario ends after {}", scenario.clock.end);
                    let path = [Step::Key(entry), Step::At(n), Step::Key("at")];
                    self.doubt(&path, message, "let it happen earlier, or let `clock.end` be later");
                }
            }
        }
    }

    fn jitter(&mut self, scenario: &Scenario) {
        for (n, encounter) in scenario.encounters.iter().enumerate() {
            let jitter = encounter.jitter.as_deref().and_then(parse_wait);
            if jitter.zip(parse_wait(&encounter.every)).is_some_and(|(jitter, every)| jitter > every) {
                let path = [Step::Key("encounter"), Step::At(n), Step::Key("jitter")];
                let message = "with a jitter above `every` one encounter overtakes the next";
                self.doubt(&path, message, format!("write at most {}", encounter.every));
            }
        }
    }

    /// Warns of rules that never apply.
    fn rules(&mut self, scenario: &Scenario) {
        for (n, mind) in scenario.minds.iter().enumerate() {
            let of = |rule| [Step::Key("mind"), Step::At(n), Step::Key("rule"), Step::At(rule)];
            let last = mind.rules.iter().position(|rule| rule.when.is_none());
            if let Some(last) = last.filter(|last| last + 1 < mind.rules.len()) {
                let message =
                    format!("no rule of the mind `{}` after this one applies: it has no `when`", mind.name);
                self.doubt(&of(last), message, "give it a `when`, or put it at the end");
            }
            let states: HashSet<&str> = mind.rules.iter().filter_map(|rule| rule.state.as_deref()).collect();
            for (at, rule) in mind.rules.iter().enumerate() {
                let state = rule.when.as_ref().and_then(|when| when.state.as_deref());
                let Some(state) = state.filter(|state| !states.contains(state)) else { continue };
                let path = [&of(at)[..], &[Step::Key("when"), Step::Key("state")]].concat();
                let message =
                    format!("this rule never applies: no rule of `{}` sets the state `{state}`", mind.name);
                let mut known: Vec<_> = states.iter().copied().collect();
                known.sort_unstable();
                let remedy = match known.is_empty() {
                    true => format!("add `state = \"{state}\"` to the rule after which it applies"),
                    false => suggestion(state, known.into_iter()),
                };
                self.doubt(&path, message, remedy);
            }
        }
    }

    fn unused_minds(&mut self, scenario: &Scenario) {
        let mut used: HashSet<&str> = scenario.agents.iter().map(|agent| agent.mind.as_str()).collect();
        let drawn: Vec<_> = scenario.casts.iter().flat_map(|cast| rows(cast, scenario.seed)).collect();
        used.extend(scenario.casts.iter().map(|cast| cast.mind.as_str()));
        used.extend(drawn.iter().filter_map(|person| person.get("mind")).map(String::as_str));
        for (n, mind) in scenario.minds.iter().enumerate() {
            if !used.contains(mind.name.as_str()) {
                let path = [Step::Key("mind"), Step::At(n), Step::Key("name")];
                let message = format!("no agent has the mind `{}`", mind.name);
                self.doubt(&path, message, "give it to an agent, or remove it");
            }
        }
    }

    /// Warns of values that have no effect, or another one than it seems.
    fn without_effect(&mut self, scenario: &Scenario) {
        for (n, measure) in scenario.measures.iter().enumerate() {
            let Measure { name: _, words, without, probe, present, who, places, mean: _ } = measure;
            let names_words = !words.is_empty() || !without.is_empty();
            if !names_words && probe.is_none() && present.is_none() && who.is_empty() && places.is_empty() {
                let path = [Step::Key("measure"), Step::At(n), Step::Key("name")];
                let message = format!("`{}` counts every line, as the curve `said` does", measure.name);
                self.doubt(&path, message, "add `words`, `probe`, `present`, `who` or `places`");
            }
        }
        let chances = [
            ("move", scenario.moves.iter().map(|step| step.chance).collect::<Vec<_>>()),
            ("encounter", scenario.encounters.iter().map(|encounter| encounter.chance).collect()),
        ];
        for (entry, chances) in chances {
            for (n, _) in chances.iter().enumerate().filter(|(_, chance)| **chance == Some(0.0)) {
                let path = [Step::Key(entry), Step::At(n), Step::Key("chance")];
                self.doubt(
                    &path,
                    format!("this {entry} never happens"),
                    "write 1.0 for always, or remove it",
                );
            }
        }
        for (n, _) in scenario.places.iter().enumerate().filter(|(_, place)| place.chain == Some(0)) {
            let path = [Step::Key("place"), Step::At(n), Step::Key("chain")];
            self.doubt(&path, "nobody answers anything here", "write 1 or more");
        }
        for (n, agent) in scenario.agents.iter().enumerate() {
            let answer = agent.answer.as_deref();
            let is_other = answer.map_or(agent.prompt.is_some(), |answer| answer != "talkative");
            if agent.talkativeness.is_some() && is_other {
                let path = [Step::Key("agent"), Step::At(n), Step::Key("talkativeness")];
                self.doubt(&path, "this has no effect", "add answer = \"talkative\"");
            }
        }
        let says = scenario.events.iter().map(|event| &event.say).enumerate();
        let asks = scenario.probes.iter().map(|probe| &probe.ask).enumerate();
        let says = says.map(|(n, text)| ("event", n, "say", text));
        for (entry, n, key, text) in says.chain(asks.map(|(n, text)| ("probe", n, "ask", text))) {
            if text.contains("{{") {
                let path = [Step::Key(entry), Step::At(n), Step::Key(key)];
                let message = format!(
                    "no names are filled into the `{key}` of {entry}s: this is said as it is written"
                );
                self.doubt(
                    &path,
                    message,
                    "write the names; [[encounter]] and rules of a [[mind]] fill them in",
                );
            }
        }
        if let Some(PopulationEntry { size, rule: RuleEntry::Feed { follows, .. }, .. }) =
            &scenario.population
            && follows >= size
        {
            let path = ["population", "rule", "follows"].map(Step::Key);
            let message = format!("an agent follows {follows} others, and there are {size} agents");
            self.doubt(&path, message, "write a smaller number");
        }
    }

    /// Warns of minds without rules, which only another program can provide.
    fn silent_minds(&mut self, scenario: &Scenario) {
        let is_used = |name: &str| scenario.agents.iter().any(|agent| agent.mind == name);
        for (n, mind) in scenario.minds.iter().enumerate() {
            if mind.rules.is_empty() && is_used(&mind.name) {
                let path = [Step::Key("mind"), Step::At(n), Step::Key("name")];
                let message = format!(
                    "the mind `{}` has no rules: `sim run` refuses it, and a program of yours has to bring it",
                    mind.name
                );
                self.doubt(&path, message, "add a [[mind.rule]]");
            }
        }
    }

    /// Warns of events for an agent that is not in their place, neither from the start nor by a move. Does nothing if
    /// there is a world process, because its moves are unknown.
    fn absent(&mut self, scenario: &Scenario) {
        if scenario.world.is_some() {
            return;
        }
        let begins_at = beginnings(scenario);
        for (n, event) in scenario.events.iter().enumerate() {
            let Some(to) = &event.to else { continue };
            let last = if event.every.is_some() { &scenario.clock.end } else { &event.at };
            let last = parse_wait(last);
            let brings = |step: &Move| {
                step.to == event.place
                    && (step.who.is_empty() || step.who.contains(to))
                    && parse_wait(&step.at) <= last
            };
            let from = begins_at.get(to).filter(|place| **place != event.place);
            if let Some(from) = from.filter(|_| !scenario.moves.iter().any(brings)) {
                let path = [Step::Key("event"), Step::At(n), Step::Key("to")];
                let message = format!(
                    "`{to}` is not at `{}` to hear this: it begins at `{from}`, and no move brings it there before",
                    event.place
                );
                self.doubt(&path, message, "change `place`, or add a [[move]]");
            }
        }
    }
}

/// The place where each agent begins.
fn beginnings(scenario: &Scenario) -> HashMap<String, String> {
    let agents = scenario.agents.iter().map(|agent| (agent.name.clone(), agent.at.clone()));
    let people = scenario.casts.iter().flat_map(|cast| {
        rows(cast, scenario.seed).into_iter().filter_map(|mut person| {
            let place = person.remove("at").or_else(|| cast.at.clone())?;
            Some((person.remove("name")?, place))
        })
    });
    agents.chain(people).collect()
}
