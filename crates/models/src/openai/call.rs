//! One exchange with an endpoint: sends it once, reads within size limits, and classifies failures.

use std::time::Duration;

use async_openai::config::Config;
use greenroom_core::real_time;
use reqwest::{
    Method, Request, Response,
    header::{CONTENT_TYPE, HeaderValue},
};
use serde::de::IgnoredAny;

use super::{
    Endpoint,
    endpoint::root_cause,
    refusal::{Refusal, retry_after},
};
use crate::ModelError;

/// The largest refusal that is read, in bytes; the rest is ignored.
const MAX_REFUSAL: usize = 64 << 10;
/// The largest answer, streamed or in one piece, in bytes.
pub(super) const MAX_ANSWER: usize = 16 << 20;

/// One exchange.
#[derive(Debug, Clone)]
pub(super) struct Call {
    endpoint: Endpoint,
    model: String,
}

impl Call {
    pub(super) fn new(endpoint: Endpoint, model: String) -> Self {
        Self { endpoint, model }
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// A request to the endpoint, with a JSON body if there is one.
    pub(super) fn request(
        &self,
        method: Method,
        path: &str,
        json: Option<Vec<u8>>,
    ) -> Result<Request, ModelError> {
        self.request_at(method, Config::url(&self.endpoint, path), json)
    }

    /// The same for a path of the server outside `/v1`.
    pub(super) fn request_beside(
        &self,
        method: Method,
        path: &str,
        json: Option<Vec<u8>>,
    ) -> Result<Request, ModelError> {
        let base = self.endpoint.api_base();
        self.request_at(method, format!("{}{path}", base.strip_suffix("/v1").unwrap_or(base)), json)
    }

    fn request_at(&self, method: Method, url: String, json: Option<Vec<u8>>) -> Result<Request, ModelError> {
        let endpoint = &self.endpoint;
        let mut request = endpoint.http()?.request(method, url);
        request = request.headers(endpoint.headers()).query(&endpoint.query());
        if let Some(json) = json {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json")).body(json);
        }
        request.build().map_err(|error| self.not_sent(&error))
    }

    /// Sends a request and waits for the head of the answer. A refusal is read completely, with its headers.
    pub(super) async fn send(&self, request: Request) -> Result<Result<Response, Refusal>, ModelError> {
        let response = self.endpoint.http()?.execute(request).await.map_err(|error| self.not_sent(&error))?;
        if response.status().is_success() {
            return Ok(Ok(response));
        }
        let status = response.status().as_u16();
        let wait = retry_after(
            response.headers(),
            jiff::Timestamp::from_microsecond(real_time().now().0).unwrap_or_default(),
        );
        // if the body is unreadable, the status alone identifies the refusal
        let body = read(response, MAX_REFUSAL).await.unwrap_or_else(|(read, _)| read);
        Ok(Err(Refusal::read(status, &body).with_wait(wait)))
    }

    /// Sends a request and reads the answer: one JSON document of at most `limit` bytes.
    pub(super) async fn document(&self, request: Request, limit: usize) -> Result<Vec<u8>, ModelError> {
        let response = self.send(request).await?.map_err(|refusal| self.refused(refusal))?;
        let body = read(response, limit).await.map_err(|(_, reason)| self.broken(&reason))?;
        match serde_json::from_slice::<IgnoredAny>(&body) {
            Ok(_) => Ok(body),
            Err(error) => Err(self.broken(&format!("it is no JSON: {error}"))),
        }
    }

    pub(super) fn broken(&self, reason: &str) -> ModelError {
        ModelError::Broken { endpoint: self.endpoint.url().to_owned(), reason: self.endpoint.quote(reason) }
    }

    pub(super) fn timeout(&self, what: &'static str, after: Duration) -> ModelError {
        ModelError::Timeout { endpoint: self.endpoint.url().to_owned(), what, after }
    }

    pub(super) fn refused(&self, refusal: Refusal) -> ModelError {
        refusal.into_error(&self.endpoint, &self.model)
    }

    fn not_sent(&self, error: &reqwest::Error) -> ModelError {
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

/// Reads a body up to `limit` bytes. If the body is longer or is cut off, returns the bytes so far and the reason.
async fn read(mut response: Response, limit: usize) -> Result<Vec<u8>, (Vec<u8>, String)> {
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

pub(super) fn too_long(limit: usize) -> String {
    format!("it is longer than {limit} bytes")
}
