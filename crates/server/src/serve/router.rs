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

use super::response;
use crate::{
    Services,
    access::{Access, session},
    api, dialect,
    guard::guard,
    inspector,
    limits::{Limits, admit, measure},
    mcp,
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
        .merge(dialect::routes())
        .merge(mcp::routes())
        .merge(inspector::routes())
        .merge(operations::routes());
    let inner = dialect::keeping(reference::described(routes).merge(dialect::in_channels()))
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

/// Counts a request, and completes its response.
async fn outermost(State(operations): State<Arc<Operations>>, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(operations.clone());
    let respond = |request: Request| async {
        let path = request.uri().path().to_owned();
        let mut response = dialect::reshaped(&path, next.run(request).await);
        response::secure(response.headers_mut());
        response
    };
    observe(&operations, request, respond).await
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
