//! Asking around: is there a model server on this machine, and which models does an endpoint have.

use std::time::Duration;

use greenroom_models::{Endpoint, ModelError, Timeouts, list_models};

use crate::choose::Found;

/// Servers that run on people's machines and the ports they usually take.
const SERVERS: [(&str, &str); 2] =
    [("Ollama", "http://127.0.0.1:11434/v1"), ("llama.cpp", "http://127.0.0.1:8080/v1")];
/// How long a server on this machine may take to show itself.
const FIND: Duration = Duration::from_millis(200);

/// How long an endpoint may take to list its models: what is asked for once, a person who waits
/// for a prompt.
pub const LIST: Duration = Duration::from_secs(3);
/// See [`LIST`].
pub const LIST_FOR_A_PROMPT: Duration = Duration::from_secs(1);

/// The first server that answers with a list of models; both are asked at once.
pub async fn find_server() -> Option<Found> {
    let [first, second] = SERVERS.map(|(server, base_url)| async move {
        let endpoint = Endpoint::new(base_url, None, Timeouts::default()).ok()?;
        // another program may live at this port: only a list of models counts
        let models = list_models(&endpoint, FIND).await.ok()?;
        Some(Found { server, base_url: base_url.to_owned(), models })
    });
    let (first, second) = tokio::join!(first, second);
    first.or(second)
}

/// What an endpoint offers, asked for within `limit`.
pub async fn models_of(
    base_url: &str,
    key: Option<&str>,
    limit: Duration,
) -> Result<Vec<String>, ModelError> {
    list_models(&Endpoint::new(base_url, key, Timeouts::default())?, limit).await
}
