//! Every route, behind the layers that every request passes.
//!
//! ```text
//! observe > security headers > (panics) > (CORS) > admit > guard > measure > handler
//! '------- outermost -------'                      '------ let_in ------'
//! ```

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::Response,
};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;

use super::response;
use crate::{
    Services,
    access::{Access, session},
    anthropic, api,
    dialect::{
        self,
        error_shape::{is_of_anthropic, reshaped},
    },
    guard::guard,
    inspector,
    limits::{Limits, admit, measure},
    mcp, ollama, openai,
    operations::{self, Operations, observe},
    reference,
};

pub(super) fn new(
    services: &Services,
    access: Access,
    limits: &Arc<Limits>,
    operations: &Arc<Operations>,
) -> Router {
    let routes = api::routes()
        .merge(session::routes())
        .merge(OpenApiRouter::new().nest("/v1", v1()).nest("/api", ollama::routes()))
        .merge(mcp::routes())
        .merge(inspector::routes())
        .merge(operations::routes());
    let inner = dialect::with_state(reference::described(routes).merge(in_channels()))
        .fallback(response::unknown_route)
        .method_not_allowed_fallback(response::unknown_method)
        .layer(middleware::from_fn_with_state((limits.clone(), access), let_in));
    let inner = match response::cors(&services.settings.server.origins) {
        Some(cors) => inner.layer(cors),
        None => inner,
    };
    let panics = operations.clone();
    inner
        .layer(CatchPanicLayer::custom(move |_| response::panicked(&panics)))
        .layer(middleware::from_fn_with_state(operations.clone(), outermost))
        .with_state(services.clone())
}

/// The routes below `/v1`.
fn v1() -> OpenApiRouter<Services> {
    openai::routes().merge(anthropic::routes())
}

/// The routes below the base URL of a channel. Clients append `/chat/completions`, `/v1/messages` or `/api/chat` to
/// the base URL that they have.
fn in_channels() -> Router<Services> {
    let routes = v1().nest("/v1", v1()).nest("/api", ollama::routes());
    OpenApiRouter::new().nest("/v1/c/{channel}", routes).into()
}

/// Counts a request, and completes its response.
async fn outermost(State(operations): State<Arc<Operations>>, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(operations.clone());
    let respond = |request: Request| async {
        let path = request.uri().path().to_owned();
        let of_anthropic = is_of_anthropic(request.headers());
        let mut response = reshaped(&path, of_anthropic, next.run(request).await);
        response::secure(response.headers_mut());
        response
    };
    observe(&operations.http, request, respond).await
}

/// Lets a request in, or refuses it.
async fn let_in(
    State((limits, access)): State<(Arc<Limits>, Access)>,
    mut request: Request,
    next: Next,
) -> Response {
    request.extensions_mut().insert(access.clone());
    let (limits, access) = (&*limits, &access);
    let authenticated = |request| measure(limits, request, next);
    admit(limits, request, |request| guard(access, request, authenticated)).await
}
