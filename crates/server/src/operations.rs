//! Health, readiness and metrics, for the operator's monitoring.

mod accounts;
mod requests;

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    extract::State,
    response::{IntoResponse, Response},
};
use greenroom_core::real_time;
use greenroom_runtime::Runtime;
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use prometheus_client::{encoding::text, registry::Registry};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) use requests::{GaugeGuard, HttpMetrics, observe};

use self::accounts::AccountMetrics;
use crate::{ApiError, Services, access::Operator, reference::Failures};

/// The time the store has for its answer.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);

/// The content type of the metrics.
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// The paths of monitoring, which no limit refuses.
pub(crate) fn is_watching(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}

/// The metrics of the runtime, of HTTP, and of accounts.
pub(crate) struct Operations {
    registry: Registry,
    pub(crate) http: HttpMetrics,
    accounts: AccountMetrics,
}

impl Operations {
    pub(crate) fn new(runtime: &Runtime) -> Self {
        let mut registry = Registry::with_prefix("greenroom");
        runtime.register_metrics(&mut registry);
        let http = HttpMetrics::default();
        http.register(&mut registry);
        let accounts = AccountMetrics::default();
        accounts.register(&mut registry);
        Self { registry, http, accounts }
    }
}

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(healthz)).routes(routes!(readyz)).routes(routes!(metrics))
}

/// The process is alive.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// Always `ok`.
    status: &'static str,
    /// The version of Greenroom.
    version: &'static str,
}

/// Whether the server answers requests.
#[derive(Debug, Serialize, ToSchema)]
struct Readiness {
    /// Whether it does.
    ready: bool,
    /// The reasons it does not.
    reasons: Vec<String>,
}

/// Health
///
/// The process is alive. This route needs no key.
#[utoipa::path(get, path = "/healthz", tag = "operations", security(()), responses((status = 200, body = Health)))]
async fn healthz() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Readiness
///
/// 200 while the store takes writes and the server is not stopping.
#[utoipa::path(
    get, path = "/readyz", tag = "operations",
    responses((status = 200, body = Readiness), (status = 503, body = Readiness)),
)]
async fn readyz(State(services): State<Services>) -> Response {
    let mut reasons = Vec::new();
    if services.closing.is_cancelled() || services.runtime.is_stopping() {
        reasons.push("the server is stopping".to_owned());
    }
    match real_time().timeout(STORE_TIMEOUT, services.store.ready()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => reasons.push(error.to_string()),
        Err(_) => reasons.push(format!("the store did not answer within {STORE_TIMEOUT:?}")),
    }
    let ready = reasons.is_empty();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, reasons })).into_response()
}

/// Metrics
///
/// In the OpenMetrics text format, for Prometheus. For operators.
#[utoipa::path(
    get, path = "/metrics", tag = "operations",
    responses((status = 200, body = String, content_type = "application/openmetrics-text"), Failures),
)]
async fn metrics(
    _: Operator,
    State(services): State<Services>,
    Extension(operations): Extension<Arc<Operations>>,
) -> Result<Response, ApiError> {
    // if the store fails, the other metrics show it
    if let Some(accounts) = services.accounts.get()
        && let Ok(status) = accounts.status().await
    {
        operations.accounts.set(&status);
    }
    let mut out = String::new();
    text::encode(&mut out, &operations.registry).map_err(|_| {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the metrics cannot be written")
    })?;
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], out).into_response())
}
