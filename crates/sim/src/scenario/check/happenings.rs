//! Checks the events, topics, probes and measures of a scenario.

use super::{Check, Step};
use crate::{
    place::user_of,
    scenario::{Scenario, holds_one},
};

impl Check<'_> {
    pub(super) fn happenings(&mut self, scenario: &Scenario, places: &[String], agents: &[String]) {
        let topics: Vec<_> = scenario.topics.iter().map(|topic| topic.name.clone()).collect();
        let probes: Vec<_> = scenario.probes.iter().map(|probe| probe.name.clone()).collect();
        for (n, event) in scenario.events.iter().enumerate() {
            let of = |key| [Step::Key("event"), Step::At(n), Step::Key(key)];
            self.waits("event", n, &event.at, event.every.as_deref());
            self.known(&of("place"), "place", &event.place, places);
            self.text(&of("say"), &event.say);
            if let Some(to) = &event.to {
                self.known(&of("to"), "agent", to, agents);
            }
            if event.from.contains(char::is_control) || user_of(&event.from).is_none() {
                let message = format!("`{}` is no speaker", event.from.escape_debug());
                self.wrong(&of("from"), message, "write a name on one line, or remove it for the narrator");
            }
            if agents.contains(&event.from.to_lowercase()) {
                let message = format!("`{}` is an agent and speaks for itself", event.from);
                self.wrong(
                    &of("from"),
                    message,
                    "let another speaker say it, with `to` for the agent that answers",
                );
            }
        }
        self.moves(scenario, places, agents, (&topics, &probes));
        for (n, encounter) in scenario.encounters.iter().enumerate() {
            let of = |key| [Step::Key("encounter"), Step::At(n), Step::Key(key)];
            self.waits("encounter", n, &encounter.at, Some(&encounter.every));
            if let Some(jitter) = &encounter.jitter {
                self.wait(&of("jitter"), jitter, None);
            }
            self.text(&of("say"), &encounter.say);
            self.speech(&of("say"), &encounter.say, &["me", "others", "place", "time"]);
            self.names(("encounter", n, "places"), "place", &encounter.places, places);
            self.share(&of("chance"), encounter.chance);
        }
        for (n, topic) in scenario.topics.iter().enumerate() {
            self.title("topic", n, &topic.name);
            let words = [Step::Key("topic"), Step::At(n), Step::Key("words")];
            if topic.words.is_empty() {
                let message =
                    format!("the topic `{}` has no words, so that it is heard in no text", topic.name);
                self.wrong(&words, message, "write a word that gives it away");
            }
            self.words(&words, &topic.words);
            let path = [Step::Key("topic"), Step::At(n), Step::Key("known_by")];
            topic.known_by.iter().for_each(|who| self.known(&path, "agent", who, agents));
        }
        self.unique(
            "probe",
            "probe",
            &scenario.probes.iter().map(|probe| probe.name.clone()).collect::<Vec<_>>(),
        );
        for (n, probe) in scenario.probes.iter().enumerate() {
            self.title("probe", n, &probe.name);
            self.waits("probe", n, &probe.at, probe.every.as_deref());
            if probe.ask.trim().is_empty() {
                let path = [Step::Key("probe"), Step::At(n), Step::Key("ask")];
                self.wrong(&path, format!("the probe `{}` asks nothing", probe.name), "write a question");
            }
            self.choices(n, &probe.choices);
            self.names(("probe", n, "who"), "agent", &probe.who, agents);
        }
        if let Some(world) = &scenario.world {
            let zero = format!("`{}` repeats without end at one moment", world.every);
            self.wait(&[Step::Key("world"), Step::Key("every")], &world.every, Some(&zero));
            if world.command.is_empty() {
                self.wrong(
                    &[Step::Key("world"), Step::Key("command")],
                    "the world has no program",
                    "write [\"python3\", \"world.py\"]",
                );
            }
        }
    }

    fn choices(&mut self, probe: usize, choices: &[String]) {
        let path = [Step::Key("probe"), Step::At(probe), Step::Key("choices")];
        self.words(&path, choices);
        let is_repeated =
            |n: usize| choices[..n].iter().any(|choice| choice.to_lowercase() == choices[n].to_lowercase());
        if let Some(n) = (1..choices.len()).find(|n| is_repeated(*n)) {
            let message = format!("the choice `{}` is named twice", choices[n]);
            self.wrong(&path, message, "remove one of them");
        }
        if let [only] = choices {
            let message = format!("`{only}` is the only choice");
            self.wrong(&path, message, "add another choice, or remove `choices`");
        }
    }

    /// Checks the words of an entry against the choices of its probe.
    fn of_choices(&mut self, (entry, n): (&'static str, usize), words: &[String], choices: &[String]) {
        let is_chosen =
            |word: &&String| choices.iter().any(|choice| holds_one(std::slice::from_ref(*word), &[], choice));
        if let Some(word) = words.iter().find(|word| !choices.is_empty() && !is_chosen(word)) {
            let message = format!("`{word}` is in none of the choices of the probe: {}", choices.join(", "));
            self.wrong(&[Step::Key(entry), Step::At(n), Step::Key("words")], message, "write one of them");
        }
    }

    fn moves(
        &mut self,
        scenario: &Scenario,
        places: &[String],
        agents: &[String],
        (topics, probes): (&[String], &[String]),
    ) {
        for (n, step) in scenario.moves.iter().enumerate() {
            let of = |key| [Step::Key("move"), Step::At(n), Step::Key(key)];
            self.waits("move", n, &step.at, step.every.as_deref());
            self.known(&of("to"), "place", &step.to, places);
            self.names(("move", n, "who"), "agent", &step.who, agents);
            if let Some(topic) = &step.knows {
                self.known(&of("knows"), "topic", topic, topics);
            }
            self.share(&of("chance"), step.chance);
            self.words(&of("words"), &step.words);
            self.words(&of("without"), &step.without);
            if step.words.is_empty() && !step.without.is_empty() {
                let message = "`without` leaves out answers with one of `words`, and there are none";
                self.wrong(&of("without"), message, "write `probe` and `words`");
            }
            match &step.probe {
                Some(probe) if step.words.is_empty() && probes.contains(probe) => {
                    let message = format!("nobody's answer to `{probe}` has a word of an empty list");
                    self.wrong(&of("probe"), message, "write `words`, of which one answer has to have one");
                }
                Some(probe) => {
                    self.known(&of("probe"), "probe", probe, probes);
                    self.of_choices(("move", n), &step.words, choices_of(scenario, probe));
                }
                None if !step.words.is_empty() => {
                    let message = "`words` are those of an answer, and no probe is named";
                    self.wrong(&of("words"), message, "write `probe`, the question that is answered");
                }
                None => {}
            }
        }
    }

    pub(super) fn measures(&mut self, scenario: &Scenario, places: &[String], agents: &[String]) {
        let probes: Vec<_> = scenario.probes.iter().map(|probe| probe.name.clone()).collect();
        let measures: Vec<_> = scenario.measures.iter().map(|measure| measure.name.clone()).collect();
        self.unique("measure", "measure", &measures);
        for (n, measure) in scenario.measures.iter().enumerate() {
            let of = |key| [Step::Key("measure"), Step::At(n), Step::Key(key)];
            self.title("measure", n, &measure.name);
            let is_built_in = |topic: &str| scenario.topics.iter().any(|known| known.name == topic);
            if measure.name == "said" || measure.name.strip_prefix("told of ").is_some_and(is_built_in) {
                let message = format!("`{}` is a curve that every report has", measure.name);
                self.wrong(&of("name"), message, "give the measure another name");
            }
            self.words(&of("words"), &measure.words);
            self.words(&of("without"), &measure.without);
            if let Some(place) = &measure.present {
                self.known(&of("present"), "place", place, places);
                let words = !measure.words.is_empty() || !measure.without.is_empty();
                if measure.probe.is_some() || words || !measure.places.is_empty() {
                    self.wrong(
                        &of("present"),
                        "a measure counts either those who are in a place or what is said",
                        "keep `present` with `who` alone, or make two measures of it",
                    );
                }
            }
            if let Some(probe) = &measure.probe {
                self.known(&of("probe"), "probe", probe, &probes);
                self.of_choices(("measure", n), &measure.words, choices_of(scenario, probe));
            }
            let choices = measure.probe.as_deref().map_or(&[][..], |probe| choices_of(scenario, probe));
            let are_numbers = choices.iter().all(|choice| choice.parse::<f64>().is_ok_and(f64::is_finite));
            if measure.mean && (choices.is_empty() || !are_numbers) {
                let message = "a mean is that of the numbers that the answers to a probe choose";
                self.wrong(&of("mean"), message, "name a `probe` with choices as [\"1\", \"2\", \"3\"]");
            }
            self.names(("measure", n, "who"), "agent", &measure.who, agents);
            self.names(("measure", n, "places"), "place", &measure.places, places);
        }
    }
}

fn choices_of<'a>(scenario: &'a Scenario, probe: &str) -> &'a [String] {
    scenario.probes.iter().find(|known| known.name == probe).map_or(&[], |probe| &probe.choices)
}
