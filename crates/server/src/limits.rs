//! How much is let in: requests at a time and a minute, bodies, streams and rooms, of all and of each caller
//! (X14, S9). What is refused is told when to come back.
//!
//! ```text
//! admit     in front of the guard: the server stops, or a stranger guesses keys
//! measure   behind it, when it is known who calls: their rate, their body, then a place among the requests
//! ```
//! A request takes a place only when its body is there: a body that comes slowly costs its sender alone. Persons
//! have limits of their own, and of all places some are kept for operators, so that no person's key can
//! lock the operator out.

mod bodies;
mod shares;

use std::{
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use axum::{
    body::Body,
    extract::{ConnectInfo, DefaultBodyLimit, Request},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use greenroom_core::UserId;
use greenroom_persona::ServerSettings;
use greenroom_store::Role;
use http::{Method, StatusCode, header::CONTENT_TYPE};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use self::bodies::{BODY, is_empty};
pub(crate) use self::shares::{Share, Shares};
use crate::{
    ApiError, Caller,
    access::session,
    operations::{Upgraded, is_watching},
};

/// So many bytes whoever signs in may send, and by when: nobody knows them yet, and a key is short.
const SIGN_IN: (usize, Duration) = (1024, Duration::from_secs(5));
/// So many requests a minute an address may send without a key that counts.
const STRANGERS: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);
/// One in so many requests at a time is kept for operators.
const OPERATORS_SHARE: usize = 8;
/// One in so many connections is kept from streams, and of the others one in so many from the streams of
/// persons.
const STREAMLESS_SHARE: usize = 16;
const OPERATORS_STREAMS: usize = 4;

/// The limits of one server.
pub(crate) struct Limits {
    body: usize,
    requests: Places,
    streams: Places,
    bodies_of: Shares<UserId>,
    requests_of: Shares<UserId>,
    streams_of: Shares<UserId>,
    channels: Shares<String>,
    callers: Option<DefaultKeyedRateLimiter<UserId>>,
    strangers: DefaultKeyedRateLimiter<IpAddr>,
    closing: CancellationToken,
}

/// Places for all, of which persons may take a part.
struct Places {
    all: Arc<Semaphore>,
    of_persons: Arc<Semaphore>,
}

impl Places {
    /// `all`, and for persons as many less one in `kept`; always at least one.
    fn new(all: usize, kept: usize) -> Self {
        let places = |count: usize| Arc::new(Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)));
        Self { all: places(all), of_persons: places(all - all / kept) }
    }

    /// A place, unless they are taken.
    fn take(&self, role: Role) -> Option<LimitGuard> {
        let person = match role {
            Role::Operator => None,
            Role::User => Some(self.of_persons.clone().try_acquire_owned().ok()?),
        };
        let place = self.all.clone().try_acquire_owned().ok()?;
        Some(LimitGuard { places: [Some(place), person], ..LimitGuard::default() })
    }
}

/// What a request or a stream holds; given back when dropped.
#[derive(Debug, Default)]
#[expect(dead_code, reason = "it is held until it is dropped")]
pub(crate) struct LimitGuard {
    places: [Option<OwnedSemaphorePermit>; 2],
    caller: Option<Share<UserId>>,
    channel: Option<Share<String>>,
}

impl LimitGuard {
    fn without_place(self) -> Self {
        Self { places: [None, None], ..self }
    }
}

