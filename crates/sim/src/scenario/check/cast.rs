//! Checks the agents of a scenario and their minds.

use std::collections::{BTreeSet, HashSet};

use greenroom_core::PersonaName;

use super::{Check, Step, suggestion};
use crate::scenario::{CastTable, Scenario, cast, cast::row_path};

/// The name of the mind that is a model of the settings.
const MODEL: &str = "model";

impl Check<'_> {
    /// Checks the agents; returns their names.
    pub(super) fn cast(&mut self, scenario: &Scenario, places: &[String]) -> Vec<String> {
        let mut minds: Vec<_> = scenario.minds.iter().map(|mind| mind.name.clone()).collect();
        if !minds.iter().any(|mind| mind == MODEL) {
            minds.push(MODEL.into());
        }
        let mut named: Vec<(String, Vec<Step<'_>>)> = Vec::new();
        for (n, agent) in scenario.agents.iter().enumerate() {
            self.name("agent", n, &agent.name);
            let of = |key| [Step::Key("agent"), Step::At(n), Step::Key(key)];
            named.push((agent.name.clone(), of("name").to_vec()));
            self.known(&of("at"), "place", &agent.at, places);
            self.known(&of("mind"), "mind", &agent.mind, &minds);
            self.answer(&of("answer"), agent.answer.as_deref());
            self.share(&of("talkativeness"), agent.talkativeness.map(f64::from));
            if agent.persona.is_some() == agent.prompt.is_some() {
                let (key, has) = match agent.persona {
                    Some(_) => ("persona", "both a `persona` and a `prompt`"),
                    None => ("name", "neither a `persona` nor a `prompt`"),
                };
                let message = format!("the agent `{}` has {has}", agent.name);
                self.wrong(&of(key), message, "give it one of them: `persona`, a file, or `prompt`, a text");
            }
        }
        for (n, cast) in scenario.casts.iter().enumerate() {
            self.cast_table(n, cast);
            let people = cast::rows(cast, scenario.seed);
            if let Some(prompt) = &cast.prompt {
                let columns: BTreeSet<&str> =
                    people.iter().flat_map(|person| person.keys()).map(String::as_str).collect();
                let drawn = cast.generate.iter().flat_map(|made| made.draw.keys()).map(String::as_str);
                let columns: Vec<&str> = columns.into_iter().chain(drawn).collect();
                self.template(&[Step::Key("cast"), Step::At(n), Step::Key("prompt")], prompt, &columns);
            }
            for (row, person) in people.iter().enumerate() {
                let (before, path) = (self.problems.len(), row_path(n, cast, row));
                let at = |key| [&path[..], &[Step::Key(key)]].concat();
                let name = person.get("name").map_or("", String::as_str);
                if name.parse::<PersonaName>().is_err() {
                    let message = match name {
                        "" => "this row has no `name`".to_owned(),
                        _ => format!("`{name}` is no name"),
                    };
                    self.wrong(&at("name"), message, "use small letters, digits, `-` and `_`");
                }
                let place = person.get("at").or(cast.at.as_ref());
                match place {
                    Some(place) => self.known(&at("at"), "place", place, places),
                    None => {
                        let message = format!("`{name}` begins in no place");
                        self.wrong(&path, message, "give the cast or the row an `at`");
                    }
                }
                self.known(&at("mind"), "mind", person.get("mind").unwrap_or(&cast.mind), &minds);
                named.push((name.to_owned(), at("name")));
                // generated rows share their problems, so the first row tells them
                if cast.generate.is_some() && self.problems.len() > before {
                    break;
                }
            }
        }
        let mut seen = HashSet::new();
        let mut told = HashSet::new();
        for (name, path) in &named {
            if !seen.insert(name) && !name.is_empty() && told.insert(self.position(path)) {
                self.wrong(path, format!("there are two agents `{name}`"), "give one of them another name");
            }
        }
        // in lower case, so that a capital letter is reported at the definition and not at each use
        named.into_iter().map(|(name, _)| name.to_lowercase()).collect()
    }

    fn cast_table(&mut self, n: usize, cast: &CastTable) {
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
        let Some(made) = &cast.generate else { return };
        let of = |key| [Step::Key("cast"), Step::At(n), Step::Key("generate"), Step::Key(key)];
        if made.count == 0 {
            self.wrong(&of("count"), "nobody is made", "write 1 or more");
        }
        for (column, values) in &made.draw {
            if values.is_empty() {
                let path = [&of("draw")[..], &[Step::Key(column)]].concat();
                self.wrong(
                    &path,
                    format!("the column `{column}` has no values to draw from"),
                    "write [\"…\"]",
                );
            }
        }
    }

    fn answer(&mut self, path: &[Step<'_>], answer: Option<&str>) {
        if let Some(answer) = answer.filter(|answer| cast::answer_of(answer).is_none()) {
            let known = cast::ANSWERS.iter().map(|(word, _)| *word);
            self.wrong(path, format!("`{answer}` is no way to answer"), suggestion(answer, known));
        }
    }

    pub(super) fn minds(&mut self, scenario: &Scenario, places: &[String]) {
        let topics: Vec<_> = scenario.topics.iter().map(|topic| topic.name.clone()).collect();
        self.unique("topic", "topic", &topics);
        self.unique("mind", "mind", &scenario.minds.iter().map(|mind| mind.name.clone()).collect::<Vec<_>>());
        for (n, mind) in scenario.minds.iter().enumerate() {
            let of = |key| [Step::Key("mind"), Step::At(n), Step::Key(key)];
            if mind.name == MODEL {
                self.wrong(
                    &of("name"),
                    "`model` is the model of your settings, and no script",
                    "give the mind another name, also where agents name it",
                );
            }
            if !mind.rules.is_empty() && mind.rules.iter().all(|rule| rule.when.is_some()) {
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
                    self.text(&path, text);
                    self.speech(&path, text, &["me", "others", "place", "speaker"]);
                }
                let Some(when) = &rule.when else { continue };
                let path =
                    [Step::Key("mind"), Step::At(n), Step::Key("rule"), Step::At(at), Step::Key("when")];
                for (key, words) in [("hears", &when.hears), ("remembers", &when.remembers)] {
                    self.words(&[&path[..], &[Step::Key(key)]].concat(), words);
                }
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
