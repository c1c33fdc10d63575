//! All environment variables that Greenroom reads. No other file names them.

use std::{collections::BTreeMap, ffi::OsString, fmt};

use crate::{check::did_you_mean, schema};

/// The data directory.
pub const DATA: &str = "GREENROOM_DATA";
/// The settings file.
pub const CONFIG: &str = "GREENROOM_CONFIG";
/// The directory of persona files.
pub const PERSONAS: &str = "GREENROOM_PERSONAS";
/// The default persona.
pub const PERSONA: &str = "GREENROOM_PERSONA";
/// The log filter.
pub const LOG: &str = "GREENROOM_LOG";
/// The name of the person at the keyboard.
pub const USER: &str = "GREENROOM_USER";
/// The model.
pub const MODEL: &str = "GREENROOM_MODEL";
/// The endpoint.
pub const BASE_URL: &str = "GREENROOM_BASE_URL";
/// The key of the endpoint.
pub const API_KEY: &str = "GREENROOM_API_KEY";
/// The kind of embedder.
pub const EMBEDDER: &str = "GREENROOM_EMBEDDER";
/// OpenTelemetry's own variable for a collector.
pub const OTLP_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// OpenAI's own variable for an endpoint.
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// OpenAI's own variable for a key.
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Ollama's own variable for its address.
pub const OLLAMA_HOST: &str = "OLLAMA_HOST";
/// The system's variable for the user's name.
pub const LOGIN: &str = "USER";
/// The same on Windows.
pub const LOGIN_WINDOWS: &str = "USERNAME";
/// Disables colours, see no-color.org.
pub const NO_COLOR: &str = "NO_COLOR";
/// For tests: writes generated files again.
pub const BLESS: &str = "GREENROOM_BLESS";

/// The variables that are passed to a program of an MCP server. Other variables are not passed, except those that the
/// persona's file refers to.
const PASSED_ON: [&str; 16] = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    // Windows
    "SystemRoot",
    "SystemDrive",
    "ComSpec",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramFiles",
];

