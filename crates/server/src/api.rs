//! The native API: everything the runtime can do, under `/api`.

mod ingest;
mod memories;

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().merge(memories::routes()).merge(ingest::routes())
}
