//! The bridge adapter: signed JSON over HTTP, for any platform without an adapter of its own. The specification is
//! `docs/platforms/bridge.md`.
//!
//! ```text
//! bridge/signing.rs   signatures of both directions
//! bridge/event.rs     the JSON of incoming events
//! bridge/fields.rs    checks the fields of incoming events
//! ```

mod event;
mod fields;
mod signing;

use std::time::Duration;

use async_trait::async_trait;
use greenroom_core::{Entropy, Platform, SystemEntropy};
use greenroom_persona::Secret;
use reqwest::Method;
use serde_json::{Value, json};

use self::signing::{Direction, is_signed, sign};
use crate::{
    Account, AccountError, Adapter, ConnectionState, Dialect, Ended, Face, Faces, Finding, Inlet, Limits,
    Outcome, Place, Rate, Request, Unit, WebhookError, WebhookRequest, WebhookResponse,
    http::{self, Answer, Http, HttpError},
    registry::is_local,
    signature::{ReplayCache, now},
    text::short_hash,
};

/// Header names for both directions.
pub(crate) const TIMESTAMP: &str = "Greenroom-Timestamp";
pub(crate) const SIGNATURE: &str = "Greenroom-Signature";
/// The shortest secret in bytes.
const SHORTEST_SECRET: usize = 16;

/// An account on a bridge.
pub(crate) struct Bridge {
    name: String,
    http: Http,
    /// Signs outgoing requests.
    secret: Secret,
    /// Verifies incoming requests; equal to `secret` if the settings name one secret.
    their_secret: Secret,
    seen: ReplayCache,
}

impl Bridge {
    /// # Errors
    /// The address or the secret is missing, or the secret is too short.
    pub(crate) fn new(account: &Account) -> Result<Self, AccountError> {
        let settings = &account.settings;
        let url = account.need("server", "https://bridge.example.org/greenroom", settings.server.clone())?;
        let secret = account.need("token_env", "token_env = \"BRIDGE_SECRET\"", account.token.clone())?;
        let their_secret = account.app_token.clone().unwrap_or_else(|| secret.clone());
        let setting = |why: String| AccountError::Setting { account: settings.name.clone(), why };
        if [&secret, &their_secret].iter().any(|secret| secret.expose().len() < SHORTEST_SECRET) {
            let why = format!(
                "the secret has fewer than {SHORTEST_SECRET} characters; `openssl rand -hex 32` makes one"
            );
            return Err(setting(why));
        }
        let is_plain = url.starts_with("http://");
        if !is_plain && !url.starts_with("https://") || is_plain && !is_local(&url) {
            return Err(setting(format!("server is {url}; write https://, or http:// on this machine")));
        }
        let http = Http::trusting(url, settings.ca_file.as_deref()).map_err(setting)?;
        Ok(Self { name: settings.name.clone(), http, secret, their_secret, seen: ReplayCache::since(now()) })
    }

    fn channel<'a>(&self, place: &'a Place) -> Option<&'a str> {
        place.chat.strip_prefix(self.name.as_str())?.strip_prefix('/')
    }

    /// Posts a signed request. `key` is equal for all attempts at the same request.
    async fn post(&self, key: &str, body: &Value) -> Result<Answer, HttpError> {
        let (body, timestamp) = (body.to_string(), now().to_string());
        let signature = sign(self.secret.expose(), Direction::Out, &timestamp, body.as_bytes());
        let request = self
            .http
            .call(Method::POST, "")
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .header(TIMESTAMP, timestamp)
            .header(SIGNATURE, signature)
            .body(body);
        http::send(request).await
    }

    async fn send(&self, key: &str, body: &Value) -> Outcome {
        match self.post(key, body).await {
            Ok(answer) => outcome(&answer),
            Err(error) => error.into(),
        }
    }

    /// The fields that all requests about a place have. `None` if the place is not on this bridge.
    fn body(&self, kind: &str, place: &Place, face: Option<&Face>) -> Option<Value> {
        let mut body = json!({ "type": kind, "channel": self.channel(place)?, "thread": place.thread });
        if let Some(face) = face {
            body["persona"] = json!({ "name": face.persona, "display_name": face.name });
        }
        Some(body)
    }
}

fn outcome(answer: &Answer) -> Outcome {
    let why = || format!("the bridge answers {}", answer.status);
    match answer.status {
        200..=299 => Outcome::Done { event_id: answer.body["event_id"].as_str().map(str::to_owned) },
        429 => Outcome::RetryAfter(answer.retry_after()),
        503 => Outcome::Failed(why()),
        408 | 500..=599 => Outcome::Uncertain(why()),
        _ => Outcome::Refused(why()),
    }
}

#[async_trait]
impl Adapter for Bridge {
    fn platform(&self) -> Platform {
        Platform::Bridge
    }

