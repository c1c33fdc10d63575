//! Ollama's API below `/api`, as far as its clients need it. Its streams are lines of JSON, and they are the
//! default. The native API stands below `/api`, too; none of its routes has one of these names.
//!
//! ```text
//! chat.rs       /api/chat and /api/generate
//! answer.rs     a reply in the words of both
//! models.rs     /api/tags, /api/show, /api/version, /api/ps
//! embed.rs      /api/embed, and its older name
//! ```

mod answer;
mod chat;
mod embed;
mod models;
mod request;

use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::Services;

/// The routes.
pub(crate) fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(chat::chat))
        .routes(routes!(chat::generate))
        .routes(routes!(models::tags))
        .routes(routes!(models::show))
        .routes(routes!(models::version))
        .routes(routes!(models::running))
        .routes(routes!(embed::embed))
        .routes(routes!(embed::embeddings))
}

/// An error as Ollama's API has it.
#[derive(ToSchema)]
#[schema(as = ollama::Error)]
struct ErrorShape {
    /// What happened and what to do.
    #[allow(dead_code, reason = "describes the shape alone")]
    error: String,
    /// For programs.
    #[allow(dead_code, reason = "describes the shape alone")]
    code: Value,
}
