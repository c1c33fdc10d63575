//! The models personas answer with: chosen by persona, made once an endpoint, asked every turn.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use futures::{StreamExt, TryStreamExt};
use greenroom_context::{
    FnCounter, Layout, ModelProfile, QuarterCounter, TokenCounter, cl100k, o200k, profile_for,
};
use greenroom_core::PersonaName;
use greenroom_memory::SmallModel;
use greenroom_models::{
    ChatModel, ChatRequest, Endpoint, LOCAL_WINDOW, LocalModel, ModelError, ModelStream, OpenAiModel,
    Resilient, Timeouts, Weights,
};
use greenroom_persona::{Cast, ModelEntry, Persona, Price, Secret, Timeouts as Limits};
use greenroom_runtime::{ModelSource, ResolvedModel, SmallRole};

use super::entropy;
use crate::{
    choose::{self, BUILT_IN_MODEL, Choice, Found, Target, Wishes, choose},
    probe,
};

/// Chooses and makes models. What had to be asked for is remembered, so that a turn asks nobody.
pub struct Models {
    built_in: bool,
    /// How long an endpoint may take to say which models it has, before the usual one is meant.
    patience: Duration,
    weights: Weights,
    local: OnceLock<LocalModel>,
    known: Mutex<Known>,
}

struct Known {
    cast: Arc<Cast>,
    /// The server that was found, once it was looked for.
    found: Option<Option<Found>>,
    /// What endpoints list, by base URL.
    listed: HashMap<String, Vec<String>>,
    /// By base URL.
    clients: HashMap<String, Client>,
}

/// A client and what it was made with; another is made when that changes.
struct Client {
    limits: Limits,
    key: Option<Secret>,
    model: OpenAiModel,
    /// For which cast it was looked whether that changed.
    cast: Arc<Cast>,
    /// The client, which says so where it has no key (X5).
    asked: Arc<dyn ChatModel>,
}

impl Models {
    /// Models for this cast. `built_in`: the demonstration model, whatever anybody names.
    pub fn new(cast: Arc<Cast>, built_in: bool, patience: Duration, weights: Weights) -> Self {
        let known = Known { cast, found: None, listed: HashMap::new(), clients: HashMap::new() };
        Self { built_in, patience, weights, local: OnceLock::new(), known: Mutex::new(known) }
    }

    /// Another cast from now on.
    pub fn recast(&self, cast: Arc<Cast>) {
        self.known().cast = cast;
    }

    /// The choice for a persona, after asking whom there is to ask: servers on this machine when
    /// no endpoint is set, the endpoint for its models when none is named.
    pub async fn prepare(&self, persona: &PersonaName) -> Choice {
        let wishes = self.wishes(persona);
        if choose::target(&wishes).is_none() && self.known().found.is_none() {
            let found = probe::find_server().await;
            let mut known = self.known();
            if let Some(found) = &found {
                known.listed.insert(found.base_url.clone(), found.models.clone());
            }
            known.found = Some(found);
        }
        if let Target::Url(url) = self.choice(persona).target
            && wishes.model.is_none()
            && !self.known().listed.contains_key(&url)
        {
            let key = self.known().cast.settings.key_for(&url).cloned();
            let listed = probe::models_of(&url, key.as_ref().map(Secret::expose), self.patience).await;
            // an endpoint that does not say is asked again at the next start only
            self.known().listed.insert(url, listed.unwrap_or_default());
        }
        self.choice(persona)
    }

    /// The choice with what is known by now.
    pub fn choice(&self, persona: &PersonaName) -> Choice {
        let wishes = self.wishes(persona);
        let known = self.known();
        let found = known.found.as_ref().and_then(Option::as_ref);
        let url = match choose::target(&wishes) {
            Some(Target::Url(url)) => Some(url),
            Some(Target::BuiltIn) => None,
            None => found.map(|found| found.base_url.clone()),
        };
        let listed = url.and_then(|url| known.listed.get(&url));
        choose(&wishes, found, listed.map(Vec::as_slice).unwrap_or_default())
    }

    /// Whether the demonstration model can answer.
    pub fn demonstration_is_installed(&self) -> bool {
        self.weights.installed(BUILT_IN_MODEL).is_some()
    }

