//! Which models an endpoint offers; also how a server on loopback is found.

use reqwest::Method;
use serde_json::Value;
use tokio::time::{Duration, timeout};

use super::{Endpoint, call::Call};
use crate::ModelError;

/// The longest list that is read, in bytes.
const MAX_LIST: usize = 1 << 20;

/// The names of the models at an endpoint, in its own order; the whole exchange within `limit`.
///
/// # Errors
/// As for a chat; [`ModelError::Broken`] where the answer is no list of models, as from another
/// program at the same port.
pub async fn list_models(endpoint: &Endpoint, limit: Duration) -> Result<Vec<String>, ModelError> {
    let call = Call::new(endpoint.clone(), String::new());
    match timeout(limit, list(&call)).await {
        Ok(models) => models,
        Err(_) => Err(call.timeout("list its models", limit)),
    }
}

async fn list(call: &Call) -> Result<Vec<String>, ModelError> {
    let list = call.document(call.request(Method::GET, "/models", None)?, MAX_LIST).await?;
    let list: Option<Value> = serde_json::from_slice(&list).ok();
    let models = list.as_ref().and_then(|list| list.get("data")).and_then(Value::as_array);
    let models = models.ok_or_else(|| call.broken("it is no list of models"))?;
    Ok(models.iter().filter_map(|model| model.get("id").and_then(Value::as_str)).map(str::to_owned).collect())
}
