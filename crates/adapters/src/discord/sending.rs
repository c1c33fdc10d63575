//! Sends messages of personas: by a webhook of the channel under the persona's name, or as the bot.

use std::time::{Duration, SystemTime};

use dashmap::{DashMap, DashSet};
use greenroom_core::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Discord, LONGEST, event::first_id, rest::Refusal};
use crate::{Faces, Outcome, Place, Post, Unit, http::HttpError};

/// The name of a webhook in the channel's settings.
const WEBHOOK: &str = "Greenroom";
/// The largest difference between Discord's clock and ours.
const SKEW: Duration = Duration::from_secs(30);
/// If an answer is lost, the call has taken effect after this time or never will.
const SETTLED: Duration = Duration::from_secs(1);
/// The longest name of a webhook message.
pub(super) const NAME: usize = 80;
/// The characters around a name in a prefix.
pub(super) const PREFIX: usize = "**:** ".len();

/// The webhooks of channels, with their tokens.
#[derive(Default)]
pub(super) struct Webhooks {
    of_channel: DashMap<String, Webhook>,
    /// Channels in which the bot may not have a webhook.
    refused: DashSet<String>,
}

#[derive(Clone)]
struct Webhook {
    id: String,
    token: String,
}

impl Webhooks {
    pub(super) fn are_refused(&self, channel: &str) -> bool {
        self.refused.contains(channel)
    }

    pub(super) fn is_ours(&self, id: &str) -> bool {
        self.of_channel.iter().any(|webhook| webhook.id == id)
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.of_channel.iter().map(|webhook| webhook.id.clone()).collect()
    }
}

impl Discord {
    /// Sends a message of a persona.
    pub(super) async fn send(&self, post: &Post) -> Outcome {
        if self.faces(&post.place) == Faces::Prefix {
            return self.send_as_bot(post, &post.text).await;
        }
        // for a name that Discord reserves, or a channel without webhooks
        let prefixed = format!("**{}:** {}", post.face.name, post.text);
        if !is_permitted(&post.face.name) {
            return self.send_as_bot(post, &prefixed).await;
        }
        let mut sent = self.send_by_webhook(post).await;
        // the webhook was deleted in the channel's settings
        if let Err(Refusal::Bad(10_015 | 50_027, _)) = sent {
            self.webhooks.of_channel.remove(&post.place.chat);
            sent = self.send_by_webhook(post).await;
        }
        match sent {
            Ok(outcome) => outcome,
            Err(Refusal::Bad(50_001 | 50_013 | 50_024 | 30_007, _)) => {
                tracing::warn!(
                    "the bot may not manage webhooks in a channel: personas speak there by a prefix"
                );
                self.webhooks.refused.insert(post.place.chat.clone());
                self.send_as_bot(post, &prefixed).await
            }
            Err(refusal) => before(refusal),
        }
    }

    /// # Errors
    /// Nothing was sent.
    async fn send_by_webhook(&self, post: &Post) -> Result<Outcome, Refusal> {
        let webhook = self.webhook(&post.place.chat).await?;
        self.execute(post, &webhook).await
    }

