//! The Matrix adapter: the client-server API. Reads events by `/sync` and sends messages.
//!
//! ```text
//! matrix.rs            the adapter: the loop of syncs, and sending
//! matrix/event.rs      turns events of rooms into events
//! matrix/past.rs       reads missed messages
//! matrix/sending.rs    sends messages to rooms
//! matrix/encrypted.rs  tells a room once that its messages cannot be read
//! matrix/joining.rs    joins rooms, and describes rooms that are not joined
//! matrix/refusal.rs    why a call failed
//! ```
//! The cursor `next_batch` is stored after the events before it. If a timeline is `limited`, the adapter reads back to
//! the previous sync. The server recognises the transaction id of a send. So a send is repeated if its answer was lost.
//! The adapter cannot read encrypted rooms. It says so in each of them once, also over restarts.

mod encrypted;
mod event;
mod joining;
mod past;
mod refusal;
mod sending;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use greenroom_core::Platform;
use greenroom_persona::Secret;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::{Value, json};

use self::{
    event::Room,
    joining::{Arrival, Joining, arrival},
    past::{PastUntil, Seen},
    refusal::{Refusal, broken, malformed, required},
    sending::sent,
};
use crate::{
    Account, AccountError, Adapter, ConnectionState, Dialect, Ended, Faces, Finding, Inlet, Limits, Outcome,
    Place, Rate, Request, Unit,
    http::{self, Answer, Http, patience},
};

/// How long a sync waits for events.
const POLL: Duration = Duration::from_secs(25);
/// The most events per room in one sync.
const TIMELINE: usize = 50;
/// The name of the cursor.
const NEXT_BATCH: &str = "next_batch";

/// A Matrix account.
pub(crate) struct Matrix {
    http: Http,
    /// The client for API version 1, which has room summaries and file downloads.
    v1: Http,
    token: Secret,
    channels: Vec<String>,
    /// The setting `user`: the expected name of the account.
    wished: Option<String>,
    user: Mutex<String>,
    rooms: Mutex<HashMap<String, Room>>,
    joining: Joining,
}

fn encoded(part: &str) -> String {
    utf8_percent_encode(part, NON_ALPHANUMERIC).to_string()
}

