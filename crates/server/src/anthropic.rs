//! Anthropic's API: `POST /v1/messages`. A key comes in `x-api-key`; any `anthropic-version` is accepted.

mod format;
mod request;

use axum::{extract::State, response::Response};
use serde_json::{Value, json};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    dialect::{
        ReplyContext,
        description::{AnthropicFailures, EventReply, ReplyHeaders},
        target::persona_of,
    },
    extract::Json,
};

use format::MessageFormat;
use request::{CountBody, MessagesBody};

/// The routes.
pub(crate) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(messages)).routes(routes!(count_tokens))
}

/// Has a persona answer, as Anthropic's API asks.
///
/// Without a channel, the request contains the whole conversation and nothing is stored. In a channel (model
/// `PERSONA@CHANNEL`, base URL `/v1/c/CHANNEL`, or `X-Greenroom-Channel`), the stored conversation is used: the last
/// message of a user is sent to the channel, `system` is ignored, and `tools` are refused. A stream has the events from
/// `message_start` to `message_stop`.
#[utoipa::path(
    post, path = "/messages", tag = "anthropic",
    request_body = MessagesBody, params(ReplyHeaders), responses(EventReply, AnthropicFailures),
)]
async fn messages(context: ReplyContext, Json(body): Json<MessagesBody>) -> Result<Response, ApiError> {
    context.answer(body.into_request()?, MessageFormat::new).await
}

/// Counts the tokens of a conversation.
///
/// The count is an estimate: a quarter of the characters that are sent. It does not include what the persona adds (its
/// prompt, recalled memories).
#[utoipa::path(
    post, path = "/messages/count_tokens", tag = "anthropic", request_body = CountBody,
    responses((status = 200, body = Value, description = "`input_tokens`"), AnthropicFailures),
)]
async fn count_tokens(
    State(services): State<Services>,
    _: Caller,
    Json(body): Json<CountBody>,
) -> Result<Json<Value>, ApiError> {
    persona_of(&services, body.model())?;
    Ok(Json(json!({ "input_tokens": body.tokens() })))
}
