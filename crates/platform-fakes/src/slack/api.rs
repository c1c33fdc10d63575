//! The Web API: tokens, scopes, rates, and the dispatch of methods.

use std::time::Duration;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use serde_json::{Map, Value, json};

use super::{Server, events, socket};
use crate::{fake::Shared, rate::Window};

/// The most calls per minute of each method that reads.
const READS: usize = 50;

/// Why a call fails.
pub(super) enum Refusal {
    /// Slack's error code, in a body with status 200.
    Error(&'static str),
    /// The app lacks this scope.
    Scope(&'static str),
    /// The app has to wait.
    TooMany(Duration),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Error(error) => Json(json!({ "ok": false, "error": error })).into_response(),
            Self::Scope(needed) => {
                Json(json!({ "ok": false, "error": "missing_scope", "needed": needed })).into_response()
            }
            Self::TooMany(wait) => {
                let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
                let body = Json(json!({ "ok": false, "error": "ratelimited" }));
                let mut response = (StatusCode::TOO_MANY_REQUESTS, body).into_response();
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
                response
            }
        }
    }
}

pub(super) fn router(shared: Shared<Server>) -> Router {
    Router::new()
        .route("/api/{method}", any(call))
        .route("/socket", get(socket::connect))
        .route("/response/{name}", post(respond))
        .route("/files-pri/{name}", get(file))
        .with_state(shared)
}

/// Serves a file. Without the token or the scope it serves a sign-in page, as Slack does.
async fn file(State(shared): State<Shared<Server>>, Path(name): Path<String>, headers: HeaderMap) -> Vec<u8> {
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer "));
    let permitted =
        shared.read(|state| token == Some(&*state.bot_token) && state.scopes.contains("files:read"));
    crate::files::bytes(if permitted { &name } else { "page" })
}

async fn call(
    State(shared): State<Shared<Server>>,
    Path(method): Path<String>,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let parameters = parameters(query, &headers, &body);
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token =
        token.and_then(|value| value.strip_prefix("Bearer ")).or_else(|| parameters["token"].as_str());
    let port = shared.port();
    let (answer, scopes, echoes) = shared.change(|state| {
        let answer = state.call(port, &method, token, &parameters);
        let scopes = state.scopes.iter().cloned().collect::<Vec<_>>().join(",");
        (answer, scopes, std::mem::take(&mut state.echoes))
    });
    for event in echoes {
        events::deliver(&shared, "events_api", event);
    }
    let mut response = match answer {
        Ok(mut answer) => {
            answer["ok"] = json!(true);
            Json(answer).into_response()
        }
        Err(refusal) => refusal.into_response(),
    };
    if let Ok(scopes) = HeaderValue::from_str(&scopes) {
        response.headers_mut().insert("x-oauth-scopes", scopes);
    }
    response
}

/// The parameters of a call, from the query, a form or JSON.
fn parameters(query: Vec<(String, String)>, headers: &HeaderMap, body: &[u8]) -> Value {
    let mut parameters: Map<String, Value> =
        query.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.starts_with("application/json") {
        parameters.extend(serde_json::from_slice::<Map<String, Value>>(body).unwrap_or_default());
    } else if let Ok(uri) = format!("/?{}", String::from_utf8_lossy(body)).parse()
        && let Ok(Query(pairs)) = Query::<Vec<(String, String)>>::try_from_uri(&uri)
    {
        parameters.extend(pairs.into_iter().map(|(name, value)| (name, Value::String(value))));
    }
    Value::Object(parameters)
}

async fn respond(
    State(shared): State<Shared<Server>>,
    Path(name): Path<String>,
    Json(body): Json<Value>,
) -> Response {
    let known = shared.change(|state| {
        let known = state.responses.contains_key(&name);
        if known {
            state.respond_to(&name, &body);
        }
        known
    });
    match known {
        true => "ok".into_response(),
        false => (StatusCode::NOT_FOUND, "expired_url").into_response(),
    }
}

