//! The settings that all personas start from: `greenroom.toml`, the environment and the flags, read and checked once.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use figment::value::Value;

use crate::{
    Diagnostic, Origin, Secret, Settings,
    check::{check, check_document, expected},
    diagnostic::SourceFile,
    env::{self, Environment, Set},
    global::OPENAI,
    keys::{KeySources, keys},
    layers::{DEFAULT, Layer, Merged, coerce, merge, origin_of},
    memory::checks::missing_template,
    node::Node,
    persona::{BUILT_IN_TOOLS, FrontMatter},
    read::read,
    schema, syntax,
};

/// The sources of settings and personas.
#[derive(Debug, Clone)]
pub struct Layers {
    /// `--config FILE`; must exist. Default: `GREENROOM_CONFIG`, then `greenroom.toml` in `directory`, then
    /// `greenroom.toml` in `user_config`.
    pub config: Option<PathBuf>,
    /// `--personas DIR`; must exist. Default: `GREENROOM_PERSONAS`, then `personas` in `directory`.
    pub personas: Option<PathBuf>,
    /// The user's settings directory, if the system has one.
    pub user_config: Option<PathBuf>,
    /// The working directory; empty for that of the process.
    pub directory: PathBuf,
    /// The environment.
    pub environment: Environment,
    /// Flags that set settings.
    pub flags: Vec<Flag>,
    /// The available tools. A persona that names another tool is a problem.
    pub tools: Vec<String>,
}

impl Default for Layers {
    /// Files of the working directory only, no environment, no flags, the built-in tools.
    fn default() -> Self {
        Self {
            config: None,
            personas: None,
            user_config: None,
            directory: PathBuf::new(),
            environment: Environment::default(),
            flags: Vec::new(),
            tools: BUILT_IN_TOOLS.map(String::from).to_vec(),
        }
    }
}

impl Layers {
    /// The settings file, if it exists or the caller asked for it.
    fn config_file(&self) -> Option<PathBuf> {
        let asked = self.config.clone().or_else(|| self.environment.get(env::CONFIG).map(PathBuf::from));
        let there = |dir: &Path| Some(dir.join("greenroom.toml")).filter(|p| p.exists());
        asked.or_else(|| there(&self.directory)).or_else(|| self.user_config.as_deref().and_then(there))
    }

    /// Whether the settings file was found in the working directory without being asked for.
    fn is_found(&self, config: &Path) -> bool {
        self.config.is_none()
            && self.environment.get(env::CONFIG).is_none()
            && config == self.directory.join("greenroom.toml")
    }

    /// The directory of persona files, if it exists or the caller asked for it.
    pub fn persona_directory(&self) -> Option<PathBuf> {
        let asked = self.personas.clone().or_else(|| self.environment.get(env::PERSONAS).map(PathBuf::from));
        asked.or_else(|| Some(self.directory.join("personas")).filter(|p| p.is_dir()))
    }
}

/// A flag that sets a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The flag as it was typed, as `--model`.
    pub name: String,
    /// The key of the setting, as `model.name`.
    pub key: String,
    /// The value as text.
    pub value: String,
}

/// The layers around a persona's own layer, and their result without it.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    pub settings: Settings,
    pub origins: Vec<Origin>,
    pub problems: Vec<Diagnostic>,
    pub config: Option<PathBuf>,
    lower: Vec<Layer>,
    upper: Vec<Layer>,
}

impl Base {
    /// Reads the settings. Wrong values are reported and left out; the other values apply.
    pub fn read(layers: &Layers) -> Self {
        let mut problems = Vec::new();
        let config = layers.config_file();
        let mut above = Vec::new();
        let upper = environment_and_flags(layers, &mut above);
        let template = upper.iter().any(|layer| layer.get::<String>("memory.template").is_some());
        let file = config.as_deref().and_then(|path| settings_file(path, template, &mut problems));
        problems.append(&mut above);
        let openai = openai_layer(layers, &mut problems);
        let said = KeySources {
            file_was_found: config.as_deref().is_some_and(|path| layers.is_found(path)),
            ..collect_key_sources(&layers.environment, openai.as_ref(), file.as_ref(), &upper)
        };
        let mut lower: Vec<Layer> = openai.into_iter().chain(file).collect();

        let merged = merge(&Layer::of(DEFAULT, &Settings::default()), lower.iter().chain(&upper));
        let mut origins = merged.origins(&schema::SETTINGS);
        let mut settings: Settings = merged.extract().unwrap_or_else(|e| {
            problems.push(drifted("settings", &e));
            Settings::default()
        });
        settings.keys = keys(&said);
        // A key without an endpoint is for OpenAI. But if there are problems, the endpoint may be missing because it
        // was rejected or misspelt, and the key may belong to another service.
        if settings.model.settings.base_url.is_none() && !settings.keys.is_empty() && problems.is_empty() {
            let by = match said.openai_key {
                Some(_) => Origin::of_environment(env::OPENAI_API_KEY),
                None => {
                    origin_of(&origins, "model.api_key").map_or_else(Origin::of_default, |o| o.origin.clone())
                }
            };
            origins.push(Origin { key: "model.base_url".into(), value: OPENAI.into(), origin: by.clone() });
            origins.sort_by(|a, b| a.key.cmp(&b.key));
            lower.insert(0, Layer::single(by, "model.base_url", Value::from(OPENAI)));
            settings.model.settings.base_url = Some(OPENAI.into());
        }
        Self { settings, origins, problems, config, lower, upper }
    }

