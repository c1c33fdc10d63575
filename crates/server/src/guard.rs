//! The guard in front of every handler. It checks the `Host` and the `Origin` of a request, and authenticates its
//! caller. It ends responses to a revoked key, and responses to callers without a key once the first key is made.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    response::{Html, IntoResponse, Response},
};
use futures::{StreamExt, future, stream};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{
        ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, ORIGIN, UPGRADE,
        WWW_AUTHENTICATE,
    },
    request::Parts,
};
use tokio_util::sync::CancellationToken;

use crate::{
    ApiError,
    access::{API_KEY, Access, Grant, Key, no_key, session, session::Token},
};

/// The only route without a key (X1).
const OPEN: &str = "/healthz";
/// Requests of platforms, whose signature replaces a key: the handler refuses unsigned requests (X3).
const SIGNED: [&str; 2] = ["/api/bridge/", "/api/slack/"];

/// The sign-in page may send requests to this server and load nothing.
const SIGN_IN_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Why a response breaks off.
#[derive(Debug, thiserror::Error)]
#[error("the key was revoked, or the caller has none and needs one now")]
struct Revoked;

/// Adds the caller to a request and passes it on, or refuses it. The response breaks off when the caller's key is
/// revoked.
pub async fn guard<R: Future<Output = Response>>(
    access: &Access,
    request: Request,
    next: impl FnOnce(Request) -> R,
) -> Response {
    if request.uri().path() == OPEN {
        return next(request).await;
    }
    if request.method() == Method::POST && SIGNED.iter().any(|path| request.uri().path().starts_with(path)) {
        return match access.hosts.check(request.headers()) {
            Ok(()) => next(request).await,
            Err(error) => error.into_response(),
        };
    }
    let (mut head, body) = request.into_parts();
    let grant = match authenticate(access, &head).await {
        Ok(grant) => grant,
        Err(error) => return refused(error, &head.method, &head.headers),
    };
    // signing out ends the session of this token
    if session::is_sign_in_or_out(&head.method, head.uri.path())
        && let Some(token) = Token::from_headers(&head.headers)
    {
        head.extensions.insert(token);
    }
    // no handler needs the key, so none can show it (X5)
    head.headers.remove(AUTHORIZATION);
    head.headers.remove(API_KEY);
    head.headers.remove(COOKIE);
    let Some(Grant { caller, revoked }) = grant else {
        return next(Request::from_parts(head, body)).await;
    };
    head.extensions.insert(caller.clone());
    let request = Request::from_parts(head, body);
    tokio::select! {
        response = next(request) => until_revoked(response, revoked),
        () = revoked.cancelled() => caller.ended().into_response(),
    }
}

/// The grant of a request's key or session; `None` for a request that signs in or out.
async fn authenticate(access: &Access, request: &Parts) -> Result<Option<Grant>, ApiError> {
    let headers = &request.headers;
    access.hosts.check(headers)?;
    if session::is_sign_in_or_out(&request.method, request.uri.path()) {
        return Ok(None);
    }
    if access.keys.live().is_none() && came_through_a_proxy(headers) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "proxied_without_key",
            "this request came through a proxy and there is no key, so its sender would be the operator; make one with \
             `greenroom key create --role operator`",
        ));
    }
    let key = Key::from_headers(headers);
    let token =
        if key.is_none() && access.keys.live().is_some() { Token::from_headers(headers) } else { None };
    let by_cookie = token.is_some();
    let grant = match token {
        Some(token) => access.keys.grant(&access.sessions.key(token.expose()).ok_or_else(no_key)?)?,
        None => access.keys.authenticate(key.as_ref()).await?,
    };
    if by_cookie && !headers.contains_key(ORIGIN) && changes(&request.method, headers) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "no_origin",
            "a request that changes something and has a cookie needs the header `Origin`; send the key as \
             `Authorization: Bearer KEY` instead",
        ));
    }
    Ok(Some(grant))
}

/// Headers that proxies add to a request: RFC 7239 and 9110, and common non-standard ones.
const OF_PROXIES: [&str; 8] = [
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "cf-connecting-ip",
    "true-client-ip",
];

/// Whether a proxy sent a request.
fn came_through_a_proxy(headers: &HeaderMap) -> bool {
    OF_PROXIES.into_iter().any(|name| headers.contains_key(name))
}

/// Whether a request does more than read. Browsers send the cookie with it from pages of any site, so its `Origin`
/// must be known.
fn changes(method: &Method, headers: &HeaderMap) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) || headers.contains_key(UPGRADE)
}

/// The refusal. A browser without a key gets the page that asks for one.
fn refused(error: ApiError, method: &Method, headers: &HeaderMap) -> Response {
    if error.status != StatusCode::UNAUTHORIZED {
        return error.into_response();
    }
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let mut response = if method == Method::GET && accepts.contains("text/html") {
        let policy = [(CONTENT_SECURITY_POLICY, SIGN_IN_POLICY), (CACHE_CONTROL, "no-store")];
        (error.status, policy, Html(session::SIGN_IN_PAGE)).into_response()
    } else {
        error.into_response()
    };
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// The response until the key is revoked. A body of known length is sent whole. A stream ends with an error, so that
/// no client takes a part for the whole.
fn until_revoked(response: Response, revoked: CancellationToken) -> Response {
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    let (parts, body) = response.into_parts();
    let ended = revoked.clone();
    let broken = stream::once(future::lazy(move |_| ended.is_cancelled()));
    let broken = broken.filter_map(|ended| future::ready(ended.then(|| Err(axum::Error::new(Revoked)))));
    let pieces = body.into_data_stream().take_until(revoked.cancelled_owned()).chain(broken);
    Response::from_parts(parts, Body::from_stream(pieces))
}

#[cfg(test)]
mod tests;
