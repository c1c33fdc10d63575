//! What every answer has in common: its security headers, the origins that may read it, and that
//! there is one whatever breaks.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
    header::{
        AUTHORIZATION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER,
        X_CONTENT_TYPE_OPTIONS,
    },
};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::{ApiError, access::API_KEY, operations::Operations};

/// Pages run what we serve and nothing else, and stand in no frame. The page that tries the API
/// styles itself inline and draws from `data:`.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// Another site's page may not draw in what we answer, not even without reading it.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Puts the security headers on an answer that does not have its own.
pub(super) fn secure(headers: &mut HeaderMap) {
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(POLICY);
    headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
}

/// Lets pages of these origins read answers; `None` where there are none, which is the default.
pub(super) fn cors(origins: &[String]) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    if origins.is_empty() {
        return None;
    }
    let ours = |name| HeaderName::from_static(name);
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([
            AUTHORIZATION,
            CONTENT_TYPE,
            ours("anthropic-beta"),
            ours("anthropic-dangerous-direct-browser-access"),
            ours("anthropic-version"),
            ours("idempotency-key"),
            ours("last-event-id"),
            ours("mcp-protocol-version"),
            ours("mcp-session-id"),
            ours("traceparent"),
            API_KEY,
            ours("x-greenroom-channel"),
            ours("x-greenroom-no-memory"),
        ])
        .expose_headers([RETRY_AFTER, ours("mcp-session-id")])
        .max_age(Duration::from_secs(600));
    Some(layer)
}

/// What a handler that panicked answers. What the panic said stands in the log, not in the answer.
pub(super) fn broken(operations: &Operations) -> Response {
    operations.http.panics.inc();
    ApiError::internal().into_response()
}

/// What is answered where there is no route.
pub(super) async fn no_route() -> ApiError {
    ApiError::not_found("unknown_route", "there is no such route; /docs shows those there are")
}

/// What is answered where a route does not know the method.
pub(super) async fn no_method() -> ApiError {
    let message = "this route does not know the method; /docs shows those it knows";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "unknown_method", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_origins_there_is_no_cors() {
        assert!(cors(&[]).is_none());
        assert!(cors(&["https://chat.example".into()]).is_some());
    }
}
