//! What is counted of HTTP, and the span of a request: routes are counted by their template, so that
//! nobody who asks for strange paths makes the metrics grow.

use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};

use axum::{
    body::Body,
    extract::{MatchedPath, Request},
    response::Response,
};
use dashmap::DashMap;
use futures::StreamExt;
use http::{HeaderMap, Method, StatusCode, header::CONTENT_TYPE};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};
use tracing::{Instrument, Span, field::Empty};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::Operations;
use crate::{error::Refused, limits::LimitGuard};

/// Seconds: a stored answer takes half a millisecond, a turn may take minutes.
const SECONDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0];

/// The route of what no route is for.
const NO_ROUTE: &str = "none";

/// The counters of HTTP.
pub(crate) struct Http {
    /// Requests whose answer has not begun.
    pub(crate) in_flight: Gauge,
    /// Connections, those of streams included.
    pub(crate) connections: Gauge,
    /// Handlers that panicked.
    pub(crate) panics: Counter,
    requests: Family<RequestLabels, Counter>,
    refused: Family<RefusedLabel, Counter>,
    streams: Family<StreamLabel, Gauge>,
    seconds: Family<RouteLabel, Histogram>,
    routes: DashMap<String, Route>,
}

/// A route's name and its histogram, found once.
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

impl Default for Http {
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

impl Http {
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

    /// A limit turned something away.
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

    fn stream(&self, kind: &'static str) -> Stream {
        let live = self.streams.get_or_create_owned(&StreamLabel { kind });
        live.inc();
        Stream(live)
    }
}

/// A live stream, counted until it is dropped.
pub(crate) struct Stream(Gauge);

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A request under way, counted until it is dropped.
struct InFlight<'a>(&'a Gauge);

impl<'a> InFlight<'a> {
    fn new(gauge: &'a Gauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Counts a request and puts it into a span that continues the trace of whoever sent it. Nothing
/// of a request but its route is written down: paths and queries hold names (X5).
pub(crate) async fn observe<R: Future<Output = Response>>(
    operations: &Operations,
    request: Request,
    next: impl FnOnce(Request) -> R,
) -> Response {
    let http = &operations.http;
    let begun = Instant::now();
    let _in_flight = InFlight::new(&http.in_flight);
    let matched = request.extensions().get::<MatchedPath>();
    let route = http.route(matched.map_or(NO_ROUTE, MatchedPath::as_str));
    let method = method(request.method());
    let upgraded = request.extensions().get::<Upgraded>().cloned();
    let span = span(method, &route.name, request.headers());
    let response = next(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    span.record("http.response.status_code", status);
    http.requests.get_or_create(&RequestLabels { method, route: route.name.clone(), status }).inc();
    if let Some(Refused(why)) = response.extensions().get() {
        http.refuse(why);
    }
    let took = begun.elapsed();
    route.seconds.observe(took.as_secs_f64());
    span.in_scope(|| tracing::debug!(method, route = &*route.name, status, ?took, "answered"));
    if let Some(upgraded) = upgraded.filter(|_| response.status() == StatusCode::SWITCHING_PROTOCOLS) {
        upgraded.count(http);
    }
    counted(http, response)
}

/// A stream of events counts as long as it is sent.
fn counted(http: &Http, response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes());
    if !kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
        return response;
    }
    let live = http.stream("sse");
    response.map(|body| {
        let frames = body.into_data_stream().map(move |frame| {
            let _ = &live;
            frame
        });
        Body::from_stream(frames)
    })
}

/// Whether a connection became a WebSocket; it counts as one, and holds what its request held, as long as the
/// connection lives.
#[derive(Clone, Default)]
pub(crate) struct Upgraded(Arc<WebSocket>);

#[derive(Default)]
struct WebSocket {
    live: OnceLock<Stream>,
    held: OnceLock<LimitGuard>,
}

impl Upgraded {
    fn count(&self, http: &Http) {
        self.0.live.get_or_init(|| http.stream("websocket"));
    }

    pub(crate) fn hold(&self, held: LimitGuard) {
        // a connection is upgraded once
        let _ = self.0.held.set(held);
    }
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
        // an error means that nothing is exported
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

/// The methods there are; anybody may make up others.
fn method(method: &Method) -> &'static str {
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    known.into_iter().find(|known| *known == method.as_str()).unwrap_or("OTHER")
}
