//! The Slack adapter: sends messages over the Web API and receives events by Socket Mode or the Events API.
//!
//! ```text
//! slack.rs      the adapter: sending
//! api.rs        API calls and their errors
//! socket.rs     Socket Mode: envelopes, acknowledgements
//! requests.rs   the Events API: signed requests
//! history.rs    reads missed messages
//! event.rs      turns Slack's events into events
//! text.rs       Slack's markup as plain text
//! people.rs     names of users
//! ```
//!
//! Slack repeats an event three times within 6 minutes if it is not acknowledged within 3 s. The adapter acknowledges
//! an event after it is stored. The `ts` of a message identifies it in events, histories, edits and deletions. Messages
//! have no idempotency key: if the answer to a send is lost, its outcome is uncertain. Slack does not show that a bot
//! is typing.

mod api;
mod event;
mod history;
mod people;
mod requests;
mod socket;
mod text;

use std::{
    collections::HashMap,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use greenroom_core::{Platform, Timestamp};
use greenroom_persona::FaceSetting;

use self::{
    api::{Api, Refusal},
    people::People,
    requests::Requests,
};
use crate::{
    Account, AccountError, Adapter, Dialect, Ended, Event, Faces, Finding, Inlet, Limits, NotTaken, Notice,
    Outcome, Place, Post, Rate, Request, Taken, Unit, WebhookError, WebhookRequest, WebhookResponse,
    text::{format, split},
};

/// The longest message in characters. Slack advises against longer ones and cuts them at 40,000.
const LONGEST: usize = 4000;
/// The scopes that the bot needs. It reads every kind of chat, also after an absence.
const SCOPES: [&str; 10] = [
    "chat:write",
    "channels:history",
    "channels:read",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "mpim:history",
    "mpim:read",
    "users:read",
];
/// The prefix of tokens for Socket Mode. A second secret with another prefix verifies requests of the Events API.
const APP_TOKEN: &str = "xapp-";
/// The prefix of bot tokens.
const BOT_TOKEN: &str = "xoxb-";
/// The scope for reading files, for models that accept images.
const FILES: &str = "files:read";
/// The scope for a display name per message.
const CUSTOMIZE: &str = "chat:write.customize";

/// The remedy for a missing scope.
const ADD_SCOPE: &str =
    "add it at https://api.slack.com/apps under OAuth & Permissions, then Reinstall to Workspace";

/// A Slack account: one app in one workspace.
pub(crate) struct Slack {
    api: Api,
    /// The account's name, the first part of every id, because Slack's ids are unique within a workspace only.
    name: String,
    channels: Vec<String>,
    /// The setting `user`: the expected name of the account.
    wished: Option<String>,
    own_faces: bool,
    /// Whether the app may set a display name per message.
    may_customize: AtomicBool,
    people: People,
    /// By channel and `ts` of a message: the time of its newest edit.
    edits: Mutex<HashMap<(String, String), Timestamp>>,
    /// Set if events come over the Events API and not by Socket Mode.
    requests: Option<Requests>,
    /// The bot's own user, after signing in.
    me: OnceLock<Me>,
}

/// The bot's own user.
#[derive(Debug, Clone)]
pub(super) struct Me {
    user: String,
    bot: String,
    name: String,
}

impl Slack {
    /// # Errors
    /// One of the two tokens is missing.
    pub(crate) fn new(account: &Account) -> Result<Self, AccountError> {
        let token = account.need("token_env", "token_env = \"SLACK_BOT_TOKEN\"", account.token.clone())?;
        let app = account.app_token.clone();
        let app = account.need("app_token_env", "app_token_env = \"SLACK_APP_TOKEN\"", app)?;
        let is_socket = app.expose().starts_with(APP_TOKEN);
        let base = account.settings.server.as_deref().unwrap_or("https://slack.com");
        let wrong = |why| AccountError::Setting { account: account.settings.name.clone(), why };
        if app.expose().starts_with(BOT_TOKEN) {
            let why = "the second secret is a bot token; it is the app token, which begins with xapp-, or the signing secret";
            return Err(wrong(why.to_owned()));
        }
        Ok(Self {
            api: Api::new(base, token, app.clone()).map_err(wrong)?,
            requests: (!is_socket).then(|| Requests::new(app)),
            me: OnceLock::new(),
            name: account.settings.name.clone(),
            channels: account.settings.channels.clone(),
            wished: account.settings.user.clone(),
            own_faces: account.settings.faces == FaceSetting::Own,
            may_customize: AtomicBool::new(true),
            people: People::default(),
            edits: Mutex::default(),
        })
    }

    /// Slack's id of a chat.
    fn chat<'a>(&self, place: &'a Place) -> Option<&'a str> {
        place.chat.strip_prefix(self.name.as_str())?.strip_prefix('/')
    }

    fn id(&self, id: &str) -> String {
        format!("{}/{id}", self.name)
    }

    /// Whether the account takes part in a channel. It takes part in every direct message.
    fn takes_part(&self, channel: &str) -> bool {
        channel.starts_with('D')
            || self.channels.is_empty()
            || self.channels.iter().any(|named| named == channel)
    }

    fn faces(&self) -> Faces {
        match self.own_faces && self.may_customize.load(Ordering::Relaxed) {
            true => Faces::Own,
            false => Faces::Prefix,
        }
    }

    /// The bot's own user. Also notes its scopes.
    async fn sign_in(&self) -> Result<Me, Refusal> {
        let (answer, scopes) = self.api.auth_test().await?;
        if let Some(scopes) = scopes {
            self.may_customize.store(scopes.iter().any(|scope| scope == CUSTOMIZE), Ordering::Relaxed);
        }
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let me = Me { user: text("user_id"), bot: text("bot_id"), name: text("user") };
        // a token belongs to one bot, so the first answer stays valid
        Ok(self.me.get_or_init(|| me).clone())
    }

    /// The bot's own user, after signing in.
    fn me(&self) -> Option<Me> {
        self.me.get().cloned()
    }

    /// Stores an event and moves the cursor.
    async fn take(&self, inlet: &dyn Inlet, event: Event) -> Result<Taken, NotTaken> {
        let ts = match &event {
            Event::Message(message) => Some(message.event_id.clone()),
            _ => None,
        };
        let taken = inlet.take(event).await?;
        if let Some(ts) = ts {
            self.keep_latest(inlet, &ts).await?;
        }
        Ok(taken)
    }

    /// The missing scopes.
    fn scope_findings(&self, scopes: &[String]) -> Vec<Finding> {
        let lacks = |wanted: &&str| !scopes.iter().any(|scope| scope == wanted);
        let missing: Vec<&str> = SCOPES.iter().copied().filter(lacks).collect();
        let mut findings = Vec::new();
        if !missing.is_empty() {
            findings
                .push(Finding::fail(format!("the bot lacks the scopes {}", missing.join(", ")), ADD_SCOPE));
        }
        if lacks(&FILES) {
            findings.push(Finding {
                remedy: Some(ADD_SCOPE.to_owned()),
                ..Finding::pass(format!("personas see no images, without the scope {FILES}"))
            });
        }
        if self.own_faces && lacks(&CUSTOMIZE) {
            findings.push(Finding {
                remedy: Some(ADD_SCOPE.to_owned()),
                ..Finding::pass(format!("personas speak by a prefix, without the scope {CUSTOMIZE}"))
            });
        }
        findings
    }

    /// Checks a channel of the settings: whether it exists and the bot is in it.
    async fn look_at(&self, channel: &str, bot: &str) -> Finding {
        match self.api.call("conversations.info", &[("channel", channel)]).await {
            Ok(answer) => {
                let about = &answer["channel"];
                let name = about["name"].as_str().map_or(channel.to_owned(), |name| format!("#{name}"));
                match (about["is_archived"] == true, about["is_member"] == true) {
                    (true, _) => Finding::fail(format!("{name} is archived"), "name another channel"),
                    (_, true) => Finding::pass(format!("the bot is in {name}")),
                    _ => Finding::fail(
                        format!("the bot is not in {name}"),
                        format!("/invite @{bot} in the channel"),
                    ),
                }
            }
            Err(refusal) => Finding::fail(format!("{channel}: {refusal}"), refusal.remedy()),
        }
    }

    async fn post(&self, post: &Post) -> Outcome {
        let Some(channel) = self.chat(&post.place) else { return foreign() };
        let mut form = vec![("channel", channel), ("text", &post.text), ("unfurl_links", "false")];
        if let Some(thread) = &post.place.thread {
            form.push(("thread_ts", thread));
        }
        if self.faces() == Faces::Own {
            form.push(("username", &post.face.name));
        }
        match self.api.call("chat.postMessage", &form).await {
            Ok(answer) => Outcome::Done { event_id: answer["ts"].as_str().map(str::to_owned) },
            Err(refusal) => refusal.into(),
        }
    }

    async fn notice(&self, notice: &Notice) -> Outcome {
        let Some(channel) = self.chat(&notice.place) else { return foreign() };
        let user = notice.to.rsplit('/').next().unwrap_or_default();
        let mut outcome = Outcome::Done { event_id: None };
        let length = |part: &str| Unit::Chars.len(&format(part, Dialect::Slack));
        for part in split(&notice.text, LONGEST, length) {
            let part = format(&part, Dialect::Slack);
            let told = match &notice.answer_to {
                Some(url) => self.api.respond(url, &part).await,
                None => {
                    let mut form = vec![("channel", channel), ("user", user), ("text", part.as_str())];
                    if let Some(thread) = &notice.place.thread {
                        form.push(("thread_ts", thread));
                    }
                    self.api.call("chat.postEphemeral", &form).await.map(|_| ())
                }
            };
            if let Err(refusal) = told {
                outcome = refusal.into();
                break;
            }
        }
        outcome
    }
}

