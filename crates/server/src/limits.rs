//! Limits of what the server accepts: concurrent requests and requests per minute, bodies, streams and rooms, in
//! total and for each caller (X14, S9). A refusal says when to try again.
//!
//! ```text
//! admit       in front of the guard: refuses while the server stops, and clients that guess keys
//! measure     behind the guard, which knows the caller: checks the rate, reads the body, then takes a permit
//! places.rs   permits for requests and streams
//! keyed.rs    semaphores and rates with a count for each key
//! body.rs     reads a body
//! rooms.rs    live channels of a user key
//! refusal.rs  the errors of refused requests
//! ```
//! A request takes a permit only when its body has arrived, so a slow body costs only its sender (B2). Each user key
//! has separate limits, and some permits are reserved for operators, so that no user key can lock the operator out.
//! tower's limits know neither callers nor roles, so these are our own (`docs/decisions.md`, "Server").

mod body;
mod keyed;
mod permits;
mod refusal;
mod rooms;

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::{ConnectInfo, DefaultBodyLimit, Request},
    middleware::Next,
    response::{IntoResponse, Response},
};
use greenroom_core::UserId;
use greenroom_formats::MAX_FILE;
use greenroom_persona::ServerSettings;
use greenroom_store::Role;
use http::{Method, StatusCode};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use self::{
    body::{BodyLimit, is_empty},
    keyed::KeyedRate,
    permits::{PermitPool, UserLimit},
    refusal::{refuse, too_fast},
};
pub(crate) use self::{
    keyed::{KeyedPermit, KeyedSemaphore},
    rooms::RoomLimits,
};
use crate::{
    ApiError, Caller,
    access::{Key, session},
    body::guarded,
    operations::is_watching,
};

/// The time for a body.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The size and time of a sign-in: the caller is unknown, and a key is short.
const SIGN_IN: BodyLimit = BodyLimit { bytes: 1024, within: Duration::from_secs(5), from_settings: false };
/// The number of requests with a wrong key, and of failed sign-ins, that an address may send per minute.
const WRONG_KEYS: u32 = 60;
/// One in this many permits for requests is reserved for operators.
const OPERATORS_REQUESTS: usize = 8;
/// One in this many connections is reserved for requests. Of the others, one in `OPERATORS_STREAMS` is reserved for
/// streams of operators.
const CONNECTIONS_FOR_REQUESTS: usize = 16;
const OPERATORS_STREAMS: usize = 4;

/// The limits of one server.
pub(crate) struct Limits {
    body: usize,
    requests: PermitPool,
    streams: PermitPool,
    bodies_of: UserLimit<UserId>,
    requests_of: UserLimit<UserId>,
    streams_of: UserLimit<UserId>,
    requests_in: UserLimit<String>,
    rate_of: KeyedRate<UserId>,
    wrong_keys: KeyedRate<IpAddr>,
    closing: CancellationToken,
}

/// The permits that a request or a stream holds until it is dropped.
#[derive(Debug, Default)]
#[expect(dead_code, reason = "it is held until it is dropped")]
pub(crate) struct LimitGuard {
    places: [Option<OwnedSemaphorePermit>; 2],
    caller: Option<KeyedPermit<UserId>>,
    channel: Option<KeyedPermit<String>>,
}

impl Limits {
    pub(crate) fn new(settings: &ServerSettings, closing: CancellationToken) -> Self {
        let streams = settings.connections - settings.connections / CONNECTIONS_FOR_REQUESTS;
        let busy = |code, message: &str, wait| {
            refuse(StatusCode::SERVICE_UNAVAILABLE, code, message).after(Duration::from_secs(wait))
        };
        let too_busy = busy(
            "too_busy",
            "too many requests at a time; try again in a moment, or raise server.concurrency",
            1,
        );
        let streams_full =
            busy("streams_full", "too many streams; try again in a moment, or raise server.connections", 5);
        Self {
            body: settings.body_limit,
            requests: PermitPool::new(settings.concurrency, OPERATORS_REQUESTS, too_busy),
            streams: PermitPool::new(streams, OPERATORS_STREAMS, streams_full),
            bodies_of: UserLimit::new(
                settings.bodies_per_user,
                "too_many_bodies",
                "unfinished bodies of this key",
                "bodies_per_user",
            ),
            requests_of: UserLimit::new(
                settings.requests_per_user,
                "too_many_requests",
                "requests of this key",
                "requests_per_user",
            ),
            streams_of: UserLimit::new(
                settings.streams_per_user,
                "too_many_streams",
                "streams of this key",
                "streams_per_user",
            ),
            requests_in: UserLimit::new(
                settings.requests_per_channel,
                "channel_busy",
                "requests in this channel",
                "requests_per_channel",
            ),
            rate_of: KeyedRate::per_minute(settings.requests_per_minute),
            wrong_keys: KeyedRate::per_minute(WRONG_KEYS),
            closing,
        }
    }

    /// Frees the memory of callers and addresses without recent requests.
    pub(crate) fn forget(&self) {
        self.rate_of.forget();
        self.wrong_keys.forget();
    }

    /// A permit for a request whose body has arrived.
    fn request(&self, role: Role, user: Option<&UserId>, request: &Request) -> Result<LimitGuard, ApiError> {
        let caller = self.requests_of.take(user)?;
        let channel = self.requests_in.take(channel(request).as_ref())?;
        Ok(LimitGuard { caller, channel, places: self.requests.take(role)? })
    }

    /// A permit for a stream of events.
    fn stream(&self, role: Role, user: Option<&UserId>) -> Result<LimitGuard, ApiError> {
        let caller = self.streams_of.take(user)?;
        Ok(LimitGuard { caller, channel: None, places: self.streams.take(role)? })
    }
}

