//! The Telegram adapter: reads updates of the Bot API by long polling and sends messages.
//!
//! ```text
//! telegram.rs    the adapter: polling and sending
//! api.rs         API calls and their errors
//! update.rs      turns updates into events
//! ```
//!
//! A poll with a greater offset confirms the updates before it. The offset grows only after an update is stored, so
//! that Telegram sends an update again if it was not stored. Telegram keeps updates for 24 h. Messages have no
//! idempotency key: if the answer to a send is lost, its outcome is uncertain. Telegram does not report deletions to
//! bots.

mod api;
mod update;

use std::time::Duration;

use async_trait::async_trait;
use dashmap::DashMap;
use greenroom_core::{Platform, SystemClock, Time, Timestamp};
use serde_json::{Value, json};
use tokio::time::Instant;

use self::{
    api::{Api, Refusal},
    update::Me,
};
use crate::{
    Account, AccountError, Adapter, ConnectionState, Dialect, Ended, Faces, Finding, Inlet, Limits,
    LookedBack, Outcome, Place, Post, Rate, Request, Unit,
    http::{patience, pause},
    slash::COMMANDS,
    text::split,
};

/// How long a poll waits for updates, in seconds.
const POLL: u64 = 25;
/// If an empty answer comes sooner than this, the next poll follows after a pause of this length.
const SHORTEST_POLL: Duration = Duration::from_millis(300);
/// The most updates per poll.
const BATCH: u64 = 100;
/// The longest message in UTF-16 code units.
const LONGEST: usize = 4096;
/// How long Telegram keeps updates.
const KEPT: Duration = Duration::from_hours(24);
/// The name of the cursor with the time of the last poll, in microseconds.
const POLLED: &str = "polled";

/// A Telegram account.
pub(crate) struct Telegram {
    /// The account's name, the first part of the ids of its chats. Telegram numbers the messages of private chats per
    /// bot, and a person's private chats with two bots have the same id.
    account: String,
    api: Api,
    channels: Vec<String>,
    /// The setting `user`: the expected name of the account.
    wished: Option<String>,
    /// Groups that became supergroups, with their new ids.
    migrated: DashMap<String, i64>,
}

impl Telegram {
    /// # Errors
    /// The account has no token.
    pub(crate) fn new(account: &Account) -> Result<Self, AccountError> {
        let example = "token_env = \"TELEGRAM_TOKEN\"";
        let token = account.need("token_env", example, account.token.clone())?;
        let base = account.settings.server.as_deref().unwrap_or("https://api.telegram.org");
        let api = Api::new(base, token)
            .map_err(|why| AccountError::Setting { account: account.settings.name.clone(), why })?;
        let channels = account.settings.channels.clone();
        if let Some(channel) = channels.iter().find(|channel| channel.parse::<i64>().is_err()) {
            return Err(AccountError::NoChannel {
                account: account.settings.name.clone(),
                platform: Platform::Telegram,
                channel: channel.clone(),
                example: "-1001234567890, its number, not its @name",
            });
        }
        let (account, wished) = (account.settings.name.clone(), account.settings.user.clone());
        Ok(Self { account, api, channels, wished, migrated: DashMap::new() })
    }

    /// Telegram's id of a chat of this account.
    fn id(&self, place: &Place) -> Option<i64> {
        place.chat.strip_prefix(self.account.as_str())?.strip_prefix('/')?.parse().ok()
    }

    /// Whether the account takes part in a chat. It takes part in every private chat.
    fn takes_part(&self, chat: i64) -> bool {
        let named = |channel: &String| channel.parse() == Ok(chat);
        chat > 0 || self.channels.is_empty() || self.channels.iter().any(named)
    }

    async fn begin(&self, inlet: &dyn Inlet) -> Result<Me, Ended> {
        inlet.report(ConnectionState::Connecting);
        let me = self.api.call("getMe", &json!({})).await.map_err(Refusal::ended)?;
        let me = Me::new(&me, &self.account)
            .ok_or_else(|| Ended::Broken("Telegram does not say who the account is".to_owned()))?;
        let commands: Vec<Value> = COMMANDS
            .iter()
            // Telegram's command names have no hyphen
            .map(|command| json!({ "command": command.name.replace('-', "_"), "description": command.description }))
            .collect();
        if let Err(refusal) = self.api.call("setMyCommands", &json!({ "commands": commands })).await {
            tracing::warn!("Telegram did not take the list of commands: {refusal}");
        }
        Ok(me)
    }

