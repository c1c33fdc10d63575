//! Socket Mode: tickets, connections, acknowledgements.

use std::collections::VecDeque;

use axum::{
    Extension,
    extract::{
        Query, State,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::Server;
use crate::{fake::Shared, server};

/// The most connections of an app.
pub(super) const MOST: usize = 10;

/// An open connection.
#[derive(Default)]
pub(super) struct Connection {
    /// The frames that are still to be sent.
    pub(super) frames: VecDeque<Value>,
    /// Whether it ends after sending them.
    pub(super) closing: bool,
}

/// `GET /socket`. A ticket is valid for one connection.
pub(super) async fn connect(
    State(shared): State<Shared<Server>>,
    Extension(server::Connection(ended)): Extension<server::Connection>,
    Query(query): Query<Vec<(String, String)>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let ticket = query.iter().find(|(key, _)| key == "ticket").map(|(_, value)| value.clone());
    let opened = shared.change(|state| {
        let known = ticket.is_some_and(|ticket| state.tickets.remove(&ticket));
        (known && state.connections.len() < MOST).then(|| {
            state.last_id += 1;
            let number = state.last_id;
            let hello = json!({
                "type": "hello", "num_connections": state.connections.len() + 1,
                "connection_info": { "app_id": "A0TROUPE" },
                "debug_info": { "host": "fake", "approximate_connection_time": 18_060 },
            });
            let connection = Connection { frames: VecDeque::from([hello]), closing: false };
            state.connections.insert(number, connection);
            number
        })
    });
    let Some(number) = opened else { return StatusCode::FORBIDDEN.into_response() };
    let open = Open { shared, number };
    upgrade.on_upgrade(move |mut socket| async move {
        tokio::select! {
            () = open.serve(&mut socket) => {}
            () = ended.cancelled() => {}
        }
    })
}

/// Keeps a connection registered while it exists.
struct Open {
    shared: Shared<Server>,
    number: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.shared.change(|state| state.connections.remove(&self.number));
    }
}

impl Open {
    async fn serve(&self, socket: &mut WebSocket) {
        let mut changes = self.shared.changes();
        loop {
            changes.mark_unchanged();
            loop {
                let next = self.shared.change_quietly(|state| {
                    let connection = state.connections.get_mut(&self.number)?;
                    Some((connection.frames.pop_front(), connection.closing))
                });
                match next {
                    None | Some((None, true)) => return,
                    Some((None, false)) => break,
                    Some((Some(frame), _)) => {
                        if socket.send(Message::Text(frame.to_string().into())).await.is_err() {
                            return;
                        }
                    }
                }
            }
            tokio::select! {
                _ = changes.changed() => {}
                received = socket.recv() => match received {
                    Some(Ok(Message::Text(text))) => self.receive(text.as_str()),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    _ => return,
                },
            }
        }
    }

    fn receive(&self, text: &str) {
        let Ok(frame) = serde_json::from_str::<Value>(text) else { return };
        let Some(id) = frame["envelope_id"].as_str() else { return };
        self.shared.change(|state| {
            state.respond(id, &frame["payload"]);
            state.acknowledge(id);
        });
    }
}
