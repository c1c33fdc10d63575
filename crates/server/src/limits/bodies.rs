//! Reading the body of a request: whole, of a bounded size, within a bounded time (X14).

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream, HttpBody},
    extract::Request,
};
use bytes::BytesMut;
use futures::StreamExt;
use http::StatusCode;
use tokio::time::timeout;

use super::{Limits, refuse};
use crate::ApiError;

/// A body must have come whole by then.
pub(super) const BODY: Duration = Duration::from_secs(30);
/// So long the rest of a body that is too long is read and thrown away, so that the sender hears why it is
/// refused instead of a connection that breaks.
const REST: Duration = Duration::from_secs(2);

/// Whether nothing of a body is to come.
pub(super) fn is_empty(request: &Request) -> bool {
    request.body().size_hint().exact() == Some(0)
}

impl Limits {
    /// The request with its body read whole: at most so many bytes, within so long.
    pub(super) async fn read(
        &self,
        request: Request,
        (limit, within): (usize, Duration),
    ) -> Result<Request, ApiError> {
        if is_empty(&request) {
            return Ok(request);
        }
        let hint = request.body().size_hint();
        let (parts, body) = request.into_parts();
        let mut frames = body.into_data_stream();
        if hint.lower() > limit as u64 {
            return Err(self.too_large(frames, limit));
        }
        let mut whole = BytesMut::new();
        let reading = async {
            while let Some(frame) = frames.next().await {
                let frame = frame.map_err(|_| ApiError::invalid("the body broke off; send it again"))?;
                if whole.len() + frame.len() > limit {
                    return Ok(false);
                }
                whole.extend_from_slice(&frame);
            }
            Ok(true)
        };
        match timeout(within, reading).await {
            Ok(Ok(true)) => Ok(Request::from_parts(parts, Body::from(whole.freeze()))),
            Ok(Ok(false)) => Err(self.too_large(frames, limit)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(refuse(
                StatusCode::REQUEST_TIMEOUT,
                "request_timeout",
                format!("the body did not come within {within:?}; send it again"),
            )),
        }
    }

    fn too_large(&self, mut rest: BodyDataStream, limit: usize) -> ApiError {
        let drain = async move { while let Some(Ok(_)) = rest.next().await {} };
        tokio::spawn(timeout(REST, drain));
        let raise = if limit == self.body { ", or have server.body_limit raised" } else { "" };
        let message = format!("a body may have {limit} bytes here; send less{raise}");
        refuse(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }
}
