//! One connection of Socket Mode, from requesting its address to its end.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::{Me, Slack, api::Refusal, history};
use crate::{
    ConnectionState, Ended, Event, Inlet,
    websocket::{self, Socket},
};

/// Slack pings every few seconds. A connection without data for this time is dead.
const SILENCE: Duration = Duration::from_secs(60);
/// The time limit for closing the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Connects, catches up and passes events on until the connection ends.
pub(super) async fn run(slack: &Slack, inlet: &dyn Inlet) -> Ended {
    let closing = inlet.closing();
    let run = async {
        inlet.report(ConnectionState::Connecting);
        let me = slack.sign_in().await.map_err(Refusal::ended)?;
        let url = slack.api.open().await.map_err(Refusal::ended)?;
        let mut socket = websocket::connect(&url).await.map_err(Ended::Broken)?;
        // later messages arrive on the open connection, earlier ones are in the histories
        history::catch_up(slack, inlet, &me).await?;
        serve(slack, inlet, &me, &mut socket).await
    };
    tokio::select! {
        ended = run => ended.err().unwrap_or(Ended::Reconnect),
        () = closing.cancelled() => Ended::Stopped,
    }
}

async fn serve(slack: &Slack, inlet: &dyn Inlet, me: &Me, socket: &mut Socket) -> Result<(), Ended> {
    loop {
        let received = timeout(SILENCE, socket.next()).await;
        let text = match received {
            Err(_) => return Err(Ended::Broken("Slack fell silent".to_owned())),
            Ok(None | Some(Ok(Message::Close(_)))) => {
                return Err(Ended::Broken("Slack closed the connection".to_owned()));
            }
            Ok(Some(Err(error))) => return Err(Ended::Broken(error.to_string())),
            Ok(Some(Ok(Message::Text(text)))) => text,
            Ok(Some(Ok(_))) => continue,
        };
        let Ok(frame) = serde_json::from_str::<Value>(text.as_str()) else { continue };
        match frame["type"].as_str().unwrap_or_default() {
            "hello" => inlet.report(ConnectionState::Online { as_user: format!("@{}", me.name) }),
            "disconnect" if frame["reason"] == "link_disabled" => {
                return Err(Ended::Refused(
                    "Socket Mode was switched off; switch it on at https://api.slack.com/apps under Socket Mode".to_owned(),
                ));
            }
            "disconnect" if frame["reason"] == "warning" => {}
            "disconnect" => {
                let _ = timeout(CLOSE_TIMEOUT, socket.close(None)).await;
                return Err(Ended::Reconnect);
            }
            kind => {
                handle_payload(slack, inlet, me, kind, &frame["payload"]).await?;
                let Some(id) = frame["envelope_id"].as_str() else { continue };
                // acknowledge after the event is stored
                let ack = Message::text(json!({ "envelope_id": id }).to_string());
                socket.send(ack).await.map_err(|error| Ended::Broken(error.to_string()))?;
            }
        }
    }
}

async fn handle_payload(
    slack: &Slack,
    inlet: &dyn Inlet,
    me: &Me,
    kind: &str,
    payload: &Value,
) -> Result<(), Ended> {
    let event = match kind {
        "events_api" => slack.event(&payload["event"], me).await,
        "slash_commands" => slack.command(payload).map(Event::Command),
        _ => None,
    };
    let Some(event) = event else { return Ok(()) };
    slack.take(inlet, event).await.map(|_| ()).map_err(|error| Ended::Broken(error.to_string()))
}
