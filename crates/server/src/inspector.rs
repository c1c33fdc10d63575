//! The page at `/` that shows what a persona was thinking.

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
}
