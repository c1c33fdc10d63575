//! Loads the agents of a scenario: from persona files, from templates with a table of people, or generated.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::Path,
    sync::Arc,
};

use greenroom_persona::{Answer, CastChecker, Layers, Origin, OriginKind, Persona};
use minijinja::{Environment, UndefinedBehavior};

use super::{
    CastTable, Problem, Scenario,
    check::{Severity, Step, at_entries, suggestion},
    files::{WrongEntry, world_entries, wrong_file},
};
use crate::draw::{below, draw, key};

/// The tokens of an hour in an agent's limits, unless its file says otherwise. The default protects live chats against
/// cost, and an hour of virtual time costs as much as the scenario lets its agents say, which `[stop]` limits (SM8).
const UNLIMITED: u64 = 0;

/// An agent of a run.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub(crate) persona: Arc<Persona>,
    /// The index of the place where the agent begins.
    pub(crate) at: usize,
    /// The name of its mind.
    pub(crate) mind: String,
}

/// The most steps that a template may execute. A million is far more than a page of text needs.
const TEMPLATE_STEPS: u64 = 1_000_000;

/// The words for `answer` in a scenario.
pub(super) const ANSWERS: [(&str, Answer); 6] = [
    ("mentioned", Answer::Mentioned),
    ("addressed", Answer::Addressed),
    ("relevant", Answer::Relevant),
    ("talkative", Answer::Talkative),
    ("always", Answer::Always),
    ("never", Answer::Never),
];

/// Parses an `answer`. `None` for an unknown word.
pub(super) fn answer_of(word: &str) -> Option<Answer> {
    ANSWERS.iter().find(|(listed, _)| *listed == word).map(|(_, answer)| *answer)
}

/// The scenario's settings of an agent, besides its persona.
struct Entry<'a> {
    /// The path of the entry in the scenario.
    path: Vec<Step<'static>>,
    name: &'a str,
    at: &'a str,
    mind: &'a str,
    answer: Option<&'a str>,
    talkativeness: Option<f32>,
}

/// The people of a cast table: its rows, or generated ones.
pub(crate) fn rows(cast: &CastTable, seed: u64) -> Vec<BTreeMap<String, String>> {
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

/// Whether a persona file itself sets the tokens of an hour.
fn is_own_limit(origin: &Origin) -> bool {
    origin.key == "limits.tokens_per_hour" && origin.kind() != OriginKind::Default
}

/// The path of a person in the scenario: its row, or the entry that generates it.
pub(super) fn row_path(cast: usize, table: &CastTable, row: usize) -> Vec<Step<'static>> {
    let of = [Step::Key("cast"), Step::At(cast)];
    match table.generate {
        Some(_) => [&of[..], &[Step::Key("generate")]].concat(),
        None => [&of[..], &[Step::Key("rows"), Step::At(row)]].concat(),
    }
}

/// Loads the agents. Files are relative to `directory`. Files made of templates are written to `rendered`.
///
/// # Errors
/// The problems of the files.
pub(crate) fn load_cast(
    scenario: &Scenario,
    directory: &Path,
    rendered: &Path,
) -> Result<Vec<Agent>, Vec<Problem>> {
    let loading = loaded(scenario, directory, rendered);
    if loading.entries.is_empty() && loading.problems.is_empty() {
        return Ok(loading.agents);
    }
    let file = directory.join("scenario.toml");
    let text = fs::read_to_string(&file).unwrap_or_default();
    Err(loading.all_problems(&file.display().to_string(), &text))
}

/// The problems of the files that a scenario names: personas, templates, the program of its world.
pub(super) fn file_problems(
    scenario: &Scenario,
    (file, text): (&str, &str),
    directory: &Path,
    rendered: &Path,
) -> Vec<Problem> {
    let mut loading = loaded(scenario, directory, rendered);
    loading.entries.extend(world_entries(scenario, directory));
    loading.all_problems(file, text)
}

/// The layers of a persona file alone. Settings of the working directory would make another run of the same input, so
/// another directory stands for it.
fn without_settings(directory: &Path) -> Layers {
    Layers { directory: directory.to_owned(), ..Layers::default() }
}