/// Lets a request in unless the server stops. Afterwards a wrong key counts for its address.
pub(crate) async fn admit<R: Future<Output = Response>>(
    limits: &Limits,
    request: Request,
    next: impl FnOnce(Request) -> R,
) -> Response {
    if is_watching(request.uri().path()) {
        return next(request).await;
    }
    if limits.closing.is_cancelled() {
        let message = "the server stops; try again in a moment";
        let refusal = refuse(StatusCode::SERVICE_UNAVAILABLE, "stopping", message);
        return refusal.after(Duration::from_secs(5)).into_response();
    }
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let signs_in = session::is_sign_in_or_out(request.method(), request.uri().path());
    // a request without a key guesses none; the sign-in page must always be reachable
    let guesses = Key::from_headers(request.headers()).is_some();
    let response = next(request).await;
    // counted after the response: wrong keys of other clients behind the same address must not lock out a right key
    let status = response.status();
    match address {
        Some(address)
            if guesses && status == StatusCode::UNAUTHORIZED || signs_in && status.is_client_error() =>
        {
            let checked = limits.wrong_keys.check(&address).map_err(too_fast);
            checked.map_or_else(IntoResponse::into_response, |()| response)
        }
        _ => response,
    }
}

/// Applies the caller's limits, and reads the body.
pub(crate) async fn measure(limits: &Limits, request: Request, next: Next) -> Response {
    measured(limits, request, next).await.unwrap_or_else(IntoResponse::into_response)
}

async fn measured(limits: &Limits, request: Request, next: Next) -> Result<Response, ApiError> {
    if is_watching(request.uri().path()) {
        return Ok(next.run(request).await);
    }
    let caller = request.extensions().get::<Caller>().cloned();
    // a request to sign in or out has no caller and counts as a user's
    let role = caller.as_ref().map_or(Role::User, |caller| caller.role);
    let user = caller.as_ref().filter(|caller| caller.role == Role::User).map(|caller| &caller.user);
    if let Some(caller) = &caller {
        limits.rate_of.check(&caller.user).map_err(too_fast)?;
    }
    let mut body = BodyLimit { bytes: limits.body, within: BODY_TIME, from_settings: true };
    if session::is_sign_in_or_out(request.method(), request.uri().path()) && SIGN_IN.bytes < limits.body {
        body = SIGN_IN;
    }
    if role == Role::Operator && takes_file(request.uri().path()) && body.bytes < MAX_FILE {
        body = BodyLimit { bytes: MAX_FILE, from_settings: false, ..body };
    }
    let reading = if is_empty(&request) { None } else { limits.bodies_of.take(user)? };
    let mut request = body::read(request, body).await?;
    drop(reading);
    DefaultBodyLimit::disable().apply(&mut request);
    if is_stream(&request) {
        let guard = Arc::new(limits.stream(role, user)?);
        // a WebSocket outlives its response and takes the guard from here
        request.extensions_mut().insert(guard.clone());
        return Ok(guarded(next.run(request).await, || guard));
    }
    let guard = limits.request(role, user, &request)?;
    let response = next.run(request).await;
    // a streamed reply still counts for its caller and its channel, but releases the general permits
    Ok(guarded(response, || LimitGuard { places: [None, None], ..guard }))
}

/// Whether the body of a request is a file of a persona: pictures of characters are larger than messages.
fn takes_file(path: &str) -> bool {
    path == "/api/personas/import" || (path.starts_with("/api/personas/") && path.ends_with("/lorebooks"))
}

/// Whether a request asks for a stream of events, which ends only when the client closes it.
fn is_stream(request: &Request) -> bool {
    let path = request.uri().path();
    let is_stream =
        path.ends_with("/events") || path.ends_with("/ws") || path.starts_with("/mcp/") || path == "/mcp";
    request.method() == Method::GET && is_stream
}

/// The channel that a request names in its path or its header, decoded.
fn channel(request: &Request) -> Option<String> {
    let path = request.uri().path();
    let named = ["/api/channels/", "/v1/c/"].into_iter().find_map(|before| path.strip_prefix(before));
    let in_path = named.and_then(|rest| rest.split('/').next());
    let in_header = || request.headers().get("x-greenroom-channel").and_then(|value| value.to_str().ok());
    let channel = percent_encoding::percent_decode_str(in_path.or_else(in_header)?).decode_utf8_lossy();
    // the short form of a channel of the API
    Some(if channel.contains(':') { channel.into_owned() } else { format!("api:{channel}") })
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(method: Method, path: &str) -> Request {
        Request::builder().method(method).uri(path).body(Body::empty()).unwrap()
    }

    #[test]
    fn b2_a_channel_is_one_however_it_is_spelled() {
        let named = |path| channel(&request(Method::POST, path));
        assert_eq!(named("/api/channels/api%3Aann/messages").as_deref(), Some("api:ann"));
        assert_eq!(named("/api/channels/api:ann/messages").as_deref(), Some("api:ann"));
        assert_eq!(named("/v1/c/den/chat/completions").as_deref(), Some("api:den"));
        assert_eq!(named("/v1/models"), None);
    }

    #[test]
    fn b2_only_requests_that_listen_are_streams() {
        assert!(is_stream(&request(Method::GET, "/api/channels/api:ann/events")));
        assert!(is_stream(&request(Method::GET, "/api/personas/ada/ws")));
        assert!(!is_stream(&request(Method::POST, "/api/channels/api:ann/events")));
        assert!(!is_stream(&request(Method::GET, "/api/turns/1")));
    }
}
