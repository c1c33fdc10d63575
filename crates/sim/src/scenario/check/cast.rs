//! What is wrong with the agents of a scenario and their minds.

use greenroom_core::PersonaName;

use super::{Check, Step, suggestion};
use crate::scenario::{Scenario, cast};

impl Check<'_> {
    /// Checks the agents; returns their names.
    pub(super) fn cast(&mut self, scenario: &Scenario, places: &[String]) -> Vec<String> {
        let mut minds: Vec<_> = scenario.minds.iter().map(|mind| mind.name.clone()).collect();
        minds.push("model".into());
        let mut names: Vec<String> = scenario.agents.iter().map(|agent| agent.name.clone()).collect();
        for (n, agent) in scenario.agents.iter().enumerate() {
            self.name("agent", n, &agent.name);
            let of = |key| [Step::Key("agent"), Step::At(n), Step::Key(key)];
            self.known(&of("at"), "place", &agent.at, places);
            self.known(&of("mind"), "mind", &agent.mind, &minds);
            self.answer(&of("answer"), agent.answer.as_deref());
            self.share(&of("talkativeness"), agent.talkativeness.map(f64::from));
            if agent.persona.is_some() == agent.prompt.is_some() {
                self.wrong(
                    &of("persona"),
                    format!("what is `{}`?", agent.name),
                    "give it either `persona`, a file, or `prompt`, a text",
                );
            }
        }
        for (n, cast) in scenario.casts.iter().enumerate() {
            let of = |key| [Step::Key("cast"), Step::At(n), Step::Key(key)];
            self.answer(&of("answer"), cast.answer.as_deref());
            self.share(&of("talkativeness"), cast.talkativeness.map(f64::from));
            if cast.template.is_some() == cast.prompt.is_some() {
                self.wrong(
                    &of("template"),
                    "a cast has one template",
                    "give it either `template`, a file, or `prompt`, a text",
                );
            }
            if cast.generate.is_some() != cast.rows.is_empty() {
                self.wrong(&of("rows"), "a cast has people", "give it either `rows` or `generate`");
            }
            let rows = cast::rows(cast, scenario.seed);
            if let (Some(prompt), Some(first)) = (&cast.prompt, rows.first()) {
                let columns: Vec<&str> = first.keys().map(String::as_str).collect();
                self.template(&of("prompt"), prompt, &columns);
            }
            for (row, person) in rows.iter().enumerate() {
                let at =
                    |key| [Step::Key("cast"), Step::At(n), Step::Key("rows"), Step::At(row), Step::Key(key)];
                let name = person.get("name").map_or("", String::as_str);
                if name.parse::<PersonaName>().is_err() {
                    self.wrong(
                        &at("name"),
                        format!("`{name}` is no name"),
                        "use small letters, digits, `-` and `_`",
                    );
                }
                let place = person.get("at").or(cast.at.as_ref()).map_or("", String::as_str);
                self.known(&at("at"), "place", place, places);
                self.known(&at("mind"), "mind", person.get("mind").unwrap_or(&cast.mind), &minds);
                names.push(name.to_owned());
            }
        }
        self.unique("agent", "agent", &names);
        names
    }

    fn answer(&mut self, path: &[Step<'_>], answer: Option<&str>) {
        const KNOWN: [&str; 6] = ["mentioned", "addressed", "relevant", "talkative", "always", "never"];
        if let Some(answer) = answer.filter(|answer| !KNOWN.contains(answer)) {
            self.wrong(
                path,
                format!("`{answer}` is no way to answer"),
                suggestion(answer, KNOWN.into_iter()),
            );
        }
    }

    pub(super) fn minds(&mut self, scenario: &Scenario, places: &[String]) {
        let topics: Vec<_> = scenario.topics.iter().map(|topic| topic.name.clone()).collect();
        self.unique("topic", "topic", &topics);
        self.unique("mind", "mind", &scenario.minds.iter().map(|mind| mind.name.clone()).collect::<Vec<_>>());
        for (n, mind) in scenario.minds.iter().enumerate() {
            let of = |key| [Step::Key("mind"), Step::At(n), Step::Key(key)];
            if mind.rules.last().is_some_and(|rule| rule.when.is_some()) {
                let message = format!("the mind `{}` may have nothing to say", mind.name);
                self.wrong(&of("rule"), message, "end it with a rule without `when`");
            }
            for (at, rule) in mind.rules.iter().enumerate() {
                let path =
                    [Step::Key("mind"), Step::At(n), Step::Key("rule"), Step::At(at), Step::Key("say")];
                if rule.say.is_empty() {
                    self.wrong(&path, "a rule says something", "add a text to `say`");
                }
                for text in &rule.say {
                    self.template(&path, text, &["me", "others", "place", "speaker"]);
                }
                let Some(when) = &rule.when else { continue };
                let path =
                    [Step::Key("mind"), Step::At(n), Step::Key("rule"), Step::At(at), Step::Key("when")];
                for topic in when.knows.iter().chain(&when.ignorant_of) {
                    self.known(&path, "topic", topic, &topics);
                }
                for place in &when.at {
                    self.known(&path, "place", place, places);
                }
                self.share(&path, when.chance);
            }
        }
    }
}
