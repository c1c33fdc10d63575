//! How much is let in: requests at a time, requests a minute, bytes of a body, and how long somebody
//! may take to send them (X14). What is refused is told when to come back.
//!
//! ```text
//! admit     in front of the guard: the server stops, is too busy, or a stranger guesses keys
//! measure   behind it, when it is known who calls: their rate, then their body
//! ```

use std::{
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream, HttpBody},
    extract::{ConnectInfo, DefaultBodyLimit, Request},
    middleware::Next,
    response::{IntoResponse, Response},
};
use bytes::BytesMut;
use futures::StreamExt;
use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use greenroom_core::UserId;
use greenroom_persona::ServerSettings;
use http::StatusCode;
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    ApiError, Caller,
    access::session,
    operations::{Operations, is_watching},
};

/// A body must have come whole by then.
const BODY: Duration = Duration::from_secs(30);
/// So many bytes whoever signs in may send, and by when: nobody knows them yet, and a key is short.
const SIGN_IN: (usize, Duration) = (1024, Duration::from_secs(5));
/// So long the rest of a body that is too long is read and thrown away, so that whoever sends it
/// hears why it is refused instead of a connection that breaks.
const REST: Duration = Duration::from_secs(2);
/// So many requests a minute an address may send without a key that counts.
const STRANGERS: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);

/// The limits of one server.
pub(crate) struct Limits {
    body: usize,
    requests: Semaphore,
    callers: Option<DefaultKeyedRateLimiter<UserId>>,
    strangers: DefaultKeyedRateLimiter<IpAddr>,
    closing: CancellationToken,
    operations: Arc<Operations>,
}

impl Limits {
    pub(crate) fn new(
        settings: &ServerSettings,
        closing: CancellationToken,
        operations: Arc<Operations>,
    ) -> Self {
        let a_minute = NonZeroU32::new(settings.requests_per_minute);
        Self {
            body: settings.body_limit,
            requests: Semaphore::new(settings.concurrency.min(Semaphore::MAX_PERMITS)),
            callers: a_minute.map(|a_minute| RateLimiter::dashmap(Quota::per_minute(a_minute))),
            strangers: RateLimiter::dashmap(Quota::per_minute(STRANGERS)),
            closing,
            operations,
        }
    }

    /// Forgets who has not been here for a while, so that the limits do not grow.
    pub(crate) fn forget(&self) {
        if let Some(callers) = &self.callers {
            callers.retain_recent();
            callers.shrink_to_fit();
        }
        self.strangers.retain_recent();
        self.strangers.shrink_to_fit();
    }

    /// What is told to whoever is turned away, after it was counted.
    fn refuse(&self, status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        self.operations.http.refuse(code);
        ApiError::new(status, code, message)
    }

    fn too_often(&self, wait: Duration) -> ApiError {
        let message = "you send more requests than you may; wait as long as Retry-After says";
        self.refuse(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message).after(wait)
    }

    /// A stranger's request: one more of their address.
    fn stranger(&self, address: IpAddr) -> Result<(), ApiError> {
        let checked = self.strangers.check_key(&address);
        checked.map_err(|until| self.too_often(until.wait_time_from(DefaultClock::default().now())))
    }

    fn caller(&self, user: &UserId) -> Result<(), ApiError> {
        let Some(callers) = &self.callers else { return Ok(()) };
        let checked = callers.check_key(user);
        checked.map_err(|until| self.too_often(until.wait_time_from(DefaultClock::default().now())))
    }

    /// The request with its body read whole: at most so many bytes, within so long.
    async fn read(&self, request: Request, (limit, within): (usize, Duration)) -> Result<Request, ApiError> {
        let hint = request.body().size_hint();
        if hint.exact() == Some(0) {
            return Ok(request);
        }
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
            Err(_) => Err(self.refuse(
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
        self.refuse(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }
}

/// Lets a request in while there is room and the server is not stopping.
pub(crate) async fn admit<R: Future<Output = Response>>(
    limits: &Limits,
    request: Request,
    next: impl FnOnce(Request) -> R,
) -> Response {
    if is_watching(request.uri().path()) {
        return next(request).await;
    }
    if limits.closing.is_cancelled() {
        let refusal = limits.refuse(
            StatusCode::SERVICE_UNAVAILABLE,
            "stopping",
            "the server stops; try again in a moment",
        );
        return refusal.after(Duration::from_secs(5)).into_response();
    }
    let Ok(_room) = limits.requests.try_acquire() else {
        let message = "too many requests at a time; try again in a moment";
        let refusal = limits.refuse(StatusCode::SERVICE_UNAVAILABLE, "too_busy", message);
        return refusal.after(Duration::from_secs(1)).into_response();
    };
    // who signs in was counted before their body was read
    let counted = session::signs(request.method(), request.uri().path());
    let address = address(&request).filter(|_| !counted);
    let response = next(request).await;
    match address {
        Some(address) if response.status() == StatusCode::UNAUTHORIZED => {
            limits.stranger(address).map_or_else(IntoResponse::into_response, |()| response)
        }
        _ => response,
    }
}

fn address(request: &Request) -> Option<IpAddr> {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
}

/// Holds a known caller to their rate, and somebody who signs in to a stranger's, and reads the body.
pub(crate) async fn measure(limits: &Limits, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>().filter(|_| !is_watching(request.uri().path()));
    if let Some(refusal) = caller.and_then(|caller| limits.caller(&caller.user).err()) {
        return refusal.into_response();
    }
    let mut bounds = (limits.body, BODY);
    if session::signs(request.method(), request.uri().path()) {
        if let Some(refusal) = address(&request).and_then(|address| limits.stranger(address).err()) {
            return refusal.into_response();
        }
        bounds = (limits.body.min(SIGN_IN.0), SIGN_IN.1);
    }
    match limits.read(request, bounds).await {
        Ok(mut request) => {
            DefaultBodyLimit::disable().apply(&mut request);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}