    /// Reports how far back the updates reach that Telegram still has.
    async fn look_back(&self, inlet: &dyn Inlet) -> Result<(), Ended> {
        let polled = inlet.cursor(POLLED).await.map_err(broken)?;
        let polled = polled.and_then(|polled| polled.parse().ok()).map(Timestamp);
        let Some(polled) = polled else { return Ok(()) };
        let oldest = SystemClock.now().before(KEPT);
        inlet.looked_back(LookedBack { since: Some(polled.max(oldest)), complete: polled >= oldest });
        Ok(())
    }

    /// Polls until an error or a stop.
    async fn poll(&self, inlet: &dyn Inlet, me: &Me) -> Result<(), Ended> {
        let closing = inlet.closing();
        let (mut offset, mut timeout) = (0, 0);
        loop {
            let parameters = json!({
                "offset": offset, "limit": BATCH, "timeout": timeout,
                "allowed_updates": ["message", "edited_message"],
            });
            let (asked, is_long) = (Instant::now(), timeout > 0);
            let polled = tokio::select! {
                () = closing.cancelled() => return Err(Ended::Stopped),
                polled = self.api.poll(&parameters, Duration::from_secs(timeout)) => polled,
            };
            let updates = match polled {
                Ok(updates) => updates,
                Err(Refusal::TooMany(wait)) if patience(wait, inlet).await => continue,
                Err(refusal) => return Err(refusal.ended()),
            };
            if timeout == 0 {
                // the first answer shows that no other program polls
                inlet.report(ConnectionState::Online { as_user: format!("@{}", me.username) });
                timeout = POLL;
            }
            for update in updates.as_array().into_iter().flatten() {
                for event in update::events(update, me, |chat| self.takes_part(chat)) {
                    inlet.take(event).await.map_err(|error| Ended::Broken(error.to_string()))?;
                }
                offset = update["update_id"].as_i64().map_or(offset, |id| id + 1);
            }
            inlet.keep_cursor(POLLED, &SystemClock.now().0.to_string()).await.map_err(broken)?;
            // without this pause, a proxy that answers at once would be polled in a tight loop
            let is_empty = updates.as_array().is_none_or(Vec::is_empty);
            if is_empty && is_long && asked.elapsed() < SHORTEST_POLL && !pause(SHORTEST_POLL, &closing).await
            {
                return Err(Ended::Stopped);
            }
        }
    }

    fn chat(&self, place: &Place) -> Value {
        match self.migrated.get(&place.chat) {
            Some(chat) => json!(*chat),
            None => json!(self.id(place).unwrap_or_default()),
        }
    }

    async fn send(&self, post: &Post) -> Outcome {
        let mut body = json!({
            "chat_id": self.chat(&post.place), "text": post.text, "parse_mode": "HTML",
            "link_preview_options": { "is_disabled": true },
        });
        if let Some(thread) = post.place.thread.as_deref().and_then(|thread| thread.parse::<i64>().ok()) {
            body["message_thread_id"] = json!(thread);
        }
        if let Some(reply) = post.reply_to.as_deref().and_then(|reply| reply.parse::<i64>().ok()) {
            body["reply_parameters"] = json!({ "message_id": reply, "allow_sending_without_reply": true });
        }
        self.send_body(&post.place, body).await
    }

    async fn send_body(&self, place: &Place, mut body: Value) -> Outcome {
        let sent = match self.api.call("sendMessage", &body).await {
            Err(Refusal::Migrated(chat)) => {
                self.migrated.insert(place.chat.clone(), chat);
                body["chat_id"] = json!(chat);
                self.api.call("sendMessage", &body).await
            }
            sent => sent,
        };
        match sent {
            Ok(message) => {
                Outcome::Done { event_id: message["message_id"].as_i64().map(|id| id.to_string()) }
            }
            Err(refusal) => refusal.into(),
        }
    }
}

#[async_trait]
impl Adapter for Telegram {
    fn platform(&self) -> Platform {
        Platform::Telegram
    }

    fn serves(&self, place: &Place) -> bool {
        self.id(place).is_some_and(|chat| self.takes_part(chat))
    }

