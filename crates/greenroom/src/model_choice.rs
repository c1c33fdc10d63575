//! Chooses the endpoint and the model. Each is taken from the first source that names one: flags, the environment
//! (`GREENROOM_*`), the persona's file, `greenroom.toml`, `OPENAI_BASE_URL` and `OPENAI_API_KEY`, a model server on
//! this machine, the built-in demonstration model. The settings are already merged in that order, with the origin of
//! each value. The rest is decided here by a pure function; `probe` sends the requests to servers.

use greenroom_core::{PersonaName, short_model_name};
use greenroom_models::ListedModel;
use greenroom_persona::{Cast, Origin, OriginKind};

use crate::term::one_line;

/// The default model of OpenAI, preferred if an endpoint lists it and no model is named.
pub const DEFAULT_MODEL: &str = "gpt-4o-mini";
/// The built-in demonstration model.
pub const BUILT_IN_MODEL: &str = "smollm2";
/// The value of `--base-url` for the demonstration model.
pub const BUILT_IN: &str = "builtin";

/// The longest model name that is shown, in characters.
const LONGEST_NAME: usize = 120;

/// A setting and its origin, in words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced {
    /// The value.
    pub value: String,
    /// `--model`, `OPENAI_API_KEY`, `persona file ada.md:9` …
    pub origin: String,
}

/// The endpoint and the model that flags, environment and files name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configured {
    /// The endpoint; [`BUILT_IN`] for the demonstration model.
    pub base_url: Option<Sourced>,
    /// The model.
    pub model: Option<Sourced>,
}

impl Configured {
    /// The settings of one persona. `built_in` means `--base-url builtin`, which is not a URL and therefore not a
    /// setting.
    pub fn of(cast: &Cast, persona: &PersonaName, built_in: bool) -> Self {
        let origins = cast.persona_origins.get(persona);
        let setting = |key: &str| {
            let found = origins?.iter().find(|origin| origin.key == key)?;
            let origin = origin_label(found, cast)?;
            Some(Sourced { value: found.value.clone(), origin })
        };
        let base_url = match built_in {
            true => Some(Sourced { value: BUILT_IN.into(), origin: "--base-url".into() }),
            false => setting("model.base_url"),
        };
        Self { base_url, model: setting("model.name") }
    }
}

/// The origin in words: a flag or a variable by its name, files without directories; `None` for a default.
fn origin_label(origin: &Origin, cast: &Cast) -> Option<String> {
    let file = match origin.kind() {
        OriginKind::Default => return None,
        OriginKind::Flag(name) | OriginKind::Environment(name) => return Some(name.to_owned()),
        OriginKind::File(file) => file,
    };
    let bare = file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned();
    let settings = cast.config.as_ref().is_some_and(|config| file.starts_with(&*config.to_string_lossy()));
    Some(if settings { bare } else { format!("persona file {bare}") })
}

/// A model server that answered on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// Its name.
    pub server: &'static str,
    /// Its base URL.
    pub base_url: String,
    /// The models it lists, in the same order.
    pub models: Vec<ListedModel>,
}

/// Where the model runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An OpenAI-compatible base URL.
    Url(String),
    /// The demonstration model in this process.
    BuiltIn,
}

/// The choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The endpoint.
    pub target: Target,
    /// The origin of the endpoint.
    pub target_origin: String,
    /// The model.
    pub model: ChosenModel,
}

/// The model of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenModel {
    /// A model and its origin.
    Known(Sourced),
    /// No model is named, with the reason why none could be taken from the endpoint. A guess could be refused by the
    /// endpoint, or name a model whose window is unknown.
    NotYet(String),
}

impl Choice {
    /// The model's name at its endpoint, once one is chosen.
    pub fn model(&self) -> Option<&str> {
        match &self.model {
            ChosenModel::Known(said) => Some(&said.value),
            ChosenModel::NotYet(_) => None,
        }
    }

