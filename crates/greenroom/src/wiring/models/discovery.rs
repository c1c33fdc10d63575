//! Discovery: asks servers on this machine and the endpoints of personas for their models, with windows and tokenizers.
//! It asks again after a change of the cast, and when an endpoint turns out to have changed.

use std::time::Duration;

use greenroom_core::{PersonaName, real_time};
use greenroom_models::{Endpoint, Timeouts};
use greenroom_persona::Secret;
use greenroom_runtime::SmallRole;

use super::{Models, profiles::small};
use crate::{
    model_choice::{self, Choice, ChosenModel, Target},
    probe,
};

/// The wait before an endpoint that does not answer is asked again: first and longest. It doubles after each attempt.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// An endpoint to ask, and the model to ask about; without a model, only the list is requested.
type Question = (String, Option<String>);

impl Models {
    /// The choice for a persona, after asking: servers on this machine if no endpoint is set, and endpoints for their
    /// models and windows.
    pub async fn prepare(&self, persona: &PersonaName) -> Choice {
        self.forget_stale();
        if self.needs_local_server(persona) {
            self.find_local_server().await;
        }
        let mut choice = self.choice(persona);
        loop {
            for (url, model) in self.questions(persona) {
                self.ask(&url, model.as_deref()).await;
            }
            // a new list may lead to another model, about which the endpoint must still be asked
            let before = std::mem::replace(&mut choice, self.choice(persona));
            if before == choice {
                return choice;
            }
        }
    }

    /// Prepares all personas until no question is left. Does so again after a [`recast`](Self::recast), and whenever an
    /// endpoint is unreachable or no longer has its model. `asked` is called after each round.
    pub async fn keep_asking(&self, asked: impl Fn()) {
        let mut wait = FIRST_WAIT;
        loop {
            if self.is_settled() {
                self.stale.woken().await;
                self.forget_stale();
            }
            for persona in self.personas() {
                self.prepare(&persona).await;
            }
            asked();
            if self.is_settled() {
                wait = FIRST_WAIT;
            } else {
                // a turn that needs a model shortens the wait; many turns do not cause more requests
                let needed = async {
                    self.stale.woken().await;
                    real_time().sleep(FIRST_WAIT).await;
                };
                tokio::select! {
                    () = real_time().sleep(wait) => {}
                    () = needed => {}
                }
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
    }

    /// Whether the model of a persona is chosen, and its endpoint has answered the questions about it.
    pub fn is_ready(&self, persona: &PersonaName) -> bool {
        let choice = self.choice(persona);
        let own = |(url, _): &Question| choice.target == Target::Url(url.clone());
        let answered =
            self.questions(persona).iter().filter(|asked| own(asked)).all(|it| self.is_answered(it));
        answered && choice.model().is_some() && !self.needs_local_server(persona)
    }

    /// Whether no question is left for any persona, including its small models.
    fn is_settled(&self) -> bool {
        let settled =
            |persona| self.is_ready(persona) && self.questions(persona).iter().all(|it| self.is_answered(it));
        self.personas().iter().all(settled)
    }

    fn is_answered(&self, (url, model): &Question) -> bool {
        let state = self.state();
        let endpoint = state.endpoints.get(url);
        endpoint.is_some_and(|endpoint| endpoint.is_settled(state.generation, model.as_deref()))
    }

    /// Whether a persona may use a server on this machine, and none was searched since the last change.
    fn needs_local_server(&self, persona: &PersonaName) -> bool {
        let state = self.state();
        let looked = state.local_server.as_ref().is_some_and(|(at, _)| *at == state.generation);
        drop(state);
        !looked && model_choice::target(&self.configured(persona)).is_none()
    }

    async fn find_local_server(&self) {
        let (generation, host) = {
            let state = self.state();
            (state.generation, state.ollama_host.clone())
        };
        let server = probe::find_server(host.as_deref()).await;
        let mut state = self.state();
        if let Some(server) = &server {
            let endpoint = state.endpoints.entry(server.base_url.clone()).or_default();
            endpoint.set_list(generation, Ok(server.models.clone()));
        }
        state.local_server = Some((generation, server));
    }

    /// The questions for a persona, about its own model first.
    fn questions(&self, persona: &PersonaName) -> Vec<Question> {
        let choice = self.choice(persona);
        let mut questions = Vec::new();
        if let Target::Url(url) = &choice.target {
            questions.push((url.clone(), choice.model().map(str::to_owned)));
        }
        let cast = self.state().cast.clone();
        if let Some(persona) = cast.get(persona).filter(|_| !self.built_in) {
            for role in [SmallRole::Retrieval, SmallRole::Capture] {
                if let Some((name, url, _)) = small(persona, role, &choice) {
                    questions.push((url, Some(name)));
                }
            }
        }
        // OpenAI gives no facts about single models, so only its list is requested
        questions.retain(|(url, model)| model.is_none() || !url.contains("//api.openai.com"));
        questions
    }

    /// Asks an endpoint for its list and about one model, unless it has answered since the last change.
    async fn ask(&self, url: &str, model: Option<&str>) {
        let (generation, key, mut endpoint) = {
            let state = self.state();
            let key = state.cast.settings.key_for(url).cloned();
            (state.generation, key, state.endpoints.get(url).cloned().unwrap_or_default())
        };
        let list_is_due = endpoint.list_is_due(generation, model);
        let waits = list_is_due && endpoint.was_just_asked(generation, FIRST_WAIT);
        if endpoint.is_settled(generation, model) || waits {
            return;
        }
        let key = key.as_ref().map(Secret::expose);
        let Ok(client) = Endpoint::new(url, key, Timeouts::default()) else { return };
        if list_is_due {
            endpoint.set_list(generation, probe::models_of(url, key, self.list_timeout).await);
        }
        let chosen = match model {
            Some(model) => Some(model.to_owned()),
            // no model is named: ask at once about the model that the list leads to
            None => endpoint.listed().ok().and_then(|listed| match model_choice::first_chat_model(listed) {
                ChosenModel::Known(model) => Some(model.value),
                ChosenModel::NotYet(_) => None,
            }),
        };
        if let Some(model) = chosen.filter(|_| endpoint.has_list(generation)) {
            endpoint.ask_about(&client, &model, generation, self.list_timeout).await;
        }
        self.state().endpoints.entry(url.to_owned()).or_default().merge(endpoint);
    }

    /// Marks the answers of changed endpoints as outdated.
    fn forget_stale(&self) {
        for url in self.stale.take() {
            if let Some(endpoint) = self.state().endpoints.get_mut(&url) {
                endpoint.set_outdated();
            }
        }
    }
}
