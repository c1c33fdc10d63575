//! A response body that holds a guard until it has been sent, or its reader has disconnected.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    response::Response,
};
use http::header::CONTENT_TYPE;
use hyper::body::{Frame, SizeHint};

/// A body and its guard.
pub(crate) struct GuardedBody<G> {
    body: Body,
    _guard: G,
}

impl<G> GuardedBody<G> {
    pub(crate) fn new(body: Body, guard: G) -> Self {
        Self { body, _guard: guard }
    }
}

impl<G: Unpin> HttpBody for GuardedBody<G> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The same response. If it is a stream of server-sent events, its body holds the guard that `guard` makes until the
/// stream ends.
pub(crate) fn guarded<G: Unpin + Send + 'static>(response: Response, guard: impl FnOnce() -> G) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes());
    if !kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
        return response;
    }
    response.map(|body| Body::new(GuardedBody::new(body, guard())))
}