#[async_trait]
impl Adapter for Slack {
    fn platform(&self) -> Platform {
        Platform::Slack
    }

    fn serves(&self, place: &Place) -> bool {
        self.chat(place).is_some_and(|channel| self.takes_part(channel))
    }

    fn limits(&self, _place: &Place) -> Limits {
        Limits {
            longest: LONGEST,
            unit: Unit::Chars,
            lines: true,
            dialect: Dialect::Slack,
            per_chat: Rate { burst: 1, every: Duration::from_secs(1) },
            in_all: Rate { burst: 20, every: Duration::from_millis(200) },
            key_lives: None,
            faces: self.faces(),
        }
    }

    async fn run(&self, inlet: &dyn Inlet) -> Ended {
        match self.requests {
            Some(_) => requests::run(self, inlet).await,
            None => socket::run(self, inlet).await,
        }
    }

    async fn webhook(
        &self,
        inlet: &dyn Inlet,
        request: &WebhookRequest,
    ) -> Result<WebhookResponse, WebhookError> {
        let requests = self.requests.as_ref().ok_or(WebhookError::Unsigned)?;
        requests.webhook(self, inlet, request).await
    }

    async fn perform(&self, request: Request) -> Outcome {
        match request {
            Request::Post(post) => self.post(&post).await,
            Request::Delete { place, event_id, .. } => {
                let Some(channel) = self.chat(&place) else { return foreign() };
                match self.api.call("chat.delete", &[("channel", channel), ("ts", &event_id)]).await {
                    Ok(_) => Outcome::Done { event_id: None },
                    Err(Refusal::Error(error)) if error == "message_not_found" => {
                        Outcome::Done { event_id: None }
                    }
                    Err(refusal) => refusal.into(),
                }
            }
            Request::Typing { .. } => Outcome::Done { event_id: None },
            Request::Notice(notice) => self.notice(&notice).await,
        }
    }

