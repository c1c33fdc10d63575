//! What every OpenAI client speaks, under `/v1`.

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
}
