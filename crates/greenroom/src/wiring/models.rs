//! The models that personas answer with. The choice depends on the settings and on the lists of endpoints. Each
//! endpoint has one client.
//!
//! ```text
//! discovery.rs     asks endpoints for their models, windows and tokenizers
//! endpoint.rs      the answers of one endpoint
//! client.rs        the client of an endpoint, which notices that an endpoint has changed
//! profiles.rs      windows and counters of models; the small models of a persona
//! window_check.rs  counts long requests on the server before they are sent
//! ```

mod client;
mod discovery;
mod endpoint;
mod profiles;
#[cfg(test)]
mod tests;
mod window_check;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use greenroom_context::{EstimateCounter, FnCounter, Layout, ModelProfile, TokenCounter};
use greenroom_core::{PersonaName, short_model_name};
use greenroom_memory::SmallModel;
use greenroom_models::{
    ChatModel, Endpoint, LOCAL_WINDOW, LocalModel, ModelError, OpenAiModel, Resilient, Timeouts, Weights,
};
use greenroom_persona::{Cast, Persona, Price, Secret, Timeouts as TurnTimeouts};
use greenroom_runtime::{Answering, ModelSource, ResolvedModel, SmallRole};

use self::{
    client::{EndpointClient, StaleEndpoints},
    endpoint::{EndpointInfo, ModelInfo},
    profiles::{profile, small, with_window_check},
};
use super::entropy;
use crate::model_choice::{
    self, BUILT_IN_MODEL, Choice, ChosenModel, Configured, LocalServer, Target, shown,
};

/// The number of personas that a line of [`Models::choices`] names.
const NAMED: usize = 5;

/// Chooses models and makes their clients. A turn sends no request for a list of models: discovery has asked before.
pub struct Models {
    /// Whether `--base-url builtin` selects the demonstration model for every persona.
    built_in: bool,
    /// The time that an endpoint has to list its models.
    list_timeout: Duration,
    weights: Weights,
    local: OnceLock<LocalModel>,
    state: Mutex<State>,
    stale: Arc<StaleEndpoints>,
}

struct State {
    cast: Arc<Cast>,
    /// The previous cast, for turns of personas that were removed.
    before: Arc<Cast>,
    /// The number of the cast. Answers of endpoints from an earlier generation are used until newer ones arrive.
    generation: u64,
    /// The server on this machine, and the generation in which it was searched.
    local_server: Option<(u64, Option<LocalServer>)>,
    /// The value of Ollama's environment variable, which contains its address.
    ollama_host: Option<String>,
    /// By base URL.
    endpoints: HashMap<String, EndpointInfo>,
    /// By base URL.
    clients: HashMap<String, Client>,
}

/// A client and the values from which it was made. If one of them changes, a new client is made.
struct Client {
    timeouts: TurnTimeouts,
    key: Option<Secret>,
    model: OpenAiModel,
    /// The cast at the last comparison of the key.
    cast: Arc<Cast>,
    client: Arc<dyn ChatModel>,
}

impl Models {
    /// The models for a cast.
    pub fn new(
        cast: Arc<Cast>,
        built_in: bool,
        list_timeout: Duration,
        weights: Weights,
        ollama_host: Option<String>,
    ) -> Self {
        let state = State {
            before: cast.clone(),
            cast,
            generation: 1,
            local_server: None,
            ollama_host,
            endpoints: HashMap::new(),
            clients: HashMap::new(),
        };
        let (local, stale) = (OnceLock::new(), Arc::default());
        Self { built_in, list_timeout, weights, local, state: Mutex::new(state), stale }
    }

    /// Replaces the cast. Endpoints are asked again; their earlier answers are used until then.
    pub fn recast(&self, cast: Arc<Cast>) {
        let mut state = self.state();
        state.before = std::mem::replace(&mut state.cast, cast);
        state.generation += 1;
        drop(state);
        self.stale.wake();
    }

