//! What one endpoint told: its list, and the window and the tokenizer of its models.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use greenroom_models::{Endpoint, ListedModel, ModelError, Window, facts_of};

use super::measured::Ruler;

/// What an endpoint told, and when: each answer holds for one generation, the count of casts. An older one
/// is used until there is another.
#[derive(Clone, Default)]
pub(super) struct Asked {
    listed: Option<(u64, Vec<ListedModel>)>,
    /// Why there is no list, of the last try, and when that was.
    failed: Option<(u64, ModelError, Instant)>,
    learned: HashMap<String, (u64, Learned)>,
}

/// What is learned of one model.
#[derive(Clone, Default)]
pub(super) struct Learned {
    /// Its window, as the server tells it.
    pub window: Option<Window>,
    /// What counts its tokens, where the server does.
    pub ruler: Option<Arc<Ruler>>,
}

impl Asked {
    /// What it lists, or why that is not known.
    pub fn listed(&self) -> Result<&[ListedModel], String> {
        match (&self.listed, &self.failed) {
            (Some((_, models)), _) => Ok(models),
            (None, Some((_, error, _))) if error.is_transient() => {
                Err(format!("it does not answer ({}); it is asked again", error.reason()))
            }
            (None, Some((_, error, _))) => Err(format!("it does not list its models ({})", error.reason())),
            (None, None) => Err("it was not asked yet".to_owned()),
        }
    }

    /// What is learned of a model.
    pub fn of(&self, model: &str) -> Learned {
        self.learned.get(model).map(|(_, learned)| learned.clone()).unwrap_or_default()
    }

    /// An answer to the question for its list.
    pub fn lists(&mut self, generation: u64, models: Result<Vec<ListedModel>, ModelError>) {
        match models {
            Ok(models) => (self.listed, self.failed) = (Some((generation, models)), None),
            Err(error) => self.failed = Some((generation, error, Instant::now())),
        }
    }

    /// Whether it did not answer a moment ago. Personas share an endpoint, and one of them has waited for it.
    pub fn is_down(&self, generation: u64, moment: Duration) -> bool {
        let failed = self.failed.as_ref();
        failed.is_some_and(|(at, error, when)| {
            *at == generation && error.is_transient() && when.elapsed() < moment
        })
    }

    /// Whether there is nothing more to ask for its list in this generation: it came, or the endpoint
    /// answers and has none.
    pub fn is_listed(&self, generation: u64) -> bool {
        let listed = self.listed.as_ref().is_some_and(|(at, _)| *at == generation);
        let refused = self.failed.as_ref();
        let refused = refused.is_some_and(|(at, error, _)| *at == generation && !error.is_transient());
        listed || refused
    }

    /// The same for one model, or for the list alone.
    pub fn is_settled(&self, generation: u64, model: Option<&str>) -> bool {
        let learned = |model: &str| self.learned.get(model).is_some_and(|(at, _)| *at == generation);
        match model {
            Some(model) => self.is_listed(generation) && learned(model),
            // without a list there is nothing to choose from, whatever the reason
            None => self.listed.as_ref().is_some_and(|(at, models)| *at == generation && !models.is_empty()),
        }
    }

    /// Learns what the endpoint tells of a model.
    pub async fn ask_about(&mut self, endpoint: &Endpoint, model: &str, generation: u64, limit: Duration) {
        let in_list = self.listed.iter().flat_map(|(_, models)| models).find(|listed| listed.id == model);
        let learned = match in_list.and_then(|listed| listed.window) {
            Some(tokens) => Learned { window: Some(Window { tokens, firm: true }), ruler: None },
            None => {
                let facts = facts_of(endpoint, model, limit).await;
                let ruler = match facts.tokenizer {
                    Some(tokenizer) => Ruler::sampled(tokenizer, model).await.map(Arc::new),
                    None => None,
                };
                Learned { window: facts.window, ruler }
            }
        };
        self.learned.insert(model.to_owned(), (generation, learned));
    }

    /// Takes over what was asked meanwhile, whichever is newer.
    pub fn take(&mut self, other: Self) {
        let at = |listed: &Option<(u64, Vec<ListedModel>)>| listed.as_ref().map(|(at, _)| *at);
        if at(&other.listed) >= at(&self.listed) {
            (self.listed, self.failed) = (other.listed, other.failed);
        }
        for (model, theirs) in other.learned {
            match self.learned.get(&model) {
                Some((ours, _)) if *ours > theirs.0 => {}
                _ => drop(self.learned.insert(model, theirs)),
            }
        }
    }

    /// All of it is to be asked anew: the endpoint is not what it was.
    pub fn outdated(&mut self) {
        self.listed.iter_mut().for_each(|(at, _)| *at = 0);
        self.learned.values_mut().for_each(|(at, _)| *at = 0);
        self.failed = None;
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
        let mut asked = Asked::default();
        asked.lists(1, Err(down()));
        assert!(!asked.is_listed(1) && asked.listed().unwrap_err().contains("refused"));
        assert!(asked.is_down(1, Duration::MAX) && !asked.is_down(2, Duration::MAX));
        assert!(!asked.is_down(1, Duration::ZERO));
        asked.lists(1, Err(without_lists()));
        asked.learned.insert("named".into(), (1, Learned::default()));
        assert!(asked.is_settled(1, Some("named")) && !asked.is_settled(1, None));
        assert!(!asked.is_down(1, Duration::MAX), "it answers");
        asked.lists(1, Ok(listed("a")));
        assert!(asked.is_settled(1, None) && !asked.is_settled(2, None));
    }

    #[test]
    fn a3_what_was_listed_is_used_until_there_is_another_list() {
        let mut asked = Asked::default();
        asked.lists(1, Ok(listed("a")));
        asked.lists(2, Err(down()));
        assert_eq!(asked.listed().unwrap(), listed("a"));
        asked.outdated();
        assert!(!asked.is_settled(1, None));
        assert_eq!(asked.listed().unwrap(), listed("a"));
        asked.lists(2, Ok(listed("b")));
        assert_eq!(asked.listed().unwrap(), listed("b"));
    }
}