    fn limits(&self, place: &Place) -> Limits {
        // groups have negative ids; Telegram permits 20 messages a minute there
        let group = self.id(place).is_some_and(|chat| chat < 0);
        Limits {
            longest: LONGEST,
            unit: Unit::Utf16,
            lines: true,
            dialect: Dialect::TelegramHtml,
            per_chat: Rate { burst: 1, every: Duration::from_secs(if group { 3 } else { 1 }) },
            in_all: Rate { burst: 20, every: Duration::from_millis(40) },
            key_lives: None,
            faces: Faces::Prefix,
        }
    }

    async fn run(&self, inlet: &dyn Inlet) -> Ended {
        let run = async {
            let me = self.begin(inlet).await?;
            self.look_back(inlet).await?;
            self.poll(inlet, &me).await
        };
        run.await.err().unwrap_or(Ended::Reconnect)
    }

    async fn perform(&self, request: Request) -> Outcome {
        match request {
            Request::Post(post) => self.send(&post).await,
            Request::Delete { place, event_id, .. } => {
                let message = event_id.parse::<i64>().unwrap_or_default();
                let body = json!({ "chat_id": self.chat(&place), "message_id": message });
                match self.api.call("deleteMessage", &body).await {
                    Ok(_) => Outcome::Done { event_id: None },
                    Err(Refusal::Bad(text)) if text.contains("message to delete not found") => {
                        Outcome::Done { event_id: None }
                    }
                    Err(refusal) => refusal.into(),
                }
            }
            Request::Typing { place, .. } => {
                let mut body = json!({ "chat_id": self.chat(&place), "action": "typing" });
                if let Some(thread) = place.thread.as_deref().and_then(|thread| thread.parse::<i64>().ok()) {
                    body["message_thread_id"] = json!(thread);
                }
                match self.api.call("sendChatAction", &body).await {
                    Ok(_) => Outcome::Done { event_id: None },
                    Err(refusal) => refusal.into(),
                }
            }
            Request::Notice(notice) => {
                let mut outcome = Outcome::Done { event_id: None };
                for part in split(&notice.text, LONGEST, |part| Unit::Utf16.len(part)) {
                    let body = json!({ "chat_id": self.chat(&notice.place), "text": part,
                        "message_thread_id": notice.place.thread.as_deref().and_then(|id| id.parse::<i64>().ok()) });
                    outcome = self.send_body(&notice.place, body).await;
                    if !matches!(outcome, Outcome::Done { .. }) {
                        break;
                    }
                }
                outcome
            }
        }
    }

    async fn fetch(&self, source: &str, most: usize) -> Result<Vec<u8>, String> {
        let file = self.api.call("getFile", &json!({ "file_id": source })).await;
        let file = file.map_err(|refusal| refusal.to_string())?;
        self.api.file(file["file_path"].as_str().unwrap_or_default(), most).await
    }

    async fn check(&self) -> Vec<Finding> {
        let me = match self.api.call("getMe", &json!({})).await {
            Ok(me) => me,
            Err(refusal) => return vec![refusal.finding()],
        };
        let name = me["username"].as_str().unwrap_or_default();
        let mut findings = vec![Finding::pass(format!("Telegram knows the account as @{name}"))];
        findings.extend(Finding::of_user(self.wished.as_deref(), &format!("@{name}")));
        if me["can_read_all_group_messages"] != true {
            // passes: privacy mode is a legitimate choice, and the default for bots
            findings.push(Finding {
                remedy: Some(
                    "to let personas hear everything, send /setprivacy to https://t.me/BotFather, choose the bot, \
                     Disable; then remove the bot from its groups and add it again"
                        .to_owned(),
                ),
                ..Finding::pass("privacy mode is on: in groups the bot sees commands, mentions and replies alone")
            });
        }
        for channel in &self.channels {
            let chat = self.api.call("getChat", &json!({ "chat_id": channel })).await;
            findings.push(match chat {
                Ok(chat) => {
                    Finding::pass(format!("the bot is in {}", chat["title"].as_str().unwrap_or(channel)))
                }
                Err(refusal) => Finding::fail(
                    format!("{channel}: {refusal}"),
                    "add the bot to the group, and check its id",
                ),
            });
        }
        let webhook = self.api.call("getWebhookInfo", &json!({})).await.unwrap_or_default();
        if webhook["url"].as_str().is_some_and(|url| !url.is_empty()) {
            findings.push(Finding::fail(
                "another program gets the bot's messages by a webhook",
                "stop that program and call deleteWebhook, or make another bot with https://t.me/BotFather",
            ));
        }
        findings
    }
}

fn broken(error: impl std::fmt::Display) -> Ended {
    Ended::Broken(error.to_string())
}