    fn serves(&self, place: &Place) -> bool {
        self.channel(place).is_some()
    }

    fn limits(&self, _: &Place) -> Limits {
        Limits {
            longest: 16_000,
            unit: Unit::Chars,
            lines: true,
            dialect: Dialect::Markdown,
            per_chat: Rate { burst: 10, every: Duration::from_millis(200) },
            in_all: Rate { burst: 50, every: Duration::from_millis(20) },
            // the specification asks bridges to remember keys for a day
            key_lives: Some(Duration::from_secs(24 * 3600)),
            faces: Faces::Own,
        }
    }

    async fn run(&self, inlet: &dyn Inlet) -> Ended {
        // there is no connection to keep: the bridge calls our webhook
        inlet.report(ConnectionState::Online { as_user: self.http.base().to_owned() });
        inlet.closing().cancelled().await;
        Ended::Stopped
    }

    async fn webhook(
        &self,
        inlet: &dyn Inlet,
        request: &WebhookRequest,
    ) -> Result<WebhookResponse, WebhookError> {
        let (Some(timestamp), Some(signature)) = (&request.timestamp, &request.signature) else {
            return Err(WebhookError::Unsigned);
        };
        // the signature is checked before the body is read (X3)
        if !is_signed(self.their_secret.expose(), Direction::In, timestamp, &request.body, signature) {
            return Err(WebhookError::Unsigned);
        }
        let at: u64 = timestamp.parse().map_err(|_| WebhookError::Unsigned)?;
        // The replay cache is empty at the start. A request signed before the start may have been taken by then.
        if at < self.seen.since {
            return Err(WebhookError::Stale);
        }
        self.seen.admit(signature, at)?;
        let taken = match event::read(&self.name, &request.body) {
            Ok(event) => inlet.take(event).await.map(WebhookResponse::from).map_err(WebhookError::from),
            Err(error) => Err(WebhookError::Invalid(error)),
        };
        if taken.is_err() {
            // the bridge sends it again
            self.seen.forget(signature);
        }
        taken
    }

    async fn perform(&self, request: Request) -> Outcome {
        let unknown = || Outcome::Refused("the chat is not on this bridge".into());
        match request {
            Request::Post(post) => {
                let Some(mut body) = self.body("message", &post.place, Some(&post.face)) else {
                    return unknown();
                };
                body["text"] = post.text.into();
                body["reply_to"] = post.reply_to.into();
                self.send(&post.key, &body).await
            }
            Request::Delete { place, event_id, face } => {
                let Some(mut body) = self.body("deleted", &place, face.as_ref()) else { return unknown() };
                body["event_id"] = event_id.as_str().into();
                // ids are unique within a channel of the bridge
                let target = json!([body["channel"], body["thread"], event_id]).to_string();
                self.send(&format!("delete-{}", short_hash(&target)), &body).await
            }
            Request::Typing { place, face } => {
                let Some(body) = self.body("typing", &place, Some(&face)) else { return unknown() };
                self.send(&format!("typing-{}", SystemEntropy.uuid()), &body).await
            }
            Request::Notice(notice) => {
                let Some(mut body) = self.body("notice", &notice.place, None) else { return unknown() };
                let to = notice.to.strip_prefix(&format!("{}/", self.name)).unwrap_or(&notice.to);
                body["to"] = to.into();
                body["text"] = notice.text.into();
                self.send(&format!("notice-{}", SystemEntropy.uuid()), &body).await
            }
        }
    }

    async fn fetch(&self, source: &str, most: usize) -> Result<Vec<u8>, String> {
        let base = reqwest::Url::parse(self.http.base()).map_err(|error| error.to_string())?;
        // The bridge passes on data of strangers. Their address may not make us call another server.
        if !reqwest::Url::parse(source).is_ok_and(|url| url.origin() == base.origin()) {
            return Err("it is not at the address of the bridge".to_owned());
        }
        http::fetch(self.http.get_absolute(source), most).await
    }

    async fn check(&self) -> Vec<Finding> {
        let url = self.http.base();
        match self.post(&format!("check-{}", SystemEntropy.uuid()), &json!({ "type": "check" })).await {
            Ok(Answer { status: 200..=299, .. }) => {
                vec![Finding::pass(format!("the bridge at {url} knows our signature"))]
            }
            Ok(Answer { status, .. }) => vec![Finding::fail(
                format!("the bridge at {url} answers {status}"),
                "give both sides the same secret; docs/platforms/bridge.md says what a bridge answers",
            )],
            Err(error) => vec![Finding::fail(
                format!("{url}: {error}"),
                "start the bridge, and check `server` of the account",
            )],
        }
    }
}

#[cfg(test)]
mod tests;
