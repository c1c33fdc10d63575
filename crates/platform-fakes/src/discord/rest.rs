//! The REST API: routes, authorization, and errors in Discord's format.

use axum::{
    Json, Router,
    extract::{Path, Request, State},
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, patch, post},
};
use serde_json::{Value, json};

use super::{Id, Server, gateway, id, interactions, limits, messages, webhooks};
use crate::fake::Shared;

/// A refusal: status, Discord's code, message.
pub(super) struct Refusal(pub(super) StatusCode, pub(super) u32, pub(super) String);

impl Refusal {
    pub(super) fn unknown(what: &str, code: u32) -> Self {
        Self(StatusCode::NOT_FOUND, code, format!("Unknown {what}"))
    }

    pub(super) fn forbidden(code: u32, message: &str) -> Self {
        Self(StatusCode::FORBIDDEN, code, message.to_owned())
    }

    /// The body is invalid. `field`: the invalid field.
    pub(super) fn invalid(field: &str, reason: &str) -> Self {
        Self(StatusCode::BAD_REQUEST, 50_035, format!("Invalid Form Body: {field}: {reason}"))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(status, code, message) = self;
        (status, Json(json!({ "message": message, "code": code }))).into_response()
    }
}

pub(super) type Answer = Result<Json<Value>, Refusal>;
pub(super) type Done = Result<StatusCode, Refusal>;

pub(super) fn router(shared: Shared<Server>) -> Router {
    let api = Router::new()
        .route("/gateway/bot", get(gateway_bot))
        .route("/users/@me", get(me))
        .route("/users/@me/channels", post(direct))
        .route("/applications/@me", get(application))
        .route("/applications/{app}/commands", get(interactions::commands).put(interactions::register))
        .route("/guilds/{guild}", get(guild))
        .route("/guilds/{guild}/channels", get(channels))
        .route("/guilds/{guild}/threads/active", get(threads))
        .route("/channels/{channel}", get(channel))
        .route("/channels/{channel}/messages", get(messages::history).post(messages::send))
        .route(
            "/channels/{channel}/messages/{message}",
            get(messages::one).patch(messages::edit).delete(messages::delete),
        )
        .route("/channels/{channel}/messages/{message}/threads", post(messages::start_thread))
        .route("/channels/{channel}/typing", post(messages::typing))
        .route("/channels/{channel}/webhooks", get(webhooks::list).post(webhooks::create))
        .layer(middleware::from_fn_with_state(shared.clone(), authorized))
        // no authorization: the path contains the token
        .route("/webhooks/{webhook}/{token}", post(webhooks::execute))
        .route(
            "/webhooks/{webhook}/{token}/messages/{message}",
            patch(webhooks::edit).delete(webhooks::delete),
        )
        .route("/interactions/{interaction}/{token}/callback", post(interactions::callback))
        .fallback(async || Refusal(StatusCode::NOT_FOUND, 0, "404: Not Found".to_owned()));
    Router::new()
        .nest("/api/v10", api)
        .route("/gateway", get(gateway::connect))
        // no authorization: a real address contains a signature
        .route("/attachments/{name}", get(async |Path(name): Path<String>| crate::files::bytes(&name)))
        .route("/gateway/", get(gateway::connect))
        .layer(middleware::from_fn_with_state(shared.clone(), limits::layer))
        .with_state(shared)
}

async fn authorized(State(shared): State<Shared<Server>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let right = shared.read(|state| given == Some(format!("Bot {}", state.token).as_str()));
    if !right {
        return Refusal(StatusCode::UNAUTHORIZED, 0, "401: Unauthorized".to_owned()).into_response();
    }
    next.run(request).await
}

async fn gateway_bot(State(shared): State<Shared<Server>>) -> Json<Value> {
    let url = format!("ws://127.0.0.1:{}/gateway", shared.port());
    shared.change(|state| {
        let remaining = state.identifies.remaining();
        let reset = state.identifies.reset_after(tokio::time::Instant::now()).as_millis() as u64;
        let limit = json!({
            "total": state.identifies.limit(), "remaining": remaining, "reset_after": reset, "max_concurrency": 1,
        });
        Json(json!({ "url": url, "shards": 1, "session_start_limit": limit }))
    })
}

async fn me(State(shared): State<Shared<Server>>) -> Json<Value> {
    Json(shared.read(|state| state.user(state.bot)))
}

/// Describes the application. Its flags tell which privileged intents the bot's owner has enabled.
async fn application(State(shared): State<Shared<Server>>) -> Json<Value> {
    let flags = [
        (super::intent::GUILD_PRESENCES, 1 << 13),
        (super::intent::GUILD_MEMBERS, 1 << 15),
        (super::intent::MESSAGE_CONTENT, 1 << 19),
    ];
    Json(shared.read(|state| {
        let on = flags.iter().filter(|(intent, _)| state.privileged & intent != 0);
        let flags: u64 = on.map(|(_, flag)| flag).sum();
        json!({ "id": state.bot.to_string(), "name": "Troupe", "flags": flags, "bot": state.user(state.bot) })
    }))
}

async fn direct(State(shared): State<Shared<Server>>, Json(body): Json<Value>) -> Answer {
    shared.change(|state| {
        let user = id(&body["recipient_id"]).filter(|user| state.users.contains_key(user));
        let user = user.ok_or_else(|| Refusal::unknown("User", 10_013))?;
        let channel = state.direct_channel(user);
        Ok(Json(state.channels.get(&channel).cloned().unwrap_or_default()))
    })
}

async fn guild(State(shared): State<Shared<Server>>, Path(guild): Path<Id>) -> Answer {
    shared.read(|state| match guild == state.guild {
        true => Ok(Json(json!({ "id": guild.to_string(), "name": "The Theatre" }))),
        false => Err(Refusal::unknown("Guild", 10_004)),
    })
}

async fn channels(State(shared): State<Shared<Server>>, Path(guild): Path<Id>) -> Answer {
    shared.read(|state| match guild == state.guild {
        true => Ok(Json(state.guild()["channels"].clone())),
        false => Err(Refusal::unknown("Guild", 10_004)),
    })
}

async fn threads(State(shared): State<Shared<Server>>, Path(guild): Path<Id>) -> Answer {
    shared.read(|state| match guild == state.guild {
        true => Ok(Json(json!({ "threads": state.guild()["threads"], "members": [] }))),
        false => Err(Refusal::unknown("Guild", 10_004)),
    })
}

async fn channel(State(shared): State<Shared<Server>>, Path(channel): Path<Id>) -> Answer {
    shared.read(|state| {
        state.readable(channel)?;
        Ok(Json(state.channels.get(&channel).cloned().unwrap_or_default()))
    })
}

impl Server {
    /// # Errors
    /// Unknown channels, and those that the bot may not see.
    pub(super) fn readable(&self, channel: Id) -> Result<(), Refusal> {
        if !self.channels.contains_key(&channel) {
            return Err(Refusal::unknown("Channel", 10_003));
        }
        match self.forbidden.contains(&channel) {
            true => Err(Refusal::forbidden(50_001, "Missing Access")),
            false => Ok(()),
        }
    }
}
