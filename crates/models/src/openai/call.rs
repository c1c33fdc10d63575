//! One exchange with an endpoint: the hook in the client that sends, reads what came and keeps
//! why it failed.
//!
//! The client flattens every failure of a stream to text, logs bodies it cannot parse and hides
//! the headers of a refusal. So this hook takes the client's retrying transport's place: it sends
//! once, classifies refusals with their headers, and hands on only bodies that are bounded and
//! well-formed. The cause of a failure is kept here, typed.

use std::{
    io,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use async_openai::{Client, error::OpenAIError, middleware::HttpRequestFactory};
use futures::{Stream, stream};
use reqwest::{Body, Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::time::Duration;

use super::{
    Endpoint,
    endpoint::root_cause,
    frames::{Frame, Frames},
    refusal::{Refusal, retry_after},
};
use crate::ModelError;

/// The largest refusal that is read, in bytes; more of it is not of interest.
const MAX_REFUSAL: usize = 64 << 10;
/// The largest answer, streamed or in one piece, in bytes. It also bounds the client's queue of
/// chunks, which has no limit of its own.
const MAX_ANSWER: usize = 16 << 20;

/// What the client is to be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Server-sent events, also where the endpoint answers in one piece.
    Events,
    /// One JSON document.
    Whole,
}

/// One exchange.
pub(super) struct Call {
    endpoint: Endpoint,
    model: String,
    failure: OnceLock<ModelError>,
    done: AtomicBool,
}

impl Call {
    pub(super) fn new(endpoint: Endpoint, model: String) -> Self {
        Self { endpoint, model, failure: OnceLock::new(), done: AtomicBool::new(false) }
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Whether the stream said `[DONE]`.
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// A client whose requests go through this call.
    pub(super) fn client(self: &Arc<Self>, shape: Shape) -> Result<Client<Endpoint>, ModelError> {
        let http = self.endpoint.http()?;
        let (call, sender) = (self.clone(), http.clone());
        let service = tower::service_fn(move |request: HttpRequestFactory| {
            let (call, sender) = (call.clone(), sender.clone());
            async move {
                let request = request.build().await?;
                let answer = call.send(&sender, request, shape).await;
                // the error only tells the client to stop; the cause is kept in the call
                answer.map_err(|error| OpenAIError::InvalidArgument(call.keep(error)))
            }
        });
        Ok(Client::build(http, self.endpoint.clone()).with_http_service(service))
    }

    async fn send(
        self: &Arc<Self>,
        http: &reqwest::Client,
        request: reqwest::Request,
        shape: Shape,
    ) -> Result<Response, ModelError> {
        let response = http.execute(request).await.map_err(|error| self.not_sent(&error))?;
        if !response.status().is_success() {
            return self.refused(response, shape).await;
        }
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let in_one_piece = kind.is_some_and(|kind| kind.starts_with("application/json"));
        Ok(match shape {
            Shape::Events if !in_one_piece => ok(Body::wrap_stream(self.clone().events(response))),
            Shape::Events => one_event(&self.document(response).await?),
            Shape::Whole => ok(Body::from(self.document(response).await?.to_string())),
        })
    }

    /// Reads a refusal and says what it means.
    async fn refused(&self, response: Response, shape: Shape) -> Result<Response, ModelError> {
        let (status, headers) = (response.status(), response.headers().clone());
        // an unreadable body leaves the status, which says enough
        let body = read(response, MAX_REFUSAL).await.unwrap_or_else(|(read, _)| read);
        let refusal = Refusal::read(status.as_u16(), &body);
        if shape == Shape::Events && refusal.is_content_filter() {
            // what others say with the finish reason (L11)
            return Ok(one_event(&json!({ "choices": [{ "finish_reason": "content_filter" }] })));
        }
        Err(refusal.into_error(&self.endpoint, &self.model, retry_after(&headers, jiff::Timestamp::now())))
    }

    async fn document(&self, response: Response) -> Result<Value, ModelError> {
        let body = read(response, MAX_ANSWER).await.map_err(|(_, reason)| self.broken(&reason))?;
        serde_json::from_slice(&body).map_err(|error| self.broken(&format!("it is no JSON: {error}")))
    }

    /// The events of the response, one by one and checked.
    fn events(self: Arc<Self>, response: Response) -> impl Stream<Item = io::Result<String>> {
        let state = (self, Some(response), Frames::default(), 0);
        stream::try_unfold(state, |(call, mut response, mut frames, mut total)| async move {
            loop {
                let frame = frames.next().transpose().map_err(|reason| call.fail(&reason))?;
                match (frame, &mut response) {
                    (Some(Frame::Json(text)), _) => {
                        let event = event(&text);
                        return Ok(Some((event, (call, response, frames, total))));
                    }
                    (Some(Frame::Done), _) => {
                        call.done.store(true, Ordering::Release);
                        return Ok(None);
                    }
                    (None, None) => return Ok(None),
                    (None, Some(open)) => match open.chunk().await {
                        Ok(Some(bytes)) => {
                            total += bytes.len();
                            if total > MAX_ANSWER {
                                return Err(call.fail(&too_long(MAX_ANSWER)));
                            }
                            frames.push(&bytes);
                        }
                        Ok(None) => {
                            frames.end();
                            response = None;
                        }
                        Err(error) => return Err(call.fail(&root_cause(&error))),
                    },
                }
            }
        })
    }

    /// Keeps the cause of a failure, the first one, and gives its text.
    fn keep(&self, error: ModelError) -> String {
        self.failure.get_or_init(|| error).to_string()
    }

    fn fail(&self, reason: &str) -> io::Error {
        io::Error::other(self.keep(self.broken(reason)))
    }

    /// The typed cause behind an error of the client.
    pub(super) fn error(&self, error: &OpenAIError) -> ModelError {
        self.failure.get().cloned().unwrap_or_else(|| self.broken(&root_cause(error)))
    }

    pub(super) fn broken(&self, reason: &str) -> ModelError {
        ModelError::Broken { endpoint: self.endpoint.url().to_owned(), reason: self.endpoint.quote(reason) }
    }

    pub(super) fn timeout(&self, what: &'static str, after: Duration) -> ModelError {
        ModelError::Timeout { endpoint: self.endpoint.url().to_owned(), what, after }
    }

    /// An error object inside a stream that began well (L8).
    pub(super) fn refused_in_stream(&self, refusal: &Refusal) -> ModelError {
        refusal.clone().into_error(&self.endpoint, &self.model, None)
    }

    pub(super) fn not_sent(&self, error: &reqwest::Error) -> ModelError {
        if error.is_connect() && error.is_timeout() {
            self.timeout("accept the connection", self.endpoint.timeouts().connect)
        } else if error.is_connect() {
            let reason = self.endpoint.quote(&root_cause(error));
            ModelError::Unreachable { endpoint: self.endpoint.url().to_owned(), reason }
        } else {
            self.broken(&root_cause(error))
        }
    }
}

/// Reads a body up to `limit` bytes; past that, or when it breaks off, what was read and why no
/// more.
pub(super) async fn read(mut response: Response, limit: usize) -> Result<Vec<u8>, (Vec<u8>, String)> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(bytes)) if body.len() + bytes.len() > limit => {
                body.extend_from_slice(&bytes[..limit - body.len()]);
                return Err((body, too_long(limit)));
            }
            Ok(Some(bytes)) => body.extend_from_slice(&bytes),
            Ok(None) => return Ok(body),
            Err(error) => return Err((body, root_cause(&error))),
        }
    }
}

fn too_long(limit: usize) -> String {
    format!("it is longer than {limit} bytes")
}

fn ok(body: Body) -> Response {
    let mut response = http::Response::new(body);
    *response.status_mut() = StatusCode::OK;
    response.into()
}

/// An SSE event; a document on several lines takes a `data:` for each.
fn event(json: &str) -> String {
    format!("data: {}\n\n", json.replace('\n', "\ndata: "))
}

/// A complete answer as a stream of one event.
fn one_event(document: &Value) -> Response {
    ok(Body::from(event(&document.to_string())))
}
