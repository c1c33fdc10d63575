//! What every request passes before a handler sees it: as what it speaks to this server, from which
//! page, and who calls.

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
    access::{API_KEY, Access, Admitted, Key, no_key, session, session::Token},
};

/// The one route for everybody (X1).
const OPEN: &str = "/healthz";

/// What the page that asks for a key may do: talk to this server.
const SIGN_IN_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The answer breaks off because the key it went to was revoked.
#[derive(Debug, thiserror::Error)]
#[error("the key was revoked")]
struct Revoked;

/// Lets a request in with its caller, or turns it away. When the caller's key is revoked on the way,
/// the answer breaks off.
pub async fn guard<R: Future<Output = Response>>(
    access: &Access,
    request: Request,
    next: impl FnOnce(Request) -> R,
) -> Response {
    if request.uri().path() == OPEN {
        return next(request).await;
    }
    let (mut head, body) = request.into_parts();
    let admitted = match admit(access, &head).await {
        Ok(admitted) => admitted,
        Err(error) => return refused(error, &head.method, &head.headers),
    };
    // who signs out says which session ends
    if session::signs(&head.method, head.uri.path())
        && let Some(token) = Token::of(&head.headers)
    {
        head.extensions.insert(token);
    }
    // nobody behind this point needs a key, so nobody can show it (X5)
    head.headers.remove(AUTHORIZATION);
    head.headers.remove(API_KEY);
    head.headers.remove(COOKIE);
    let Some(Admitted { caller, revoked }) = admitted else {
        return next(Request::from_parts(head, body)).await;
    };
    head.extensions.insert(caller);
    let request = Request::from_parts(head, body);
    tokio::select! {
        response = next(request) => until(response, revoked),
        () = revoked.cancelled() => {
            ApiError::new(StatusCode::UNAUTHORIZED, "revoked", "this key was revoked; ask for another").into_response()
        }
    }
}

/// Who calls; `None` for somebody who only signs in or out.
async fn admit(access: &Access, request: &Parts) -> Result<Option<Admitted>, ApiError> {
    let headers = &request.headers;
    access.names.check(headers)?;
    if session::signs(&request.method, request.uri.path()) {
        return Ok(None);
    }
    if access.keys.live().is_none() && came_through_a_proxy(headers) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "proxied_without_key",
            "this request came through a proxy and there is no key, so whoever sent it would be the operator; make \
             one with `greenroom key create --role operator`",
        ));
    }
    let key = Key::of(headers);
    let token = if key.is_none() && access.keys.live().is_some() { Token::of(headers) } else { None };
    let by_cookie = token.is_some();
    let admitted = match token {
        Some(token) => access.keys.admitted(&access.sessions.key(token.expose()).ok_or_else(no_key)?)?,
        None => access.keys.caller(key.as_ref()).await?,
    };
    if by_cookie && !headers.contains_key(ORIGIN) && acts(&request.method, headers) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "no_origin",
            "a request with a cookie that changes something names its page in `Origin`; send the key as \
             `Authorization: Bearer KEY` instead",
        ));
    }
    Ok(Some(admitted))
}

/// Whether a proxy says for whom it sends a request.
fn came_through_a_proxy(headers: &HeaderMap) -> bool {
    ["forwarded", "x-forwarded-for", "x-real-ip"].into_iter().any(|name| headers.contains_key(name))
}

/// Whether a request does more than look: a browser sends the cookie with it whoever made the page.
fn acts(method: &Method, headers: &HeaderMap) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) || headers.contains_key(UPGRADE)
}

/// The refusal; to somebody at a browser without a key, the page that asks for one.
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

/// The same answer as long as the key is good. What is sent as a whole is sent; what comes piece by
/// piece breaks off, so that nobody takes a part for all of it.
fn until(response: Response, revoked: CancellationToken) -> Response {
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
