//! `POST /chat/completions`.

mod answer;
mod request;

use axum::{extract::State, response::Response};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    dialect::{answer, headers::RequestHeaders},
    error::ErrorBody,
    extract::Json as Body,
};

use answer::{Chat, ChatCompletion};
pub(super) use answer::{TokenUsage, finish_reason};
use request::ChatBody;
pub(super) use request::{Content, texts};

/// The route.
pub(super) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(chat))
}

/// Has a persona answer.
///
/// Without a channel the messages sent are the conversation, nothing is stored, and the persona recalls
/// what it knows everywhere. With a channel (model `PERSONA@CHANNEL`, base URL `/v1/c/CHANNEL`,
/// `X-Greenroom-Channel` or `metadata.channel`) the channel's stored conversation counts: of the messages sent
/// the last one of a user is said there, the others and instructions are ignored, and `tools` are refused.
#[utoipa::path(
    post, path = "/chat/completions", tag = "openai",
    request_body = ChatBody,
    params(
        ("X-Greenroom-Channel" = Option<String>, Header, description = "Say it in this channel"),
        ("X-Greenroom-No-Memory" = Option<String>, Header, description = "`1`: recall nothing for this message"),
        ("Idempotency-Key" = Option<String>, Header, description = "In a channel: the same key again is the same message, and its stored reply comes back"),
    ),
    responses(
        (
            status = 200,
            description = "The answer; with `stream` chunks of it as server-sent events, `[DONE]` at the end",
            content((ChatCompletion = "application/json"), (String = "text/event-stream")),
            headers(("X-Greenroom-Turn" = String, description = "The turn it comes from")),
        ),
        (status = 400, body = ErrorBody),
        (status = 401, body = ErrorBody),
        (status = 403, body = ErrorBody, description = "Another person's channel"),
        (status = 404, body = ErrorBody, description = "`model_not_found`"),
        (status = 409, body = ErrorBody, description = "The message is being answered, or another process answers in the channel"),
        (status = 413, body = ErrorBody),
        (status = 415, body = ErrorBody),
        (status = 422, body = ErrorBody, description = "The persona answers nobody"),
        (status = 429, body = ErrorBody, description = "Too much waits, or a budget is used up"),
        (status = 500, body = ErrorBody),
        (status = 502, body = ErrorBody, description = "The model failed"),
        (status = 503, body = ErrorBody),
        (status = 504, body = ErrorBody, description = "The model did not answer in time"),
    ),
)]
async fn chat(
    State(services): State<Services>,
    caller: Caller,
    headers: RequestHeaders,
    Body(body): Body<ChatBody>,
) -> Result<Response, ApiError> {
    let usage = body.wants_usage();
    answer(&services, &caller, headers, body.ask()?, |begun| Chat::new(begun, usage)).await
}
