//! `POST /api/chat` and `POST /api/generate`.

use axum::response::{IntoResponse, Response};

use super::{
    format::OllamaFormat,
    request::{ChatBody, GenerateBody},
};
use crate::{
    ApiError,
    dialect::{
        ReplyContext,
        description::{LineReply, OllamaFailures, ReplyHeaders},
        target::persona_of,
    },
    extract::{AnyJson, Json},
};

/// Has a persona answer, as Ollama's clients ask.
///
/// Without a channel, the request contains the whole conversation and nothing is stored. In a channel (model
/// `PERSONA@CHANNEL`, base URL `/v1/c/CHANNEL`, or `X-Greenroom-Channel`), the stored conversation is used: the last
/// message of a user is sent to the channel, the others are ignored, and `tools` are refused. The last line of a stream
/// has `done`.
#[utoipa::path(
    post, path = "/chat", tag = "ollama",
    request_body = ChatBody, params(ReplyHeaders), responses(LineReply, OllamaFailures),
)]
pub(super) async fn chat(
    context: ReplyContext,
    AnyJson(body): AnyJson<ChatBody>,
) -> Result<Response, ApiError> {
    if body.only_loads() {
        return load(&context, body.model(), true);
    }
    context.answer(body.into_request()?, OllamaFormat::chat).await
}

/// Has a persona answer a prompt.
#[utoipa::path(
    post, path = "/generate", tag = "ollama",
    request_body = GenerateBody, params(ReplyHeaders), responses(LineReply, OllamaFailures),
)]
pub(super) async fn generate(
    context: ReplyContext,
    AnyJson(body): AnyJson<GenerateBody>,
) -> Result<Response, ApiError> {
    if body.only_loads() {
        return load(&context, body.model(), false);
    }
    context.answer(body.into_request()?, OllamaFormat::generate).await
}

/// The answer to a request that only asks to load a model. There is nothing to load, so it succeeds.
fn load(context: &ReplyContext, model: &str, chat: bool) -> Result<Response, ApiError> {
    persona_of(&context.services, model)?;
    Ok(Json(OllamaFormat::load_answer(model, chat)).into_response())
}
