//! The Discord adapter: receives events over the gateway and sends messages over the REST API.
//!
//! ```text
//! discord.rs     the adapter: Discord's limits, requests
//! rest.rs        REST calls and their errors
//! gateway.rs     the connection: IDENTIFY, RESUME, dispatches
//! link.rs        its WebSocket: HELLO, heartbeats
//! session.rs     the data for resuming a session; close codes
//! catch_up.rs    reads missed messages if a session cannot be resumed
//! channels.rs    threads, guild channels, direct messages
//! event.rs       turns dispatches into events
//! sending.rs     sends messages, by webhook or as the bot
//! commands.rs    slash commands
//! ```
//!
//! A session is resumed with the number of the last stored event, also by the next process. Discord then replays the
//! later events. Messages of the bot itself have a nonce. Messages with a persona's name are sent by a webhook, which
//! has no nonce. If such an answer is lost, the adapter searches the channel for the message.

mod catch_up;
mod channels;
mod commands;
mod event;
mod gateway;
mod link;
mod rest;
mod sending;
mod session;

use std::{sync::OnceLock, time::Duration};

use async_trait::async_trait;
use greenroom_core::Platform;
use greenroom_persona::FaceSetting;
use reqwest::Method;
use serde_json::{Value, json};

use self::{
    channels::Channels,
    rest::{Refusal, Rest},
    sending::{NAME, PREFIX, Webhooks},
};
use crate::{
    Account, AccountError, Adapter, Dialect, Ended, Faces, Finding, Inlet, Limits, Outcome, Place, Rate,
    Request, Unit, http, registry::is_local,
};

/// The longest message in characters.
const LONGEST: usize = 2000;
/// The hosts of files.
const FILES: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];
/// Discord recognises a nonce for a few minutes.
const NONCES: Duration = Duration::from_mins(2);
/// Flags of an application that may read message content: of a verified one, and of an unverified one.
const MESSAGE_CONTENT: u64 = 1 << 18 | 1 << 19;

/// A Discord account: one bot.
pub(crate) struct Discord {
    rest: Rest,
    named: Vec<String>,
    /// The setting `user`: the expected name of the account.
    wished: Option<String>,
    own_faces: bool,
    channels: Channels,
    webhooks: Webhooks,
    me: OnceLock<Me>,
}

/// The bot's own user.
#[derive(Debug, Clone)]
pub(super) struct Me {
    id: String,
    name: String,
}

impl Discord {
    /// # Errors
    /// The account has no token.
    pub(crate) fn new(account: &Account) -> Result<Self, AccountError> {
        let token = account.need("token_env", "token_env = \"DISCORD_TOKEN\"", account.token.clone())?;
        let base = account.settings.server.as_deref().unwrap_or("https://discord.com");
        let wrong = |why| AccountError::Setting { account: account.settings.name.clone(), why };
        Ok(Self {
            rest: Rest::new(base, token).map_err(wrong)?,
            named: account.settings.channels.clone(),
            wished: account.settings.user.clone(),
            own_faces: account.settings.faces == FaceSetting::Own,
            channels: Channels::default(),
            webhooks: Webhooks::default(),
            me: OnceLock::new(),
        })
    }

    /// Whether the account takes part in a channel, or in the parent channel of a thread. It takes part in every direct
    /// message.
    fn takes_part(&self, channel: &str) -> bool {
        self.named.is_empty()
            || self.channels.is_direct(channel)
            || self.named.iter().any(|named| named == channel)
    }

    /// Whether personas have their own names in a place. This needs a webhook, which only guild channels have.
    fn faces(&self, place: &Place) -> Faces {
        let possible = !self.channels.is_direct(&place.chat) && !self.webhooks.are_refused(&place.chat);
        if self.own_faces && possible { Faces::Own } else { Faces::Prefix }
    }

    /// Discord's channel id. A thread is a channel, too.
    fn channel(place: &Place) -> &str {
        place.thread.as_deref().unwrap_or(&place.chat)
    }