    /// Merges a persona's front matter with these layers. A global `auto_retrieve = false` wins (BD7).
    pub fn persona(&self, front: &Layer) -> Merged {
        let switched_off = (!self.settings.memory.auto_retrieve).then(|| {
            let by = origin_of(&self.origins, "memory.auto_retrieve").map_or(DEFAULT, |o| o.origin.as_str());
            Layer::single(by, "memory.auto_retrieve", Value::from(false))
        });
        let layers: Vec<&Layer> =
            self.lower.iter().chain([front]).chain(&self.upper).chain(&switched_off).collect();
        merge(&Layer::of(DEFAULT, &FrontMatter::default()), layers)
    }
}

/// A problem for a value that passes its schema but does not fit its type. That is a defect of Greenroom, so it is
/// reported.
pub(crate) fn drifted(file: &str, error: &str) -> Diagnostic {
    Diagnostic::without_place(file, "internal", "", error, "values that fit their types")
        .with_help("please report this")
}

/// The layer of the settings file. `template`: whether the environment sets `memory.template`.
fn settings_file(path: &Path, template: bool, problems: &mut Vec<Diagnostic>) -> Option<Layer> {
    let text = match read(path) {
        Ok(text) => text,
        Err(problem) => {
            problems.push(*problem);
            return None;
        }
    };
    let source = Arc::new(SourceFile::new(path.display().to_string(), &text));
    let (node, mut wrong) = syntax::toml::read(&text, 0);
    let values = check_document(&source, &node, &schema::SETTINGS, &mut wrong);
    wrong.extend(missing_template(&node, template));
    problems.extend(wrong.into_iter().map(|p| source.diagnose(p)));
    Some(Layer::of_file(&source, &node, values))
}

fn environment_and_flags(layers: &Layers, problems: &mut Vec<Diagnostic>) -> Vec<Layer> {
    let mut upper = Vec::new();
    for set in layers.environment.settings() {
        match set {
            Set::Setting { name, key, value } => {
                upper.extend(single(&Origin::of_environment(name), &key, value, problems));
            }
            Set::Strange { name, near } => problems.push(strange(name, near)),
        }
    }
    for flag in &layers.flags {
        upper.extend(single(&Origin::of_flag(&flag.name), &flag.key, &flag.value, problems));
    }
    upper
}

fn strange(name: &str, near: Option<String>) -> Diagnostic {
    let unknown = Diagnostic::without_place(
        Origin::of_environment(name),
        "unknown_field",
        name,
        format!("unknown variable {name}"),
        "a setting, as GREENROOM_MODEL__TEMPERATURE",
    );
    match near {
        Some(near) => unknown.with_help(format!("did you mean {near}?")),
        None => unknown,
    }
}

/// The layer of one setting from the environment or a flag.
fn single(from: &str, key: &str, text: &str, problems: &mut Vec<Diagnostic>) -> Option<Layer> {
    let Some(wanted) = schema::find(&schema::SETTINGS, key) else {
        problems.push(Diagnostic::without_place(
            from,
            "unknown_field",
            key,
            "no such setting",
            "a setting's key",
        ));
        return None;
    };
    let node = Node { value: coerce(text, wanted), span: 0..0 };
    let mut wrong = Vec::new();
    let value = check(&node, wanted, key, &mut wrong);
    let shown = if wanted.get("writeOnly").is_some() { String::new() } else { crate::secret::blot(text) };
    for p in &wrong {
        let message = format!("{key} cannot be this");
        let d = Diagnostic::without_place(from, p.code, &shown, message, expected(wanted));
        problems.push(match &p.help {
            Some(help) => d.with_help(help.clone()),
            None => d,
        });
    }
    value.filter(|_| wrong.is_empty()).map(|value| Layer::single(from, key, value))
}

/// The layer of `OPENAI_BASE_URL`. It is below the settings file, because it only applies if nothing else names an
/// endpoint.
fn openai_layer(layers: &Layers, problems: &mut Vec<Diagnostic>) -> Option<Layer> {
    let url = layers.environment.get(env::OPENAI_BASE_URL)?;
    single(&Origin::of_environment(env::OPENAI_BASE_URL), "model.base_url", url, problems)
}

/// Collects the keys and endpoints of all layers. In `upper`, later layers are stronger.
fn collect_key_sources(
    environment: &Environment,
    openai: Option<&Layer>,
    file: Option<&Layer>,
    upper: &[Layer],
) -> KeySources {
    const URL: &str = "model.base_url";
    const KEY: &str = "model.api_key";
    const SHARED: &str = "model.share_key_with";
    const BESIDE: [&str; 2] = ["memory.hyde.base_url", "memory.capture.base_url"];
    let beside = |layer: &Layer| BESIDE.map(|key| layer.get(key)).into_iter().flatten().collect::<Vec<_>>();
    let shared: Vec<String> = upper.iter().rev().find_map(|layer| layer.get(SHARED)).unwrap_or_default();
    KeySources {
        openai_key: environment.get(env::OPENAI_API_KEY).map(Secret::new),
        openai_url: openai.and_then(|layer| layer.get(URL)),
        greenroom_key: upper.iter().rev().find_map(|layer| layer.get(KEY)),
        chosen: upper.iter().filter_map(|layer| layer.get(URL)).collect(),
        shared: shared.into_iter().chain(upper.iter().flat_map(beside)).collect(),
        file_key: file.and_then(|layer| layer.get(KEY)),
        file_url: file.and_then(|layer| layer.get(URL)),
        file_shared: file.and_then(|layer| layer.get(SHARED)).unwrap_or_default(),
        file_beside: file.map(beside).unwrap_or_default(),
        file_was_found: true,
    }
}
