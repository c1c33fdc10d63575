//! `POST /api/chat` and `POST /api/generate`.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};

use super::{
    ErrorShape,
    answer::{Told, loaded},
    request::{ChatBody, GenerateBody},
};
use crate::{
    ApiError, Caller, Services,
    dialect::{answer, headers::RequestHeaders, target::persona_of},
    extract::{Json, Unlabelled},
};

/// Has a persona answer, as Ollama's clients ask.
///
/// Without a channel the messages sent are the conversation and nothing is stored. In a channel (model
/// `PERSONA@CHANNEL`, base URL `/v1/c/CHANNEL`, or `X-Greenroom-Channel`) the stored conversation counts: the last
/// message of a user is said there, the others are ignored, and `tools` are refused.
#[utoipa::path(
    post, path = "/chat", tag = "ollama",
    request_body = ChatBody,
    responses(
        (
            status = 200,
            description = "Lines of JSON, `done` in the last; without `stream` one document",
            content((Value = "application/json"), (String = "application/x-ndjson")),
        ),
        (status = "4XX", body = ErrorShape),
        (status = "5XX", body = ErrorShape),
    ),
)]
pub(super) async fn chat(
    State(services): State<Services>,
    caller: Caller,
    headers: RequestHeaders,
    Unlabelled(body): Unlabelled<ChatBody>,
) -> Result<Response, ApiError> {
    if body.only_loads() {
        persona_of(&services, body.model())?;
        return Ok(Json(loaded(body.model(), true)).into_response());
    }
    answer(&services, &caller, headers, body.ask()?, Told::chat).await
}

/// Has a persona answer a prompt.
#[utoipa::path(
    post, path = "/generate", tag = "ollama",
    request_body = GenerateBody,
    responses(
        (
            status = 200,
            description = "Lines of JSON, `done` in the last; without `stream` one document",
            content((Value = "application/json"), (String = "application/x-ndjson")),
        ),
        (status = "4XX", body = ErrorShape),
        (status = "5XX", body = ErrorShape),
    ),
)]
pub(super) async fn generate(
    State(services): State<Services>,
    caller: Caller,
    headers: RequestHeaders,
    Unlabelled(body): Unlabelled<GenerateBody>,
) -> Result<Response, ApiError> {
    if body.only_loads() {
        persona_of(&services, body.model())?;
        return Ok(Json(loaded(body.model(), false)).into_response());
    }
    answer(&services, &caller, headers, body.ask()?, Told::generate).await
}
