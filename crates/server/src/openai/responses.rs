//! `POST /responses`: the API that newer clients of OpenAI use by default. Responses are not stored for a later
//! request; only a channel stores its conversation.

mod format;
mod input;
mod request;

use axum::response::Response;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Services,
    dialect::{
        ReplyContext,
        description::{EventReply, ReplyHeaders},
    },
    extract::Json,
    reference::Failures,
};

use format::ResponseFormat;
use request::ResponseBody;

/// The route.
pub(super) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(responses))
}

/// Has a persona answer, as the responses API asks.
///
/// Without a channel, `input` is the whole conversation and nothing is stored, so `previous_response_id` and
/// `conversation` are refused. In a channel (model `PERSONA@CHANNEL`, base URL `/v1/c/CHANNEL`, `X-Greenroom-Channel`
/// or `metadata.channel`), the stored conversation is used: the last message of a user in `input` is sent to the
/// channel, `instructions` are ignored, and `tools` are refused. A stream has the events from `response.created` to
/// `response.completed`.
#[utoipa::path(
    post, path = "/responses", tag = "openai",
    request_body = ResponseBody, params(ReplyHeaders), responses(EventReply, Failures),
)]
async fn responses(context: ReplyContext, Json(body): Json<ResponseBody>) -> Result<Response, ApiError> {
    // an item is not shown again if another process has forgotten something since
    context.services.runtime.follow_erasures().await;
    let forgotten = context.services.runtime.forgotten();
    let (owner, items) = (context.caller.user.clone(), context.items());
    let echo = body.echo();
    let request = body.into_request(|id| items.get(&owner, id, forgotten))?;
    let keep = move |id, message| items.put(&owner, id, message, forgotten);
    context.answer(request, |info| ResponseFormat::new(info, echo, keep)).await
}