impl Limits {
    pub(crate) fn new(settings: &ServerSettings, closing: CancellationToken) -> Self {
        let a_minute = NonZeroU32::new(settings.requests_per_minute);
        let streams = settings.connections - settings.connections / STREAMLESS_SHARE;
        Self {
            body: settings.body_limit,
            requests: Places::new(settings.concurrency, OPERATORS_SHARE),
            streams: Places::new(streams, OPERATORS_STREAMS),
            bodies_of: Shares::new(settings.bodies_per_user),
            requests_of: Shares::new(settings.requests_per_user),
            streams_of: Shares::new(settings.streams_per_user),
            channels: Shares::new(settings.requests_per_channel),
            callers: a_minute.map(|a_minute| RateLimiter::dashmap(Quota::per_minute(a_minute))),
            strangers: RateLimiter::dashmap(Quota::per_minute(STRANGERS)),
            closing,
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

    /// A stranger's request: one more of their address.
    fn stranger(&self, address: IpAddr) -> Result<(), ApiError> {
        let checked = self.strangers.check_key(&address);
        checked.map_err(|until| too_often(until.wait_time_from(DefaultClock::default().now())))
    }

    fn caller(&self, user: &UserId) -> Result<(), ApiError> {
        let Some(callers) = &self.callers else { return Ok(()) };
        let checked = callers.check_key(user);
        checked.map_err(|until| too_often(until.wait_time_from(DefaultClock::default().now())))
    }

    /// The body of a person's request counts while it comes.
    fn body_of(&self, caller: Option<&Caller>) -> Result<Option<Share<UserId>>, ApiError> {
        let Some(person) = caller.filter(|caller| caller.role == Role::User) else { return Ok(None) };
        let share = self.bodies_of.take(&person.user);
        let most = self.bodies_of.most();
        let refusal =
            || too_many("too_many_bodies", "bodies of this key on their way", most, "bodies_per_user");
        share.map(Some).ok_or_else(refusal)
    }

    /// A place for a request whose body is there. Of one caller and of one channel there are so many at a time.
    fn place(
        &self,
        role: Role,
        caller: Option<&Caller>,
        channel: Option<String>,
    ) -> Result<LimitGuard, ApiError> {
        let busy = || {
            let message =
                "too many requests at a time; try again in a moment, or have server.concurrency raised";
            let refusal = refuse(StatusCode::SERVICE_UNAVAILABLE, "too_busy", message);
            refusal.after(Duration::from_secs(1))
        };
        let person = caller.filter(|caller| caller.role == Role::User);
        let caller = match person.map(|person| self.requests_of.take(&person.user)) {
            Some(None) => {
                let most = self.requests_of.most();
                return Err(too_many("too_many_requests", "requests of this key", most, "requests_per_user"));
            }
            share => share.flatten(),
        };
        let channel = match channel.map(|channel| self.channels.take(&channel)) {
            Some(None) => {
                let most = self.channels.most();
                return Err(too_many(
                    "channel_busy",
                    "requests in this channel",
                    most,
                    "requests_per_channel",
                ));
            }
            share => share.flatten(),
        };
        Ok(LimitGuard { caller, channel, ..self.requests.take(role).ok_or_else(busy)? })
    }

    /// A place for a stream that somebody listens to.
    fn stream(&self, role: Role, caller: Option<&Caller>) -> Result<LimitGuard, ApiError> {
        let person = caller.filter(|caller| caller.role == Role::User);
        let caller = match person.map(|person| self.streams_of.take(&person.user)) {
            Some(None) => {
                let most = self.streams_of.most();
                return Err(too_many("too_many_streams", "streams of this key", most, "streams_per_user"));
            }
            share => share.flatten(),
        };
        let full = || {
            let message = "too many streams; try again in a moment, or have server.connections raised";
            let refusal = refuse(StatusCode::SERVICE_UNAVAILABLE, "streams_full", message);
            refusal.after(Duration::from_secs(5))
        };
        Ok(LimitGuard { caller, ..self.streams.take(role).ok_or_else(full)? })
    }
}

/// What is told to whoever is turned away.
fn refuse(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
    ApiError::new(status, code, message).refused()
}

/// A caller has as many as they may have at a time.
pub(crate) fn too_many(code: &'static str, what: &str, most: usize, setting: &str) -> ApiError {
    let message = format!(
        "there are {most} {what} already, and there may be no more at a time; wait until one ends, or have \
         server.{setting} raised"
    );
    refuse(StatusCode::TOO_MANY_REQUESTS, code, message).after(Duration::from_secs(1))
}

fn too_often(wait: Duration) -> ApiError {
    let message = "you send more requests than you may; wait as long as Retry-After says";
    refuse(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message).after(wait)
}

/// Lets a request in while the server is not stopping.
pub(crate) async fn admit<R: Future<Output = Response>>(
    limits: &Limits,
    request: Request,
    next: impl FnOnce(Request) -> R,
) -> Response {
    if is_watching(request.uri().path()) {
        return next(request).await;
    }
    if limits.closing.is_cancelled() {
        let refusal =
            refuse(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the server stops; try again in a moment");
        return refusal.after(Duration::from_secs(5)).into_response();
    }
    // counted afterwards, so that failures of others behind the same address keep no right key out
    let address = address(&request);
    let signs = session::signs(request.method(), request.uri().path());
    let response = next(request).await;
    let status = response.status();
    match address {
        Some(address) if status == StatusCode::UNAUTHORIZED || signs && status.is_client_error() => {
            limits.stranger(address).map_or_else(IntoResponse::into_response, |()| response)
        }
        _ => response,
    }
}

fn address(request: &Request) -> Option<IpAddr> {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
}

/// Holds a known caller to their limits, and reads the body.
pub(crate) async fn measure(limits: &Limits, request: Request, next: Next) -> Response {
    match measured(limits, request, next).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

async fn measured(limits: &Limits, request: Request, next: Next) -> Result<Response, ApiError> {
    if is_watching(request.uri().path()) {
        return Ok(next.run(request).await);
    }
    let caller = request.extensions().get::<Caller>().cloned();
    let caller = caller.as_ref();
    // somebody who only signs in or out has a person's place
    let role = caller.map_or(Role::User, |caller| caller.role);
    if let Some(caller) = caller {
        limits.caller(&caller.user)?;
    }
    let mut bounds = (limits.body, BODY);
    if session::signs(request.method(), request.uri().path()) {
        bounds = (limits.body.min(SIGN_IN.0), SIGN_IN.1);
    }
    let coming = match is_empty(&request) {
        true => None,
        false => limits.body_of(caller)?,
    };
    let mut request = limits.read(request, bounds).await?;
    drop(coming);
    let held = match listens(&request) {
        true => limits.stream(role, caller)?,
        false => limits.place(role, caller, channel(&request))?,
    };
    DefaultBodyLimit::disable().apply(&mut request);
    let upgraded = request.extensions().get::<Upgraded>().cloned();
    let listens = listens(&request);
    let response = next.run(request).await;
    // a reply that is streamed stays its caller's, and takes no other's place
    Ok(keep(if listens { held } else { held.without_place() }, response, upgraded))
}

/// Whether a request asks for a stream of what happens, which ends when its listener goes.
fn listens(request: &Request) -> bool {
    let path = request.uri().path();
    let listens =
        path.ends_with("/events") || path.ends_with("/ws") || path.starts_with("/mcp/") || path == "/mcp";
    request.method() == Method::GET && listens
}

/// The channel a request names in its path or its header, as it is spelled there.
fn channel(request: &Request) -> Option<String> {
    let path = request.uri().path();
    let named = ["/api/channels/", "/v1/c/"].into_iter().find_map(|before| path.strip_prefix(before));
    let in_path = named.and_then(|rest| rest.split('/').next());
    let in_header = || request.headers().get("x-greenroom-channel").and_then(|value| value.to_str().ok());
    let channel = percent_encoding::percent_decode_str(in_path.or_else(in_header)?);
    Some(channel.decode_utf8_lossy().into_owned())
}

/// An answer that comes piece by piece holds what its request held until it ends, as a WebSocket does.
fn keep(held: LimitGuard, response: Response, upgraded: Option<Upgraded>) -> Response {
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        if let Some(upgraded) = upgraded {
            upgraded.hold(held);
        }
        return response;
    }
    let kind = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes());
    if !kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
        return response;
    }
    response.map(|body| {
        let frames = body.into_data_stream().map(move |frame| {
            let _ = &held;
            frame
        });
        Body::from_stream(frames)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: Method, path: &str) -> Request {
        Request::builder().method(method).uri(path).body(Body::empty()).unwrap()
    }

    #[test]
    fn b2_a_channel_is_one_however_it_is_spelled() {
        let named = |path| channel(&request(Method::POST, path));
        assert_eq!(named("/api/channels/api%3Aann/messages").as_deref(), Some("api:ann"));
        assert_eq!(named("/api/channels/api:ann/messages").as_deref(), Some("api:ann"));
        assert_eq!(named("/v1/c/den/chat/completions").as_deref(), Some("den"));
        assert_eq!(named("/v1/models"), None);
    }

    #[test]
    fn b2_only_what_is_listened_to_is_a_stream() {
        assert!(listens(&request(Method::GET, "/api/channels/api:ann/events")));
        assert!(listens(&request(Method::GET, "/api/personas/ada/ws")));
        assert!(!listens(&request(Method::POST, "/api/channels/api:ann/events")));
        assert!(!listens(&request(Method::GET, "/api/turns/1")));
    }

    #[test]
    fn b2_persons_leave_places_to_the_operator() {
        let places = Places::new(8, OPERATORS_SHARE);
        let taken: Vec<_> = std::iter::from_fn(|| places.take(Role::User)).collect();
        assert_eq!(taken.len(), 7);
        let operators = places.take(Role::Operator);
        assert!(operators.is_some() && places.take(Role::Operator).is_none());
        drop((taken, operators));
        assert!(places.take(Role::User).is_some());
        assert!(Places::new(1, 8).take(Role::User).is_some());
    }
}
