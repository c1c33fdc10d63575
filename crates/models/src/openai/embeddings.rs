//! Embeddings from an OpenAI-compatible endpoint. Unusable answers are errors (L18).

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use async_openai::{Client, error::OpenAIError, middleware::HttpRequestFactory};
use async_trait::async_trait;
use greenroom_core::real_time;
use reqwest::Response;
use serde_json::{Value, json};

use super::{
    Endpoint,
    call::{Call, MAX_ANSWER},
    endpoint::root_cause,
};
use crate::{EmbedError, Embedder, ModelError, normalise};

/// The number of texts in one request.
const BATCH: usize = 64;

/// An embedding model behind an OpenAI-compatible endpoint.
pub struct OpenAiEmbedder {
    endpoint: Endpoint,
    model: String,
    dimension: usize,
}

impl OpenAiEmbedder {
    /// A model whose dimension is known. Opens no connection.
    pub fn new(endpoint: Endpoint, model: impl Into<String>, dimension: usize) -> Self {
        Self { endpoint, model: model.into(), dimension }
    }

    /// Returns a model whose dimension is found by embedding one word.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    pub async fn connect(endpoint: Endpoint, model: impl Into<String>) -> Result<Self, EmbedError> {
        let mut embedder = Self::new(endpoint, model, 0);
        let probe = embedder.request(&[&"dimension".to_owned()]).await?;
        embedder.dimension = probe.first().map_or(0, Vec::len);
        Ok(embedder)
    }

    /// Sends one request. Returns as many finite vectors as there are texts, all of the same dimension.
    async fn request(&self, texts: &[&String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let call = Call::new(self.endpoint.clone(), self.model.clone());
        let limit = self.endpoint.timeouts().first_token;
        let body = json!({ "model": self.model, "input": texts });
        let answer = match real_time().timeout(limit, answer(&call, &body)).await {
            Ok(answer) => answer.map_err(|error| self.failed(error))?,
            Err(_) => return Err(self.failed(call.timeout("answer", limit))),
        };
        let vectors = vectors(&answer).map_err(|reason| self.bad(reason))?;
        if vectors.len() != texts.len() {
            return Err(self.bad(format!("{} vectors for {} texts", vectors.len(), texts.len())));
        }
        let expected = if self.dimension == 0 { vectors[0].len() } else { self.dimension };
        match vectors.iter().find(|vector| vector.is_empty() || vector.len() != expected) {
            Some(other) => Err(self.bad(format!("a vector has {} numbers, not {expected}", other.len()))),
            None => Ok(vectors),
        }
    }

    fn bad(&self, reason: String) -> EmbedError {
        EmbedError::BadAnswer { model: self.model.clone(), reason }
    }

    fn failed(&self, error: ModelError) -> EmbedError {
        match error {
            ModelError::Broken { reason, .. } => self.bad(reason),
            error => {
                EmbedError::Endpoint { endpoint: self.endpoint.url().to_owned(), reason: error.reason() }
            }
        }
    }
}

impl fmt::Debug for OpenAiEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { endpoint, model, dimension } = self;
        f.debug_struct("OpenAiEmbedder")
            .field("endpoint", endpoint)
            .field("model", model)
            .field("dimension", dimension)
            .finish()
    }
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    /// Blank texts are not sent, because endpoints refuse them; they get zero vectors (FG2).
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut out = vec![vec![0.0; self.dimension]; texts.len()];
        let said: Vec<_> = (0..texts.len()).filter(|n| !texts[*n].trim().is_empty()).collect();
        for batch in said.chunks(BATCH) {
            let texts: Vec<_> = batch.iter().map(|n| &texts[*n]).collect();
            for (n, mut vector) in batch.iter().zip(self.request(&texts).await?) {
                normalise(&mut vector);
                out[*n] = vector;
            }
        }
        Ok(out)
    }
}

/// The endpoint's answer. The client library turns every failure into text and logs what it cannot parse. This function
/// therefore makes the request itself: the client gets only JSON, and a failure keeps its type here.
async fn answer(call: &Call, body: &Value) -> Result<Value, ModelError> {
    let failure = Arc::new(OnceLock::new());
    let made = (call.clone(), failure.clone());
    let service = tower::service_fn(move |request: HttpRequestFactory| {
        let (call, failure) = made.clone();
        async move {
            let document = call.document(request.build().await?, MAX_ANSWER).await;
            let document = document
                .map_err(|error| OpenAIError::InvalidArgument(failure.get_or_init(|| error).to_string()))?;
            Ok::<_, OpenAIError>(Response::from(http::Response::new(document)))
        }
    });
    let client = Client::build(call.endpoint().http()?, call.endpoint().clone()).with_http_service(service);
    let answer = client.embeddings().create_byot(body).await;
    answer.map_err(|error| failure.get().cloned().unwrap_or_else(|| call.broken(&root_cause(&error))))
}

/// The vectors of an answer in the order of the texts, or why they are unusable.
fn vectors(answer: &Value) -> Result<Vec<Vec<f32>>, String> {
    let data = answer.get("data").and_then(Value::as_array).ok_or("it holds no `data`")?;
    let mut vectors = Vec::with_capacity(data.len());
    for (n, item) in data.iter().enumerate() {
        let index = item.get("index").and_then(Value::as_u64).unwrap_or(n as u64);
        let numbers = item.get("embedding").and_then(Value::as_array).ok_or("an item holds no vector")?;
        let finite = |number: &Value| number.as_f64().map(|x| x as f32).filter(|x| x.is_finite());
        let vector: Option<Vec<f32>> = numbers.iter().map(finite).collect();
        vectors.push((index, vector.ok_or("a vector holds something that is no finite number")?));
    }
    vectors.sort_by_key(|(index, _)| *index);
    if vectors.iter().enumerate().any(|(n, (index, _))| *index != n as u64) {
        return Err("its vectors are not numbered one by one".to_owned());
    }
    Ok(vectors.into_iter().map(|(_, vector)| vector).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l18_vectors_come_in_the_order_of_the_texts() {
        let item = |index: u64, x: f32| json!({ "index": index, "embedding": [x] });
        let answer = json!({ "data": [item(1, 2.0), item(0, 1.0)] });
        assert_eq!(vectors(&answer), Ok(vec![vec![1.0], vec![2.0]]));
        assert_eq!(vectors(&json!({ "data": [{ "embedding": [1] }] })), Ok(vec![vec![1.0]]));
    }

    #[test]
    fn l18_an_unusable_answer_is_refused() {
        for answer in [
            json!({}),
            json!({ "data": [{}] }),
            json!({ "data": [{ "embedding": [null] }] }),
            json!({ "data": [{ "embedding": ["NaN"] }] }),
            json!({ "data": [{ "embedding": [1e300] }] }),
            json!({ "data": [{ "index": 0, "embedding": [1] }, { "index": 0, "embedding": [1] }] }),
            json!({ "data": [{ "index": 1, "embedding": [1] }] }),
        ] {
            assert!(vectors(&answer).is_err(), "{answer}");
        }
    }
}
