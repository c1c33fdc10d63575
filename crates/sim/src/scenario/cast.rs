//! The agents of a scenario: persona files as they are, templates with a table of people, generated people.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use greenroom_persona::{Answer, Cast, Layers, Persona};
use minijinja::Environment;

use super::{CastTable, Problem, Scenario};
use crate::draw::{below, draw, key};

/// An agent as it plays.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub(crate) persona: Arc<Persona>,
    /// Where it begins: the index of a place.
    pub(crate) at: usize,
    /// What answers for it.
    pub(crate) mind: String,
}

/// What the scenario says of an agent beside its persona.
struct Entry<'a> {
    name: &'a str,
    at: &'a str,
    mind: &'a str,
    answer: Option<&'a str>,
    talkativeness: Option<f32>,
}

/// The people of a cast: its rows, or those that are generated.
pub(super) fn rows(cast: &CastTable, seed: u64) -> Vec<BTreeMap<String, String>> {
    let Some(generate) = &cast.generate else { return cast.rows.clone() };
    let person = |n: u32| {
        let name = format!("{}-{n}", generate.name);
        let drawn = generate.draw.iter().filter_map(|(column, values)| {
            let at = below(draw(seed, key(&name), key(column)), values.len());
            Some((column.clone(), values.get(at)?.clone()))
        });
        let mut person: BTreeMap<_, _> = drawn.collect();
        person.insert("name".into(), name);
        person
    };
    (1..=generate.count).map(person).collect()
}

/// Loads the agents. Files are relative to `directory`; `rendered` is where files made of a template are written.
///
/// # Errors
/// What is wrong with their files.
pub(crate) fn load_cast(
    scenario: &Scenario,
    directory: &Path,
    rendered: &Path,
) -> Result<Vec<Agent>, Vec<Problem>> {
    let mut loading = CastLoader { scenario, agents: Vec::new(), problems: Vec::new() };
    for agent in &scenario.agents {
        let entry = Entry {
            name: &agent.name,
            at: &agent.at,
            mind: &agent.mind,
            answer: agent.answer.as_deref(),
            talkativeness: agent.talkativeness,
        };
        match (&agent.persona, &agent.prompt) {
            (Some(file), _) => loading.file(&directory.join(file), &entry),
            (None, prompt) => {
                loading.text(prompt.as_deref().unwrap_or_default(), agent.display_name.as_deref(), &entry);
            }
        }
    }
    for cast in &scenario.casts {
        let template = match &cast.template {
            None => cast.prompt.clone().unwrap_or_default(),
            Some(file) => match fs::read_to_string(directory.join(file)) {
                Ok(text) => text,
                Err(error) => {
                    loading.unreadable(&directory.join(file), &error.to_string());
                    continue;
                }
            },
        };
        for person in rows(cast, scenario.seed) {
            loading.person(cast, &template, &person, rendered);
        }
    }
    if loading.problems.is_empty() { Ok(loading.agents) } else { Err(loading.problems) }
}

struct CastLoader<'a> {
    scenario: &'a Scenario,
    agents: Vec<Agent>,
    problems: Vec<Problem>,
}

impl CastLoader<'_> {
    fn unreadable(&mut self, file: &Path, why: &str) {
        let file = file.display().to_string();
        let (message, remedy) = (format!("it cannot be used: {why}"), "mend the file or name another".into());
        self.problems.push(Problem { file, line: 0, column: 0, message, remedy });
    }

    fn person(
        &mut self,
        cast: &CastTable,
        template: &str,
        person: &BTreeMap<String, String>,
        rendered: &Path,
    ) {
        let name = person.get("name").map_or("", String::as_str);
        let entry = Entry {
            name,
            at: person.get("at").or(cast.at.as_ref()).map_or("", String::as_str),
            mind: person.get("mind").unwrap_or(&cast.mind),
            answer: cast.answer.as_deref(),
            talkativeness: cast.talkativeness,
        };
        let text = match Environment::new().render_str(template, person) {
            Ok(text) => text,
            Err(error) => return self.unreadable(Path::new(name), &error.to_string()),
        };
        if cast.template.is_none() {
            return self.text(&text, person.get("display_name").map(String::as_str), &entry);
        }
        let file = rendered.join(format!("{name}.md"));
        let written = fs::create_dir_all(rendered).and_then(|()| fs::write(&file, text));
        match written {
            Ok(()) => self.file(&file, &entry),
            Err(error) => self.unreadable(&file, &error.to_string()),
        }
    }

    fn file(&mut self, file: &Path, entry: &Entry<'_>) {
        let cast = Cast::check(file, &Layers::default());
        for wrong in cast.persona_problems() {
            self.problems.push(Problem {
                file: wrong.file.clone(),
                line: wrong.line,
                column: wrong.column,
                message: wrong.message.clone(),
                remedy: wrong.help.clone().unwrap_or_else(|| format!("expected {}", wrong.expected)),
            });
        }
        if let Some(persona) = cast.personas.into_iter().next() {
            if persona.name.as_str() != entry.name {
                let why = format!("its persona is called {}, and the agent {}", persona.name, entry.name);
                return self.unreadable(file, &why);
            }
            self.add(persona, entry);
        }
    }

    fn text(&mut self, prompt: &str, display_name: Option<&str>, entry: &Entry<'_>) {
        // names were checked with the scenario
        let Ok(name) = entry.name.parse() else { return };
        let mut persona = Persona::new(name, prompt);
        persona.tools = Vec::new();
        if let Some(shown) = display_name {
            persona.display_name = shown.to_owned();
        }
        self.add(persona, entry);
    }

    fn add(&mut self, mut persona: Persona, entry: &Entry<'_>) {
        // where it is, the scenario says, and no pattern of channels
        persona.room.channels.clear();
        if let Some(answer) = entry.answer {
            persona.room.answer = match answer {
                "addressed" => Answer::Addressed,
                "relevant" => Answer::Relevant,
                "talkative" => Answer::Talkative,
                "always" => Answer::Always,
                "never" => Answer::Never,
                _ => Answer::Mentioned,
            };
        }
        if let Some(share) = entry.talkativeness {
            persona.room.talkativeness = share;
        }
        let at = self.scenario.places.iter().position(|place| place.name == entry.at).unwrap_or(0);
        self.agents.push(Agent { persona: persona.into(), at, mind: entry.mind.to_owned() });
    }
}