    /// The choice for a persona, by the answers of endpoints so far.
    pub fn choice(&self, persona: &PersonaName) -> Choice {
        let configured = self.configured(persona);
        let state = self.state();
        let local = state.local_server.as_ref().and_then(|(_, server)| server.as_ref());
        let url = match model_choice::target(&configured) {
            Some(Target::Url(url)) => Some(url),
            Some(Target::BuiltIn) => None,
            None => local.map(|server| server.base_url.clone()),
        };
        let listed = match url.and_then(|url| state.endpoints.get(&url)) {
            Some(endpoint) => endpoint.listed(),
            None => Err(endpoint::NOT_ASKED.to_owned()),
        };
        model_choice::choose(&configured, local, listed)
    }

    /// The choices for all personas, each with the names of the personas that share it.
    pub fn choices(&self) -> Vec<(String, Choice)> {
        let mut choices: Vec<(Vec<String>, Choice)> = Vec::new();
        for persona in self.personas() {
            let choice = self.choice(&persona);
            match choices.iter_mut().find(|(_, known)| *known == choice) {
                Some((names, _)) => names.push(persona.to_string()),
                None => choices.push((vec![persona.to_string()], choice)),
            }
        }
        let joined = |(names, choice): (Vec<String>, Choice)| {
            let more = names.len().saturating_sub(NAMED);
            let named = names[..names.len() - more].join(", ");
            (if more == 0 { named } else { format!("{named} and {more} more") }, choice)
        };
        choices.into_iter().map(joined).collect()
    }

    fn personas(&self) -> Vec<PersonaName> {
        self.state().cast.personas.iter().map(|persona| persona.name.clone()).collect()
    }

    fn configured(&self, persona: &PersonaName) -> Configured {
        let (cast, before) = {
            let state = self.state();
            (state.cast.clone(), state.before.clone())
        };
        // a turn keeps the persona with which it began, even if the persona's file was deleted since
        let cast = if cast.get(persona).is_some() { cast } else { before };
        Configured::of(&cast, persona, self.built_in)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The profile of a model at an endpoint, and the endpoint's answers about it.
    fn profile(&self, url: &str, name: &str, window: Option<usize>) -> (ModelProfile, ModelInfo) {
        let state = self.state();
        let entry = state.cast.settings.models.get(name).cloned().unwrap_or_default();
        let info = state.endpoints.get(url).map(|endpoint| endpoint.model(name)).unwrap_or_default();
        (profile(name, window, &entry, &info), info)
    }

    /// A model at an endpoint, with retries and the persona's fallback.
    fn remote(
        &self,
        persona: &Persona,
        name: String,
        window: Option<usize>,
        url: &str,
    ) -> Result<ResolvedModel, ModelError> {
        let client = self.client(url, persona.model.timeouts)?;
        let (profile, info) = self.profile(url, &name, window);
        let model = with_window_check(client.clone(), &profile, info);
        let mut resilient =
            Resilient::for_turn(model, persona.model.retries, persona.model.timeouts.turn, entropy());
        if let Some(fallback) = &persona.model.fallback {
            resilient = resilient.with_fallback(client, fallback);
        }
        Ok(ResolvedModel { model: Arc::new(resilient), name, profile })
    }

    /// The client of an endpoint, with the key that may be sent there (X5).
    fn client(&self, url: &str, timeouts: TurnTimeouts) -> Result<Arc<dyn ChatModel>, ModelError> {
        let mut state = self.state();
        let cast = state.cast.clone();
        let before = state.clients.get(url).filter(|client| client.timeouts == timeouts);
        if let Some(client) = before.filter(|client| Arc::ptr_eq(&client.cast, &cast)) {
            return Ok(client.client.clone());
        }
        let key = cast.settings.key_for(url).cloned();
        let model = match before.filter(|client| client.key == key) {
            Some(client) => client.model.clone(),
            None => {
                let TurnTimeouts { connect, first_token, stall, .. } = timeouts;
                let timeouts = Timeouts { connect, first_token, stall };
                OpenAiModel::new(Endpoint::new(url, key.as_ref().map(Secret::expose), timeouts)?)
            }
        };
        let client: Arc<dyn ChatModel> = Arc::new(EndpointClient {
            model: model.clone(),
            url: url.to_owned(),
            withheld: cast.settings.withheld(url),
            stale: self.stale.clone(),
        });
        let entry = Client { timeouts, key, model, cast, client: client.clone() };
        state.clients.insert(url.to_owned(), entry);
        Ok(client)
    }

    /// The demonstration model. If it is not installed, its turns fail with the remedy, but contexts can still be
    /// assembled, with estimated tokens.
    fn demonstration(&self, persona: &Persona) -> ResolvedModel {
        let installed = self.weights.list().into_iter().find(|(entry, _)| entry.name == BUILT_IN_MODEL);
        let file = installed.and_then(|(entry, installed)| Some(installed?.file(entry.files.first()?.name)));
        let model = match file {
            Some(file) => self.local.get_or_init(|| LocalModel::new(file, entropy())).clone(),
            None => LocalModel::new(BUILT_IN_MODEL.into(), entropy()),
        };
        let counter: Arc<dyn TokenCounter> = match model.tokenizer() {
            Ok(tokenizer) => Arc::new(FnCounter::new(BUILT_IN_MODEL, move |text| tokenizer.count(text))),
            Err(_) => Arc::new(EstimateCounter::default()),
        };
        let window = persona.model.context_window.unwrap_or(LOCAL_WINDOW).min(LOCAL_WINDOW);
        let profile = ModelProfile { window, counter, layout: Layout::Demonstration };
        let turn = persona.model.timeouts.turn;
        let resilient = Resilient::for_turn(Arc::new(model), 0, turn, entropy());
        ResolvedModel { model: Arc::new(resilient), name: BUILT_IN_MODEL.to_owned(), profile }
    }
}

impl ModelSource for Models {
    fn resolve(&self, persona: &Persona, instead: Option<&str>) -> Result<ResolvedModel, ModelError> {
        let choice = self.choice(&persona.name);
        let url = match &choice.target {
            Target::Url(url) => url,
            Target::BuiltIn => return Ok(self.demonstration(persona)),
        };
        match (instead, choice.model) {
            // the window in the persona's file belongs to the persona's own model
            (Some(instead), _) => self.remote(persona, instead.to_owned(), None, url),
            (None, ChosenModel::Known(own)) => {
                self.remote(persona, own.value, persona.model.context_window, url)
            }
            (None, ChosenModel::NotYet(reason)) => {
                self.stale.wake();
                Err(ModelError::NotChosen { endpoint: shown(url), reason })
            }
        }
    }

