//! Any OpenAI-compatible endpoint: hosted, Ollama, llama.cpp, vLLM.
//!
//! One call is one attempt: the client's own retries are off, since [`Resilient`](crate::Resilient)
//! is the one place that waits and tries again. The only thing sent twice is a request the
//! endpoint refused because of an optional field; it goes out again without that field.
//!
//! What an endpoint says is read leniently where there is one meaning (a missing index, a complete
//! JSON answer instead of a stream) and refused where there is none (L7 to L10).

mod answer;
mod call;
mod embeddings;
mod endpoint;
mod frames;
mod probe;
mod refusal;
mod request;

use std::sync::Arc;

use async_openai::types::stream::StreamResponse;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use serde_json::Value;
use tokio::time::{Duration, Instant, timeout_at};

pub(crate) use self::endpoint::later;
use self::{
    answer::Answer,
    call::{Call, Shape},
};
use crate::{ChatModel, ChatRequest, ModelError, ModelEvent, ModelStream};

pub use self::{
    embeddings::OpenAiEmbedder,
    endpoint::{Endpoint, Timeouts},
    probe::list_models,
};

/// How long to wait for the usage once the reason of the end is known; an endpoint that keeps the
/// stream open after it must not hold the answer back.
const AFTER_FINISH: Duration = Duration::from_secs(1);

/// A chat model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiModel {
    endpoint: Endpoint,
}

impl OpenAiModel {
    /// A model of this endpoint; which one stands in each request. Opens no connection.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }
}

impl ChatModel for OpenAiModel {
    fn stream(&self, request: ChatRequest) -> ModelStream {
        stream::once(open(self.endpoint.clone(), request)).try_flatten().boxed()
    }
}

/// Sends the request and waits for the head of the answer.
async fn open(
    endpoint: Endpoint,
    request: ChatRequest,
) -> Result<impl Stream<Item = Result<ModelEvent, ModelError>> + Send, ModelError> {
    let began = Instant::now();
    let deadline = later(began, endpoint.timeouts().first_token);
    let mut body = request::body(&endpoint, &request);
    loop {
        let call = Arc::new(Call::new(endpoint.clone(), request.model.clone()));
        let client = call.client(Shape::Events)?;
        let sent = timeout_at(deadline, client.chat().create_stream_byot::<_, Value>(&body)).await;
        match sent.map_err(|_| call.timeout("begin to answer", endpoint.timeouts().first_token))? {
            Ok(chunks) => {
                let reply =
                    Reply { call, chunks, answer: Answer::default(), request, deadline, ended: false };
                return Ok(stream::unfold(reply, |mut reply| async { Some((reply.next().await?, reply)) }));
            }
            Err(error) => {
                let error = call.error(&error);
                if !request::without_refused_field(&mut body, &error) {
                    return Err(error);
                }
            }
        }
    }
}

/// An answer on its way.
struct Reply {
    call: Arc<Call>,
    chunks: StreamResponse<Value>,
    answer: Answer,
    request: ChatRequest,
    /// When the timeout that counts now runs out (L4).
    deadline: Instant,
    ended: bool,
}

impl Reply {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        while !self.ended {
            let event = match timeout_at(self.deadline, self.chunks.next()).await {
                Ok(Some(Ok(chunk))) => self.chunk(&chunk),
                // whatever happens behind the reason of the end, the answer is whole
                _ if self.answer.is_finished() => Some(self.complete()),
                Ok(Some(Err(error))) => Some(Err(self.call.error(&error))),
                Ok(None) if self.call.is_done() && !self.answer.is_empty() => Some(self.complete()),
                Ok(None) => Some(Err(self.call.broken("the stream ended early, without a finish reason"))),
                Err(_) => Some(Err(self.timed_out())),
            };
            if let Some(event) = event {
                self.ended = matches!(event, Err(_) | Ok(ModelEvent::Finished { .. }));
                return Some(event);
            }
        }
        None
    }

    fn chunk(&mut self, chunk: &Value) -> Option<Result<ModelEvent, ModelError>> {
        match self.answer.apply(chunk) {
            Ok(text) => {
                let limits = self.call.endpoint().timeouts();
                if self.answer.is_finished() {
                    self.deadline = later(Instant::now(), limits.stall.min(AFTER_FINISH));
                } else if self.answer.has_begun() {
                    self.deadline = later(Instant::now(), limits.stall);
                }
                text.map(|text| Ok(ModelEvent::Delta(text)))
            }
            Err(refusal) => Some(Err(self.call.refused_in_stream(&refusal))),
        }
    }

    fn complete(&mut self) -> Result<ModelEvent, ModelError> {
        std::mem::take(&mut self.answer).complete(&self.request).map_err(|reason| self.call.broken(&reason))
    }

    fn timed_out(&self) -> ModelError {
        let limits = self.call.endpoint().timeouts();
        if self.answer.has_begun() {
            self.call.timeout("go on", limits.stall)
        } else {
            self.call.timeout("begin to answer", limits.first_token)
        }
    }
}
