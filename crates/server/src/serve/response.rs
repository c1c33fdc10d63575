//! Common parts of all responses: security headers, the origins that may read them, and an error where no handler
//! answers.

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

/// Pages run only scripts of this server, and no frame may contain them. The page that tries the API needs inline
/// styles and images from `data:`.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// A page of another site cannot embed our responses.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Adds the security headers that a response does not have.
pub(super) fn secure(headers: &mut HeaderMap) {
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(POLICY);
    headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
}

/// Lets pages of these origins read responses; `None` without origins, the default.
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

/// The response of a handler that panicked. The panic's message goes to the log and not to the client.
pub(super) fn panicked(operations: &Operations) -> Response {
    operations.http.panics.inc();
    ApiError::internal().into_response()
}

/// The response to a path without a route.
pub(super) async fn unknown_route() -> ApiError {
    ApiError::not_found("unknown_route", "there is no such route; /docs lists the routes")
}

/// The response to a method that a route does not have.
pub(super) async fn unknown_method() -> ApiError {
    let message = "this route does not have the method; /docs lists its methods";
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
