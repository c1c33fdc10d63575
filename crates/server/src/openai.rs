//! OpenAI's API below `/v1`. A model's name is a persona's, perhaps with a channel: `ada@den`.
//!
//! ```text
//! chat.rs         /chat/completions
//! responses.rs    /responses
//! completions.rs  /completions, the API before chats
//! embeddings.rs   /embeddings, of the server's own embedder
//! fields.rs       the fields that go to the model unchanged, and those that are refused
//! ```

mod chat;
mod completions;
mod embeddings;
mod fields;
mod responses;

use axum::{Json, extract::State};
use greenroom_persona::Persona;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{ApiError, Caller, Services, dialect::target::persona_of, extract::Path, reference::Failures};

/// The routes.
pub(crate) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(models))
        .routes(routes!(model))
        .routes(routes!(completions::completions))
        .routes(routes!(embeddings::embeddings))
        .merge(chat::routes())
        .merge(responses::routes())
}

/// A persona as a model: the fields of OpenAI's API and those of Anthropic's, whose clients ask at the same
/// path.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Model)]
struct Model {
    /// The persona's name.
    id: String,
    /// Always `model`.
    object: &'static str,
    /// Always 0: a persona is a file and has no date.
    created: i64,
    /// Always `greenroom`.
    owned_by: &'static str,
    /// Always `model`, for Anthropic's clients.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The persona's name, for Anthropic's clients.
    display_name: String,
    /// Always the beginning of 1970, for Anthropic's clients.
    created_at: &'static str,
}

impl Model {
    fn of(persona: &Persona) -> Self {
        Self {
            id: persona.name.to_string(),
            object: "model",
            created: 0,
            owned_by: "greenroom",
            kind: "model",
            display_name: persona.name.to_string(),
            created_at: "1970-01-01T00:00:00Z",
        }
    }
}

/// All personas.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = openai::Models)]
struct Models {
    /// Always `list`.
    object: &'static str,
    /// In the order of their names.
    data: Vec<Model>,
    /// Always false, for Anthropic's clients.
    has_more: bool,
}

/// Lists the personas as models.
#[utoipa::path(
    get, path = "/models", tag = "openai",
    responses((status = 200, body = Models), Failures),
)]
async fn models(State(services): State<Services>, _: Caller) -> Json<Models> {
    let data = services.runtime.cast().iter().map(|persona| Model::of(persona)).collect();
    Json(Models { object: "list", data, has_more: false })
}

/// The path of one model. Below `/v1/c/{channel}` it has a channel, too.
#[derive(Deserialize)]
struct ModelPath {
    model: String,
}

/// Shows one persona as a model.
#[utoipa::path(
    get, path = "/models/{model}", tag = "openai",
    params(("model" = String, Path, description = "A persona's name")),
    responses((status = 200, body = Model), Failures),
)]
async fn model(
    State(services): State<Services>,
    _: Caller,
    Path(ModelPath { model }): Path<ModelPath>,
) -> Result<Json<Model>, ApiError> {
    let name = persona_of(&services, &model)?;
    Ok(Json(Model::of(&*services.runtime.persona(&name)?)))
}
