//! Anthropic's API: `POST /v1/messages`. A key comes in `x-api-key`; any `anthropic-version` is taken.

mod answer;
mod request;

use axum::{extract::State, response::Response};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    dialect::{answer, headers::RequestHeaders, target::persona_of},
    extract::Json as Body,
};

use answer::Told;
use request::{CountBody, MessagesBody};

/// The routes.
pub(crate) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(messages)).routes(routes!(count_tokens))
}

/// An error as Anthropic's API has it.
#[derive(ToSchema)]
#[schema(as = anthropic::Error)]
struct ErrorShape {
    /// Always `error`.
    #[allow(dead_code, reason = "describes the shape alone")]
    r#type: String,
    /// `type` and `message`.
    #[allow(dead_code, reason = "describes the shape alone")]
    error: Value,
}

/// Has a persona answer, as Anthropic's API asks.
///
/// Without a channel the messages sent are the conversation and nothing is stored. In a channel (model
/// `PERSONA@CHANNEL`, base URL `/v1/c/CHANNEL`, or `X-Greenroom-Channel`) the stored conversation counts: the last
/// message of a user is said there, `system` is ignored, and `tools` are refused.
#[utoipa::path(
    post, path = "/messages", tag = "anthropic",
    request_body = MessagesBody,
    params(
        ("X-Greenroom-Channel" = Option<String>, Header, description = "Say it in this channel"),
        ("X-Greenroom-No-Memory" = Option<String>, Header, description = "`1`: recall nothing for this message"),
        ("Idempotency-Key" = Option<String>, Header, description = "In a channel: the same key again is the same message, and its stored reply comes back"),
    ),
    responses(
        (
            status = 200,
            description = "The message; with `stream` its events, from `message_start` to `message_stop`",
            content((Value = "application/json"), (String = "text/event-stream")),
            headers(("X-Greenroom-Turn" = String, description = "The turn it comes from")),
        ),
        (status = "4XX", body = ErrorShape),
        (status = "5XX", body = ErrorShape),
    ),
)]
async fn messages(
    State(services): State<Services>,
    caller: Caller,
    headers: RequestHeaders,
    Body(body): Body<MessagesBody>,
) -> Result<Response, ApiError> {
    answer(&services, &caller, headers, body.ask()?, Told::new).await
}

/// Counts the tokens of a conversation.
///
/// The count is that of what is sent, by a quarter of its characters; what a persona adds (its prompt, what it
/// recalls) is not in it.
#[utoipa::path(
    post, path = "/messages/count_tokens", tag = "anthropic",
    request_body = CountBody,
    responses(
        (status = 200, body = Value, description = "`input_tokens`"),
        (status = "4XX", body = ErrorShape),
        (status = "5XX", body = ErrorShape),
    ),
)]
async fn count_tokens(
    State(services): State<Services>,
    _: Caller,
    Body(body): Body<CountBody>,
) -> Result<Body<Value>, ApiError> {
    persona_of(&services, body.model())?;
    Ok(Body(json!({ "input_tokens": body.tokens() })))
}
