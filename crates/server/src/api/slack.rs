//! `POST /api/slack/{account}`: events from Slack's Events API (AD2). Slack's signature replaces a key (X3).

use axum::{Json, extract::State};
use bytes::Bytes;
use greenroom_adapters::{WebhookRequest, WebhookResponse};
use http::HeaderMap;
use serde_json::{Value, json};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::bridge::{self, header};
use crate::{ApiError, Services, extract::Path, reference::Failures};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(called))
}

/// Take an event of Slack
///
/// The Request URL of a Slack app whose account has a signing secret: events, slash commands, and the challenge that
/// proves the address. `X-Slack-Request-Timestamp` and `X-Slack-Signature` replace a key. The event is stored before
/// the response is sent.
#[utoipa::path(
    post, path = "/api/slack/{account}", tag = "accounts",
    params(("account" = String, Path, description = "The account of the settings")),
    request_body(content = serde_json::Value, description = "The request as Slack makes it"),
    responses((status = 200, description = "It is taken", body = serde_json::Value), Failures),
    security(()),
)]
async fn called(
    State(services): State<Services>,
    Path(account): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let request = WebhookRequest {
        timestamp: header(&headers, "x-slack-request-timestamp"),
        signature: header(&headers, "x-slack-signature"),
        body: body.to_vec(),
    };
    Ok(Json(match bridge::take(&services, &account, &request).await? {
        WebhookResponse::Challenge(challenge) => json!({ "challenge": challenge }),
        // Slack shows the answer to a slash command; an empty one shows nothing
        WebhookResponse::Taken(_) => json!({}),
    }))
}
