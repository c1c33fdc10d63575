//! A persona's memory for any MCP host, under `/mcp`.

use utoipa_axum::router::OpenApiRouter;

use crate::Services;

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
}
