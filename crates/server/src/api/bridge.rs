//! `POST /api/bridge/{account}`: events from a bridge to another platform (AD2). Its signature replaces a key (X3).

use axum::{Json, extract::State};
use bytes::Bytes;
use greenroom_adapters::{Taken, WebhookError, WebhookRequest, WebhookResponse};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Services, extract::Path, reference::Failures};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(called))
}

/// The result of an event.
#[derive(Debug, Serialize, ToSchema)]
struct Accepted {
    /// `stored`, `duplicate`, or `ignored` for an event without content.
    #[schema(example = "stored")]
    result: &'static str,
}

/// Tell an event of a bridged platform
///
/// The body is one event in JSON, signed with the secret of the account: the headers `Greenroom-Timestamp` and
/// `Greenroom-Signature` replace a key. The manual's page about bridges has the format. The event is stored before the
/// response is sent.
#[utoipa::path(
    post, path = "/api/bridge/{account}", tag = "accounts",
    params(("account" = String, Path, description = "The account of the settings")),
    request_body(content = serde_json::Value, description = "The event"),
    responses((status = 200, description = "It is taken", body = Accepted), Failures),
    security(()),
)]
async fn called(
    State(services): State<Services>,
    Path(account): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Accepted>, ApiError> {
    let request = WebhookRequest {
        timestamp: header(&headers, "greenroom-timestamp"),
        signature: header(&headers, "greenroom-signature"),
        body: body.to_vec(),
    };
    let result = match take(&services, &account, &request).await? {
        WebhookResponse::Taken(Taken::Stored) => "stored",
        WebhookResponse::Taken(Taken::Duplicate) => "duplicate",
        // bridges get no challenge
        WebhookResponse::Taken(Taken::Ignored) | WebhookResponse::Challenge(_) => "ignored",
    };
    Ok(Json(Accepted { result }))
}

/// A header of a request, where it is text.
pub(super) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Passes a request to its account.
pub(super) async fn take(
    services: &Services,
    account: &str,
    request: &WebhookRequest,
) -> Result<WebhookResponse, ApiError> {
    let taken = match services.accounts.get() {
        Some(accounts) => accounts.webhook(account, request).await,
        // only a caller that can sign for an account learns whether it exists
        None => Err(WebhookError::Unsigned),
    };
    taken.map_err(refused)
}

fn refused(error: WebhookError) -> ApiError {
    let text = error.to_string();
    match error {
        WebhookError::Unsigned => ApiError::new(StatusCode::UNAUTHORIZED, "unsigned", text),
        WebhookError::Stale => ApiError::new(StatusCode::UNAUTHORIZED, "stale", text),
        WebhookError::Replayed => ApiError::new(StatusCode::CONFLICT, "replayed", text),
        WebhookError::Busy => ApiError::new(StatusCode::TOO_MANY_REQUESTS, "busy", text),
        WebhookError::Invalid(_) => ApiError::invalid(text),
        WebhookError::NotTaken(_) => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "not_taken", text),
    }
}