    async fn fetch(&self, source: &str, most: usize) -> Result<Vec<u8>, String> {
        self.api.file(source, most).await
    }

    async fn check(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        match self.api.auth_test().await {
            Err(refusal) => {
                findings.push(Finding::fail(format!("the bot token: {refusal}"), refusal.remedy()))
            }
            Ok((answer, scopes)) => {
                let (user, team) = (answer["user"].as_str(), answer["team"].as_str());
                let (user, team) = (user.unwrap_or_default(), team.unwrap_or_default());
                findings.push(Finding::pass(format!("Slack knows the bot as @{user} in {team}")));
                findings.extend(Finding::of_user(self.wished.as_deref(), &format!("@{user}")));
                findings.extend(scopes.into_iter().flat_map(|scopes| self.scope_findings(&scopes)));
                for channel in &self.channels {
                    findings.push(self.look_at(channel, user).await);
                }
            }
        }
        if self.requests.is_some() {
            let text = format!("events come by requests to /api/slack/{} of this server", self.name);
            findings.push(Finding {
                remedy: Some(
                    "name its address at https://api.slack.com/apps under Event Subscriptions; docs/platforms/slack.md \
                     has the steps"
                        .to_owned(),
                ),
                ..Finding::pass(text)
            });
            return findings;
        }
        match self.api.open().await {
            Ok(_) => findings.push(Finding::pass("Socket Mode is on")),
            Err(refusal) => {
                findings.push(Finding::fail(format!("the app token: {refusal}"), refusal.remedy()))
            }
        }
        findings
    }
}

fn foreign() -> Outcome {
    Outcome::Refused("the chat belongs to another account".to_owned())
}