impl Server {
    fn call(
        &mut self,
        port: u16,
        method: &str,
        token: Option<&str>,
        parameters: &Value,
    ) -> Result<Value, Refusal> {
        let token = token.ok_or(Refusal::Error("not_authed"))?;
        if method == "apps.connections.open" {
            return self.open(port, token);
        }
        if token == self.app_token {
            return Err(Refusal::Error("not_allowed_token_type"));
        }
        if token != self.bot_token {
            return Err(Refusal::Error("invalid_auth"));
        }
        if !matches!(method, "chat.postMessage" | "chat.postEphemeral") {
            self.permit(method, READS, Duration::from_mins(1))?;
        }
        match method {
            "auth.test" => Ok(json!({
                "url": "https://theatre.slack.example/", "team": "The Theatre", "team_id": "T0THEATRE",
                "user": "troupe", "user_id": self.bot_user, "bot_id": self.bot_id,
            })),
            "users.info" => {
                self.scope("users:read")?;
                let user = self.users.get(parameters["user"].as_str().unwrap_or_default());
                Ok(json!({ "user": user.ok_or(Refusal::Error("user_not_found"))? }))
            }
            "conversations.info" => {
                let channel = self.visible(parameters)?;
                let mut about = self.channels.get(&channel).cloned().unwrap_or_default();
                about["is_member"] = json!(self.joined.contains(&channel));
                Ok(json!({ "channel": about }))
            }
            "conversations.list" | "users.conversations" => {
                let kinds = parameters["types"].as_str().unwrap_or("public_channel");
                let scopes = [
                    ("public_channel", "channels:read"),
                    ("private_channel", "groups:read"),
                    ("mpim", "mpim:read"),
                    ("im", "im:read"),
                ];
                for (_, scope) in
                    scopes.into_iter().filter(|(kind, _)| kinds.split(',').any(|wanted| wanted == *kind))
                {
                    self.scope(scope)?;
                }
                let joined = |(id, _): &(&String, &Value)| self.joined.contains(*id);
                let all = method == "conversations.list";
                // a cursor is the id of the last returned channel
                let cursor = parameters["cursor"].as_str().unwrap_or_default();
                let limit = parameters["limit"].as_str().and_then(|limit| limit.parse().ok()).unwrap_or(100);
                let mut channels: Vec<_> = self
                    .channels
                    .iter()
                    .filter(|entry| (all || joined(entry)) && entry.0.as_str() > cursor)
                    .take(limit + 1)
                    .collect();
                let more = channels.len() > limit;
                channels.truncate(limit);
                let next = channels.last().filter(|_| more).map_or("", |(id, _)| id.as_str());
                let channels: Vec<&Value> = channels.iter().map(|(_, channel)| *channel).collect();
                Ok(json!({ "channels": channels, "response_metadata": { "next_cursor": next } }))
            }
            "conversations.history" => self.history(parameters),
            "conversations.replies" => self.replies(parameters),
            "conversations.open" => {
                let user = parameters["users"].as_str().unwrap_or_default();
                if !self.users.contains_key(user) {
                    return Err(Refusal::Error("user_not_found"));
                }
                Ok(json!({ "channel": { "id": self.direct_channel(user) } }))
            }
            "chat.postMessage" => self.post(parameters, false),
            "chat.postEphemeral" => self.post(parameters, true),
            "chat.update" => self.update(parameters),
            "chat.delete" => self.delete(parameters),
            _ => Err(Refusal::Error("unknown_method")),
        }
    }

    fn open(&mut self, port: u16, token: &str) -> Result<Value, Refusal> {
        if token == self.bot_token {
            return Err(Refusal::Error("not_allowed_token_type"));
        }
        if token != self.app_token {
            return Err(Refusal::Error("invalid_auth"));
        }
        let ticket = self.next_id('K');
        self.tickets.insert(ticket.clone());
        Ok(json!({ "url": format!("ws://127.0.0.1:{port}/socket?ticket={ticket}&app_id=A0TROUPE") }))
    }

    /// # Errors
    /// When the app lacks a scope.
    pub(super) fn scope(&self, scope: &'static str) -> Result<(), Refusal> {
        match self.scopes.contains(scope) {
            true => Ok(()),
            false => Err(Refusal::Scope(scope)),
        }
    }

    /// Checks and counts a call against its rate.
    pub(super) fn permit(&mut self, key: &str, limit: usize, per: Duration) -> Result<(), Refusal> {
        if !self.limited {
            return Ok(());
        }
        let window = self.windows.entry(key.to_owned()).or_insert_with(|| Window::new(limit, per));
        window.take().map_err(Refusal::TooMany)
    }

    /// The channel of a call, if the bot may see it.
    pub(super) fn visible(&self, parameters: &Value) -> Result<String, Refusal> {
        let channel = parameters["channel"].as_str().unwrap_or_default();
        let found = self.channels.get(channel).ok_or(Refusal::Error("channel_not_found"))?;
        // a private channel without the bot does not exist for the bot
        let private = found["is_private"] == true && !self.joined.contains(channel);
        if private { Err(Refusal::Error("channel_not_found")) } else { Ok(channel.to_owned()) }
    }
}
