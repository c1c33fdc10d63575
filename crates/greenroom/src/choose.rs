//! Which endpoint and which model answer: each decided on its own, by the first that says so.
//!
//! The order is: flags, the environment (`GREENROOM_*`), the persona's file, `greenroom.toml`,
//! `OPENAI_BASE_URL` and `OPENAI_API_KEY`, a model server found on this machine, the built-in
//! demonstration model. Everything here is a pure function; `probe` does the asking.

use std::fmt;

/// Where a key without an endpoint leads.
pub const OPENAI: &str = "https://api.openai.com/v1";
/// The model when an endpoint is known and nobody, the endpoint included, names one.
pub const DEFAULT_MODEL: &str = "gpt-4o-mini";
/// The built-in demonstration model.
pub const BUILT_IN_MODEL: &str = "smollm2";
/// What to write instead of a base URL to have the built-in model.
pub const BUILT_IN: &str = "builtin";

/// Who decided a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A flag of the command.
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The persona's file.
    PersonaFile,
    /// `greenroom.toml`.
    SettingsFile,
    /// A server that answered at its usual port on this machine.
    Found(&'static str),
    /// The endpoint's own list of models.
    Listed,
    /// Nobody: the value of last resort.
    Default,
    /// It comes with the built-in model.
    BuiltIn,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Environment(name) => f.write_str(name),
            Self::PersonaFile => f.write_str("persona file"),
            Self::SettingsFile => f.write_str("greenroom.toml"),
            Self::Found(server) => write!(f, "{server} found on this machine"),
            Self::Listed => f.write_str("first the endpoint lists"),
            Self::Default => f.write_str("default"),
            Self::BuiltIn => f.write_str("built in"),
        }
    }
}

/// What one layer asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// The endpoint.
    pub base_url: Option<String>,
    /// The model.
    pub model: Option<String>,
}

/// What everybody asks for.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// `--base-url`, `--model`.
    pub flags: Wish,
    /// `GREENROOM_BASE_URL`, `GREENROOM_MODEL`.
    pub environment: Wish,
    /// The front matter of the persona's file.
    pub persona: Wish,
    /// `greenroom.toml`.
    pub settings: Wish,
    /// `OPENAI_BASE_URL`.
    pub openai_base_url: Option<String>,
    /// Which setting holds a key, if one does: a key without any endpoint is meant for OpenAI's.
    /// Where a key may go is not decided here but by `Settings::key_for` (X5).
    pub key: Option<Origin>,
}

/// A model server that answered on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it calls itself.
    pub server: &'static str,
    /// Where.
    pub base_url: String,
    /// Its models, in its order.
    pub models: Vec<String>,
}

/// Where answers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// An OpenAI-compatible base URL, without a slash at its end.
    Url(String),
    /// The demonstration model in this process.
    BuiltIn,
}

/// The whole decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Where.
    pub endpoint: Endpoint,
    /// Who decided where.
    pub endpoint_origin: Origin,
    /// Which model.
    pub model: String,
    /// Who decided which.
    pub model_origin: Origin,
}

impl Choice {
    /// `gpt-4o-mini (persona file) at https://… (OPENAI_API_KEY)`, for the first line of a chat.
    pub fn describe(&self) -> String {
        match &self.endpoint {
            Endpoint::Url(url) => {
                format!(
                    "{} ({}) at {} ({})",
                    self.model,
                    self.model_origin,
                    without_credentials(url),
                    self.endpoint_origin
                )
            }
            Endpoint::BuiltIn => {
                format!("{} (the built-in demonstration model, 135 million parameters)", self.model)
            }
        }
    }
}

/// A base URL as it may be shown: what stands before an `@` in its host part is left out (X5).
pub fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// The endpoint, as far as it is decided without looking for servers; `None` means: probe.
pub fn endpoint(wishes: &Wishes) -> Option<(Endpoint, Origin)> {
    let layers = [
        (&wishes.flags.base_url, Origin::Flag("--base-url")),
        (&wishes.environment.base_url, Origin::Environment("GREENROOM_BASE_URL")),
        (&wishes.persona.base_url, Origin::PersonaFile),
        (&wishes.settings.base_url, Origin::SettingsFile),
        (&wishes.openai_base_url, Origin::Environment("OPENAI_BASE_URL")),
    ];
    let said = layers.into_iter().find_map(|(url, origin)| Some((filled(url)?, origin)));
    match said {
        Some((BUILT_IN, origin)) => Some((Endpoint::BuiltIn, origin)),
        Some((url, origin)) => Some((Endpoint::Url(tidy(url)), origin)),
        None => wishes.key.map(|origin| (Endpoint::Url(OPENAI.to_owned()), origin)),
    }
}

/// The model, as far as it is decided without asking the endpoint; `None` means: ask it.
pub fn model(wishes: &Wishes) -> Option<(String, Origin)> {
    [
        (&wishes.flags.model, Origin::Flag("--model")),
        (&wishes.environment.model, Origin::Environment("GREENROOM_MODEL")),
        (&wishes.persona.model, Origin::PersonaFile),
        (&wishes.settings.model, Origin::SettingsFile),
    ]
    .into_iter()
    .find_map(|(name, origin)| Some((filled(name)?.to_owned(), origin)))
}

/// The decision, with what the probe found (asked only where [`endpoint`] gives `None`) and what
/// the endpoint lists (asked only where [`model`] gives `None`).
pub fn choose(wishes: &Wishes, found: Option<&Found>, listed: &[String]) -> Choice {
    let decided = endpoint(wishes).or_else(|| {
        found.map(|found| (Endpoint::Url(tidy(&found.base_url)), Origin::Found(found.server)))
    });
    let (endpoint, endpoint_origin) = decided.unwrap_or((Endpoint::BuiltIn, Origin::BuiltIn));
    let (model, model_origin) = match &endpoint {
        Endpoint::BuiltIn => (BUILT_IN_MODEL.to_owned(), Origin::BuiltIn),
        Endpoint::Url(_) => model(wishes).unwrap_or_else(|| first_chat_model(listed)),
    };
    Choice { endpoint, endpoint_origin, model, model_origin }
}

/// OpenAI lists everything it ever made, in no order, so its usual model is preferred where it is
/// listed; elsewhere the first that is not plainly made for something else than chat.
fn first_chat_model(listed: &[String]) -> (String, Origin) {
    const OTHER: [&str; 8] =
        ["embed", "bge-", "minilm", "rerank", "whisper", "tts", "moderation", "dall-e"];
    let chats = |id: &&String| {
        let id = id.to_lowercase();
        !OTHER.iter().any(|word| id.contains(word))
    };
    match listed.iter().find(chats).or(listed.first()) {
        Some(first) if !listed.iter().any(|id| id == DEFAULT_MODEL) => (first.clone(), Origin::Listed),
        _ => (DEFAULT_MODEL.to_owned(), Origin::Default),
    }
}

fn filled(value: &Option<String>) -> Option<&str> {
    value.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

fn tidy(url: &str) -> String {
    url.trim().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests;
