//! Matrix: the client-server API, by `/sync`.
//!
//! ```text
//! matrix.rs          the adapter: the loop of syncs, and what is sent
//! matrix/event.rs    events of rooms as events of ours
//! matrix/sending.rs  what is sent to rooms
//! matrix/joining.rs  rooms that are joined, and how they look from outside
//! ```
//! `next_batch` is kept after the events before it are stored. A timeline that is `limited` is read back to the last sync.
//! The server knows the transaction id of a send again, so that a send whose answer was lost is repeated. Encrypted
//! rooms cannot be read: the adapter says so there, once.

mod event;
mod joining;
mod sending;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use greenroom_core::{Platform, Timestamp};
use greenroom_persona::Secret;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::{Value, json};

use self::{
    event::Room,
    joining::{Arrival, Joining, arrival, is_invitation},
    sending::sent,
};
use crate::{
    Account, AccountError, Adapter, ConnectionState, Dialect, Ended, Faces, Finding, Inlet, Limits,
    LookedBack, Outcome, Place, Rate, Request, Unit,
    http::{self, Answer, Http, HttpError, patience},
};

/// How long a sync waits for events.
const POLL: Duration = Duration::from_secs(25);
/// Events of a room that a sync returns, and of a page of its past.
const TIMELINE: usize = 50;
const PAGE: usize = 100;
/// Pages of a room's past that are read after an absence.
const PAGES: usize = 10;
/// The cursor.
const NEXT_BATCH: &str = "next_batch";

/// An account of Matrix.
pub(crate) struct Matrix {
    http: Http,
    /// What has a version of its own: rooms as they are seen from outside, and the files of all homeservers.
    v1: Http,
    token: Secret,
    channels: Vec<String>,
    /// The name that the settings say the account has.
    wished: Option<String>,
    user: Mutex<String>,
    rooms: Mutex<HashMap<String, Room>>,
    joining: Joining,
}

/// Why a call did not succeed.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    /// The token is none.
    #[error("the homeserver does not know the access token; log in again and set the variable anew")]
    Token,
    /// The homeserver asks to wait.
    #[error("the homeserver asks to wait for {0:?}")]
    TooMany(Duration),
    /// It refuses for good.
    #[error("the homeserver refuses: {0}")]
    Bad(String),
    /// It failed; the call may have taken effect.
    #[error("the homeserver failed with status {0}")]
    Failed(u16),
    /// There is no answer.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl Refusal {
    fn ended(self) -> Ended {
        match self {
            Self::Token => Ended::Refused(self.to_string()),
            refusal => Ended::Broken(refusal.to_string()),
        }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooMany(wait) => Self::RetryAfter(wait),
            Refusal::Http(error) => error.into(),
            Refusal::Failed(_) => Self::Uncertain(refusal.to_string()),
            refusal => Self::Refused(refusal.to_string()),
        }
    }
}

fn encoded(part: &str) -> String {
    utf8_percent_encode(part, NON_ALPHANUMERIC).to_string()
}

impl Matrix {
    /// # Errors
    /// When the homeserver or the token is missing.
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
            200..=299 => Ok(body),
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

    async fn begin(&self) -> Result<String, Refusal> {
        let me = self.get("/account/whoami").await?;
        let user = me["user_id"].as_str().unwrap_or_default().to_owned();
        user.clone_into(&mut self.user.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(user)
    }

    /// Syncs until something ends it.
    async fn sync(&self, inlet: &dyn Inlet, me: &str) -> Result<(), Ended> {
        let closing = inlet.closing();
        let mut since = inlet.cursor(NEXT_BATCH).await.map_err(broken)?;
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
            self.joined_rooms(inlet, &synced, since.as_deref(), me, !online).await?;
            self.invitations(inlet, &synced).await?;
            let next = synced["next_batch"].as_str().unwrap_or_default().to_owned();
            inlet.keep_cursor(NEXT_BATCH, &next).await.map_err(broken)?;
            since = Some(next);
            if !online {
                inlet.report(ConnectionState::Online { as_user: me.to_owned() });
                online = true;
            }
        }
    }

