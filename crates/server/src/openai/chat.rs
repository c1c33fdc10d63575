//! `POST /chat/completions`.

mod format;
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

use format::ChatFormat;
pub(super) use format::{finish_reason, usage};
use request::ChatBody;
pub(super) use request::{Content, text_of};

/// The route.
pub(super) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(chat))
}

/// Has a persona answer.
///
/// Without a channel, the request contains the whole conversation, nothing is stored, and the persona recalls its global
/// memories. In a channel (model `PERSONA@CHANNEL`, base URL `/v1/c/CHANNEL`, `X-Greenroom-Channel` or
/// `metadata.channel`), the stored conversation is used: the last message of a user is sent to the channel, other
/// messages and instructions are ignored, and `tools` are refused. A stream ends with `[DONE]`. The additional field
/// `greenroom` of the document has `turn_id` and the recalled `memories`.
#[utoipa::path(
    post, path = "/chat/completions", tag = "openai",
    request_body = ChatBody, params(ReplyHeaders), responses(EventReply, Failures),
)]
async fn chat(context: ReplyContext, Json(body): Json<ChatBody>) -> Result<Response, ApiError> {
    let usage = body.wants_usage();
    context.answer(body.into_request()?, |info| ChatFormat::new(info, usage)).await
}