fn loaded<'a>(scenario: &'a Scenario, directory: &Path, rendered: &Path) -> CastLoader<'a> {
    let mut templates = Environment::new();
    // a template may test for a missing column with `{% if column %}`, but may not print it
    templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    templates.set_fuel(Some(TEMPLATE_STEPS));
    let mut loading = CastLoader {
        scenario,
        templates,
        checker: CastChecker::new(&without_settings(rendered)),
        agents: Vec::new(),
        problems: Vec::new(),
        entries: Vec::new(),
    };
    for (n, agent) in scenario.agents.iter().enumerate() {
        let entry = Entry {
            path: vec![Step::Key("agent"), Step::At(n), Step::Key("persona")],
            name: &agent.name,
            at: &agent.at,
            mind: &agent.mind,
            answer: agent.answer.as_deref(),
            talkativeness: agent.talkativeness,
        };
        match (&agent.persona, &agent.prompt) {
            (Some(file), _) => {
                if loading.is_file(&entry.path, directory, file) {
                    loading.file(&directory.join(file), None, &entry);
                }
            }
            (None, prompt) => {
                loading.text(prompt.as_deref().unwrap_or_default(), agent.display_name.as_deref(), &entry);
            }
        }
    }
    for (n, cast) in scenario.casts.iter().enumerate() {
        loading.cast(n, cast, directory, rendered);
    }
    loading
}

struct CastLoader<'a> {
    scenario: &'a Scenario,
    templates: Environment<'static>,
    checker: CastChecker,
    agents: Vec<Agent>,
    /// Problems in persona files.
    problems: Vec<Problem>,
    /// Problems in the scenario.
    entries: Vec<WrongEntry>,
}