    fn wishes(&self, persona: &PersonaName) -> Wishes {
        let cast = self.known().cast.clone();
        Wishes::of(&cast, persona, self.built_in)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remote(&self, persona: &Persona, choice: &Choice, url: &str) -> Result<ResolvedModel, ModelError> {
        let model = self.asked_at(url, persona.model.timeouts)?;
        let name = choice.model.clone();
        let entry = self.known().cast.settings.models.get(&name).cloned().unwrap_or_default();
        let profile = profile(&name, persona.model.context_window, &entry);
        let mut resilient =
            Resilient::for_turn(model.clone(), persona.model.retries, persona.model.timeouts.turn, entropy());
        if let Some(fallback) = &persona.model.fallback {
            resilient = resilient.with_fallback(model, fallback);
        }
        Ok(ResolvedModel { model: Arc::new(resilient), name, profile })
    }

    /// What answers at an endpoint, with the key that may be sent there (X5).
    fn asked_at(&self, url: &str, limits: Limits) -> Result<Arc<dyn ChatModel>, ModelError> {
        let mut known = self.known();
        let cast = known.cast.clone();
        let before = known.clients.get(url).filter(|client| client.limits == limits);
        if let Some(client) = before.filter(|client| Arc::ptr_eq(&client.cast, &cast)) {
            return Ok(client.asked.clone());
        }
        let key = cast.settings.key_for(url).cloned();
        let model = match before.filter(|client| client.key == key) {
            Some(client) => client.model.clone(),
            None => {
                let Limits { connect, first_token, stall, .. } = limits;
                let timeouts = Timeouts { connect, first_token, stall };
                OpenAiModel::new(Endpoint::new(url, key.as_ref().map(Secret::expose), timeouts)?)
            }
        };
        let asked: Arc<dyn ChatModel> = match cast.settings.withheld(url) {
            Some(why) => Arc::new(Keyless { model: model.clone(), why }),
            None => Arc::new(model.clone()),
        };
        let client = Client { limits, key, model, cast, asked: asked.clone() };
        known.clients.insert(url.to_owned(), client);
        Ok(asked)
    }

    /// The demonstration model. Where it is not installed its turn fails and says so, but a
    /// context can be looked at all the same, with estimated tokens.
    fn demonstration(&self, persona: &Persona) -> ResolvedModel {
        let installed = self.weights.list().into_iter().find(|(entry, _)| entry.name == BUILT_IN_MODEL);
        let file = installed.and_then(|(entry, installed)| Some(installed?.file(entry.files.first()?.name)));
        let model = match file {
            Some(file) => self.local.get_or_init(|| LocalModel::new(file, entropy())).clone(),
            None => LocalModel::new(BUILT_IN_MODEL.into(), entropy()),
        };
        let counter: Arc<dyn TokenCounter> = match model.tokenizer() {
            Ok(tokenizer) => Arc::new(FnCounter::new(BUILT_IN_MODEL, move |text| tokenizer.count(text))),
            Err(_) => Arc::new(QuarterCounter),
        };
        let window = persona.model.context_window.unwrap_or(LOCAL_WINDOW).min(LOCAL_WINDOW);
        let profile = ModelProfile { window, counter, layout: Layout::Demonstration };
        let turn = persona.model.timeouts.turn;
        let resilient = Resilient::for_turn(Arc::new(model), 0, turn, entropy());
        ResolvedModel { model: Arc::new(resilient), name: BUILT_IN_MODEL.to_owned(), profile }
    }
}

/// A model whose endpoint gets none of the keys there are; says so where one is asked for (X5).
struct Keyless {
    model: OpenAiModel,
    why: String,
}

impl ChatModel for Keyless {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let why = self.why.clone();
        let explain = move |error| match error {
            ModelError::Unauthorized { endpoint, reason } => {
                ModelError::Unauthorized { endpoint, reason: format!("{reason}; {why}") }
            }
            other => other,
        };
        self.model.stream(request).map_err(explain).boxed()
    }
}

impl ModelSource for Models {
    fn resolve(&self, persona: &Persona, instead: Option<&str>) -> Result<ResolvedModel, ModelError> {
        let mut choice = self.choice(&persona.name);
        if let Some(instead) = instead {
            choice.model = instead.to_owned();
        }
        match &choice.target {
            Target::Url(url) => self.remote(persona, &choice, url),
            Target::BuiltIn => Ok(self.demonstration(persona)),
        }
    }

    /// What `[models.NAME]` says; the demonstration model costs nothing.
    fn price(&self, model: &str) -> Option<Price> {
        if model == BUILT_IN_MODEL {
            return Some(Price::default());
        }
        self.known().cast.settings.models.get(model)?.price
    }

    /// The model of `memory.hyde` or `memory.capture`. Facts are found by the persona's own model
    /// where no other is named. The demonstration model does no such work: what it makes up would be
    /// remembered.
    fn small(&self, persona: &Persona, role: SmallRole) -> Option<SmallModel> {
        let choice = self.choice(&persona.name);
        let (name, url, temperature) = small(persona, role, &choice).filter(|_| !self.built_in)?;
        match self.asked_at(&url, persona.model.timeouts) {
            Ok(model) => {
                let turn = persona.model.timeouts.turn;
                let model = Arc::new(Resilient::for_turn(model, persona.model.retries, turn, entropy()));
                Some(SmallModel { model, name, temperature })
            }
            Err(error) => {
                tracing::warn!(persona = %persona.name, "the small model {name} is not asked: {error}");
                None
            }
        }
    }
}

