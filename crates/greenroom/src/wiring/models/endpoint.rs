//! One endpoint's answers: its list of models, and their windows and tokenizers.

use std::{collections::HashMap, sync::Arc, time::Duration};

use greenroom_core::{Instant, real_time};
use greenroom_models::{Endpoint, ListedModel, ModelError, Window, facts_of};

use super::window_check::ServerCounter;
use crate::model_choice::{ChosenModel, first_chat_model};

/// The reason why the list of an endpoint is unknown before its first answer.
pub(super) const NOT_ASKED: &str = "it was not asked yet";

/// The answers of an endpoint. Each belongs to a generation, the number of the cast. An older answer is used until
/// there is a newer one.
#[derive(Clone, Default)]
pub(super) struct EndpointInfo {
    listed: Option<(u64, Vec<ListedModel>)>,
    /// The error of the last attempt, if it gave no list.
    failed: Option<(u64, ModelError)>,
    /// The time of the last request for the list, and its generation.
    asked: Option<(u64, Instant)>,
    models: HashMap<String, (u64, ModelInfo)>,
}

/// An endpoint's answers about one model.
#[derive(Clone, Default)]
pub(super) struct ModelInfo {
    /// Its window.
    pub window: Option<Window>,
    /// The counter of its tokens, if the server counts them.
    pub counter: Option<Arc<ServerCounter>>,
}

impl EndpointInfo {
    /// The models that it lists, or the reason why they are unknown.
    pub fn listed(&self) -> Result<&[ListedModel], String> {
        match (&self.listed, &self.failed) {
            (Some((_, models)), _) => Ok(models),
            (None, Some((_, error))) if error.is_transient() => {
                Err(format!("it does not answer ({}); it is asked again", error.reason()))
            }
            (None, Some((_, error))) => Err(format!("it does not list its models ({})", error.reason())),
            (None, None) => Err(NOT_ASKED.to_owned()),
        }
    }

    /// The endpoint's facts about a model.
    pub fn model(&self, model: &str) -> ModelInfo {
        self.models.get(model).map(|(_, info)| info.clone()).unwrap_or_default()
    }

    /// Stores the answer to the question for its list.
    pub fn set_list(&mut self, generation: u64, models: Result<Vec<ListedModel>, ModelError>) {
        self.asked = Some((generation, real_time().instant()));
        match models {
            Ok(models) => (self.listed, self.failed) = (Some((generation, models)), None),
            Err(error) => self.failed = Some((generation, error)),
        }
    }

    /// Whether its list was requested within the last `moment`. Personas share an endpoint, so that only one of them
    /// waits for it.
    pub fn was_just_asked(&self, generation: u64, moment: Duration) -> bool {
        self.asked.is_some_and(|(at, when)| at == generation && real_time().elapsed(when) < moment)
    }

    /// Whether its list must be requested: for a named model until the endpoint answers, for a choice until the list
    /// has a chat model.
    pub fn list_is_due(&self, generation: u64, model: Option<&str>) -> bool {
        match model {
            Some(_) => !self.has_list(generation),
            None => !self.is_settled(generation, None),
        }
    }

    /// Whether the request for its list is answered in a generation, by a list or by an endpoint that has none.
    pub fn has_list(&self, generation: u64) -> bool {
        let listed = self.listed.as_ref().is_some_and(|(at, _)| *at == generation);
        let refused = self.failed.as_ref();
        let refused = refused.is_some_and(|(at, error)| *at == generation && !error.is_transient());
        listed || refused
    }

    /// Whether the requests for its list and about a model are answered in a generation.
    pub fn is_settled(&self, generation: u64, model: Option<&str>) -> bool {
        let told = |model: &str| self.models.get(model).is_some_and(|(at, _)| *at == generation);
        match model {
            Some(model) => self.has_list(generation) && told(model),
            // without a chat model in the list no model can be chosen, whatever the reason
            None => self.listed.as_ref().is_some_and(|(at, models)| {
                *at == generation && matches!(first_chat_model(models), ChosenModel::Known(_))
            }),
        }
    }

