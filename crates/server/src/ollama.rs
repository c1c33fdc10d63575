//! Ollama's API below `/api`, as far as its clients need it. Its streams are lines of JSON, and they are the
//! default. The native API is below `/api`, too; none of its routes has one of these names.
//!
//! ```text
//! chat.rs     /api/chat and /api/generate
//! request.rs  their bodies
//! format.rs   their replies
//! models.rs   /api/tags, /api/show, /api/version, /api/ps
//! embed.rs    /api/embed, and its older name
//! ```

mod chat;
mod embed;
mod format;
mod models;
mod request;

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
