//! The other side of a bridge: signed JSON in both directions, as `docs/platforms/bridge.md` specifies it.
//!
//! | rule | here |
//! |---|---|
//! | what comes is signed by the secret, of this minute, and checked before it is read | `take` |
//! | a request whose key is known is answered again and shown once | `take` |
//! | events are sent one after another, each until it is taken | `deliver` |

use std::{
    collections::{HashMap, VecDeque},
    io,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::time::sleep;

use crate::{
    client,
    fake::{Fake, Platform, Shared},
    post::{Face, Post},
};

/// The secret of both directions.
const SECRET: &str = "fake-bridge-secret-of-32-letters";
/// The pause before an event that was not accepted is sent again.
const PAUSE: Duration = Duration::from_millis(20);
/// The largest clock difference in seconds.
const WINDOW: u64 = 300;
/// Mass mentions that a message must not contain.
const EVERYBODY: [&str; 4] = ["@everyone", "@here", "@channel", "@all"];

/// A bridge with one chat behind it.
pub type Bridge = Fake<Server>;

/// The state of a bridge.
pub struct Server {
    /// The address for events.
    url: Option<String>,
    /// Events that were not accepted yet.
    queue: VecDeque<Value>,
    posts: Vec<Post>,
    /// Answers by idempotency key.
    answers: HashMap<String, Value>,
    last_id: u64,
}

impl Bridge {
    /// Starts at a free port.
    ///
    /// # Errors
    /// When there is no free port.
    pub async fn start() -> io::Result<Self> {
        let state = Server {
            url: None,
            queue: VecDeque::new(),
            posts: Vec::new(),
            answers: HashMap::new(),
            last_id: 0,
        };
        let fake = Fake::serve(0, state).await?;
        tokio::spawn(deliver(fake.shared.clone()));
        Ok(fake)
    }

    /// The secret for both directions.
    pub fn secret(&self) -> String {
        SECRET.to_owned()
    }

    /// Sets the address for events.
    pub fn send_events_to(&self, url: &str) {
        self.shared.change(|state| state.url = Some(url.to_owned()));
    }

    /// A person or a bot sends a message in a chat. Returns the event's id.
    pub fn say(&self, channel: &str, author: (&str, &str), is_bot: bool, text: &str) -> String {
        let id = self.shared.change(Server::next_id);
        self.tell(json!({
            "event_id": id, "channel": channel, "text": text, "said_at": now().as_millis(),
            "author": { "id": author.0, "name": author.1, "is_bot": is_bot },
        }));
        id
    }

    /// An author edits a message.
    pub fn edit(&self, channel: &str, author: (&str, &str), id: &str, text: &str) {
        self.tell(json!({
            "type": "edited", "event_id": id, "channel": channel, "text": text,
            "author": { "id": author.0, "name": author.1 },
        }));
    }

    /// A message is deleted.
    pub fn delete(&self, channel: &str, id: &str) {
        self.tell(json!({ "type": "deleted", "event_id": id, "channel": channel }));
    }

    /// A person sends a message with a file that this bridge serves.
    pub fn share(&self, channel: &str, author: (&str, &str), name: &str) -> String {
        let id = self.shared.change(Server::next_id);
        let url = format!("{}/files/{name}", self.url());
        self.tell(json!({
            "event_id": id, "channel": channel, "text": "look", "author": { "id": author.0, "name": author.1 },
            "attachments": [{ "name": name, "media_type": "image/png", "url": url }],
        }));
        id
    }
}

impl Server {
    fn next_id(&mut self) -> String {
        self.last_id += 1;
        format!("m{}", self.last_id)
    }

    fn take(&mut self, key: &str, body: &Value) -> (StatusCode, Value) {
        if let Some(known) = self.answers.get(key) {
            return (StatusCode::OK, known.clone());
        }
        let text = |name: &str| body[name].as_str().map(str::to_owned);
        let answer = match body["type"].as_str() {
            Some("message") => {
                let Some(said) = text("text").filter(|text| !text.is_empty()) else {
                    return (StatusCode::BAD_REQUEST, json!({ "error": "no text" }));
                };
                // ids of messages that this bridge has sent or received
                let is_known = |id: &str| {
                    id.strip_prefix('m')
                        .and_then(|n| n.parse().ok())
                        .is_some_and(|n| (1..=self.last_id).contains(&n))
                };
                if text("reply_to").is_some_and(|id| !is_known(&id)) {
                    return (StatusCode::BAD_REQUEST, json!({ "error": "reply_to is unknown" }));
                }
                let id = self.next_id();
                self.posts.push(Post {
                    id: id.clone(),
                    chat: text("channel").unwrap_or_default(),
                    thread: text("thread"),
                    reply_to: text("reply_to"),
                    face: Face {
                        name: body["persona"]["display_name"].as_str().map(str::to_owned),
                        avatar: None,
                    },
                    notifies: EVERYBODY
                        .into_iter()
                        .filter(|call| said.contains(call))
                        .map(str::to_owned)
                        .collect(),
                    text: said,
                    ..Post::default()
                });
                json!({ "event_id": id })
            }
            Some("deleted") => {
                let id = text("event_id");
                let post = self.posts.iter_mut().find(|post| Some(&post.id) == id.as_ref());
                post.into_iter().for_each(|post| post.deleted = true);
                json!({})
            }
            // repeating these is harmless, so their answers are not stored
            Some("typing" | "notice" | "check") => return (StatusCode::OK, json!({})),
            _ => return (StatusCode::BAD_REQUEST, json!({ "error": "unknown type" })),
        };
        self.answers.insert(key.to_owned(), answer.clone());
        (StatusCode::OK, answer)
    }
}

impl Platform for Server {
    type Event = Value;

    fn router(shared: Shared<Self>) -> Router {
        Router::new()
            .route("/", post(take))
            .route(
                "/files/{name}",
                get(async |axum::extract::Path(name): axum::extract::Path<String>| {
                    crate::files::bytes(&name)
                }),
            )
            .with_state(shared)
    }

    fn tell(shared: &Shared<Self>, event: Value, _repeated: bool) {
        shared.change(|state| state.queue.push_back(event));
    }

    fn posts(&self) -> Vec<Post> {
        self.posts.clone()
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn signature(direction: &str, timestamp: &str, body: &[u8]) -> String {
    // HMAC accepts a key of any length
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()) else { return String::new() };
    mac.update(format!("v1.{direction}.{timestamp}.").as_bytes());
    mac.update(body);
    let digest = mac.finalize().into_bytes();
    format!("v1={}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// Sends events one after another. Repeats each one until it is accepted.
async fn deliver(shared: Shared<Server>) {
    loop {
        let (url, event) = shared.wait(|state| state.url.clone().zip(state.queue.front().cloned())).await;
        let (body, timestamp) = (event.to_string(), now().as_secs().to_string());
        let signed = signature("in", &timestamp, body.as_bytes());
        let headers = [("greenroom-timestamp", timestamp), ("greenroom-signature", signed)];
        match client::post(&url, &headers, body).await {
            Some(200 | 400 | 409) => shared.change(|state| drop(state.queue.pop_front())),
            _ => sleep(PAUSE).await,
        }
    }
}

async fn take(
    State(shared): State<Shared<Server>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, Json<Value>) {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let timestamp = header("greenroom-timestamp");
    let is_recent = timestamp.parse::<u64>().is_ok_and(|at| at.abs_diff(now().as_secs()) <= WINDOW);
    if !is_recent || header("greenroom-signature") != signature("out", timestamp, &body) {
        return (StatusCode::UNAUTHORIZED, Json(json!({ "error": "unsigned" })));
    }
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return (StatusCode::BAD_REQUEST, Json(json!({ "error": "no JSON" })));
    };
    let (status, answer) = shared.change(|state| state.take(header("idempotency-key"), &body));
    (status, Json(answer))
}
