//! The description of the API, made from the code: `/openapi.json`, and a page to try it at `/docs`.

use axum::Router;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_swagger_ui::SwaggerUi;

use crate::Services;

/// What stands at the top of the description.
#[derive(OpenApi)]
#[openapi(info(title = "Greenroom", description = "A cast of AI personas that remember."))]
struct Description;

/// All routes in one router, the description of them beside it.
pub fn described(routes: OpenApiRouter<Services>) -> Router<Services> {
    let (router, description) =
        OpenApiRouter::with_openapi(Description::openapi()).merge(routes).split_for_parts();
    router.merge(SwaggerUi::new("/docs").url("/openapi.json", description))
}
