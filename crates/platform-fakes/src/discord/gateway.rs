//! The gateway: one WebSocket connection, from HELLO to its end.

use std::time::Duration;

use axum::{
    Extension,
    extract::{
        Query, State,
        ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade},
    },
    response::Response,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::{
    Server, intent,
    session::{Order, Session},
};
use crate::{fake::Shared, rate::Window, server::Connection};

/// The most frames of a client in 60 s.
const FRAMES: usize = 120;
/// An IDENTIFY within this time after the previous one makes the session invalid.
const BETWEEN_IDENTIFIES: Duration = Duration::from_secs(5);
/// All valid bits of intents.
const INTENTS: u64 = (1 << 26) - 1;

#[derive(Debug)]
pub(super) struct Parameters {
    version: Option<String>,
    encoding: Option<String>,
}

impl Parameters {
    fn new(query: &[(String, String)]) -> Self {
        let get = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        Self { version: get("v"), encoding: get("encoding") }
    }
}

/// `GET /gateway`.
pub(super) async fn connect(
    State(shared): State<Shared<Server>>,
    Extension(Connection(ended)): Extension<Connection>,
    Query(query): Query<Vec<(String, String)>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let parameters = Parameters::new(&query);
    upgrade.on_upgrade(move |mut socket| async move {
        let serving = async {
            let mut client = Client::new(shared.clone());
            let end = client.serve(&mut socket, &parameters).await;
            client.leave(end);
            if let End::Close(code) = end {
                let frame = CloseFrame { code, reason: "".into() };
                let _ = socket.send(Message::Close(Some(frame))).await;
            }
        };
        tokio::select! {
            () = serving => {}
            () = ended.cancelled() => shared.change(|_| ()),
        }
    })
}

/// How a connection ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// The gateway closes it with a code.
    Close(u16),
    /// The client closes it with 1000 or 1001, which ends the session.
    Farewell,
    /// It ends in any other way; the session stays.
    Lost,
}

struct Client {
    shared: Shared<Server>,
    number: u64,
    session: Option<String>,
    /// The number of the last event that was sent.
    sent: usize,
    frames: Window,
    alive: Instant,
}

impl Drop for Client {
    /// Handles connections that break while they are served.
    fn drop(&mut self) {
        self.leave(End::Lost);
    }
}

impl Client {
    fn new(shared: Shared<Server>) -> Self {
        let number = shared.change(|state| {
            state.connections += 1;
            state.connections
        });
        let frames = Window::new(FRAMES, Duration::from_mins(1));
        Self { shared, number, session: None, sent: 0, frames, alive: Instant::now() }
    }