/// The variables that every MCP program gets.
pub fn passed_on() -> impl Iterator<Item = (&'static str, OsString)> {
    PASSED_ON.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

/// The value of a variable that a persona's file refers to. `None` if it is not set or empty.
pub fn referred(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether a variable is a setting or key of Greenroom itself. MCP servers do not get these.
pub fn is_own(name: &str) -> bool {
    name.starts_with("GREENROOM_") || [OPENAI_API_KEY, OPENAI_BASE_URL, OTLP_ENDPOINT].contains(&name)
}

/// One variable, for the program and the manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The setting that it sets, if any.
    pub key: Option<&'static str>,
    /// Its meaning in one line.
    pub meaning: &'static str,
}

/// All variables except the nested ones, see [`nested`].
pub const VARIABLES: [Variable; 18] = [
    Variable { name: DATA, key: None, meaning: "directory of the database and the models" },
    Variable { name: CONFIG, key: None, meaning: "settings file, instead of ./greenroom.toml" },
    Variable { name: PERSONAS, key: None, meaning: "directory of persona files, instead of ./personas" },
    Variable { name: PERSONA, key: Some("persona"), meaning: "persona meant where none is named" },
    Variable { name: LOG, key: None, meaning: "what is logged, as info or greenroom=debug" },
    Variable { name: USER, key: None, meaning: "your name in conversations" },
    Variable { name: MODEL, key: Some("model.name"), meaning: "model that answers" },
    Variable { name: BASE_URL, key: Some("model.base_url"), meaning: "OpenAI-compatible endpoint" },
    Variable { name: API_KEY, key: Some("model.api_key"), meaning: "key of that endpoint" },
    Variable {
        name: EMBEDDER,
        key: Some("embedder.kind"),
        meaning: "auto, static, multilingual, minilm, openai or none",
    },
    Variable {
        name: OPENAI_BASE_URL,
        key: None,
        meaning: "endpoint where neither persona nor settings name one",
    },
    Variable { name: OPENAI_API_KEY, key: None, meaning: "key of OPENAI_BASE_URL, or of OpenAI without it" },
    Variable { name: OLLAMA_HOST, key: None, meaning: "where Ollama is looked for when no endpoint is set" },
    Variable {
        name: OTLP_ENDPOINT,
        key: Some("server.otlp_endpoint"),
        meaning: "OpenTelemetry collector that `serve` sends traces to, OTLP over HTTP",
    },
    Variable { name: LOGIN, key: None, meaning: "your name where GREENROOM_USER is not set" },
    Variable { name: LOGIN_WINDOWS, key: None, meaning: "the same, where USER is not set" },
    Variable { name: NO_COLOR, key: None, meaning: "anything: no colour" },
    Variable { name: BLESS, key: None, meaning: "for tests: write generated files anew" },
];

/// A variable for every nested setting: `model.temperature` is `GREENROOM_MODEL__TEMPERATURE`. Returns pairs of
/// variable and key. Lists are written with commas.
pub fn nested() -> Vec<(String, String)> {
    let keys = schema::keys(&schema::SETTINGS).into_iter().filter(|(key, _)| key.contains('.'));
    keys.map(|(key, _)| (format!("GREENROOM_{}", key.to_uppercase().replace('.', "__")), key)).collect()
}

/// The variables as a Markdown table for the manual.
pub fn table() -> String {
    let mut out = String::from("| variable | meaning | setting |\n|---|---|---|\n");
    for v in VARIABLES {
        let key = v.key.map(|k| format!("`{k}`")).unwrap_or_default();
        out.push_str(&format!("| `{}` | {} | {key} |\n", v.name, v.meaning));
    }
    out.push_str("| `GREENROOM_SECTION__NAME` | any setting, as `GREENROOM_MODEL__TEMPERATURE=0.2` | ");
    out.push_str("`section.name` |\n");
    out
}

/// A snapshot of the environment. It is a value, so that each test can have its own.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The environment of the process: `GREENROOM_*` and the other variables above. Invalid UTF-8 is replaced; an empty
    /// variable counts as not set.
    pub fn of_process() -> Self {
        let all = std::env::vars_os().map(|(n, v)| (n.to_string_lossy().into_owned(), v));
        all.filter(|(n, _)| n.starts_with("GREENROOM_") || VARIABLES.iter().any(|v| v.name == n))
            .map(|(n, v)| (n, v.to_string_lossy().into_owned()))
            .collect()
    }

    /// The value of a variable. `None` if it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }

    /// The environment without one variable.
    pub fn without(mut self, name: &str) -> Self {
        self.0.remove(name);
        self
    }

    /// All variables that set a setting or look like it. If two set the same setting, the stronger one comes last:
    /// `GREENROOM_MODEL` after `GREENROOM_MODEL__NAME`.
    pub(crate) fn settings(&self) -> Vec<Set<'_>> {
        let nested: BTreeMap<String, String> = nested().into_iter().collect();
        let known: Vec<&str> =
            VARIABLES.iter().map(|v| v.name).chain(nested.keys().map(String::as_str)).collect();
        let mut all: Vec<Set<'_>> = Vec::new();
        for name in self.0.keys() {
            let Some(value) = self.get(name) else { continue };
            let plain = VARIABLES.iter().find(|v| v.name == name);
            match plain.and_then(|v| v.key).or_else(|| nested.get(name).map(String::as_str)) {
                Some(key) => all.push(Set::Setting { name, key: key.to_owned(), value }),
                None if plain.is_some() => {}
                None => {
                    let near = did_you_mean_variable(name, &known);
                    if near.is_some() || name.contains("__") {
                        all.push(Set::Strange { name, near });
                    }
                }
            }
        }
        all.sort_by_key(|set| !set.name().contains("__"));
        all
    }
}

/// An environment variable and its effect on settings.
pub(crate) enum Set<'a> {
    /// It sets this setting.
    Setting { name: &'a str, key: String, value: &'a str },
    /// It sets nothing and may be misspelt.
    Strange { name: &'a str, near: Option<String> },
}

impl Set<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Setting { name, .. } | Self::Strange { name, .. } => name,
        }
    }
}

fn did_you_mean_variable(name: &str, known: &[&str]) -> Option<String> {
    let bare: Vec<String> =
        known.iter().filter_map(|k| k.strip_prefix("GREENROOM_")).map(str::to_lowercase).collect();
    let bare: Vec<&str> = bare.iter().map(String::as_str).collect();
    let near = did_you_mean(name.strip_prefix("GREENROOM_")?, &bare)?;
    Some(format!("GREENROOM_{}", near.to_uppercase()))
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

/// Shows names only, because values may be keys (X5).
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "<!-- begin generated: GREENROOM_BLESS=1 cargo test -p greenroom-persona \
                         the_table_of_variables -->\n";
    const END: &str = "<!-- end generated -->";

    #[test]
    fn the_table_of_variables_in_the_manual_is_that_of_the_code() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
        let manual = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
        let (before, rest) = manual.split_once(BEGIN).expect("the mark at which the table begins");
        let (stands, after) = rest.split_once(END).expect("the mark at which the table ends");
        if std::env::var_os(BLESS).is_some() {
            std::fs::write(path, format!("{before}{BEGIN}{}{END}{after}", table())).unwrap();
            return;
        }
        assert!(
            stands == table(),
            "the table in docs/settings.md is out of step; write it anew with\n    \
             GREENROOM_BLESS=1 cargo test -p greenroom-persona the_table_of_variables"
        );
    }
}
