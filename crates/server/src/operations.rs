//! Health, readiness, metrics.

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
}