impl Matrix {
    /// # Errors
    /// The homeserver or the token is missing.
    pub(crate) fn new(account: &Account) -> Result<Self, AccountError> {
        let server = account.need("server", "https://matrix.org", account.settings.server.clone())?;
        let token = account.need("token_env", "token_env = \"MATRIX_TOKEN\"", account.token.clone())?;
        let setting = |why| AccountError::Setting { account: account.settings.name.clone(), why };
        let server = server.trim_end_matches('/');
        if account.settings.tls && !server.starts_with("https://") {
            return Err(setting(format!(
                "server is {server}; write https://, or --no-tls (tls = false) for a server on this machine"
            )));
        }
        let ca_file = account.settings.ca_file.as_deref();
        let at = |path: &str| Http::trusting(format!("{server}/_matrix/{path}"), ca_file).map_err(setting);
        let (http, v1) = (at("client/v3")?, at("client/v1")?);
        let channels = account.settings.channels.clone();
        let wished = account.settings.user.clone();
        Ok(Self {
            http,
            v1,
            token,
            channels,
            wished,
            user: Mutex::default(),
            rooms: Mutex::default(),
            joining: Joining::default(),
        })
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<String, Room>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn user(&self) -> String {
        self.user.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        wait: Duration,
    ) -> Result<Value, Refusal> {
        let mut request = self.http.call(method, path).bearer_auth(self.token.expose());
        if !wait.is_zero() {
            request = request.timeout(wait + Duration::from_secs(20));
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let Answer { status, body, headers } = http::send(request).await?;
        let text = || body["error"].as_str().unwrap_or("without a reason").to_owned();
        match status {
            200..=299 if body.is_object() => Ok(body),
            200..=299 => Err(malformed(path, "it is no JSON object")),
            401 => Err(Refusal::Token),
            429 => {
                let millis = body["retry_after_ms"].as_u64().map(Duration::from_millis);
                let wait = millis.unwrap_or_else(|| Answer { status, headers, body }.retry_after());
                Err(Refusal::TooMany(wait))
            }
            400..=499 => Err(Refusal::Bad(text())),
            _ => Err(Refusal::Failed(status)),
        }
    }

    async fn get(&self, path: &str) -> Result<Value, Refusal> {
        self.call(Method::GET, path, None, Duration::ZERO).await
    }

    /// The account's user id.
    async fn who_am_i(&self) -> Result<String, Refusal> {
        let path = "/account/whoami";
        required(&self.get(path).await?, path, "user_id")
    }

    async fn begin(&self) -> Result<String, Refusal> {
        let user = self.who_am_i().await?;
        user.clone_into(&mut self.user.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(user)
    }

    /// Syncs until an error or a stop.
    async fn sync(&self, inlet: &dyn Inlet, me: &str) -> Result<(), Ended> {
        let closing = inlet.closing();
        // earlier versions stored an empty cursor for an answer without one; no homeserver accepts that
        let kept = inlet.cursor(NEXT_BATCH).await.map_err(broken)?;
        let mut since = kept.filter(|since| !since.is_empty());
        let mut online = false;
        let filter = json!({
            "room": { "timeline": { "limit": TIMELINE }, "state": { "lazy_load_members": true },
                "ephemeral": { "types": [] } },
            "presence": { "types": [] },
        });
        let filter = encoded(&filter.to_string());
        loop {
            let wait = if online { POLL } else { Duration::ZERO };
            let mut path = format!("/sync?filter={filter}&timeout={}", wait.as_millis());
            if let Some(since) = &since {
                path.push_str(&format!("&since={}", encoded(since)));
            }
            let synced = tokio::select! {
                () = closing.cancelled() => return Err(Ended::Stopped),
                synced = self.call(Method::GET, &path, None, wait.max(Duration::from_secs(10))) => synced,
            };
            let synced = match synced {
                Ok(synced) => synced,
                Err(Refusal::TooMany(wait)) if patience(wait, inlet).await => continue,
                Err(refusal) => return Err(refusal.ended()),
            };
            let next = required(&synced, &path, "next_batch").map_err(Refusal::ended)?;
            self.joined_rooms(inlet, &synced, since.as_deref(), me, !online).await?;
            self.invitations(inlet, &synced).await?;
            inlet.keep_cursor(NEXT_BATCH, &next).await.map_err(broken)?;
            since = Some(next);
            if !online {
                inlet.report(ConnectionState::Online { as_user: me.to_owned() });
                online = true;
            }
        }
    }

    /// Passes on the events of the rooms, in the order of each room. Skips events before the account's first sync.
    async fn joined_rooms(
        &self,
        inlet: &dyn Inlet,
        synced: &Value,
        since: Option<&str>,
        me: &str,
        after_absence: bool,
    ) -> Result<(), Ended> {
        let mut seen = Seen::default();
        for (id, room) in synced["rooms"]["join"].as_object().into_iter().flatten() {
            self.note(id, room);
            self.count_members(id).await.map_err(Refusal::ended)?;
            let timeline = &room["timeline"];
            let (mut events, recent) = (Vec::new(), timeline["events"].as_array());
            let recent = recent.map(Vec::as_slice).unwrap_or_default();
            let until = match arrival(recent, me) {
                None => since.map(PastUntil::Sync),
                Some(arrival) => arrival.was_invited_before().then_some(PastUntil::Invitation { me }),
            };
            if let (Some(until), true) = (until, timeline["limited"] == true) {
                let (missed, all) = self.past(id, timeline["prev_batch"].as_str(), until).await?;
                if !all {
                    seen.is_incomplete_from(missed.first().or(recent.first()));
                }
                events = missed;
            }
            events.extend(recent.iter().cloned());
            // the account may not see messages from before its invitation or its first join
            events.drain(..arrival(&events, me).map_or(0, Arrival::heard_from));
            for event in events {
                let ours = self.rooms().entry(id.clone()).or_default().event(id, &event, me);
                let Some(ours) = ours.filter(|_| since.is_some()) else { continue };
                inlet.take(ours).await.map_err(|error| Ended::Broken(error.to_string()))?;
            }
            self.tell_that_it_is_encrypted(inlet, id).await;
        }
        if after_absence && since.is_some() {
            inlet.looked_back(seen.looked_back());
        }
        Ok(())
    }

    /// Notes who is in a room.
    fn note(&self, id: &str, room: &Value) {
        let mut rooms = self.rooms();
        let known = rooms.entry(id.to_owned()).or_default();
        if let Some(joined) = room["summary"]["m.joined_member_count"].as_u64() {
            known.joined = Some(joined);
        }
        for event in room["state"]["events"].as_array().into_iter().flatten() {
            if event["type"] == "m.room.member" {
                known.member(event);
            }
        }
    }

    /// Requests the members of a room if they are unknown, as after a restart: a sync contains only changes.
    async fn count_members(&self, id: &str) -> Result<(), Refusal> {
        if self.rooms().get(id).is_some_and(|room| room.joined.is_some()) {
            return Ok(());
        }
        let members = self.get(&format!("/rooms/{}/joined_members", encoded(id))).await?;
        let joined = members["joined"].as_object();
        let mut rooms = self.rooms();
        let room = rooms.entry(id.to_owned()).or_default();
        room.joined = joined.map(|joined| joined.len() as u64);
        for (user, profile) in joined.into_iter().flatten() {
            room.member(&json!({ "state_key": user, "content": { "displayname": profile["display_name"] } }));
        }
        Ok(())
    }

    async fn put(&self, room: &str, kind: &str, transaction: &str, body: &Value) -> Result<Value, Refusal> {
        let path = format!("/rooms/{}/send/{kind}/{}", encoded(room), encoded(transaction));
        self.call(Method::PUT, &path, Some(body), Duration::ZERO).await
    }
}

#[async_trait]
impl Adapter for Matrix {
    fn platform(&self) -> Platform {
        Platform::Matrix
    }

    fn own_ids(&self, _: &Place) -> Vec<String> {
        vec![self.user()]
    }

    fn limits(&self, _: &Place) -> Limits {
        Limits {
            // an event may have 65,536 bytes and contains the text twice
            longest: 16 * 1024,
            unit: Unit::Bytes,
            lines: true,
            dialect: Dialect::MatrixHtml,
            // homeservers have their own rate limits and tell how long to wait
            per_chat: Rate { burst: 10, every: Duration::from_millis(300) },
            in_all: Rate { burst: 10, every: Duration::from_millis(200) },
            // homeservers keep transaction ids for half an hour or longer
            key_lives: Some(Duration::from_secs(15 * 60)),
            faces: Faces::Prefix,
        }
    }

    async fn run(&self, inlet: &dyn Inlet) -> Ended {
        let run = async {
            inlet.report(ConnectionState::Connecting);
            let me = self.begin().await.map_err(Refusal::ended)?;
            self.restore_invitations(inlet).await?;
            tokio::select! {
                ended = self.sync(inlet, &me) => ended,
                never = self.keep_joining(inlet) => match never {},
            }
        };
        run.await.err().unwrap_or(Ended::Reconnect)
    }

    async fn perform(&self, request: Request) -> Outcome {
        match request {
            Request::Post(post) => self.send(&post).await,
            Request::Notice(notice) => self.notice(&notice).await,
            Request::Delete { place, event_id, .. } => {
                // Transaction ids are unique per room and device. The prefix distinguishes the deletion from the post.
                let event = encoded(&event_id);
                let path = format!("/rooms/{}/redact/{event}/delete-{event}", encoded(&place.chat));
                sent(self.call(Method::PUT, &path, Some(&json!({})), Duration::ZERO).await)
            }
            Request::Typing { place, .. } => {
                let path = format!("/rooms/{}/typing/{}", encoded(&place.chat), encoded(&self.user()));
                let body = json!({ "typing": true, "timeout": 8000 });
                sent(self.call(Method::PUT, &path, Some(&body), Duration::ZERO).await)
            }
        }
    }

    async fn fetch(&self, source: &str, most: usize) -> Result<Vec<u8>, String> {
        let media = source.strip_prefix("mxc://").and_then(|media| media.split_once('/'));
        let (server, id) = media.ok_or("it is not on a server of Matrix")?;
        let path = format!("/media/download/{}/{}", encoded(server), encoded(id));
        let request = self.v1.call(Method::GET, &path).bearer_auth(self.token.expose());
        http::fetch(request, most).await
    }

    async fn check(&self) -> Vec<Finding> {
        match self.who_am_i().await {
            Ok(user) => {
                let found =
                    format!("the homeserver knows the account as {user}; encrypted rooms cannot be read");
                let other = Finding::of_user(self.wished.as_deref(), &user);
                let found = Finding { as_user: Some(user.clone()), ..Finding::pass(found) };
                let mut findings: Vec<_> = std::iter::once(found).chain(other).collect();
                for channel in &self.channels {
                    findings.push(self.look_at(channel, &user).await);
                }
                findings
            }
            Err(Refusal::Token) => {
                let remedy = "docs/platforms/matrix.md says how to get an access token";
                vec![Finding::fail(Refusal::Token.to_string(), remedy)]
            }
            Err(refusal) => {
                vec![Finding::fail(refusal.to_string(), "check `server` of the account, and the network")]
            }
        }
    }
}
