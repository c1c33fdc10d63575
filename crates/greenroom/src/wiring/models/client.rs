//! The client of an endpoint as turns use it: what goes wrong there is explained, and remembered where it
//! means that the endpoint is not what it was.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use futures::{StreamExt, TryStreamExt};
use greenroom_models::{ChatModel, ChatRequest, ModelError, ModelStream, OpenAiModel};
use tokio::sync::Notify;

/// Endpoints that have to be asked again.
#[derive(Default)]
pub(super) struct Worries {
    urls: Mutex<HashSet<String>>,
    notify: Notify,
}

impl Worries {
    /// One more.
    fn about(&self, url: &str) {
        self.urls.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned());
        self.wake();
    }

    /// Those there are, once.
    pub fn take(&self) -> HashSet<String> {
        std::mem::take(&mut *self.urls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// There may be something to ask.
    pub fn wake(&self) {
        self.notify.notify_one();
    }

    /// Resolves when there may be, or has been since the last time.
    pub async fn awake(&self) {
        self.notify.notified().await;
    }
}

/// A client that is watched. An endpoint that gets none of the keys there are says so where one is asked
/// for (X5). One whose answer shows that it is not what it told us before is to be asked again.
pub(super) struct Watched {
    pub model: OpenAiModel,
    pub url: String,
    /// Why it gets no key, where there are some.
    pub withheld: Option<String>,
    pub worries: Arc<Worries>,
}

impl ChatModel for Watched {
    fn stream(&self, request: Arc<ChatRequest>) -> ModelStream {
        let (url, withheld, worries) = (self.url.clone(), self.withheld.clone(), self.worries.clone());
        let explain = move |error| match (error, &withheld) {
            (ModelError::Unauthorized { endpoint, reason }, Some(why)) => {
                ModelError::Unauthorized { endpoint, reason: format!("{reason}; {why}") }
            }
            (error, _) if makes_outdated(&error) => {
                worries.about(&url);
                error
            }
            (error, _) => error,
        };
        self.model.stream(request).map_err(explain).boxed()
    }
}

/// Whether an endpoint may have become another: it is gone, does not know a model any more, or has a smaller
/// window than it told.
fn makes_outdated(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::UnknownModel { .. } | ModelError::Unreachable { .. } | ModelError::ContextLength { .. }
    )
}
