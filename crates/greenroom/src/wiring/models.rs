//! The models personas answer with: chosen by persona, made once an endpoint, asked every turn. What a model counts and
//! holds, and which small models a persona has, stand in `profiles.rs`.

mod asked;
mod client;
mod measured;
mod profiles;
#[cfg(test)]
mod tests;

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
use greenroom_persona::{Cast, Persona, Price, Secret, Timeouts as Limits};
use greenroom_runtime::{Answering, ModelSource, ResolvedModel, SmallRole};
use tokio::time::sleep;

use self::{
    asked::{Asked, Learned},
    client::{Watched, Worries},
    profiles::{measured, profile, small},
};
use super::entropy;
use crate::{
    choose::{self, BUILT_IN_MODEL, Choice, Chosen, LocalServer, Target, Wishes, choose, shown},
    probe,
};

/// So many who share a model are named.
const NAMED: usize = 5;

/// How long an endpoint that does not answer is left alone: first, and at most; doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Chooses and makes models. What had to be asked for is remembered, so that a turn asks nobody.
pub struct Models {
    built_in: bool,
    /// How long an endpoint may take to say which models it has.
    patience: Duration,
    weights: Weights,
    local: OnceLock<LocalModel>,
    known: Mutex<EndpointState>,
    /// Endpoints that turned out to be not as they were known.
    worries: Arc<Worries>,
}

struct EndpointState {
    cast: Arc<Cast>,
    /// Counts the casts. What was asked for an earlier one is used until it is asked again.
    generation: u64,
    /// The server that was found, and in which generation it was looked for.
    found: Option<(u64, Option<LocalServer>)>,
    /// Where Ollama says it is.
    ollama_host: Option<String>,
    /// What endpoints told, by base URL.
    asked: HashMap<String, Asked>,
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
    pub fn new(
        cast: Arc<Cast>,
        built_in: bool,
        patience: Duration,
        weights: Weights,
        ollama_host: Option<String>,
    ) -> Self {
        let known = EndpointState {
            cast,
            generation: 1,
            found: None,
            ollama_host,
            asked: HashMap::new(),
            clients: HashMap::new(),
        };
        let (local, worries) = (OnceLock::new(), Arc::default());
        Self { built_in, patience, weights, local, known: Mutex::new(known), worries }
    }

    /// Another cast from now on. Everything is asked anew, and what is known is used until then.
    pub fn recast(&self, cast: Arc<Cast>) {
        let mut known = self.known();
        known.cast = cast;
        known.generation += 1;
        drop(known);
        self.worries.wake();
    }

    /// The choice for a persona, after asking whom there is to ask: servers on this machine when
    /// no endpoint is set, the endpoint for its models and their windows.
    pub async fn prepare(&self, persona: &PersonaName) -> Choice {
        self.take_worries();
        if self.is_to_be_looked_for(persona) {
            let (generation, host) = {
                let known = self.known();
                (known.generation, known.ollama_host.clone())
            };
            let found = probe::find_server(host.as_deref()).await;
            let mut known = self.known();
            if let Some(found) = &found {
                known
                    .asked
                    .entry(found.base_url.clone())
                    .or_default()
                    .lists(generation, Ok(found.models.clone()));
            }
            known.found = Some((generation, found));
        }
        let mut choice = self.choice(persona);
        loop {
            for (url, model) in self.wanted(persona) {
                self.ask(&url, model.as_deref()).await;
            }
            // another list may lead to another model, of which nothing was asked yet
            let before = std::mem::replace(&mut choice, self.choice(persona));
            if before == choice {
                return choice;
            }
        }
    }