    /// The price of `[models.NAME]`; the demonstration model is free.
    fn price(&self, model: &str) -> Option<Price> {
        if model == BUILT_IN_MODEL {
            return Some(Price::default());
        }
        self.state().cast.settings.models.get(model)?.price
    }

    /// The model of `memory.hyde` or `memory.capture`; for facts the persona's own model if no other is named. The
    /// demonstration model is never used for this, because its inventions would be remembered.
    fn small(&self, persona: &Persona, role: SmallRole) -> Option<SmallModel> {
        let choice = self.choice(&persona.name);
        let (name, url, temperature) = small(persona, role, &choice).filter(|_| !self.built_in)?;
        match self.client(&url, persona.model.timeouts) {
            Ok(client) => {
                // the window in the persona's file belongs to the persona's own model
                let own = choice.target == Target::Url(url.clone()) && choice.model() == Some(name.as_str());
                let window = persona.model.context_window.filter(|_| own);
                let (profile, info) = self.profile(&url, &name, window);
                let turn = persona.model.timeouts.turn;
                let model = with_window_check(client, &profile, info);
                let model = Arc::new(Resilient::for_turn(model, persona.model.retries, turn, entropy()));
                Some(SmallModel { model, name, temperature, profile })
            }
            Err(error) => {
                tracing::warn!(persona = %persona.name, "the small model {name} is not asked: {error}");
                None
            }
        }
    }

    fn answering(&self, persona: &Persona) -> Option<Answering> {
        let choice = self.choice(&persona.name);
        let profile = self.resolve(persona, None).ok().map(|resolved| resolved.profile);
        Some(Answering {
            model: choice.model().map(str::to_owned),
            shown: choice.model().map(|name| short_model_name(name).to_owned()),
            endpoint: match &choice.target {
                Target::Url(url) => Some(shown(url)),
                Target::BuiltIn => None,
            },
            chosen: choice.describe(),
            window: profile.as_ref().map(|profile| profile.window),
            counter: profile.as_ref().map(|profile| profile.counter.name().to_owned()),
            exact: profile.is_some_and(|profile| profile.counter.exact()),
        })
    }
}
