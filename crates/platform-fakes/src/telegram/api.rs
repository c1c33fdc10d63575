//! `/bot<token>/<method>`: parses parameters, dispatches methods, and formats errors as Telegram does.

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use serde_json::{Map, Value, json};

use super::{Server, updates};
use crate::fake::Shared;

/// A refusal: the status with Telegram's description, and its parameters.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    description: String,
    parameters: Option<Value>,
}

impl Refusal {
    pub(super) fn bad(description: &str) -> Self {
        let description = format!("Bad Request: {description}");
        Self { status: StatusCode::BAD_REQUEST, description, parameters: None }
    }

    pub(super) fn forbidden(description: &str) -> Self {
        let description = format!("Forbidden: {description}");
        Self { status: StatusCode::FORBIDDEN, description, parameters: None }
    }

    pub(super) fn conflict(description: &str) -> Self {
        let description = format!("Conflict: {description}");
        Self { status: StatusCode::CONFLICT, description, parameters: None }
    }

    /// The bot must wait. Telegram tells whole seconds.
    pub(super) fn too_many(wait: std::time::Duration) -> Self {
        let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
        Self {
            status: StatusCode::TOO_MANY_REQUESTS,
            description: format!("Too Many Requests: retry after {seconds}"),
            parameters: Some(json!({ "retry_after": seconds })),
        }
    }

    /// The group has become a supergroup.
    pub(super) fn migrated(chat: super::Chat) -> Self {
        let mut refusal = Self::bad("group chat was upgraded to a supergroup chat");
        refusal.parameters = Some(json!({ "migrate_to_chat_id": chat }));
        refusal
    }

    fn plain(status: StatusCode, description: &str) -> Self {
        Self { status, description: description.to_owned(), parameters: None }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut body =
            json!({ "ok": false, "error_code": self.status.as_u16(), "description": self.description });
        if let Some(parameters) = self.parameters {
            body["parameters"] = parameters;
        }
        (self.status, Json(body)).into_response()
    }
}

pub(super) fn router(shared: Shared<Server>) -> Router {
    Router::new()
        .route("/{bot}/{method}", any(call))
        .route("/file/{bot}/{*path}", get(file))
        .with_state(shared)
}

/// Serves a file by the path that `getFile` returned.
async fn file(
    State(shared): State<Shared<Server>>,
    Path((bot, path)): Path<(String, String)>,
) -> Result<Vec<u8>, StatusCode> {
    let known = shared.read(|state| {
        bot.strip_prefix("bot") == Some(&*state.token) && state.files.values().any(|known| *known == path)
    });
    if known { Ok(crate::files::bytes(&path)) } else { Err(StatusCode::NOT_FOUND) }
}

async fn call(
    State(shared): State<Shared<Server>>,
    Path((bot, method)): Path<(String, String)>,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let answer = answer(&shared, &bot, &method, query, &headers, &body).await;
    match answer {
        Ok(result) => Json(json!({ "ok": true, "result": result })).into_response(),
        Err(refusal) => refusal.into_response(),
    }
}

async fn answer(
    shared: &Shared<Server>,
    bot: &str,
    method: &str,
    query: Vec<(String, String)>,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Value, Refusal> {
    let Some(token) = bot.strip_prefix("bot") else {
        return Err(Refusal::plain(StatusCode::NOT_FOUND, "Not Found"));
    };
    if shared.read(|state| state.token != token) {
        return Err(Refusal::plain(StatusCode::UNAUTHORIZED, "Unauthorized"));
    }
    let parameters = parameters(query, headers, body)?;
    // the names of methods are case-insensitive
    match method.to_lowercase().as_str() {
        "getupdates" => updates::get(shared, &parameters).await,
        method => shared.change(|state| state.call(method, &parameters)),
    }
}

/// The parameters of a call. A value of a query or form is parsed as JSON if possible; otherwise it is a text.
fn parameters(query: Vec<(String, String)>, headers: &HeaderMap, body: &[u8]) -> Result<Value, Refusal> {
    let value = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
    let mut parameters: Map<String, Value> =
        query.into_iter().map(|(name, text)| (name, value(text))).collect();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.starts_with("application/json") {
        let body: Map<String, Value> =
            serde_json::from_slice(body).map_err(|_| Refusal::bad("can't parse request JSON object"))?;
        parameters.extend(body);
    } else if kind.starts_with("application/x-www-form-urlencoded") {
        let text = String::from_utf8_lossy(body);
        let uri = format!("/?{text}").parse().map_err(|_| Refusal::bad("can't parse the form"))?;
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&uri)
            .map_err(|_| Refusal::bad("can't parse the form"))?;
        parameters.extend(pairs.into_iter().map(|(name, text)| (name, value(text))));
    }
    Ok(Value::Object(parameters))
}

impl Server {
    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value, Refusal> {
        match method {
            "getme" => {
                let mut me = self.bot.clone();
                me["can_join_groups"] = json!(true);
                me["can_read_all_group_messages"] = json!(!self.privacy);
                Ok(me)
            }
            "sendmessage" => self.send(parameters),
            "editmessagetext" => self.edit_text(parameters),
            "deletemessage" => self.delete(parameters),
            "sendchataction" => self.action(parameters),
            "setmycommands" => self.set_commands(&parameters["commands"]),
            "getmycommands" => Ok(json!(self.commands)),
            "getchat" => {
                let chat = self.open_chat(&parameters["chat_id"])?;
                Ok(self.chats.get(&chat).map(|chat| chat.about.clone()).unwrap_or_default())
            }
            "getfile" => {
                let id = parameters["file_id"].as_str().unwrap_or_default();
                let path = self.files.get(id).ok_or_else(|| Refusal::bad("invalid file_id"))?;
                Ok(json!({ "file_id": id, "file_unique_id": id, "file_size": 1234, "file_path": path }))
            }
            "setwebhook" => self.set_webhook(parameters),
            "deletewebhook" => {
                self.webhook = None;
                if parameters["drop_pending_updates"] == true {
                    self.updates.clear();
                }
                Ok(json!(true))
            }
            "getwebhookinfo" => {
                let url = self.webhook.as_ref().map_or("", |webhook| &webhook.url);
                Ok(json!({ "url": url, "pending_update_count": self.updates.len() }))
            }
            _ => Err(Refusal::plain(StatusCode::NOT_FOUND, "Not Found: method not found")),
        }
    }

    fn set_commands(&mut self, commands: &Value) -> Result<Value, Refusal> {
        let commands = commands.as_array().ok_or_else(|| Refusal::bad("commands must be an Array"))?;
        if commands.len() > 100 {
            return Err(Refusal::bad("BOT_COMMANDS_TOO_MUCH"));
        }
        for command in commands {
            let name = command["command"].as_str().unwrap_or_default();
            let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if !(1..=32).contains(&name.len()) || !name.chars().all(allowed) {
                return Err(Refusal::bad("BOT_COMMAND_INVALID"));
            }
            let length = command["description"].as_str().unwrap_or_default().chars().count();
            if !(1..=256).contains(&length) {
                return Err(Refusal::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
            }
        }
        self.commands.clone_from(commands);
        Ok(json!(true))
    }
}