    /// The same for everybody, until all is known, and again whenever it may have changed: after a
    /// [`recast`](Self::recast), and when an endpoint is gone or does not know its model any more. Waits
    /// between two tries. `told` is called after each.
    pub async fn keep_asking(&self, told: impl Fn()) {
        let mut wait = FIRST_WAIT;
        loop {
            if self.is_settled() {
                self.worries.awake().await;
                self.take_worries();
            }
            for persona in self.everybody() {
                self.prepare(&persona).await;
            }
            told();
            if self.is_settled() {
                wait = FIRST_WAIT;
            } else {
                // a turn that needs a model makes the wait shorter, and yet asks nobody by the dozen
                let sooner = async {
                    self.worries.awake().await;
                    sleep(FIRST_WAIT).await;
                };
                tokio::select! {
                    () = sleep(wait) => {}
                    () = sooner => {}
                }
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
    }

    /// Whether the model that answers this persona is chosen, and what is to be asked of its endpoint was told.
    pub fn is_ready(&self, persona: &PersonaName) -> bool {
        let choice = self.choice(persona);
        let own = |(url, _): &(String, Option<String>)| choice.target == Target::Url(url.clone());
        let told = self.wanted(persona).iter().filter(|asked| own(asked)).all(|asked| self.was_told(asked));
        told && choice.model().is_some() && !self.is_to_be_looked_for(persona)
    }

    fn was_told(&self, (url, model): &(String, Option<String>)) -> bool {
        let known = self.known();
        known.asked.get(url).is_some_and(|asked| asked.is_settled(known.generation, model.as_deref()))
    }

    /// The choice with what is known by now.
    pub fn choice(&self, persona: &PersonaName) -> Choice {
        let wishes = self.wishes(persona);
        let known = self.known();
        let found = known.found.as_ref().and_then(|(_, found)| found.as_ref());
        let url = match choose::target(&wishes) {
            Some(Target::Url(url)) => Some(url),
            Some(Target::BuiltIn) => None,
            None => found.map(|found| found.base_url.clone()),
        };
        let listed = match url.and_then(|url| known.asked.get(&url)) {
            Some(asked) => asked.listed(),
            None => Err("it was not asked yet".to_owned()),
        };
        choose(&wishes, found, listed)
    }

    /// The choice for everybody, with the names of all who share it.
    pub fn choices(&self) -> Vec<(String, Choice)> {
        let mut choices: Vec<(Vec<String>, Choice)> = Vec::new();
        for persona in self.everybody() {
            let choice = self.choice(&persona);
            match choices.iter_mut().find(|(_, known)| *known == choice) {
                Some((names, _)) => names.push(persona.to_string()),
                None => choices.push((vec![persona.to_string()], choice)),
            }
        }
        let together = |(names, choice): (Vec<String>, Choice)| {
            let more = names.len().saturating_sub(NAMED);
            let named = names[..names.len() - more].join(", ");
            (if more == 0 { named } else { format!("{named} and {more} more") }, choice)
        };
        choices.into_iter().map(together).collect()
    }

    fn everybody(&self) -> Vec<PersonaName> {
        self.known().cast.personas.iter().map(|persona| persona.name.clone()).collect()
    }

    /// Whether there is nothing more to ask for anybody, models for work on the side included.
    fn is_settled(&self) -> bool {
        let settled =
            |persona| self.is_ready(persona) && self.wanted(persona).iter().all(|it| self.was_told(it));
        self.everybody().iter().all(settled)
    }

    /// Whether a server on this machine is meant and was not looked for since the last change.
    fn is_to_be_looked_for(&self, persona: &PersonaName) -> bool {
        let known = self.known();
        let looked = known.found.as_ref().is_some_and(|(generation, _)| *generation == known.generation);
        drop(known);
        !looked && choose::target(&self.wishes(persona)).is_none()
    }

    /// What is to be asked for a persona: endpoints and their models, its own first. Without a model only
    /// the list, by which it is chosen.
    fn wanted(&self, persona: &PersonaName) -> Vec<(String, Option<String>)> {
        let choice = self.choice(persona);
        let mut wanted = Vec::new();
        if let Target::Url(url) = &choice.target {
            wanted.push((url.clone(), choice.model().map(str::to_owned)));
        }
        let cast = self.known().cast.clone();
        if let Some(persona) = cast.get(persona).filter(|_| !self.built_in) {
            for role in [SmallRole::Retrieval, SmallRole::Capture] {
                if let Some((name, url, _)) = small(persona, role, &choice) {
                    wanted.push((url, Some(name)));
                }
            }
        }
        // OpenAI tells of no model more than is known of it; with a name there is nothing to ask
        wanted.retain(|(url, model)| model.is_none() || !url.contains("//api.openai.com"));
        wanted
    }

    /// Asks an endpoint for its list and for one of its models, as far as it was not asked since the last
    /// change.
    async fn ask(&self, url: &str, model: Option<&str>) {
        let (generation, key, before) = {
            let known = self.known();
            let key = known.cast.settings.key_for(url).cloned();
            (known.generation, key, known.asked.get(url).cloned().unwrap_or_default())
        };
        if before.is_settled(generation, model) || before.is_down(generation, FIRST_WAIT) {
            return;
        }
        let key = key.as_ref().map(Secret::expose);
        let Ok(endpoint) = Endpoint::new(url, key, Timeouts::default()) else { return };
        let mut now = before;
        if !now.is_listed(generation) {
            now.lists(generation, probe::models_of(url, key, self.patience).await);
        }
        let chosen = match model {
            Some(model) => Some(model.to_owned()),
            // nobody named one: what is chosen now is asked about at once
            None => now.listed().ok().and_then(|listed| match choose::first_chat_model(listed) {
                Chosen::Model(said) => Some(said.value),
                Chosen::NotYet(_) => None,
            }),
        };
        if let Some(model) = chosen.filter(|_| now.is_listed(generation)) {
            now.ask_about(&endpoint, &model, generation, self.patience).await;
        }
        self.known().asked.entry(url.to_owned()).or_default().take(now);
    }

    /// What was said of endpoints is not true any more.
    fn take_worries(&self) {
        for url in self.worries.take() {
            if let Some(asked) = self.known().asked.get_mut(&url) {
                asked.outdated();
            }
        }
    }

    fn wishes(&self, persona: &PersonaName) -> Wishes {
        let cast = self.known().cast.clone();
        Wishes::of(&cast, persona, self.built_in)
    }

    fn known(&self) -> MutexGuard<'_, EndpointState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The profile of a model at an endpoint, and what was learned of it there.
    fn profile(&self, url: &str, name: &str, window: Option<usize>) -> (ModelProfile, Learned) {
        let known = self.known();
        let entry = known.cast.settings.models.get(name).cloned().unwrap_or_default();
        let learned = known.asked.get(url).map(|asked| asked.of(name)).unwrap_or_default();
        (profile(name, window, &entry, &learned), learned)
    }

    fn remote(
        &self,
        persona: &Persona,
        name: String,
        window: Option<usize>,
        url: &str,
    ) -> Result<ResolvedModel, ModelError> {
        let asked = self.asked_at(url, persona.model.timeouts)?;
        let (profile, learned) = self.profile(url, &name, window);
        let model = measured(asked.clone(), &profile, learned);
        let mut resilient =
            Resilient::for_turn(model, persona.model.retries, persona.model.timeouts.turn, entropy());
        if let Some(fallback) = &persona.model.fallback {
            resilient = resilient.with_fallback(asked, fallback);
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
        let asked: Arc<dyn ChatModel> = Arc::new(Watched {
            model: model.clone(),
            url: url.to_owned(),
            withheld: cast.settings.withheld(url),
            worries: self.worries.clone(),
        });
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
            // the window in the persona's file is that of its own model
            (Some(instead), _) => self.remote(persona, instead.to_owned(), None, url),
            (None, Chosen::Model(own)) => self.remote(persona, own.value, persona.model.context_window, url),
            (None, Chosen::NotYet(reason)) => {
                self.worries.wake();
                Err(ModelError::NotChosen { endpoint: shown(url), reason })
            }
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
                // the window in the persona's file is that of its own model
                let own = choice.target == Target::Url(url.clone()) && choice.model() == Some(name.as_str());
                let window = persona.model.context_window.filter(|_| own);
                let (profile, learned) = self.profile(&url, &name, window);
                let turn = persona.model.timeouts.turn;
                let model = measured(model, &profile, learned);
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
        let resolved = self.resolve(persona, None).ok();
        let profile = resolved.map(|resolved| resolved.profile);
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
