//! `POST /api/embed` and its older name `POST /api/embeddings`: the vectors of the server's own embedder.

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    ApiError, Caller, Services,
    dialect::{
        description::OllamaFailures,
        embedding::{Texts, embedded, texts},
    },
    extract::{AnyJson, Json},
};

/// The body of a request for vectors.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ollama::EmbedBody)]
pub(super) struct EmbedBody {
    /// Any name: the server has one embedder.
    model: String,
    /// A text, or up to 2,048 of them.
    #[schema(value_type = Texts)]
    input: Value,
    /// The numbers of a vector: as many as the embedder gives, or left out.
    #[schema(minimum = 1, maximum = 4_294_967_295u64)]
    dimensions: Option<u32>,
}

/// Turns texts into vectors.
#[utoipa::path(
    post, path = "/embed", tag = "ollama",
    request_body = EmbedBody,
    responses((status = 200, body = Value), OllamaFailures),
)]
pub(super) async fn embed(
    State(services): State<Services>,
    _: Caller,
    AnyJson(body): AnyJson<EmbedBody>,
) -> Result<Json<Value>, ApiError> {
    let done = embedded(&services, &texts("input", body.input)?, body.dimensions).await?;
    Ok(Json(json!({
        "model": body.model,
        "embeddings": done.vectors,
        "total_duration": 0,
        "load_duration": 0,
        "prompt_eval_count": done.tokens,
    })))
}

/// The body of a request for one vector.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ollama::EmbeddingsBody)]
pub(super) struct EmbeddingsBody {
    /// Any name: the server has one embedder.
    #[serde(rename = "model")]
    _model: String,
    /// A text.
    prompt: String,
}

/// Turns one text into a vector.
#[utoipa::path(
    post, path = "/embeddings", tag = "ollama",
    request_body = EmbeddingsBody,
    responses((status = 200, body = Value), OllamaFailures),
)]
pub(super) async fn embeddings(
    State(services): State<Services>,
    _: Caller,
    AnyJson(body): AnyJson<EmbeddingsBody>,
) -> Result<Json<Value>, ApiError> {
    let done = embedded(&services, &texts("prompt", json!(body.prompt))?, None).await?;
    Ok(Json(json!({ "embedding": done.vectors.first() })))
}
