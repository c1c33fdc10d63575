//! The tokenizer of a llama.cpp server: counts the tokens of a text or a whole request.

use std::time::Duration;

use greenroom_core::real_time;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Endpoint, call::Call, request::Body};
use crate::{ChatRequest, ModelError};

/// The size limit of an answer, in bytes: a number per token, and the prompt as text.
const MAX_ANSWER: usize = 32 << 20;
/// The timeout of a count.
const LIMIT: Duration = Duration::from_secs(5);
/// The estimated tokens of a template around a message, if the server cannot apply the template.
const FRAME: usize = 8;
/// The estimated tokens of a template around the list of tools, in the same case.
const TOOLS_FRAME: usize = 256;

/// Counts tokens at a server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RemoteTokenizer {
    endpoint: Endpoint,
}

impl RemoteTokenizer {
    /// The tokenizer of this server.
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    /// Counts the tokens of a text.
    ///
    /// # Errors
    /// As for a chat; [`ModelError::Broken`] if the server does not count.
    pub async fn count(&self, text: &str) -> Result<usize, ModelError> {
        self.tokenize(json!({ "content": text })).await
    }

    /// Counts the tokens of a request as the model gets it: the server formats it by the model's template.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub async fn count_request(&self, request: &ChatRequest) -> Result<usize, ModelError> {
        let body = Body::of(&self.endpoint, request).json();
        match self.ask("/apply-template", body.clone()).await {
            Ok(Value::Object(laid_out)) if laid_out.get("prompt").is_some_and(Value::is_string) => {
                let prompt = &laid_out["prompt"];
                self.tokenize(json!({ "content": prompt, "add_special": true, "parse_special": true })).await
            }
            // an older server cannot apply the template: count the same texts plus an upper bound for the template
            Ok(_)
            | Err(
                ModelError::Rejected { .. } | ModelError::UnknownModel { .. } | ModelError::Broken { .. },
            ) => {
                let text = String::from_utf8_lossy(&body).into_owned();
                let tools = if request.tools.is_empty() { 0 } else { TOOLS_FRAME };
                // JSON escapes line breaks and quotes, so the JSON has at least as many tokens as its texts
                Ok(self.count(&text).await? + FRAME * request.messages.len() + tools)
            }
            Err(error) => Err(error),
        }
    }

    async fn tokenize(&self, asked: Value) -> Result<usize, ModelError> {
        let answer = self.ask("/tokenize", asked.to_string().into_bytes()).await?;
        let tokens = answer.get("tokens").and_then(Value::as_array);
        tokens.map(Vec::len).ok_or_else(|| self.call().broken("it holds no `tokens`"))
    }

    async fn ask(&self, path: &str, json: Vec<u8>) -> Result<Value, ModelError> {
        let call = self.call();
        let asked = async {
            let document =
                call.document(call.request_beside(Method::POST, path, Some(json))?, MAX_ANSWER).await?;
            serde_json::from_slice(&document).map_err(|error| call.broken(&error.to_string()))
        };
        real_time().timeout(LIMIT, asked).await.unwrap_or_else(|_| Err(call.timeout("count tokens", LIMIT)))
    }

    fn call(&self) -> Call {
        Call::new(self.endpoint.clone(), String::new())
    }
}
