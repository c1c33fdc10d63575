//! Facts about an endpoint's models: which models it has, their windows, and whether it counts tokens.
//!
//! `/models` is part of OpenAI's API; some servers include the window there. Other facts come from paths of the servers
//! outside `/v1`: `/props` of llama.cpp, `/api/show` and `/api/ps` of Ollama. A server without such a path answers 404,
//! and the fact stays unknown.

use std::{ops::RangeInclusive, time::Duration};

use greenroom_core::real_time;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Endpoint, call::Call, tokenizer::RemoteTokenizer};
use crate::ModelError;

/// The size limit of a list, in bytes. The list of OpenRouter has about a megabyte.
const MAX_LIST: usize = 16 << 20;
/// The size limit of other answers, in bytes; `/api/show` includes licence and template.
const MAX_FACTS: usize = 4 << 20;

/// The names of the window in the lists of vLLM, OpenRouter, Groq and Mistral.
const WINDOW_FIELDS: [&str; 4] = ["max_model_len", "context_length", "context_window", "max_context_length"];

/// The window that Ollama uses where neither the model nor a running instance specifies one. Ollama silently cuts
/// longer requests.
const OLLAMA_WINDOW: usize = 4_096;

/// Plausible windows, in tokens. A value outside is the server's mistake and counts as unknown.
const WINDOWS: RangeInclusive<usize> = 1..=100_000_000;

/// A model in an endpoint's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// The name requests ask for it by.
    pub id: String,
    /// Its window in tokens, if the list contains it.
    pub window: Option<usize>,
}

/// A model's window, as its server reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The tokens.
    pub tokens: usize,
    /// Whether the server refuses or cuts longer requests, whatever the settings are. False if the window is only the
    /// usual default of a server that does not report its own.
    pub firm: bool,
}

/// A server's facts about one model besides its list.
#[derive(Debug, Clone, Default)]
pub struct ModelFacts {
    /// Its window.
    pub window: Option<Window>,
    /// The server's tokenizer for the model.
    pub tokenizer: Option<RemoteTokenizer>,
}

/// Lists the models of an endpoint, in its own order. The whole exchange must finish within `limit`.
///
/// # Errors
/// As for a chat; [`ModelError::Broken`] if the answer is no list of models, for example from another program at this
/// port.
pub async fn list_models(endpoint: &Endpoint, limit: Duration) -> Result<Vec<ListedModel>, ModelError> {
    let call = Call::new(endpoint.clone(), String::new());
    match real_time().timeout(limit, list(&call)).await {
        Ok(models) => models,
        Err(_) => Err(call.timeout("list its models", limit)),
    }
}

async fn list(call: &Call) -> Result<Vec<ListedModel>, ModelError> {
    let list = call.document(call.request(Method::GET, "/models", None)?, MAX_LIST).await;
    match list.and_then(|list| listed(&list).ok_or_else(|| call.broken("it is no list of models"))) {
        Ok(models) => Ok(models),
        // an old Ollama without this part of OpenAI's API
        Err(error @ ModelError::Rejected { status: 404, .. }) => {
            let tags = call.document(call.request_beside(Method::GET, "/api/tags", None)?, MAX_LIST).await;
            tags.ok().and_then(|tags| tagged(&tags)).ok_or(error)
        }
        Err(error) => Err(error),
    }
}

fn listed(list: &[u8]) -> Option<Vec<ListedModel>> {
    let list: Value = serde_json::from_slice(list).ok()?;
    let model = |model: &Value| {
        let id = model.get("id")?.as_str()?.to_owned();
        let own = WINDOW_FIELDS.iter().find_map(|field| tokens(model.get(*field)?));
        // OpenRouter: the window of the provider that it prefers
        let served = model.pointer("/top_provider/context_length").and_then(tokens);
        Some(ListedModel { id, window: own.into_iter().chain(served).min() })
    };
    Some(list.get("data")?.as_array()?.iter().filter_map(model).collect())
}

fn tagged(tags: &[u8]) -> Option<Vec<ListedModel>> {
    let tags: Value = serde_json::from_slice(tags).ok()?;
    let name =
        |model: &Value| Some(ListedModel { id: model.get("name")?.as_str()?.to_owned(), window: None });
    Some(tags.get("models")?.as_array()?.iter().filter_map(name).collect())
}

/// The facts about `model` that the server at `endpoint` reports within `limit`.
pub async fn facts_of(endpoint: &Endpoint, model: &str, limit: Duration) -> ModelFacts {
    let call = Call::new(endpoint.clone(), model.to_owned());
    let asked = async {
        let (llama, ollama) = tokio::join!(llama_cpp(&call), ollama(&call, model));
        llama.or(ollama)
    };
    real_time().timeout(limit, asked).await.ok().flatten().unwrap_or_default()
}

