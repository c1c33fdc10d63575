//! `POST /responses`: the API that newer clients of OpenAI speak by default. Responses are not kept for a later
//! request; a channel is what remembers.

mod answer;
mod input;
mod request;

use axum::{extract::State, response::Response};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    dialect::{answer, headers::RequestHeaders},
    error::ErrorBody,
    extract::Json as Body,
};

use answer::Told;
use request::ResponseBody;

/// The route.
pub(super) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(responses))
}

/// Has a persona answer, as the responses API asks.
///
/// Without a channel `input` is the conversation and nothing is stored, so that `previous_response_id` and
/// `conversation` are refused. In a channel (model `PERSONA@CHANNEL`, base URL `/v1/c/CHANNEL`,
/// `X-Greenroom-Channel` or `metadata.channel`) the stored conversation counts: of `input` the last message of a
/// user is said there, `instructions` are ignored, and `tools` are refused.
#[utoipa::path(
    post, path = "/responses", tag = "openai",
    request_body = ResponseBody,
    params(
        ("X-Greenroom-Channel" = Option<String>, Header, description = "Say it in this channel"),
        ("X-Greenroom-No-Memory" = Option<String>, Header, description = "`1`: recall nothing for this message"),
        ("Idempotency-Key" = Option<String>, Header, description = "In a channel: the same key again is the same message, and its stored reply comes back"),
    ),
    responses(
        (
            status = 200,
            description = "The response; with `stream` its events, from `response.created` to `response.completed`",
            content((Value = "application/json"), (String = "text/event-stream")),
            headers(("X-Greenroom-Turn" = String, description = "The turn it comes from")),
        ),
        (status = "4XX", body = ErrorBody, description = "As of `/v1/chat/completions`"),
        (status = "5XX", body = ErrorBody, description = "As of `/v1/chat/completions`"),
    ),
)]
async fn responses(
    State(services): State<Services>,
    caller: Caller,
    headers: RequestHeaders,
    Body(body): Body<ResponseBody>,
) -> Result<Response, ApiError> {
    // an item of a reply is not told again where another process has forgotten something since
    services.runtime.follow_erasures().await;
    let (kept, forgotten) = (headers.kept.clone(), services.runtime.forgotten());
    let echo = body.echo();
    let ask = body.ask(|id| kept.items.get(&caller.user, id, forgotten))?;
    let owner = caller.user.clone();
    let keep = move |id, what| kept.items.put(&owner, id, what, forgotten);
    answer(&services, &caller, headers, ask, |begun| Told::new(begun, echo, keep)).await
}