impl CastLoader<'_> {
    fn all_problems(self, file: &str, text: &str) -> Vec<Problem> {
        let mut problems = at_entries(file, text, self.entries);
        problems.extend(self.problems);
        problems
    }

    /// Whether a file can be read and is inside the directory. If not, adds a problem at the entry.
    fn is_file(&mut self, path: &[Step<'static>], directory: &Path, file: &Path) -> bool {
        let wrong = wrong_file(path, directory, file);
        let is_file = wrong.is_none();
        self.entries.extend(wrong);
        is_file
    }

    fn cast(&mut self, n: usize, cast: &CastTable, directory: &Path, rendered: &Path) {
        let path = vec![Step::Key("cast"), Step::At(n), Step::Key("template")];
        let template = match &cast.template {
            None => cast.prompt.clone().unwrap_or_default(),
            Some(file) if !self.is_file(&path, directory, file) => return,
            Some(file) => match fs::read_to_string(directory.join(file)) {
                Ok(text) => text,
                Err(error) => {
                    let why = format!("`{}` cannot be read: {error}", file.display());
                    return self.entries.push((path, why, "write it as UTF-8 text".into()));
                }
            },
        };
        let columns = match self.templates.template_from_str(&template) {
            Ok(template) => template.undeclared_variables(false),
            Err(error) => {
                let why = format!("the template is wrong: {error}");
                return self.entries.push((path, why, "write columns as {{ column }}".into()));
            }
        };
        for (row, person) in rows(cast, self.scenario.seed).iter().enumerate() {
            let before = self.entries.len() + self.problems.len();
            self.person((cast, row_path(n, cast, row)), (&template, &columns), person, (directory, rendered));
            // generated people share their problems, so one of them is enough
            if cast.generate.is_some() && self.entries.len() + self.problems.len() > before {
                break;
            }
        }
    }

    fn person(
        &mut self,
        (cast, path): (&CastTable, Vec<Step<'static>>),
        (template, columns): (&str, &HashSet<String>),
        person: &BTreeMap<String, String>,
        (directory, rendered): (&Path, &Path),
    ) {
        let name = person.get("name").map_or("", String::as_str);
        let text = match self.templates.render_str(template, person) {
            Ok(text) => text,
            Err(error) => {
                let mut missing: Vec<_> =
                    columns.iter().filter(|column| !person.contains_key(*column)).collect();
                missing.sort();
                let Some(first) = missing.first() else {
                    let why = format!("the template cannot be filled in for `{name}`: {error}");
                    return self.entries.push((path, why, "mend the template".into()));
                };
                let listed =
                    missing.iter().map(|column| format!("`{column}`")).collect::<Vec<_>>().join(", ");
                let unused = person.keys().map(String::as_str).filter(|column| {
                    !columns.contains(*column) && !["name", "at", "mind", "display_name"].contains(column)
                });
                let near = suggestion(first, unused);
                let remedy = match near.strip_prefix("write ") {
                    Some(written) => format!("write `{first}` for {written}"),
                    None => format!(
                        "add {first} = \"…\", or write {{{{ {first} | default(\"…\") }}}} in the template"
                    ),
                };
                let why = format!("the row of `{name}` has no {listed}, which the template uses");
                return self.entries.push((path, why, remedy));
            }
        };
        let entry = Entry {
            path,
            name,
            at: person.get("at").or(cast.at.as_ref()).map_or("", String::as_str),
            mind: person.get("mind").unwrap_or(&cast.mind),
            answer: cast.answer.as_deref(),
            talkativeness: cast.talkativeness,
        };
        let Some(shown) = &cast.template else {
            return self.text(&text, person.get("display_name").map(String::as_str), &entry);
        };
        let shown = &directory.join(shown);
        let file = rendered.join(format!("{name}.md"));
        let written = fs::create_dir_all(rendered).and_then(|()| fs::write(&file, text));
        match written {
            Ok(()) => self.file(&file, Some(shown), &entry),
            Err(error) => {
                let why = format!("{} cannot be written: {error}", file.display());
                self.entries.push((entry.path, why, "make room on the disk".into()));
            }
        }
    }

    /// Adds the persona of a file. If the file was made of a `template`, problems are reported for the template.
    fn file(&mut self, file: &Path, template: Option<&Path>, entry: &Entry<'_>) {
        let cast = self.checker.check(file);
        for wrong in cast.persona_problems() {
            let problem = Problem {
                file: template.map_or(wrong.file.clone(), |file| file.display().to_string()),
                line: wrong.line,
                column: wrong.column,
                message: wrong.message.clone(),
                remedy: wrong.help.clone().unwrap_or_else(|| format!("expected {}", wrong.expected)),
                severity: Severity::Error,
            };
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        if let Some(mut persona) = cast.personas.into_iter().next() {
            let mut origins = cast.persona_origins.get(&persona.name).into_iter().flatten();
            if !origins.any(is_own_limit) {
                persona.limits.tokens_per_hour = UNLIMITED;
            }
            if persona.name.as_str() != entry.name {
                let why = format!(
                    "the persona of this file is called `{}`, and the agent `{}`",
                    persona.name, entry.name
                );
                let remedy = format!("write name = \"{}\" for the agent, or name another file", persona.name);
                return self.entries.push((entry.path.clone(), why, remedy));
            }
            self.add(persona, entry);
        }
    }

    fn text(&mut self, prompt: &str, display_name: Option<&str>, entry: &Entry<'_>) {
        // the checks of the scenario have validated the names
        let Ok(name) = entry.name.parse() else { return };
        let mut persona = Persona::new(name, prompt);
        persona.tools = Vec::new();
        persona.limits.tokens_per_hour = UNLIMITED;
        if let Some(shown) = display_name {
            persona.display_name = shown.to_owned();
        }
        self.add(persona, entry);
    }

    fn add(&mut self, mut persona: Persona, entry: &Entry<'_>) {
        // the scenario decides where an agent is, so the channel patterns of the file do not apply
        persona.room.channels.clear();
        if let Some(answer) = entry.answer.and_then(answer_of) {
            persona.room.answer = answer;
        }
        if let Some(share) = entry.talkativeness {
            persona.room.talkativeness = share;
        }
        let at = self.scenario.places.iter().position(|place| place.name == entry.at).unwrap_or(0);
        self.agents.push(Agent { persona: persona.into(), at, mind: entry.mind.to_owned() });
    }
}
