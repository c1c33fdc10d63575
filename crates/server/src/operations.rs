//! Health, readiness, metrics: what somebody who runs Greenroom asks it.

mod requests;

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    extract::State,
    response::{IntoResponse, Response},
};
use greenroom_runtime::Runtime;
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use prometheus_client::{encoding::text, registry::Registry};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) use requests::{Http, Upgraded, observe};

use crate::{ApiError, Caller, Services, error::ErrorBody};

/// How long the store may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(2);

/// What Prometheus is told the metrics are written in.
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// The paths that are answered whatever else is refused: those who watch must see.
pub(crate) fn is_watching(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}

/// Everything that is counted: what the runtime counts, and what is counted of HTTP.
pub(crate) struct Operations {
    registry: Registry,
    pub(crate) http: Http,
}

impl Operations {
    pub(crate) fn new(runtime: &Runtime) -> Self {
        let mut registry = Registry::with_prefix("greenroom");
        runtime.register_metrics(&mut registry);
        let http = Http::default();
        http.register(&mut registry);
        Self { registry, http }
    }
}

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(healthz)).routes(routes!(readyz)).routes(routes!(metrics))
}

/// That the process lives.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// Always `ok`.
    status: &'static str,
    /// Of Greenroom.
    version: &'static str,
}

/// Whether requests are answered.
#[derive(Debug, Serialize, ToSchema)]
struct Readiness {
    /// Whether they are.
    ready: bool,
    /// Why they are not.
    reasons: Vec<String>,
}

/// The process lives. Needs no key.
#[utoipa::path(get, path = "/healthz", tag = "operations", security(()), responses((status = 200, body = Health)))]
async fn healthz() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Requests are answered: the store takes writes, and nobody is stopping the server.
#[utoipa::path(
    get, path = "/readyz", tag = "operations",
    responses((status = 200, body = Readiness), (status = 503, body = Readiness)),
)]
async fn readyz(State(services): State<Services>) -> Response {
    let mut reasons = Vec::new();
    if services.closing.is_cancelled() || services.runtime.is_stopping() {
        reasons.push("the server is stopping".to_owned());
    }
    match tokio::time::timeout(PATIENCE, services.store.ready()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => reasons.push(error.to_string()),
        Err(_) => reasons.push(format!("the store did not answer within {PATIENCE:?}")),
    }
    let ready = reasons.is_empty();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, reasons })).into_response()
}

/// What is counted, for Prometheus, in the OpenMetrics text format. For operators.
#[utoipa::path(
    get, path = "/metrics", tag = "operations",
    responses(
        (status = 200, body = String, content_type = "application/openmetrics-text"),
        (status = 403, body = ErrorBody),
    ),
)]
async fn metrics(
    caller: Caller,
    Extension(operations): Extension<Arc<Operations>>,
) -> Result<Response, ApiError> {
    caller.operate()?;
    let mut out = String::new();
    text::encode(&mut out, &operations.registry).map_err(|_| {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the metrics cannot be written")
    })?;
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], out).into_response())
}
