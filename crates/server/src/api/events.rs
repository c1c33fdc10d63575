//! Listening to a channel or a persona: as an event stream, or over a WebSocket.

use std::time::Duration;

use axum::{
    extract::{
        FromRequestParts, State, WebSocketUpgrade,
        ws::{CloseFrame, Message, WebSocket, close_code},
    },
    response::Response,
};
use greenroom_core::{ChannelKey, PersonaName, TurnEvent};
use greenroom_runtime::Topic;
use http::{HeaderMap, StatusCode, request::Parts};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::stream::{Listener, Since, Told, sse};
use crate::{
    ApiError, Caller, Services,
    extract::{Path, Query},
    reference::Failures,
};

/// The longest thing a client may say over a WebSocket, in bytes.
const SAID_LIMIT: usize = 4 * 1024;

/// What a connection that does nothing holds, in bytes; a busy one may hold `BUSY`.
const BUFFER: usize = 1024;
const BUSY: usize = 1 << 20;

/// A client that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(channel_events))
        .routes(routes!(persona_events))
        .routes(routes!(channel_socket))
        .routes(routes!(persona_socket))
}

/// Where to go on.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Last {
    /// The last event that was heard, for clients that cannot send the header `Last-Event-ID`.
    pub last_event_id: Option<String>,
}

/// Listen to a channel
///
/// Every event of every turn there, from now on or from behind `Last-Event-ID`. `resync` says that what
/// happened in between is no longer known and the history is to be read; `lagged` says that the reader
/// was too slow, and ends the stream; `closing` that the server stops. A comment comes every 15 seconds.
#[utoipa::path(
    get,
    path = "/api/channels/{channel}/events",
    tag = "events",
    params(
        ("channel" = ChannelKey, Path, description = "Which channel"),
        ("Last-Event-ID" = Option<String>, Header, description = "The last event that was heard"),
        Last,
    ),
    responses(
        (status = 200, description = "What happens", body = TurnEvent, content_type = "text/event-stream"),
        Failures,
    ),
)]
async fn channel_events(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    Query(last): Query<Last>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    caller.enter(&channel)?;
    let from = Since::of(&services.runtime, &headers, last.last_event_id.as_deref());
    Ok(sse(Listener::new(&services, &caller, Topic::Channel(channel), from).await.stream()))
}

/// Listen to a persona, wherever it plays
///
/// As with a channel; for operators.
#[utoipa::path(
    get,
    path = "/api/personas/{name}/events",
    tag = "events",
    params(
        ("name" = PersonaName, Path, description = "Who"),
        ("Last-Event-ID" = Option<String>, Header, description = "The last event that was heard"),
        Last,
    ),
    responses(
        (status = 200, description = "What happens", body = TurnEvent, content_type = "text/event-stream"),
        Failures,
    ),
)]
async fn persona_events(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
    Query(last): Query<Last>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    caller.operate()?;
    services.runtime.persona(&name)?;
    let from = Since::of(&services.runtime, &headers, last.last_event_id.as_deref());
    Ok(sse(Listener::new(&services, &caller, Topic::Persona(name), from).await.stream()))
}

/// Listen to a channel over a WebSocket
///
/// Each event is a text frame: the same JSON with its `id`. A client that says
/// `{"last_event_id": "…"}` hears what came after that. When the server stops it closes with 1001.
#[utoipa::path(
    get,
    path = "/api/channels/{channel}/ws",
    tag = "events",
    params(("channel" = ChannelKey, Path, description = "Which channel"), Last),
    responses((status = 101, description = "It is a WebSocket now"), Failures),
)]
async fn channel_socket(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    Query(last): Query<Last>,
    Socket(upgrade): Socket,
) -> Result<Response, ApiError> {
    caller.enter(&channel)?;
    Ok(attend(upgrade, services, caller, Topic::Channel(channel), &last).await)
}

/// Listen to a persona over a WebSocket
///
/// As with a channel; for operators.
#[utoipa::path(
    get,
    path = "/api/personas/{name}/ws",
    tag = "events",
    params(("name" = PersonaName, Path, description = "Who"), Last),
    responses((status = 101, description = "It is a WebSocket now"), Failures),
)]
async fn persona_socket(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
    Query(last): Query<Last>,
    Socket(upgrade): Socket,
) -> Result<Response, ApiError> {
    caller.operate()?;
    services.runtime.persona(&name)?;
    Ok(attend(upgrade, services, caller, Topic::Persona(name), &last).await)
}

/// A request that wants to be a WebSocket.
struct Socket(WebSocketUpgrade);

impl FromRequestParts<Services> for Socket {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, ApiError> {
        let upgrade = WebSocketUpgrade::from_request_parts(parts, services).await;
        upgrade.map(Self).map_err(|rejection| {
            ApiError::new(StatusCode::UPGRADE_REQUIRED, "websocket_required", rejection.body_text())
        })
    }
}

async fn attend(
    upgrade: WebSocketUpgrade,
    services: Services,
    caller: Caller,
    topic: Topic,
    last: &Last,
) -> Response {
    let from = Since::of(&services.runtime, &HeaderMap::new(), last.last_event_id.as_deref());
    // listening before the handshake ends: what happens from then on is heard
    let listener = Listener::new(&services, &caller, topic.clone(), from).await;
    upgrade
        .max_message_size(SAID_LIMIT)
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(BUSY)
        .on_upgrade(async move |socket| converse(socket, services, topic, listener).await)
}

/// Tells a client what happens until it leaves, takes nothing any more, or has to go.
async fn converse(mut socket: WebSocket, services: Services, topic: Topic, mut listener: Listener) {
    // whether anything came of the client since it was last asked
    let mut alive = true;
    loop {
        let message = tokio::select! {
            said = socket.recv() => match said {
                Some(Ok(message)) => {
                    alive = true;
                    if let Some(from) = asked(&services, &message) {
                        listener.go_on(topic.clone(), from).await;
                    }
                    continue;
                }
                Some(Err(_)) | None => return,
            },
            told = listener.next() => match told {
                Some(Told::Frame(frame)) => Message::text(frame.text()),
                Some(Told::Nothing) if std::mem::take(&mut alive) => Message::Ping(Default::default()),
                Some(Told::Nothing) => return,
                Some(Told::Closing) => {
                    let reason = "the server stops".into();
                    Message::Close(Some(CloseFrame { code: close_code::AWAY, reason }))
                }
                None => Message::Close(None),
            },
        };
        let last = matches!(message, Message::Close(_));
        match tokio::time::timeout(PATIENCE, socket.send(message)).await {
            Ok(Ok(())) if !last => {}
            _ => return,
        }
    }
}

/// Where a client wants to go on. What else it says is passed over.
fn asked(services: &Services, message: &Message) -> Option<Since> {
    let Message::Text(text) = message else { return None };
    let Last { last_event_id } = serde_json::from_str(text).ok()?;
    last_event_id.map(|id| Since::read(services.runtime.run(), &id))
}
