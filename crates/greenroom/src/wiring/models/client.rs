//! The client of an endpoint. It explains errors, and marks the endpoint as stale if an error shows that it has
//! changed.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use futures::{StreamExt, TryStreamExt};
use greenroom_models::{ChatModel, ChatRequest, ModelError, ModelStream, OpenAiModel};
use tokio::sync::Notify;

/// Endpoints that have changed, and that discovery must ask again.
#[derive(Default)]
pub(super) struct StaleEndpoints {
    urls: Mutex<HashSet<String>>,
    notify: Notify,
}

impl StaleEndpoints {
    /// Adds an endpoint.
    fn add(&self, url: &str) {
        self.urls.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned());
        self.wake();
    }

    /// Removes and returns the endpoints.
    pub fn take(&self) -> HashSet<String> {
        std::mem::take(&mut *self.urls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Wakes discovery.
    pub fn wake(&self) {
        self.notify.notify_one();
    }

    /// Resolves after a [`wake`](Self::wake), including one since the previous call.
    pub async fn woken(&self) {
        self.notify.notified().await;
    }
}

/// A client that explains errors and detects changes. If no key may be sent to the endpoint, the explanation of a 401
/// tells so (X5). If an error contradicts earlier answers of the endpoint, discovery asks it again.
pub(super) struct EndpointClient {
    pub model: OpenAiModel,
    pub url: String,
    /// Why the keys of the settings are not sent to the endpoint; `None` if there are none.
    pub withheld: Option<String>,
    pub stale: Arc<StaleEndpoints>,
}

impl ChatModel for EndpointClient {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let (url, withheld, stale) = (self.url.clone(), self.withheld.clone(), self.stale.clone());
        let explain = move |error| match (error, &withheld) {
            (ModelError::Unauthorized { endpoint, reason }, Some(why)) => {
                ModelError::Unauthorized { endpoint, reason: format!("{reason}; {why}") }
            }
            (error, _) if shows_change(&error) => {
                stale.add(&url);
                error
            }
            (error, _) => error,
        };
        self.model.stream(request).map_err(explain).boxed()
    }
}

/// Whether an error shows that an endpoint may have changed: it is unreachable, no longer has a model, or has a smaller
/// window than it reported.
fn shows_change(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::UnknownModel { .. } | ModelError::Unreachable { .. } | ModelError::ContextLength { .. }
    )
}
