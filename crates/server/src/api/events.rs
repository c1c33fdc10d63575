//! Subscriptions to a channel or a persona, by server-sent events or over a WebSocket.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{
        FromRequestParts, State, WebSocketUpgrade,
        ws::{CloseFrame, Message, WebSocket, close_code},
    },
    response::Response,
};
use greenroom_core::{ChannelKey, PersonaName, TurnEvent, real_time};
use greenroom_runtime::Topic;
use http::{StatusCode, request::Parts};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::stream::{Listener, ResumeFrom, ResumeHeader, ResumeQuery, StreamItem, sse};
use crate::{
    ApiError, Caller, Services,
    access::Operator,
    connection::{Connection, InFlight},
    extract::Path,
    limits::LimitGuard,
    operations::{GaugeGuard, Operations},
    reference::Failures,
};

/// The longest message of a client over a WebSocket, in bytes.
const MESSAGE_LIMIT: usize = 4 * 1024;

/// A client's question for a sign of life, and the answer.
const PING: &str = r#"{"type":"ping"}"#;
const PONG: &str = r#"{"type":"pong"}"#;

/// The read buffer of a WebSocket, and the limit of its write buffer, in bytes.
const BUFFER: usize = 1024;
const WRITE_BUFFER: usize = 1 << 20;

/// A client that takes no message for this time counts as disconnected.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(channel_events))
        .routes(routes!(persona_events))
        .routes(routes!(channel_socket))
        .routes(routes!(persona_socket))
}

/// Subscribe to a channel
///
/// Every event of every turn there, from now on or from after `Last-Event-ID`. `resync` means that events in between
/// are no longer in memory: read the messages. `lagged` means that the client was too slow, and ends the stream.
/// `closing` means that the server stops. A comment is sent every 15 seconds.
#[utoipa::path(
    get, path = "/api/channels/{channel}/events", tag = "events",
    params(("channel" = ChannelKey, Path, description = "The channel"), ResumeHeader, ResumeQuery),
    responses(
        (status = 200, description = "Events", body = TurnEvent, content_type = "text/event-stream"),
        Failures,
    ),
)]
async fn channel_events(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    from: ResumeFrom,
) -> Result<Response, ApiError> {
    caller.check_channel(&channel)?;
    Ok(sse(Listener::new(&services, &caller, Topic::Channel(channel), from).await.stream()))
}

/// Subscribe to a persona
///
/// Its events in all channels; otherwise as with a channel. For operators.
#[utoipa::path(
    get, path = "/api/personas/{name}/events", tag = "events",
    params(("name" = PersonaName, Path, description = "The persona"), ResumeHeader, ResumeQuery),
    responses(
        (status = 200, description = "Events", body = TurnEvent, content_type = "text/event-stream"),
        Failures,
    ),
)]
async fn persona_events(
    State(services): State<Services>,
    Operator(caller): Operator,
    Path(name): Path<PersonaName>,
    from: ResumeFrom,
) -> Result<Response, ApiError> {
    services.runtime.persona(&name)?;
    Ok(sse(Listener::new(&services, &caller, Topic::Persona(name), from).await.stream()))
}

/// Subscribe to a channel over a WebSocket
///
/// Each event is a text frame: the JSON of the event with its `id`. A client that sends
/// `{"last_event_id": "…"}` gets the events after that one; one that sends `{"type":"ping"}` gets `{"type":"pong"}`. A server that stops closes with 1001.
#[utoipa::path(
    get, path = "/api/channels/{channel}/ws", tag = "events",
    params(("channel" = ChannelKey, Path, description = "The channel"), ResumeQuery),
    responses((status = 101, description = "Switching to a WebSocket"), Failures),
)]
async fn channel_socket(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    from: ResumeFrom,
    socket: Socket,
) -> Result<Response, ApiError> {
    caller.check_channel(&channel)?;
    Ok(upgrade(socket, services, caller, Topic::Channel(channel), from).await)
}

