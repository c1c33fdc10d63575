//! Which endpoint and which model answer: each decided on its own, by the first that says so.
//!
//! The order is: flags, the environment (`GREENROOM_*`), the persona's file, `greenroom.toml`,
//! `OPENAI_BASE_URL` and `OPENAI_API_KEY`, a model server found on this machine, the built-in
//! demonstration model. The settings lie over one another in that order already and know where
//! each value came from; what is left to decide is decided here, by a pure function. The asking
//! is done by `probe`.

use greenroom_core::{PersonaName, short_model_name};
use greenroom_models::ListedModel;
use greenroom_persona::Cast;

/// The usual model of OpenAI: preferred where an endpoint lists it and nobody names one.
pub const DEFAULT_MODEL: &str = "gpt-4o-mini";
/// The built-in demonstration model.
pub const BUILT_IN_MODEL: &str = "smollm2";
/// What to write after `--base-url` to have the built-in model.
pub const BUILT_IN: &str = "builtin";

/// A setting and who decided it, in words a person knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced {
    /// The value.
    pub value: String,
    /// `--model`, `OPENAI_API_KEY`, `persona file ada.md:9` …
    pub origin: String,
}

/// What flags, environment and files come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The endpoint; [`BUILT_IN`] for the demonstration model.
    pub base_url: Option<Sourced>,
    /// The model.
    pub model: Option<Sourced>,
}

impl Wishes {
    /// What is said for one persona. `built_in` stands for `--base-url builtin`, which is no URL
    /// and therefore no setting.
    pub fn of(cast: &Cast, persona: &PersonaName, built_in: bool) -> Self {
        let origins = cast.persona_origins.get(persona);
        let said = |key: &str| {
            let found = origins?.iter().find(|origin| origin.key == key)?;
            let origin = in_words(&found.origin, cast);
            Some(Sourced { value: found.value.clone(), origin }).filter(|_| found.origin != "default")
        };
        let base_url = match built_in {
            true => Some(Sourced { value: BUILT_IN.into(), origin: "--base-url".into() }),
            false => said("model.base_url"),
        };
        Self { base_url, model: said("model.name") }
    }
}

/// `flag --model` and `environment X` without the first word, files by their bare name.
fn in_words(origin: &str, cast: &Cast) -> String {
    if let Some(name) = origin.strip_prefix("flag ").or_else(|| origin.strip_prefix("environment ")) {
        return name.to_owned();
    }
    let bare = origin.rsplit(['/', '\\']).next().unwrap_or(origin).to_owned();
    let settings = cast.config.as_ref().is_some_and(|file| origin.starts_with(&*file.to_string_lossy()));
    if settings { bare } else { format!("persona file {bare}") }
}

/// A model server that answered on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// What it is usually called.
    pub server: &'static str,
    /// Where.
    pub base_url: String,
    /// Its models, in its order.
    pub models: Vec<ListedModel>,
}

/// Where answers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An OpenAI-compatible base URL.
    Url(String),
    /// The demonstration model in this process.
    BuiltIn,
}

/// The whole decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Where.
    pub target: Target,
    /// Who decided where.
    pub target_origin: String,
    /// Which model.
    pub model: Chosen,
}

/// Which model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// This one, and who decided it.
    Model(Sourced),
    /// None is known: nobody names one, and this is why the endpoint could not be asked. A guess would be
    /// refused by the endpoint, or answered by a model whose window nobody knows.
    NotYet(String),
}

impl Choice {
    /// The model's name at its endpoint, once one is chosen.
    pub fn model(&self) -> Option<&str> {
        match &self.model {
            Chosen::Model(said) => Some(&said.value),
            Chosen::NotYet(_) => None,
        }
    }

    /// `gpt-4o-mini (persona file ada.md:5) at https://api.openai.com/v1 (OPENAI_API_KEY)`.
    pub fn describe(&self) -> String {
        match (&self.target, &self.model) {
            (Target::Url(url), Chosen::Model(Sourced { value, origin })) => {
                let (name, url) = (short_model_name(value), shown(url));
                format!("{name} ({origin}) at {url} ({})", self.target_origin)
            }
            (Target::Url(url), Chosen::NotYet(why)) => {
                format!("no model yet at {} ({}): {why}", shown(url), self.target_origin)
            }
            (Target::BuiltIn, _) => {
                format!("{BUILT_IN_MODEL}, the built-in demonstration model (135 million parameters)")
            }
        }
    }
}

/// A URL as people may see it: scheme, host and path; a query may hold a key (X5).
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

/// The endpoint, as far as it is decided without looking for servers; `None` means: probe.
pub fn target(wishes: &Wishes) -> Option<Target> {
    wishes.base_url.as_ref().map(|said| match said.value.as_str() {
        BUILT_IN => Target::BuiltIn,
        url => Target::Url(url.to_owned()),
    })
}

/// The decision, with what a probe found (asked only where [`target`] gives `None`) and what the
/// endpoint lists (needed only where nobody names a model), or why it lists nothing.
pub fn choose(
    wishes: &Wishes,
    found: Option<&LocalServer>,
    listed: Result<&[ListedModel], String>,
) -> Choice {
    let (target, target_origin) = match (target(wishes), &wishes.base_url, found) {
        (Some(target), Some(said), _) => (target, said.origin.clone()),
        (_, _, Some(found)) => {
            (Target::Url(found.base_url.clone()), format!("{} on this machine", found.server))
        }
        _ => (Target::BuiltIn, "nothing else is set".to_owned()),
    };
    let model = match (&target, &wishes.model) {
        (Target::BuiltIn, _) => {
            Chosen::Model(Sourced { value: BUILT_IN_MODEL.to_owned(), origin: "built in".to_owned() })
        }
        (Target::Url(_), Some(said)) => Chosen::Model(said.clone()),
        (Target::Url(_), None) => listed.map_or_else(Chosen::NotYet, first_chat_model),
    };
    Choice { target, target_origin, model }
}

/// OpenAI lists everything it ever made, in no order, so its usual model is preferred where it is
/// listed; elsewhere the first that is not plainly made for something else than chat.
pub fn first_chat_model(listed: &[ListedModel]) -> Chosen {
    const OTHER: [&str; 8] = ["embed", "bge-", "minilm", "rerank", "whisper", "tts", "moderation", "dall-e"];
    let chats = |model: &&ListedModel| {
        let id = model.id.to_lowercase();
        !OTHER.iter().any(|word| id.contains(word))
    };
    let usual = listed.iter().find(|model| model.id == DEFAULT_MODEL);
    match usual.or_else(|| listed.iter().find(chats)).or(listed.first()) {
        Some(usual) if usual.id == DEFAULT_MODEL => {
            Chosen::Model(Sourced { value: usual.id.clone(), origin: "default".to_owned() })
        }
        Some(first) => {
            Chosen::Model(Sourced { value: first.id.clone(), origin: "the first it lists".to_owned() })
        }
        None => Chosen::NotYet("it has no models; load one there".to_owned()),
    }
}

#[cfg(test)]
mod tests;
