//! Delivers updates to the bot: the queue of `getUpdates`, and webhooks.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use super::{Server, api::Refusal};
use crate::{client, fake::Shared};

/// How long an update is kept.
const KEPT: Duration = Duration::from_hours(24);
/// The longest poll in seconds.
const LONGEST_POLL: u64 = 50;
/// The pause before the next attempt, if a webhook did not answer 200.
const WEBHOOK_RETRY: Duration = Duration::from_secs(1);
/// Kinds of updates that a bot gets only on request.
const ON_REQUEST: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];

/// An unconfirmed update.
#[derive(Clone, Debug)]
pub(super) struct Update {
    pub(super) id: i64,
    pub(super) at: Instant,
    pub(super) kind: &'static str,
    pub(super) content: Value,
}

impl Update {
    fn json(&self) -> Value {
        json!({ "update_id": self.id, self.kind: self.content })
    }
}

/// The webhook to which updates are pushed.
#[derive(Clone, Debug)]
pub(super) struct Webhook {
    pub(super) url: String,
    secret: Option<String>,
}

/// `getUpdates`: waits for updates from the offset on. Updates below the offset are confirmed and removed.
pub(super) async fn get(shared: &Shared<Server>, parameters: &Value) -> Result<Value, Refusal> {
    let seconds = parameters["timeout"].as_u64().unwrap_or_default().min(LONGEST_POLL);
    let limit = parameters["limit"].as_u64().unwrap_or(100).clamp(1, 100);
    let allowed: Option<Vec<String>> = parameters["allowed_updates"]
        .as_array()
        .map(|kinds| kinds.iter().filter_map(|kind| kind.as_str().map(str::to_owned)).collect())
        .filter(|kinds: &Vec<String>| !kinds.is_empty());
    let mine = shared.change(|state| {
        if state.webhook.is_some() {
            return Err(Refusal::conflict(
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
            ));
        }
        state.confirm(parameters["offset"].as_i64().unwrap_or_default());
        state.polls += 1;
        Ok(state.polls)
    })?;
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let found = timeout_at(
        deadline,
        shared.wait(|state| {
            if state.polls != mine {
                return Some(Err(Refusal::conflict(
                    "terminated by other getUpdates request; make sure that only one bot instance is running",
                )));
            }
            let found = state.waiting(allowed.as_deref(), usize::try_from(limit).unwrap_or(100));
            Some(Ok(found)).filter(|found| !matches!(found, Ok(found) if found.is_empty()))
        }),
    )
    .await;
    found.unwrap_or_else(|_| Ok(Vec::new())).map(Value::Array)
}

/// Pushes updates to the webhook in order. Repeats each one until the answer is 200.
pub(super) fn push(shared: &Shared<Server>) {
    let Some(webhook) = shared.read(|state| state.webhook.clone()) else { return };
    let shared = shared.clone();
    tokio::spawn(async move {
        loop {
            let next = shared.read(|state| {
                let ours = state.webhook.as_ref().is_some_and(|current| current.url == webhook.url);
                state.updates.first().filter(|_| ours).cloned()
            });
            let Some(update) = next else { break };
            match deliver(&webhook, &update.json()).await {
                Some(200..=299) => shared.change(|state| {
                    state.updates.retain(|waiting| waiting.id != update.id);
                }),
                _ => sleep(WEBHOOK_RETRY).await,
            }
        }
    });
}

async fn deliver(webhook: &Webhook, update: &Value) -> Option<u16> {
    let mut headers = vec![];
    if let Some(secret) = &webhook.secret {
        headers.push(("x-telegram-bot-api-secret-token", secret.clone()));
    }
    client::post(&webhook.url, &headers, update.to_string()).await
}

impl Server {
    pub(super) fn set_webhook(&mut self, parameters: &Value) -> Result<Value, Refusal> {
        let url = parameters["url"].as_str().unwrap_or_default();
        let secret = parameters["secret_token"].as_str().map(str::to_owned);
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if secret
            .as_ref()
            .is_some_and(|secret| secret.is_empty() || secret.len() > 256 || !secret.chars().all(allowed))
        {
            return Err(Refusal::bad("secret token contains unallowed characters"));
        }
        self.webhook = Some(Webhook { url: url.to_owned(), secret }).filter(|_| !url.is_empty());
        Ok(json!(true))
    }

    /// Removes the updates below a positive offset. For a negative offset, removes all but the last |offset|.
    fn confirm(&mut self, offset: i64) {
        match offset {
            0 => {}
            1.. => self.updates.retain(|update| update.id >= offset),
            _ => {
                let kept = usize::try_from(-offset).unwrap_or(usize::MAX);
                let forgotten = self.updates.len().saturating_sub(kept);
                self.updates.drain(..forgotten);
            }
        }
    }

    fn waiting(&mut self, allowed: Option<&[String]>, limit: usize) -> Vec<Value> {
        self.updates.retain(|update| update.at.elapsed() < KEPT);
        let wanted = |update: &&Update| match allowed {
            Some(kinds) => kinds.iter().any(|kind| kind == update.kind),
            None => !ON_REQUEST.contains(&update.kind),
        };
        self.updates.iter().filter(wanted).take(limit).map(Update::json).collect()
    }
}
