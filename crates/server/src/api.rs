//! The native API: everything the runtime can do, under `/api`.

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
}
