//! The native API: everything the runtime can do, under `/api`.

mod usage;

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().merge(usage::routes())
}
