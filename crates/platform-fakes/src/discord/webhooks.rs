//! Webhooks: messages with their own name and picture. They have no nonce and cannot be replies.

use axum::{
    Json,
    extract::{Path, Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    Id, Server, TEXT, id,
    messages::{self, in_channel},
    rest::{Answer, Done, Refusal},
};
use crate::fake::Shared;

/// The most webhooks of a channel.
const MOST: usize = 15;

/// # Errors
/// Names that Discord reserves, empty ones, and those over 80 characters.
fn name(body: &Value, field: &str) -> Result<Option<String>, Refusal> {
    let Some(name) = body[field].as_str() else { return Ok(None) };
    let lower = name.to_lowercase();
    if lower.contains("discord") || lower.contains("clyde") {
        return Err(Refusal::invalid(field, "Username cannot contain \"discord\" or \"clyde\""));
    }
    match name.trim().chars().count() {
        1..=80 => Ok(Some(name.trim().to_owned())),
        _ => Err(Refusal::invalid(field, "Must be between 1 and 80 in length.")),
    }
}

pub(super) async fn list(State(shared): State<Shared<Server>>, Path(channel): Path<Id>) -> Answer {
    shared.read(|state| {
        state.permit_webhooks(channel)?;
        let here: Vec<&Value> =
            state.webhooks.values().filter(|webhook| in_channel(webhook, channel)).collect();
        Ok(Json(json!(here)))
    })
}

pub(super) async fn create(
    State(shared): State<Shared<Server>>,
    Path(channel): Path<Id>,
    Json(body): Json<Value>,
) -> Answer {
    shared.change(|state| {
        state.permit_webhooks(channel)?;
        if state.kind(channel) != Some(TEXT) {
            return Err(Refusal::forbidden(50_024, "Cannot execute action on this channel type"));
        }
        let name = name(&body, "name")?.ok_or_else(|| Refusal::invalid("name", "This field is required"))?;
        if state.webhooks.values().filter(|webhook| in_channel(webhook, channel)).count() >= MOST {
            let text = "Maximum number of webhooks reached (15)".to_owned();
            return Err(Refusal(StatusCode::BAD_REQUEST, 30_007, text));
        }
        let id = state.next_id();
        let webhook = json!({
            "id": id.to_string(), "type": 1, "channel_id": channel.to_string(), "name": name, "avatar": null,
            "guild_id": state.guild.to_string(), "token": format!("webhook-token-{id}"),
            "application_id": state.bot.to_string(), "user": state.user(state.bot),
        });
        state.webhooks.insert(id, webhook.clone());
        Ok(Json(webhook))
    })
}

/// Executes a webhook, or follows up an interaction whose application and token are in the path.
pub(super) async fn execute(
    State(shared): State<Shared<Server>>,
    Path((webhook, token)): Path<(Id, String)>,
    Query(query): Query<Vec<(String, String)>>,
    Json(body): Json<Value>,
) -> Response {
    let get = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let thread = get("thread_id").map(|thread| thread.parse::<Id>().unwrap_or_default());
    let sent = shared.change(|state| {
        if webhook == state.bot {
            return state.follow_up(&token, &body);
        }
        let found = state.webhook(webhook, &token)?.clone();
        let channel = id(&found["channel_id"]).unwrap_or_default();
        let thread_is_here =
            |thread: Id| state.channels.get(&thread).is_some_and(|t| t["parent_id"] == found["channel_id"]);
        if thread.is_some_and(|thread| !thread_is_here(thread)) {
            return Err(Refusal::unknown("Channel", 10_003));
        }
        let content = messages::content(&body)?;
        let name = name(&body, "username")?.unwrap_or_else(|| found["name"].as_str().unwrap_or_default().to_owned());
        let author = json!({
            "id": webhook.to_string(), "username": name, "avatar": body["avatar_url"], "discriminator": "0000",
            "bot": true,
        });
        let channel = thread.unwrap_or(channel);
        let mut message = state.compose(channel, author, &content, None, &body["allowed_mentions"]);
        message["webhook_id"] = json!(webhook.to_string());
        message["application_id"] = json!(state.bot.to_string());
        let sent = state.add(&message);
        state.posts.extend(sent);
        Ok(message)
    });
    match sent {
        Err(refusal) => refusal.into_response(),
        Ok(message) if get("wait") == Some("true") || webhook_is_application(&shared, webhook) => {
            Json(message).into_response()
        }
        Ok(_) => StatusCode::NO_CONTENT.into_response(),
    }
}

pub(super) async fn edit(
    State(shared): State<Shared<Server>>,
    Path((webhook, token, message)): Path<(Id, String, String)>,
    Json(body): Json<Value>,
) -> Answer {
    shared.change(|state| {
        if webhook == state.bot {
            return state.edit_original(&token, &message, &body).map(Json);
        }
        let message = state.message_of_webhook(webhook, &token, &message)?;
        let content = messages::content(&body)?;
        Ok(Json(state.rewrite(message, &content)))
    })
}

pub(super) async fn delete(
    State(shared): State<Shared<Server>>,
    Path((webhook, token, message)): Path<(Id, String, String)>,
) -> Done {
    shared.change(|state| {
        let message = state.message_of_webhook(webhook, &token, &message)?;
        state.remove(message);
        Ok(StatusCode::NO_CONTENT)
    })
}

fn webhook_is_application(shared: &Shared<Server>, webhook: Id) -> bool {
    shared.read(|state| state.bot == webhook)
}

impl Server {
    fn permit_webhooks(&self, channel: Id) -> Result<(), Refusal> {
        match self.may_have_webhooks {
            true => self.readable(channel),
            false => Err(Refusal::forbidden(50_013, "Missing Permissions")),
        }
    }

    fn webhook(&self, webhook: Id, token: &str) -> Result<&Value, Refusal> {
        match self.webhooks.get(&webhook) {
            None => Err(Refusal::unknown("Webhook", 10_015)),
            Some(found) if found["token"] != token => {
                Err(Refusal(StatusCode::UNAUTHORIZED, 50_027, "Invalid Webhook Token".to_owned()))
            }
            Some(found) => Ok(found),
        }
    }

    fn message_of_webhook(&self, webhook: Id, token: &str, message: &str) -> Result<Id, Refusal> {
        self.webhook(webhook, token)?;
        let message = message.parse().unwrap_or_default();
        let found = self.messages.get(&message).filter(|found| id(&found["webhook_id"]) == Some(webhook));
        match found {
            Some(_) if !self.deleted.contains(&message) => Ok(message),
            _ => Err(Refusal::unknown("Message", 10_008)),
        }
    }
}
