//! The settings of the whole program, as `greenroom.toml` holds them.

use std::{collections::BTreeMap, time::Duration};

use greenroom_core::PersonaName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    LimitSettings, MemorySettings, ModelSettings, RoomSettings, Secret, duration, persona::NAME_PATTERN,
    settings::URL_PATTERN,
};

/// The endpoint an OpenAI key is for when nothing else is said.
pub(crate) const OPENAI: &str = "https://api.openai.com/v1";

/// The settings file. Every field may be left out; `model`, `memory`, `room` and `limits` are what
/// personas begin from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(title = "Greenroom settings: greenroom.toml")]
pub struct Settings {
    /// The persona meant where none is named.
    #[schemars(with = "String", regex(pattern = NAME_PATTERN))]
    pub persona: PersonaName,
    /// Which model answers, and how, where a persona does not say.
    pub model: GlobalModel,
    /// What personas remember, where they do not say.
    pub memory: MemorySettings,
    /// What turns texts into vectors.
    pub embedder: EmbedderSettings,
    /// When personas answer among others, where they do not say.
    pub room: RoomSettings,
    /// What personas may use up, where they do not say.
    pub limits: LimitSettings,
    /// Documents of a project.
    pub project: ProjectSettings,
    /// What is known of models, by name (WB2).
    pub models: BTreeMap<String, ModelEntry>,
    /// Actors and queues.
    pub runtime: RuntimeSettings,
    /// What `OPENAI_BASE_URL` and `OPENAI_API_KEY` say; no part of the file.
    #[serde(skip)]
    pub openai: OpenAi,
}

/// The model settings of `greenroom.toml`: those of a persona, and the key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GlobalModel {
    /// What a persona may say as well.
    #[serde(flatten)]
    pub settings: ModelSettings,
    /// The key of the endpoint `base_url`, and of no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<Secret>,
    /// Further endpoints the key may be sent to.
    #[schemars(inner(regex(pattern = URL_PATTERN)))]
    pub share_key_with: Vec<String>,
}

/// What turns texts into vectors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EmbedderSettings {
    /// Which sort of embedder.
    pub kind: EmbedderKind,
    /// The endpoint of kind openai; that of the model where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = URL_PATTERN))]
    pub base_url: Option<String>,
    /// The model's name at that endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub model: Option<String>,
    /// Numbers in a vector, where the endpoint lets one choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_384))]
    pub dimension: Option<usize>,
}

/// Which sort of embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// The table compiled into the program.
    #[default]
    Static,
    /// MiniLM, run locally.
    Minilm,
    /// An OpenAI-compatible endpoint.
    OpenAi,
    /// None: nothing is recalled by meaning.
    None,
}

/// Documents of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectSettings {
    /// Tokens the project's documents may take.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub budget_tokens: usize,
    /// File names looked for where there is no AGENTS.md.
    #[schemars(inner(regex(pattern = FILE_NAME_PATTERN)))]
    pub fallback_names: Vec<String>,
}

/// A file's bare name (X11).
pub(crate) const FILE_NAME_PATTERN: &str = "^[^/\\\\]+$";

impl Default for ProjectSettings {
    /// 4000 tokens, AGENTS.md alone.
    fn default() -> Self {
        Self { budget_tokens: 4000, fallback_names: Vec::new() }
    }
}

/// What is known of one model (WB2).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelEntry {
    /// Its window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 256, max = 100_000_000))]
    pub context_window: Option<usize>,
    /// Its tokenizer (WB3).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub tokenizer: Option<String>,
}

/// Actors and queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RuntimeSettings {
    /// After so long without a message an actor is passivated.
    #[serde(with = "duration")]
    #[schemars(with = "duration::Positive")]
    pub idle_after: Duration,
    /// Messages a channel may have waiting (S9).
    #[schemars(range(min = 1, max = 10_000))]
    pub queue_limit: usize,
}

impl Default for RuntimeSettings {
    /// 5 minutes, 32 messages.
    fn default() -> Self {
        Self { idle_after: Duration::from_secs(300), queue_limit: 32 }
    }
}

/// What the environment says in OpenAI's own variables.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenAi {
    /// `OPENAI_BASE_URL`.
    pub base_url: Option<String>,
    /// `OPENAI_API_KEY`.
    pub api_key: Option<Secret>,
    /// An endpoint the person at the keyboard chose, by flag or `GREENROOM_BASE_URL`.
    pub chosen: Option<String>,
}

impl Settings {
    /// The key that may be sent to an endpoint, if any (X5).
    ///
    /// A key goes where whoever set it meant it to go: `model.api_key` to the global
    /// `model.base_url`, `OPENAI_API_KEY` to `OPENAI_BASE_URL` or an endpoint chosen by flag or
    /// environment, both to what `share_key_with` lists. So neither a persona file nor a
    /// `greenroom.toml` that came with a project can lead a key of the environment elsewhere by
    /// naming an endpoint. Endpoints are compared by scheme, host and port.
    pub fn key_for(&self, base_url: &str) -> Option<&Secret> {
        let wanted = origin(base_url);
        let is = |url: &str| origin(url) == wanted;
        let shared = self.model.share_key_with.iter().any(|url| is(url));
        let own = is(self.model.settings.base_url.as_deref().unwrap_or(OPENAI));
        let openai = is(self.openai.base_url.as_deref().unwrap_or(OPENAI))
            || self.openai.chosen.as_deref().is_some_and(is);
        let first = self.model.api_key.as_ref().filter(|_| own || shared);
        first.or_else(|| self.openai.api_key.as_ref().filter(|_| openai || shared))
    }
}

/// Scheme, host and port, lower case, the usual port left out.
fn origin(url: &str) -> String {
    let lower = url.trim().to_ascii_lowercase();
    let (scheme, rest) = lower.split_once("://").unwrap_or(("", &lower));
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let usual = if scheme == "https" { ":443" } else { ":80" };
    format!("{scheme}://{}", authority.strip_suffix(usual).unwrap_or(authority))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let mut settings = Settings::default();
        settings.model.api_key = Some(Secret::new("own"));
        settings.model.settings.base_url = Some("https://models.example/v1".into());
        settings.openai.api_key = Some(Secret::new("openai"));
        settings
    }

    fn key(settings: &Settings, url: &str) -> Option<String> {
        settings.key_for(url).map(|s| s.expose().to_owned())
    }

    #[test]
    fn x5_a_key_goes_to_the_endpoint_it_was_set_for_and_to_no_other() {
        let s = settings();
        assert_eq!(key(&s, "https://models.example:443/v1/").as_deref(), Some("own"));
        assert_eq!(key(&s, "https://api.openai.com/v1").as_deref(), Some("openai"));
        for other in [
            "https://evil.example/v1",
            "http://models.example/v1",
            "https://models.example.evil.example/v1",
            "https://models.example:8443/v1",
        ] {
            assert_eq!(key(&s, other), None, "{other}");
        }
    }

    #[test]
    fn x5_a_settings_file_cannot_lead_the_key_of_the_environment_elsewhere() {
        let mut s = settings();
        s.model.api_key = None;
        assert_eq!(key(&s, "https://models.example/v1"), None);
        s.openai.chosen = Some("https://models.example/v1".into());
        assert_eq!(key(&s, "https://models.example/v1").as_deref(), Some("openai"));
    }

    #[test]
    fn x5_a_key_is_shared_where_the_settings_say_so() {
        let mut s = settings();
        s.model.share_key_with = vec!["http://localhost:8080/v1".into()];
        assert_eq!(key(&s, "http://LOCALHOST:8080/v1/embeddings").as_deref(), Some("own"));
    }
}