    /// Asks the endpoint about a model.
    pub async fn ask_about(&mut self, endpoint: &Endpoint, model: &str, generation: u64, limit: Duration) {
        let in_list = self.listed.iter().flat_map(|(_, models)| models).find(|listed| listed.id == model);
        let info = match in_list.and_then(|listed| listed.window) {
            Some(tokens) => ModelInfo { window: Some(Window { tokens, firm: true }), counter: None },
            None => {
                let facts = facts_of(endpoint, model, limit).await;
                let counter = match facts.tokenizer {
                    Some(tokenizer) => ServerCounter::sampled(tokenizer, model).await.map(Arc::new),
                    None => None,
                };
                ModelInfo { window: facts.window, counter }
            }
        };
        self.models.insert(model.to_owned(), (generation, info));
    }

    /// Takes the newer answers of both.
    pub fn merge(&mut self, other: Self) {
        let at = |listed: &Option<(u64, Vec<ListedModel>)>| listed.as_ref().map(|(at, _)| *at);
        if at(&other.listed) >= at(&self.listed) {
            (self.listed, self.failed, self.asked) = (other.listed, other.failed, other.asked);
        }
        for (model, theirs) in other.models {
            match self.models.get(&model) {
                Some((ours, _)) if *ours > theirs.0 => {}
                _ => drop(self.models.insert(model, theirs)),
            }
        }
    }

    /// Marks all answers as outdated, because the endpoint has changed.
    pub fn set_outdated(&mut self) {
        self.listed.iter_mut().for_each(|(at, _)| *at = 0);
        self.models.values_mut().for_each(|(at, _)| *at = 0);
        (self.failed, self.asked) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: &str) -> Vec<ListedModel> {
        vec![ListedModel { id: id.into(), window: None }]
    }

    fn down() -> ModelError {
        ModelError::Unreachable { endpoint: "x".into(), reason: "refused".into() }
    }

    fn without_lists() -> ModelError {
        ModelError::Rejected { endpoint: "x".into(), status: 404, reason: "no".into() }
    }

    #[test]
    fn a3_an_endpoint_that_is_down_is_asked_again_and_one_without_a_list_only_for_a_choice() {
        let mut endpoint = EndpointInfo::default();
        endpoint.set_list(1, Err(down()));
        assert!(!endpoint.has_list(1) && endpoint.listed().unwrap_err().contains("refused"));
        assert!(endpoint.was_just_asked(1, Duration::MAX) && !endpoint.was_just_asked(2, Duration::MAX));
        assert!(!endpoint.was_just_asked(1, Duration::ZERO));
        endpoint.set_list(1, Err(without_lists()));
        endpoint.models.insert("named".into(), (1, ModelInfo::default()));
        assert!(endpoint.is_settled(1, Some("named")) && !endpoint.is_settled(1, None));
        assert!(!endpoint.list_is_due(1, Some("named")) && endpoint.list_is_due(1, None));
        for none in [Vec::new(), listed("nomic-embed-text")] {
            endpoint.set_list(1, Ok(none));
            assert!(endpoint.list_is_due(1, None) && !endpoint.is_settled(1, None), "asked again");
        }
        endpoint.set_list(1, Ok(listed("a")));
        assert!(endpoint.is_settled(1, None) && !endpoint.is_settled(2, None));
    }

    #[test]
    fn a3_what_was_listed_is_used_until_there_is_another_list() {
        let mut endpoint = EndpointInfo::default();
        endpoint.set_list(1, Ok(listed("a")));
        endpoint.set_list(2, Err(down()));
        assert_eq!(endpoint.listed().unwrap(), listed("a"));
        endpoint.set_outdated();
        assert!(!endpoint.is_settled(1, None));
        assert_eq!(endpoint.listed().unwrap(), listed("a"));
        endpoint.set_list(2, Ok(listed("b")));
        assert_eq!(endpoint.listed().unwrap(), listed("b"));
    }
}
