//! Delivers events to the app. Each is repeated until it is acknowledged, four attempts at most.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::time::{sleep, timeout};

use super::Server;
use crate::{client, fake::Shared};

/// The time limit for an acknowledgement.
const ACKNOWLEDGE: Duration = Duration::from_secs(3);
/// The pause before each attempt.
const ATTEMPTS: [Duration; 4] =
    [Duration::ZERO, Duration::ZERO, Duration::from_mins(1), Duration::from_mins(5)];

/// A call of the Events API: address, headers, body.
type Call = (String, Vec<(&'static str, String)>, String);

/// An event without an acknowledgement.
pub(super) struct Envelope {
    kind: &'static str,
    payload: Value,
}

impl Envelope {
    /// The name of a slash command's `response_url`.
    pub(super) fn response_name(&self) -> Option<String> {
        self.payload["response_url"].as_str()?.rsplit('/').next().map(str::to_owned)
    }
}

/// Delivers an event: by Socket Mode, or by the Events API if it has an address.
pub(super) fn deliver(shared: &Shared<Server>, kind: &'static str, payload: Value) {
    let shared = shared.clone();
    let id = shared.change(|state| {
        let id = state.next_id('E');
        state.pending.insert(id.clone(), Envelope { kind, payload });
        // offered here and not in the task, so that events keep their order
        state.offer(&id, 0);
        id
    });
    tokio::spawn(async move {
        for (attempt, pause) in ATTEMPTS.into_iter().enumerate() {
            sleep(pause).await;
            if attempt > 0 {
                shared.change(|state| state.offer(&id, attempt));
            }
            if answered(&shared, &id, attempt).await {
                return;
            }
        }
        shared.change(|state| {
            state.pending.remove(&id);
            state.lost.push(id);
        });
    });
}

/// Whether the event is acknowledged within the time limit.
async fn answered(shared: &Shared<Server>, id: &str, attempt: usize) -> bool {
    let http = shared.read(|state| state.request(id, attempt));
    if let Some((url, headers, body)) = http {
        let status = timeout(ACKNOWLEDGE, client::post(&url, &headers, body)).await.ok().flatten();
        if !matches!(status, Some(200..=299)) {
            return false;
        }
        shared.change(|state| state.acknowledge(id));
        return true;
    }
    let acknowledged = shared.wait(|state| (!state.pending.contains_key(id)).then_some(()));
    timeout(ACKNOWLEDGE, acknowledged).await.is_ok()
}

/// Formats a payload as a form, as for slash commands.
fn form(payload: &Value) -> String {
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let fields = payload.as_object().into_iter().flatten();
    let fields = fields.filter_map(|(name, value)| Some(format!("{name}={}", encoded(value.as_str()?))));
    fields.collect::<Vec<_>>().join("&")
}

impl Server {
    /// Sends an event to a connection, if there is one. Connections take turns.
    fn offer(&mut self, id: &str, attempt: usize) {
        let Some(envelope) = self.pending.get(id) else { return };
        if self.events_url.is_some() {
            return;
        }
        let mut frame = json!({
            "envelope_id": id, "type": envelope.kind, "payload": envelope.payload,
            "accepts_response_payload": envelope.kind == "slash_commands",
        });
        if envelope.kind == "events_api" {
            frame["retry_attempt"] = json!(attempt);
            frame["retry_reason"] = json!(if attempt == 0 { "" } else { "timeout" });
        }
        let next = self.connections.range(self.turn + 1..).next().or_else(|| self.connections.iter().next());
        let Some(number) = next.map(|(number, _)| *number) else { return };
        self.turn = number;
        if let Some(connection) = self.connections.get_mut(&number) {
            connection.frames.push_back(frame);
        }
    }

    /// Removes an acknowledged event. As Slack, accepts the acknowledgement of an unknown event without an error.
    pub(super) fn acknowledge(&mut self, id: &str) {
        if self.pending.remove(id).is_some() {
            self.acknowledged.push(id.to_owned());
        }
    }

    /// The HTTP call for an event, if the app has an address.
    fn request(&self, id: &str, attempt: usize) -> Option<Call> {
        let envelope = self.pending.get(id)?;
        let url = self.events_url.clone()?;
        let body = match envelope.kind {
            "slash_commands" => form(&envelope.payload),
            _ => envelope.payload.to_string(),
        };
        let mut headers = self.signature(&body, 0);
        if attempt > 0 {
            headers.push(("x-slack-retry-num", attempt.to_string()));
            headers.push(("x-slack-retry-reason", "http_timeout".to_owned()));
        }
        Some((url, headers, body))
    }

    /// The signature headers of a body, signed `seconds_ago` seconds ago: HMAC-SHA256 of version, time and body.
    pub(super) fn signature(&self, body: &str, seconds_ago: u64) -> Vec<(&'static str, String)> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let time = now.saturating_sub(seconds_ago).to_string();
        // HMAC accepts a key of any length
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.signing_secret.as_bytes()) else {
            return Vec::new();
        };
        mac.update(format!("v0:{time}:{body}").as_bytes());
        let digest: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        vec![("x-slack-request-timestamp", time), ("x-slack-signature", format!("v0={digest}"))]
    }

    /// The payload of an event, for both Socket Mode and the Events API.
    pub(super) fn callback(&mut self, event: &Value) -> Value {
        let id = self.next_id('V').replacen('V', "Ev", 1);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        json!({
            "type": "event_callback", "event_id": id, "event_time": time, "team_id": "T0THEATRE",
            "api_app_id": "A0TROUPE", "event": event,
            "authorizations": [{ "team_id": "T0THEATRE", "user_id": self.bot_user, "is_bot": true }],
        })
    }
}