    /// `gpt-4o-mini (persona file ada.md:5) at https://api.openai.com/v1 (OPENAI_API_KEY)`.
    pub fn describe(&self) -> String {
        match (&self.target, &self.model) {
            (Target::Url(url), ChosenModel::Known(Sourced { value, origin })) => {
                let (name, url) = (one_line(short_model_name(value), LONGEST_NAME), shown(url));
                format!("{name} ({origin}) at {url} ({})", self.target_origin)
            }
            (Target::Url(url), ChosenModel::NotYet(why)) => {
                format!("no model yet at {} ({}): {why}", shown(url), self.target_origin)
            }
            (Target::BuiltIn, _) => {
                format!("{BUILT_IN_MODEL}, the built-in demonstration model (135 million parameters)")
            }
        }
    }
}

/// A URL for display: scheme, host and path, without the query, which may contain a key (X5).
pub fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (rest, query) = match rest.find(['?', '#']) {
        Some(at) => (&rest[..at], "?…"),
        None => (rest, ""),
    };
    let authority = rest.find('/').unwrap_or(rest.len());
    let host = rest[..authority].rfind('@').map_or(0, |at| at + 1);
    let separator = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{separator}{}{query}", &rest[host..])
}

/// The endpoint that the settings name; `None` means that a server on this machine is to be searched.
pub fn target(configured: &Configured) -> Option<Target> {
    configured.base_url.as_ref().map(|said| match said.value.as_str() {
        BUILT_IN => Target::BuiltIn,
        url => Target::Url(url.to_owned()),
    })
}

/// Chooses the endpoint and the model from the settings. `found`, the server on this machine, is used if [`target`] is
/// `None`. `listed`, the endpoint's list or the reason why there is none, is used if no model is named.
pub fn choose(
    configured: &Configured,
    found: Option<&LocalServer>,
    listed: Result<&[ListedModel], String>,
) -> Choice {
    let (target, target_origin) = match (target(configured), &configured.base_url, found) {
        (Some(target), Some(said), _) => (target, said.origin.clone()),
        (_, _, Some(found)) => {
            (Target::Url(found.base_url.clone()), format!("{} on this machine", found.server))
        }
        _ => (Target::BuiltIn, "nothing else is set".to_owned()),
    };
    let model = match (&target, &configured.model) {
        (Target::BuiltIn, _) => {
            ChosenModel::Known(Sourced { value: BUILT_IN_MODEL.to_owned(), origin: "built in".to_owned() })
        }
        (Target::Url(_), Some(said)) => ChosenModel::Known(said.clone()),
        (Target::Url(_), None) => listed.map_or_else(ChosenModel::NotYet, first_chat_model),
    };
    Choice { target, target_origin, model }
}

/// Chooses a model from a list: OpenAI's default model if listed, because OpenAI lists all its models in no order;
/// otherwise the first model whose name does not suggest another purpose than chat. No other model is taken, because it
/// would fail every turn.
pub fn first_chat_model(listed: &[ListedModel]) -> ChosenModel {
    const OTHER: [&str; 17] = [
        "embed",
        "bge-",
        "gte-",
        "e5-",
        "minilm",
        "paraphrase",
        "rerank",
        "whisper",
        "transcribe",
        "tts",
        "moderation",
        "guard",
        "shieldgemma",
        "dall-e",
        "gpt-image",
        "diffusion",
        "flux",
    ];
    let chats = |model: &&ListedModel| {
        let id = model.id.to_lowercase();
        !id.trim().is_empty() && !OTHER.iter().any(|word| id.contains(word))
    };
    let usual = listed.iter().find(|model| model.id == DEFAULT_MODEL);
    match usual.or_else(|| listed.iter().find(chats)) {
        Some(usual) if usual.id == DEFAULT_MODEL => {
            ChosenModel::Known(Sourced { value: usual.id.clone(), origin: "default".to_owned() })
        }
        Some(first) => {
            ChosenModel::Known(Sourced { value: first.id.clone(), origin: "the first it lists".to_owned() })
        }
        None if listed.is_empty() => ChosenModel::NotYet("it has no models; load one there".to_owned()),
        None => ChosenModel::NotYet("none of its models is for chat by its name; load one there".to_owned()),
    }
}

#[cfg(test)]
mod tests;
