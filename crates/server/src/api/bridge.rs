//! `POST /api/bridge/{account}`: what a bridge to another platform tells (AD2). Its signature stands for a key (X3).

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

/// What became of an event.
#[derive(Debug, Serialize, ToSchema)]
struct Accepted {
    /// `stored`, `duplicate`, or `ignored` for what says nothing.
    #[schema(example = "stored")]
    result: &'static str,
}

/// Tell an event of a bridged platform
///
/// The body is one event in JSON, signed by the secret of the account: the headers `Greenroom-Timestamp` and
/// `Greenroom-Signature` stand for a key. The manual's page about bridges has the format. An event is in the store
/// before this answers.
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
        // a bridge is asked for no challenge
        WebhookResponse::Taken(Taken::Ignored) | WebhookResponse::Challenge(_) => "ignored",
    };
    Ok(Json(Accepted { result }))
}

/// A header of a request, where it is text.
pub(super) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Hands a request to the account that it is for.
pub(super) async fn take(
    services: &Services,
    account: &str,
    request: &WebhookRequest,
) -> Result<WebhookResponse, ApiError> {
    let taken = match services.accounts.get() {
        Some(accounts) => accounts.webhook(account, request).await,
        // whether an account exists is told to those who can sign for it
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