/// How readily hypotheses differ from each other.
const HYPOTHESES_TEMPERATURE: f32 = 0.7;

/// Name, endpoint and temperature of a small model: each of name and endpoint is the persona's own
/// where it is not set.
fn small(persona: &Persona, role: SmallRole, choice: &Choice) -> Option<(String, String, f32)> {
    let (hyde, capture) = (&persona.memory.hyde, &persona.memory.capture);
    let own = || Some(choice.model.clone()).filter(|_| capture.facts);
    let (name, url, temperature) = match role {
        SmallRole::Retrieval => (hyde.model.clone()?, &hyde.base_url, HYPOTHESES_TEMPERATURE),
        SmallRole::Capture => (capture.model.clone().or_else(own)?, &capture.base_url, 0.0),
    };
    let url = match (url, &choice.target) {
        (Some(url), _) | (None, Target::Url(url)) => url.clone(),
        (None, Target::BuiltIn) => return None,
    };
    Some((name, url, temperature))
}

/// How a model counts and what it holds: what its persona says, then `[models.NAME]` of the
/// settings, then what is known of its family (WB2).
fn profile(model: &str, window: Option<usize>, entry: &ModelEntry) -> ModelProfile {
    let mut profile = profile_for(model, window.or(entry.context_window));
    match entry.tokenizer.as_deref() {
        None => {}
        Some("o200k" | "o200k_base") => profile.counter = o200k(),
        Some("cl100k" | "cl100k_base") => profile.counter = cl100k(),
        Some("len/4") => profile.counter = Arc::new(QuarterCounter),
        Some(like) => profile.counter = profile_for(like, None).counter,
    }
    profile
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(target: Target) -> Choice {
        let said = || "a test".to_owned();
        Choice { target, target_origin: said(), model: "own".into(), model_origin: said() }
    }

    #[test]
    fn fg5_a_small_model_has_its_own_name_and_endpoint_or_the_persona_s() {
        let at_home = choice(Target::Url("http://home/v1".into()));
        let mut persona = Persona::new("ada".parse().unwrap(), "You are Ada.");
        let asked = |persona: &Persona, role, choice: &Choice| {
            small(persona, role, choice).map(|(name, url, _)| format!("{name} at {url}"))
        };
        for role in [SmallRole::Retrieval, SmallRole::Capture] {
            assert_eq!(asked(&persona, role, &at_home), None, "nobody asked for {role:?}");
        }
        persona.memory.capture.facts = true;
        assert_eq!(asked(&persona, SmallRole::Capture, &at_home).as_deref(), Some("own at http://home/v1"));
        assert_eq!(asked(&persona, SmallRole::Retrieval, &at_home), None);
        let demonstration = choice(Target::BuiltIn);
        assert_eq!(asked(&persona, SmallRole::Capture, &demonstration), None);

        persona.memory.hyde.model = Some("tiny".into());
        assert_eq!(
            asked(&persona, SmallRole::Retrieval, &at_home).as_deref(),
            Some("tiny at http://home/v1")
        );
        persona.memory.hyde.base_url = Some("http://other/v1".into());
        for choice in [&at_home, &demonstration] {
            let asked = asked(&persona, SmallRole::Retrieval, choice);
            assert_eq!(asked.as_deref(), Some("tiny at http://other/v1"));
        }
    }

    #[test]
    fn wb2_the_persona_the_settings_and_the_family_say_what_a_model_holds() {
        let entry = |context_window, tokenizer: Option<&str>| ModelEntry {
            context_window,
            tokenizer: tokenizer.map(str::to_owned),
            price: None,
        };
        let own = profile("gpt-4o", Some(9_000), &entry(Some(5_000), None));
        assert_eq!((own.window, own.counter.name()), (9_000, "o200k"));
        let set = profile("my-model", None, &entry(Some(5_000), Some("cl100k")));
        assert_eq!((set.window, set.counter.name()), (5_000, "cl100k"));
        let alike = profile("my-model", None, &entry(None, Some("gpt-4o")));
        assert_eq!((alike.window, alike.counter.name()), (200_000, "o200k"));
        let coarse = profile("gpt-4o", None, &entry(None, Some("len/4")));
        assert_eq!((coarse.window, coarse.counter.exact()), (128_000, false));
    }
}