/// Subscribe to a persona over a WebSocket
///
/// Its events in all channels; otherwise as with a channel. For operators.
#[utoipa::path(
    get, path = "/api/personas/{name}/ws", tag = "events",
    params(("name" = PersonaName, Path, description = "The persona"), ResumeQuery),
    responses((status = 101, description = "Switching to a WebSocket"), Failures),
)]
async fn persona_socket(
    State(services): State<Services>,
    Operator(caller): Operator,
    Path(name): Path<PersonaName>,
    from: ResumeFrom,
    socket: Socket,
) -> Result<Response, ApiError> {
    services.runtime.persona(&name)?;
    Ok(upgrade(socket, services, caller, Topic::Persona(name), from).await)
}

/// A request to become a WebSocket, and the guard that it holds until it ends.
struct Socket {
    upgrade: WebSocketUpgrade,
    guard: SocketGuard,
}

/// The resources of a WebSocket: its connection, which never counts as idle, its permit among the streams, and its
/// count.
#[expect(dead_code, reason = "it is held until it is dropped")]
struct SocketGuard {
    connection: Option<InFlight>,
    limits: Option<Arc<LimitGuard>>,
    live: Option<GaugeGuard>,
}

impl FromRequestParts<Services> for Socket {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, ApiError> {
        let upgrade = WebSocketUpgrade::from_request_parts(parts, services).await.map_err(|rejection| {
            ApiError::new(StatusCode::UPGRADE_REQUIRED, "websocket_required", rejection.body_text())
        })?;
        let guard = SocketGuard {
            connection: parts.extensions.get::<Arc<Connection>>().map(Connection::begin),
            limits: parts.extensions.get::<Arc<LimitGuard>>().cloned(),
            live: parts
                .extensions
                .get::<Arc<Operations>>()
                .map(|operations| operations.http.stream("websocket")),
        };
        Ok(Self { upgrade, guard })
    }
}

async fn upgrade(
    Socket { upgrade, guard }: Socket,
    services: Services,
    caller: Caller,
    topic: Topic,
    from: ResumeFrom,
) -> Response {
    // subscribed before the handshake ends, so that no event in between is missed
    let listener = Listener::new(&services, &caller, topic.clone(), from).await;
    upgrade
        .max_message_size(MESSAGE_LIMIT)
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .on_upgrade(async move |socket| {
            let _guard = guard;
            send_events(socket, services, topic, listener).await;
        })
}

/// Sends events until the client leaves, the client stops reading, its key is revoked, or the server stops.
async fn send_events(mut socket: WebSocket, services: Services, topic: Topic, mut listener: Listener) {
    // whether the client has sent anything since the last ping
    let mut alive = true;
    loop {
        let message = tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(message)) => {
                    alive = true;
                    if let Some(from) = resume_from(&services, &message) {
                        listener.resume(topic.clone(), from).await;
                    }
                    if !is_ping(&message) {
                        continue;
                    }
                    Message::text(PONG)
                }
                Some(Err(_)) | None => return,
            },
            item = listener.next() => match item {
                Some(StreamItem::Frame(frame)) => Message::text(frame.text()),
                Some(StreamItem::Idle) if std::mem::take(&mut alive) => Message::Ping(Default::default()),
                Some(StreamItem::Idle) => return,
                Some(StreamItem::Closing) => {
                    let reason = "the server stops".into();
                    Message::Close(Some(CloseFrame { code: close_code::AWAY, reason }))
                }
                None => Message::Close(None),
            },
        };
        let last = matches!(message, Message::Close(_));
        match real_time().timeout(SEND_TIMEOUT, socket.send(message)).await {
            Ok(Ok(())) if !last => {}
            _ => return,
        }
    }
}

/// Whether a client asks for a sign of life. Scripts in browsers cannot see the pings of the protocol.
fn is_ping(message: &Message) -> bool {
    matches!(message, Message::Text(text) if text.as_str() == PING)
}

/// The position at which a client wants to resume. Its other messages are ignored.
fn resume_from(services: &Services, message: &Message) -> Option<ResumeFrom> {
    let Message::Text(text) = message else { return None };
    let ResumeQuery { last_event_id } = serde_json::from_str(text).ok()?;
    last_event_id.map(|id| ResumeFrom::read(services.runtime.run(), &id))
}
