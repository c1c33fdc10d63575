//! The metrics of HTTP, and the span of a request. Routes are counted by their template, so that requests for
//! unknown paths add no metrics.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request},
    response::Response,
};
use dashmap::DashMap;
use greenroom_core::real_time;
use http::{HeaderMap, Method};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};
use tracing::{Instrument, Span, field::Empty};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::{body::guarded, error::Refused};

/// Bucket bounds in seconds: a stored answer takes half a millisecond, a turn may take minutes.
const SECONDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0];

/// The route of a request that matches none.
const NO_ROUTE: &str = "none";

/// The metrics of HTTP.
pub(crate) struct HttpMetrics {
    /// Requests without a response yet.
    pub(crate) in_flight: Gauge,
    /// Open connections, those of streams and WebSockets included.
    pub(crate) connections: Gauge,
    /// Handlers that panicked.
    pub(crate) panics: Counter,
    requests: Family<RequestLabels, Counter>,
    refused: Family<RefusedLabel, Counter>,
    streams: Family<StreamLabel, Gauge>,
    seconds: Family<RouteLabel, Histogram>,
    routes: DashMap<String, Route>,
}

/// A route's name and its histogram, looked up once.
#[derive(Clone)]
struct Route {
    name: Arc<str>,
    seconds: Histogram,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: Arc<str>,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabel {
    route: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RefusedLabel {
    why: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StreamLabel {
    kind: &'static str,
}

impl Default for HttpMetrics {
    fn default() -> Self {
        Self {
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            panics: Counter::default(),
            requests: Family::default(),
            refused: Family::default(),
            streams: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            routes: DashMap::new(),
        }
    }
}

impl HttpMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        let http = registry.sub_registry_with_prefix("http");
        http.register("requests", "Requests answered, by method, route and status", self.requests.clone());
        http.register("request_seconds", "From a request to the head of its answer", self.seconds.clone());
        http.register("in_flight", "Requests whose answer has not begun", self.in_flight.clone());
        http.register("connections", "Open connections", self.connections.clone());
        http.register("refused", "Requests and connections a limit turned away", self.refused.clone());
        http.register("panics", "Handlers that panicked", self.panics.clone());
        registry.register("streams", "Live streams of events, by kind", self.streams.clone());
    }

    /// Counts a refusal by a limit.
    pub(crate) fn refuse(&self, why: &'static str) {
        self.refused.get_or_create(&RefusedLabel { why }).inc();
    }

    fn route(&self, path: &str) -> Route {
        if let Some(route) = self.routes.get(path) {
            return route.clone();
        }
        let name: Arc<str> = path.into();
        let seconds = self.seconds.get_or_create_owned(&RouteLabel { route: name.clone() });
        self.routes.entry(path.to_owned()).or_insert(Route { name, seconds }).clone()
    }

    /// Counts a live stream until the guard is dropped.
    pub(crate) fn stream(&self, kind: &'static str) -> GaugeGuard {
        GaugeGuard::new(&self.streams.get_or_create_owned(&StreamLabel { kind }))
    }
}

/// Counts one in a gauge until it is dropped.
pub(crate) struct GaugeGuard(Gauge);

impl GaugeGuard {
    pub(crate) fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Counts a request and puts it into a span that continues the trace of its client. Logs and traces contain the route
/// of a request, but not its path or query, which contain names (X5).
pub(crate) async fn observe<R: Future<Output = Response>>(
    http: &HttpMetrics,
    request: Request,
    next: impl FnOnce(Request) -> R,
) -> Response {
    let begun = real_time().instant();
    let _in_flight = GaugeGuard::new(&http.in_flight);
    let matched = request.extensions().get::<MatchedPath>();
    let route = http.route(matched.map_or(NO_ROUTE, MatchedPath::as_str));
    let method = method(request.method());
    let span = span(method, &route.name, request.headers());
    let response = next(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    span.record("http.response.status_code", status);
    http.requests.get_or_create(&RequestLabels { method, route: route.name.clone(), status }).inc();
    if let Some(Refused(why)) = response.extensions().get() {
        http.refuse(why);
    }
    let took = real_time().elapsed(begun);
    route.seconds.observe(took.as_secs_f64());
    span.in_scope(|| tracing::debug!(method, route = &*route.name, status, ?took, "answered"));
    guarded(response, || http.stream("sse"))
}

fn span(method: &'static str, route: &str, headers: &HeaderMap) -> Span {
    let span = tracing::info_span!(
        "request",
        otel.name = format_args!("{method} {route}"),
        otel.kind = "server",
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
    );
    if !span.is_disabled() && headers.contains_key("traceparent") {
        // an error means that no traces are exported
        let _ = span.set_parent(TraceContextPropagator::new().extract(&Headers(headers)));
    }
    span
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

/// A known method, or `OTHER`: clients can invent methods.
fn method(method: &Method) -> &'static str {
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    known.into_iter().find(|known| *known == method.as_str()).unwrap_or("OTHER")
}