    async fn serve(&mut self, socket: &mut WebSocket, parameters: &Parameters) -> End {
        if parameters.version.as_deref() != Some("10") {
            return End::Close(4012);
        }
        if parameters.encoding.as_deref() != Some("json") {
            return End::Close(4002);
        }
        let interval = self.shared.read(|state| state.heartbeat);
        let hello = json!({ "op": 10, "d": { "heartbeat_interval": interval.as_millis() as u64 } });
        if send(socket, &hello).await.is_err() {
            return End::Lost;
        }
        let mut changes = self.shared.changes();
        loop {
            changes.mark_unchanged();
            match self.flush(socket).await {
                Ok(()) => {}
                Err(end) => return end,
            }
            tokio::select! {
                // half an interval of grace after the interval
                () = sleep_until(self.alive + interval * 3 / 2) => return End::Close(4009),
                _ = changes.changed() => {}
                received = socket.recv() => match received {
                    Some(Ok(Message::Text(text))) => {
                        if let Err(end) = self.receive(socket, text.as_str()).await {
                            return end;
                        }
                    }
                    Some(Ok(Message::Close(frame))) => {
                        let code = frame.map_or(1005, |frame| frame.code);
                        return if matches!(code, 1000 | 1001) { End::Farewell } else { End::Lost };
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Binary(_))) => return End::Close(4002),
                    Some(Err(_)) | None => return End::Lost,
                },
            }
        }
    }

    /// Sends the frames that a test ordered, and the session's events that the client has not received.
    async fn flush(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        while let Some(name) = self.session.clone() {
            let next = self.shared.change_quietly(|state| {
                let session = state.sessions.get_mut(&name).ok_or(End::Close(4009))?;
                if session.connection != Some(self.number) {
                    return Err(End::Close(4005)); // resumed by another connection
                }
                match session.orders.pop_front() {
                    Some(Order::Close(code)) => Err(End::Close(code)),
                    Some(Order::Send { op, resumable }) => {
                        if op == 9 && !resumable {
                            state.sessions.remove(&name);
                        }
                        Ok(Some(
                            json!({ "op": op, "d": if op == 9 { json!(resumable) } else { Value::Null } }),
                        ))
                    }
                    None => {
                        let event = session.event(self.sent + 1);
                        self.sent += usize::from(event.is_some());
                        Ok(event)
                    }
                }
            })?;
            let Some(frame) = next else { break };
            send(socket, &frame).await.map_err(|_| End::Lost)?;
            if frame["op"] == 9 && frame["d"] == false {
                self.session = None;
            }
        }
        Ok(())
    }

    async fn receive(&mut self, socket: &mut WebSocket, text: &str) -> Result<(), End> {
        if self.frames.take().is_err() {
            return Err(End::Close(4008));
        }
        let Ok(frame) = serde_json::from_str::<Value>(text) else { return Err(End::Close(4002)) };
        match frame["op"].as_u64() {
            Some(1) => {
                self.alive = Instant::now();
                if self.shared.read(|state| state.acknowledges) {
                    send(socket, &json!({ "op": 11 })).await.map_err(|_| End::Lost)?;
                }
                Ok(())
            }
            Some(2 | 6) if self.session.is_some() => Err(End::Close(4005)),
            Some(2) => self.identify(socket, &frame["d"]).await,
            Some(6) => self.resume(socket, &frame["d"]).await,
            Some(3 | 4 | 8 | 31) if self.session.is_some() => Ok(()),
            Some(3 | 4 | 8 | 31) => Err(End::Close(4003)),
            _ => Err(End::Close(4001)),
        }
    }

    async fn identify(&mut self, socket: &mut WebSocket, data: &Value) -> Result<(), End> {
        let (number, port) = (self.number, self.shared.port());
        let identified = self.shared.change(|state| {
            let token = data["token"].as_str().map(|token| token.trim_start_matches("Bot "));
            if token != Some(state.token.as_str()) {
                return Err(Some(4004));
            }
            if data["properties"].as_object().is_none() {
                return Err(Some(4002));
            }
            let intents =
                data["intents"].as_u64().filter(|intents| intents & !INTENTS == 0).ok_or(Some(4013))?;
            if intents & intent::PRIVILEGED & !state.privileged != 0 {
                return Err(Some(4014));
            }
            if state.identified.is_some_and(|last| last.elapsed() < BETWEEN_IDENTIFIES && state.limits.on) {
                return Err(None);
            }
            // when the daily limit is exceeded, Discord resets the token
            state.identifies.take().map_err(|_| Some(4004))?;
            state.identified = Some(Instant::now());
            let name = format!("session-{number}");
            let mut session = Session::new(intents, number);
            session.push("READY", &state.ready(&name, port));
            if intents & intent::GUILDS != 0 {
                session.push("GUILD_CREATE", &state.guild());
            }
            state.sessions.insert(name.clone(), session);
            Ok(name)
        });
        match identified {
            Ok(name) => {
                (self.session, self.sent) = (Some(name), 0);
                Ok(())
            }
            Err(Some(code)) => Err(End::Close(code)),
            Err(None) => invalid(socket).await,
        }
    }

    async fn resume(&mut self, socket: &mut WebSocket, data: &Value) -> Result<(), End> {
        let number = self.number;
        let name = data["session_id"].as_str().unwrap_or_default().to_owned();
        let seq = data["seq"].as_u64().and_then(|seq| usize::try_from(seq).ok()).unwrap_or_default();
        let resumed = self.shared.change(|state| {
            let token = data["token"].as_str().map(|token| token.trim_start_matches("Bot "));
            if token != Some(state.token.as_str()) {
                return Err(Some(4004));
            }
            state.resumed(&name, seq, number)?;
            // RESUMED follows all missed events
            if let Some(session) = state.sessions.get_mut(&name) {
                session.push("RESUMED", &Value::Null);
            }
            Ok(())
        });
        match resumed {
            Ok(()) => {
                (self.session, self.sent) = (Some(name), seq);
                Ok(())
            }
            Err(Some(code)) => Err(End::Close(code)),
            Err(None) => invalid(socket).await,
        }
    }

    fn leave(&mut self, end: End) {
        let Some(name) = self.session.take() else { return };
        let number = self.number;
        self.shared.change(|state| {
            let ours = state.sessions.get_mut(&name).filter(|session| session.connection == Some(number));
            match (ours, end) {
                (None, _) => {}
                // after these codes the session cannot be resumed
                (Some(_), End::Farewell | End::Close(1000 | 4004 | 4009..)) => {
                    state.sessions.remove(&name);
                }
                (Some(session), _) => session.disconnect(),
            }
        });
    }
}

/// Op 9 without a session to resume. The client may identify by the same connection.
async fn invalid(socket: &mut WebSocket) -> Result<(), End> {
    send(socket, &json!({ "op": 9, "d": false })).await.map_err(|_| End::Lost)
}

async fn send(socket: &mut WebSocket, frame: &Value) -> Result<(), axum::Error> {
    socket.send(Message::Text(frame.to_string().into())).await
}