/// llama.cpp: the window of a slot from `/props`; its tokenizer at `/tokenize`, if that answers.
async fn llama_cpp(call: &Call) -> Option<ModelFacts> {
    let props = facts(call, Method::GET, "/props", None).await?;
    let slot = props.pointer("/default_generation_settings/n_ctx").or_else(|| props.get("n_ctx"));
    let window = Window { tokens: slot.and_then(tokens)?, firm: true };
    let tokenizer = RemoteTokenizer::new(call.endpoint().clone());
    let counts = tokenizer.count("one two three").await.is_ok();
    Some(ModelFacts { window: Some(window), tokenizer: counts.then_some(tokenizer) })
}

/// Ollama: the window of a running instance, else the model's `num_ctx`, else the default; never more than the
/// model's maximum.
async fn ollama(call: &Call, model: &str) -> Option<ModelFacts> {
    let asked = json!({ "model": model }).to_string().into_bytes();
    let (show, running) = tokio::join!(
        facts(call, Method::POST, "/api/show", Some(asked)),
        facts(call, Method::GET, "/api/ps", None)
    );
    let show = show?;
    let info = show.get("model_info").and_then(Value::as_object);
    let can = info.and_then(|info| {
        info.iter().find(|(key, _)| key.ends_with(".context_length")).and_then(|(_, value)| tokens(value))
    });
    let parameters = show.get("parameters").and_then(Value::as_str);
    if can.is_none() && parameters.is_none() {
        return None; // another program
    }
    let told = running.as_ref().and_then(|running| window_of_running(running, model));
    let told = told.or_else(|| num_ctx(parameters?));
    let served = told.unwrap_or(OLLAMA_WINDOW);
    let tokens = can.map_or(served, |can| can.min(served));
    Some(ModelFacts {
        window: Some(Window { tokens, firm: told.is_some() || can == Some(tokens) }),
        tokenizer: None,
    })
}

/// The value of `num_ctx 8192` among the parameters of a model, one per line.
fn num_ctx(parameters: &str) -> Option<usize> {
    let told = parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok());
    told.filter(|tokens| WINDOWS.contains(tokens))
}

fn window_of_running(running: &Value, model: &str) -> Option<usize> {
    let same = |name: Option<&Value>| {
        name.and_then(Value::as_str)
            .is_some_and(|name| name == model || name.strip_suffix(":latest") == Some(model))
    };
    let models = running.get("models")?.as_array()?;
    models
        .iter()
        .find(|running| same(running.get("model")) || same(running.get("name")))
        .and_then(|running| tokens(running.get("context_length")?))
}

/// A number of tokens that is plausible as a window.
fn tokens(value: &Value) -> Option<usize> {
    let told = value.as_u64().and_then(|tokens| usize::try_from(tokens).ok());
    told.filter(|tokens| WINDOWS.contains(tokens))
}

/// An answer from the server's own path. A missing answer is normal and is not logged.
async fn facts(call: &Call, method: Method, path: &str, json: Option<Vec<u8>>) -> Option<Value> {
    let document = call.document(call.request_beside(method, path, json).ok()?, MAX_FACTS).await.ok()?;
    serde_json::from_slice(&document).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a13_lists_tell_windows_in_the_words_of_their_servers() {
        let list = json!({ "data": [
            { "id": "vllm", "max_model_len": 8192 },
            { "id": "openrouter", "context_length": 131072, "top_provider": { "context_length": 16384 } },
            { "id": "groq", "context_window": 32768 },
            { "id": "mistral", "max_context_length": 65536 },
            { "id": "openai" },
            { "id": "null", "max_model_len": null },
            { "id": "none", "max_model_len": 0 },
            { "id": "absurd", "context_length": 1_000_000_000_000_000_000_u64 },
            { "object": "no model" },
        ]});
        let windows: Vec<_> =
            listed(&list.to_string().into_bytes()).unwrap().into_iter().map(|model| model.window).collect();
        assert_eq!(windows, [Some(8192), Some(16384), Some(32768), Some(65536), None, None, None, None]);
    }

    #[test]
    fn a13_ollama_s_parameters_and_running_models_are_read() {
        assert_eq!(num_ctx("stop \"x\"\nnum_ctx                        8192\n"), Some(8192));
        assert_eq!(num_ctx("temperature 1"), None);
        assert_eq!(num_ctx("num_ctx 0").or(num_ctx("num_ctx 18446744073709551615")), None);
        let running = json!({ "models": [{ "name": "llama3.2:latest", "context_length": 16384 }] });
        assert_eq!(window_of_running(&running, "llama3.2"), Some(16384));
        assert_eq!(window_of_running(&running, "llama3"), None);
    }
}