    /// Takes in what happened in the rooms, of each in order. What was said before the first sync of all is left out.
    async fn joined_rooms(
        &self,
        inlet: &dyn Inlet,
        synced: &Value,
        since: Option<&str>,
        me: &str,
        after_absence: bool,
    ) -> Result<(), Ended> {
        let (mut oldest, mut complete) = (None, true);
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
                oldest = missed.first().and_then(|event| event["origin_server_ts"].as_i64()).or(oldest);
                complete &= all;
                events = missed;
            }
            events.extend(recent.iter().cloned());
            // what was said before the account came, or was invited, is none of its business
            events.drain(..arrival(&events, me).map_or(0, Arrival::heard_from));
            for event in events {
                let ours = self.rooms().entry(id.clone()).or_default().event(id, &event, me);
                let Some(ours) = ours.filter(|_| since.is_some()) else { continue };
                inlet.take(ours).await.map_err(|error| Ended::Broken(error.to_string()))?;
            }
            self.say_that_it_is_encrypted(id).await;
        }
        if after_absence && since.is_some() {
            let since = oldest.filter(|_| !complete).map(|millis| Timestamp(millis.saturating_mul(1000)));
            inlet.looked_back(LookedBack { since, complete });
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

    /// Asks who is in a room of which that is not known, as after a restart: a sync tells only what has changed.
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

    /// What was said in a room before its timeline, oldest first; and whether it is all that is asked for.
    async fn past(
        &self,
        room: &str,
        from: Option<&str>,
        until: PastUntil<'_>,
    ) -> Result<(Vec<Value>, bool), Ended> {
        let Some(mut from) = from.map(str::to_owned) else { return Ok((Vec::new(), false)) };
        let (mut events, mut all) = (Vec::new(), false);
        for _ in 0..PAGES {
            let mut path =
                format!("/rooms/{}/messages?dir=b&limit={PAGE}&from={}", encoded(room), encoded(&from));
            if let PastUntil::Sync(since) = until {
                path.push_str(&format!("&to={}", encoded(since)));
            }
            let page = self.get(&path).await.map_err(Refusal::ended)?;
            let chunk = page["chunk"].as_array().cloned().unwrap_or_default();
            let over = chunk.is_empty() || chunk.iter().any(|event| until.is_over(event));
            events.extend(chunk);
            match page["end"].as_str() {
                Some(end) if !over => end.clone_into(&mut from),
                _ => {
                    all = true;
                    break;
                }
            }
        }
        events.reverse();
        Ok((events, all))
    }

    async fn say_that_it_is_encrypted(&self, room: &str) {
        let encrypted = self.rooms().get_mut(room).is_some_and(|known| std::mem::take(&mut known.encrypted));
        if !encrypted {
            return;
        }
        tracing::warn!(room, "messages of this room are encrypted and cannot be read");
        let text = "I cannot read encrypted messages. Please make a room without encryption.";
        let body = json!({ "msgtype": "m.notice", "body": text });
        // the same transaction each time: the server takes it once
        let _ = self.put(room, "m.room.message", "greenroom-encrypted", &body).await;
    }

    async fn put(&self, room: &str, kind: &str, transaction: &str, body: &Value) -> Result<Value, Refusal> {
        let path = format!("/rooms/{}/send/{kind}/{}", encoded(room), encoded(transaction));
        self.call(Method::PUT, &path, Some(body), Duration::ZERO).await
    }
}

/// How far back a room is read.
#[derive(Clone, Copy)]
enum PastUntil<'a> {
    /// To an earlier sync.
    Sync(&'a str),
    /// To the invitation of the account.
    Invitation { me: &'a str },
}

impl PastUntil<'_> {
    fn is_over(self, event: &Value) -> bool {
        matches!(self, Self::Invitation { me } if is_invitation(event, me))
    }
}

fn broken(error: impl std::fmt::Display) -> Ended {
    Ended::Broken(error.to_string())
}

#[async_trait]
impl Adapter for Matrix {
    fn platform(&self) -> Platform {
        Platform::Matrix
    }

    fn limits(&self, _: &Place) -> Limits {
        Limits {
            // an event holds 65,536 bytes, with the text twice
            longest: 16 * 1024,
            unit: Unit::Bytes,
            lines: true,
            dialect: Dialect::MatrixHtml,
            // homeservers have rates of their own, and say when to go on
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
            tokio::select! {
                ended = self.sync(inlet, &me) => ended,
                never = self.keep_joining(inlet) => match never {},
            }
        };
        run.await.err().unwrap_or(Ended::Again)
    }

    async fn perform(&self, request: Request) -> Outcome {
        match request {
            Request::Post(post) => self.send(&post).await,
            Request::Notice(notice) => self.notice(&notice).await,
            Request::Delete { place, event_id, .. } => {
                // a transaction is of a room and a device: one of the same id would be taken for a repetition
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
        match self.get("/account/whoami").await {
            Ok(me) => {
                let user = me["user_id"].as_str().unwrap_or_default();
                let found =
                    format!("the homeserver knows the account as {user}; encrypted rooms cannot be read");
                let other = Finding::of_user(self.wished.as_deref(), user);
                let found = Finding { as_user: Some(user.to_owned()), ..Finding::good(found) };
                let mut findings: Vec<_> = std::iter::once(found).chain(other).collect();
                for channel in &self.channels {
                    findings.push(self.look_at(channel, user).await);
                }
                findings
            }
            Err(Refusal::Token) => {
                let remedy = "docs/platforms/matrix.md says how to get an access token";
                vec![Finding::bad(Refusal::Token.to_string(), remedy)]
            }
            Err(refusal) => {
                vec![Finding::bad(refusal.to_string(), "check `server` of the account, and the network")]
            }
        }
    }
}
