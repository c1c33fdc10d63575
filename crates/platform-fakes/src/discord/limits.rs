//! Rate limits of the REST API: 50 calls a second in all, a bucket per route, and a ban after too many refused calls.

use std::{collections::HashMap, time::Duration};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::json;
use tokio::time::Instant;

use super::Server;
use crate::{fake::Shared, rate::Window};

/// The most calls per second of all routes together.
const GLOBAL: usize = 50;
/// The most refused calls (401, 403, 429) within ten minutes. After that, the address is banned.
const REFUSALS: usize = 10_000;

/// The calls, by bucket.
pub(super) struct Limits {
    /// Whether limits are enabled.
    pub(super) on: bool,
    global: Window,
    refusals: Window,
    buckets: HashMap<String, Window>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            on: true,
            global: Window::new(GLOBAL, Duration::from_secs(1)),
            refusals: Window::new(REFUSALS, Duration::from_mins(10)),
            buckets: HashMap::new(),
        }
    }
}

/// The bucket of a call: its route together with its channel or webhook.
fn bucket(method: &Method, path: &str) -> (String, usize, Duration) {
    let parts: Vec<&str> = path.trim_start_matches("/api/v10/").split('/').collect();
    let owner = parts.get(..2).unwrap_or_default().join("/");
    let (name, limit, seconds) = match (method.as_str(), parts.as_slice()) {
        ("POST", ["channels", _, "messages"]) => ("send", 5, 5),
        ("PATCH", ["channels", _, "messages", _]) => ("edit", 5, 5),
        ("DELETE", ["channels", _, "messages", _]) => ("delete", 5, 1),
        ("POST", ["channels", _, "typing"]) => ("typing", 5, 5),
        ("POST", ["webhooks", ..]) => ("execute", 5, 2),
        ("PUT", ["applications", ..]) => ("commands", 2, 20),
        _ => ("other", 20, 1),
    };
    (format!("{name}:{owner}"), limit, Duration::from_secs(seconds))
}

/// The state of a call's bucket.
struct Place {
    name: String,
    limit: usize,
    remaining: usize,
    reset: Duration,
}

impl Place {
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let reset = self.reset.as_secs_f64();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        for (name, value) in [
            ("x-ratelimit-limit", self.limit.to_string()),
            ("x-ratelimit-remaining", self.remaining.to_string()),
            ("x-ratelimit-reset-after", format!("{reset:.3}")),
            ("x-ratelimit-reset", format!("{:.3}", now.as_secs_f64() + reset)),
            ("x-ratelimit-bucket", self.name.clone()),
        ] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        headers
    }
}

/// Rejects a call beyond its rate. Adds headers with the state of the bucket to every other answer.
pub(super) async fn layer(State(shared): State<Shared<Server>>, request: Request, next: Next) -> Response {
    if !request.uri().path().starts_with("/api/") {
        return next.run(request).await;
    }
    let (name, limit, per) = bucket(request.method(), request.uri().path());
    let permitted = shared.change_quietly(|state| {
        let limits = &mut state.limits;
        if !limits.on {
            return Ok(None);
        }
        if limits.refusals.remaining() == 0 {
            return Err(Box::new(banned()));
        }
        if let Err(wait) = limits.global.take() {
            return Err(Box::new(too_many(wait, None)));
        }
        let window = limits.buckets.entry(name.clone()).or_insert_with(|| Window::new(limit, per));
        let taken = window.take();
        let place = Place {
            name,
            limit: window.limit(),
            remaining: window.remaining(),
            reset: window.reset_after(Instant::now()),
        };
        match taken {
            Ok(()) => Ok(Some(place)),
            Err(wait) => Err(Box::new(too_many(wait, Some(&place)))),
        }
    });
    let response = match permitted {
        Ok(place) => {
            let mut response = next.run(request).await;
            response.headers_mut().extend(place.map(|place| place.headers()).unwrap_or_default());
            response
        }
        Err(response) => *response,
    };
    if matches!(response.status().as_u16(), 401 | 403 | 429) {
        // exceeding the limit starts the ban
        let _ = shared.change(|state| state.limits.refusals.take());
    }
    response
}

fn too_many(wait: Duration, place: Option<&Place>) -> Response {
    let seconds = wait.as_secs_f64();
    let body = json!({
        "message": "You are being rate limited.", "retry_after": (seconds * 1000.0).ceil() / 1000.0,
        "global": place.is_none(),
    });
    let mut response = (StatusCode::TOO_MANY_REQUESTS, axum::Json(body)).into_response();
    let headers = response.headers_mut();
    headers.extend(place.map(Place::headers).unwrap_or_default());
    headers.insert("x-ratelimit-scope", HeaderValue::from_static("user"));
    headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs_f64().ceil() as u64));
    if place.is_none() {
        headers.insert("x-ratelimit-global", HeaderValue::from_static("true"));
    }
    response
}

/// The answer of the network in front of Discord, which is not JSON.
fn banned() -> Response {
    let headers = [(header::RETRY_AFTER, "600")];
    (StatusCode::TOO_MANY_REQUESTS, headers, Body::from("error code: 1015")).into_response()
}