    async fn sign_in(&self) -> Result<Me, Refusal> {
        let user = self.rest.call(Method::GET, "/users/@me", &Value::Null).await?;
        let text = |key: &str| user[key].as_str().unwrap_or_default().to_owned();
        let me = Me { id: text("id"), name: text("username") };
        let _ = self.me.set(me.clone());
        Ok(me)
    }
}

#[async_trait]
impl Adapter for Discord {
    fn platform(&self) -> Platform {
        Platform::Discord
    }

    fn serves(&self, place: &Place) -> bool {
        self.takes_part(&place.chat)
    }

    /// The bot, and the webhooks by which it speaks.
    fn own_ids(&self, _: &Place) -> Vec<String> {
        self.me.get().map(|me| me.id.clone()).into_iter().chain(self.webhooks.ids()).collect()
    }

    fn limits(&self, place: &Place) -> Limits {
        let faces = self.faces(place);
        Limits {
            // a message that cannot be sent under the persona's name is sent with a prefix
            longest: LONGEST - if faces == Faces::Own { NAME + PREFIX } else { 0 },
            unit: Unit::Chars,
            lines: true,
            dialect: Dialect::Discord,
            per_chat: Rate { burst: 5, every: Duration::from_secs(1) },
            in_all: Rate { burst: 20, every: Duration::from_millis(25) },
            key_lives: (faces == Faces::Prefix).then_some(NONCES),
            faces,
        }
    }

    async fn run(&self, inlet: &dyn Inlet) -> Ended {
        gateway::run(self, inlet).await
    }

    async fn perform(&self, request: Request) -> Outcome {
        match request {
            Request::Post(post) => self.send(&post).await,
            Request::Delete { place, event_id, .. } => self.delete(&place, &event_id).await,
            Request::Typing { place, .. } => {
                let path = format!("/channels/{}/typing", Self::channel(&place));
                match self.rest.call(Method::POST, &path, &Value::Null).await {
                    Ok(_) => Outcome::Done { event_id: None },
                    Err(refusal) => refusal.into(),
                }
            }
            Request::Notice(notice) => self.notice(&notice).await,
        }
    }

    async fn fetch(&self, source: &str, most: usize) -> Result<Vec<u8>, String> {
        let local = self.rest.is_local();
        let is_permitted = |host: String| FILES.contains(&host.as_str()) || local && is_local(&host);
        if !http::host(source, local).is_some_and(is_permitted) {
            return Err("it is not on a server of Discord".to_owned());
        }
        // without the token: the address contains a signature
        http::fetch(self.rest.get(source), most).await
    }

    async fn check(&self) -> Vec<Finding> {
        let application = match self.rest.call(Method::GET, "/applications/@me", &Value::Null).await {
            Ok(application) => application,
            Err(refusal) => return vec![Finding::fail(refusal.to_string(), refusal.remedy())],
        };
        let id = application["id"].as_str().unwrap_or_default();
        let console = format!("https://discord.com/developers/applications/{id}");
        let name = application["bot"]["username"].as_str().or_else(|| application["name"].as_str());
        let mut findings =
            vec![Finding::pass(format!("Discord knows the bot as {}", name.unwrap_or_default()))];
        findings.extend(Finding::of_user(self.wished.as_deref(), name.unwrap_or_default()));
        if application["flags"].as_u64().unwrap_or_default() & MESSAGE_CONTENT == 0 {
            findings.push(Finding::fail(
                "the bot may not read what people write",
                format!("switch on Message Content Intent at {console}/bot under Privileged Gateway Intents"),
            ));
        }
        for channel in &self.named {
            let found = self.rest.call(Method::GET, &format!("/channels/{channel}"), &json!(null)).await;
            findings.push(match found {
                Ok(found) => {
                    Finding::pass(format!("the bot sees #{}", found["name"].as_str().unwrap_or(channel)))
                }
                Err(refusal) => Finding::fail(
                    format!("the bot does not see the channel {channel}: {refusal}"),
                    format!(
                        "invite the bot with the link of {console}/installation, and let it view the channel"
                    ),
                ),
            });
        }
        findings
    }
}