    async fn execute(&self, post: &Post, webhook: &Webhook) -> Result<Outcome, Refusal> {
        let body = json!({
            "content": post.text, "username": post.face.name, "allowed_mentions": { "parse": ["users"] },
        });
        let thread =
            post.place.thread.as_ref().map(|thread| format!("&thread_id={thread}")).unwrap_or_default();
        let path = format!("/webhooks/{}/{}?wait=true{thread}", webhook.id, webhook.token);
        let begun = SystemTime::now();
        match self.rest.call_by_path(Method::POST, &path, &body).await {
            Ok(message) => Ok(done(&message)),
            Err(refusal @ (Refusal::Http(HttpError::Lost(_)) | Refusal::Broken(_) | Refusal::NotJson)) => {
                Ok(self.find(post, webhook, begun).await.unwrap_or_else(|| refusal.into()))
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Searches for a message whose answer was lost. `None` if it is not found exactly once: the outcome stays uncertain.
    async fn find(&self, post: &Post, webhook: &Webhook, begun: SystemTime) -> Option<Outcome> {
        sleep(SETTLED).await;
        let since = begun.checked_sub(SKEW)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let after = first_id(Timestamp(i64::try_from(since.as_micros()).ok()?));
        let path = format!("/channels/{}/messages?after={after}&limit=100", Self::channel(&post.place));
        let messages = self.rest.call(Method::GET, &path, &Value::Null).await.ok()?;
        let sent = |message: &&Value| {
            message["webhook_id"] == webhook.id
                && message["author"]["username"] == post.face.name.trim()
                && message["content"] == post.text.trim()
        };
        let found: Vec<&Value> = messages.as_array()?.iter().filter(sent).collect();
        // with two equal messages, an earlier message may be the only one sent
        match found.as_slice() {
            [message] => Some(done(message)),
            _ => None,
        }
    }

    async fn send_as_bot(&self, post: &Post, text: &str) -> Outcome {
        if Unit::Chars.len(text) > LONGEST {
            return Outcome::Refused(
                "the message with its prefix is longer than 2,000 characters".to_owned(),
            );
        }
        let mut body = json!({
            "content": text, "nonce": post.key, "enforce_nonce": true,
            "allowed_mentions": { "parse": ["users"], "replied_user": true },
        });
        if let Some(reply) = &post.reply_to {
            body["message_reference"] = json!({ "message_id": reply, "fail_if_not_exists": false });
        }
        let path = format!("/channels/{}/messages", Self::channel(&post.place));
        match self.rest.call(Method::POST, &path, &body).await {
            Ok(message) => done(&message),
            Err(refusal) => refusal.into(),
        }
    }

    /// The webhook of a channel. Creates one if there is none.
    async fn webhook(&self, channel: &str) -> Result<Webhook, Refusal> {
        if let Some(known) = self.webhooks.of_channel.get(channel) {
            return Ok(known.clone());
        }
        let path = format!("/channels/{channel}/webhooks");
        let webhooks = self.rest.call(Method::GET, &path, &Value::Null).await?;
        let me = self.me.get().map(|me| me.id.as_str());
        // only for a webhook of our own application does Discord tell the token
        let ours =
            |webhook: &&Value| webhook["application_id"].as_str() == me && webhook["token"].is_string();
        let webhook = match webhooks.as_array().into_iter().flatten().find(ours) {
            Some(webhook) => webhook.clone(),
            None => self.rest.call(Method::POST, &path, &json!({ "name": WEBHOOK })).await?,
        };
        let text = |key: &str| webhook[key].as_str().unwrap_or_default().to_owned();
        let webhook = Webhook { id: text("id"), token: text("token") };
        self.webhooks.of_channel.insert(channel.to_owned(), webhook.clone());
        Ok(webhook)
    }

    /// Deletes a message of the bot or of its webhook.
    pub(super) async fn delete(&self, place: &Place, message: &str) -> Outcome {
        // after a restart the webhooks are unknown, and the bot itself may not delete a webhook's messages
        let webhook = match self.faces(place) {
            Faces::Own => self.webhook(&place.chat).await.ok(),
            Faces::Prefix | Faces::Connected => None,
        };
        if let Some(webhook) = webhook {
            let thread =
                place.thread.as_ref().map(|thread| format!("?thread_id={thread}")).unwrap_or_default();
            let path = format!("/webhooks/{}/{}/messages/{message}{thread}", webhook.id, webhook.token);
            if self.rest.call_by_path(Method::DELETE, &path, &Value::Null).await.is_ok() {
                return Outcome::Done { event_id: None };
            }
        }
        let path = format!("/channels/{}/messages/{message}", Self::channel(place));
        match self.rest.call(Method::DELETE, &path, &Value::Null).await {
            Ok(_) | Err(Refusal::Bad(10_008, _)) => Outcome::Done { event_id: None },
            Err(refusal) => refusal.into(),
        }
    }
}

fn done(message: &Value) -> Outcome {
    Outcome::Done { event_id: message["id"].as_str().map(str::to_owned) }
}

/// The outcome of an error before anything was sent.
fn before(refusal: Refusal) -> Outcome {
    match refusal.into() {
        Outcome::Uncertain(reason) => Outcome::Failed(reason),
        outcome => outcome,
    }
}

/// Whether Discord accepts a name for a webhook message.
fn is_permitted(name: &str) -> bool {
    let lower = name.to_lowercase();
    let length = name.trim().chars().count();
    (1..=NAME).contains(&length) && !lower.contains("discord") && !lower.contains("clyde")
}
