//! `GET /api/tags`, `POST /api/show`, `GET /api/version`, `GET /api/ps`: the personas as Ollama lists models.

use axum::extract::State;
use greenroom_persona::Persona;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::{
    ApiError, Caller, Services,
    dialect::{description::OllamaFailures, target::persona_of},
    extract::{AnyJson, Json},
};

/// The version reported to Ollama's clients, which decide by it which features they use.
const VERSION: &str = "0.12.0";
/// The date of every persona: a persona is a file without a date.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

fn details() -> Value {
    json!({
        "parent_model": "",
        "format": "persona",
        "family": "greenroom",
        "families": ["greenroom"],
        "parameter_size": "",
        "quantization_level": "",
    })
}

fn listed(persona: &Persona) -> Value {
    // clients treat `NAME:latest` and `NAME` as the same
    let name = format!("{}:latest", persona.name);
    let digest = Sha256::digest(persona.name.as_str());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({
        "name": name,
        "model": name,
        "modified_at": NO_DATE,
        "size": 0,
        "digest": digest,
        "details": details(),
    })
}

/// Lists the personas as Ollama lists models.
#[utoipa::path(
    get, path = "/tags", tag = "ollama",
    responses((status = 200, body = Value), OllamaFailures),
)]
pub(super) async fn tags(State(services): State<Services>, _: Caller) -> Json<Value> {
    let models: Vec<Value> = services.runtime.cast().iter().map(|persona| listed(persona)).collect();
    Json(json!({ "models": models }))
}

/// Which persona.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ollama::ShowBody)]
pub(super) struct ShowBody {
    /// A persona's name.
    model: Option<String>,
    /// The older name of `model`.
    name: Option<String>,
}

/// Shows one persona as Ollama shows a model.
#[utoipa::path(
    post, path = "/show", tag = "ollama",
    request_body = ShowBody,
    responses((status = 200, body = Value), OllamaFailures),
)]
pub(super) async fn show(
    State(services): State<Services>,
    _: Caller,
    AnyJson(body): AnyJson<ShowBody>,
) -> Result<Json<Value>, ApiError> {
    let missing = || ApiError::invalid("name a persona as `model`").about("model");
    let name = persona_of(&services, &body.model.or(body.name).ok_or_else(missing)?)?;
    let persona = services.runtime.persona(&name)?;
    let mut info = json!({ "general.architecture": "greenroom", "general.basename": name });
    if let Some(window) = persona.model.context_window {
        info["greenroom.context_length"] = json!(window);
    }
    Ok(Json(json!({
        "modelfile": "",
        "parameters": "",
        "template": "",
        "license": "",
        "details": details(),
        "model_info": info,
        "capabilities": ["completion", "tools"],
        "modified_at": NO_DATE,
    })))
}

/// Returns the version of Ollama's API.
#[utoipa::path(
    get, path = "/version", tag = "ollama",
    responses((status = 200, body = Value), OllamaFailures),
)]
pub(super) async fn version(_: Caller) -> Json<Value> {
    Json(json!({ "version": VERSION }))
}

/// Lists the loaded models: always none, because personas are not loaded.
#[utoipa::path(
    get, path = "/ps", tag = "ollama",
    responses((status = 200, body = Value), OllamaFailures),
)]
pub(super) async fn running(_: Caller) -> Json<Value> {
    Json(json!({ "models": [] }))
}
