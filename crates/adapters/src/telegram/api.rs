//! Calls the Bot API. The address contains the token, so errors never show the address (X5).

use std::time::Duration;

use greenroom_persona::Secret;
use reqwest::Method;
use serde_json::Value;

use crate::{
    Ended, Finding, Outcome,
    http::{self, Answer, Http, HttpError},
};

/// The API with the account's token.
pub(super) struct Api {
    http: Http,
    token: Secret,
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// The token is wrong.
    #[error(
        "Telegram does not know the token; copy it again from https://t.me/BotFather (/mybots, API Token)"
    )]
    Token,
    /// Another program receives the updates.
    #[error("{0}")]
    Conflict(String),
    /// Telegram asks to wait.
    #[error("Telegram asks to wait for {0:?}")]
    TooMany(Duration),
    /// The group has become a supergroup.
    #[error("the group has become a supergroup with the id {0}")]
    Migrated(i64),
    /// Another mistake of the bot, or a missing right.
    #[error("Telegram refuses: {0}")]
    Bad(String),
    /// Telegram failed; the call may have taken effect.
    #[error("Telegram failed with status {0}")]
    Broken(u16),
    /// There is no answer.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl Api {
    pub(super) fn new(base: &str, token: Secret) -> Result<Self, String> {
        Ok(Self { http: Http::new(base.trim_end_matches('/'))?, token })
    }

    /// Calls a method.
    pub(super) async fn call(&self, method: &str, parameters: &Value) -> Result<Value, Refusal> {
        let request = self.http.call(Method::POST, &self.path(method)).json(parameters);
        result(http::send(request).await?)
    }

    /// Requests updates. Telegram answers within `wait`.
    pub(super) async fn poll(&self, parameters: &Value, wait: Duration) -> Result<Value, Refusal> {
        let request = self.http.call(Method::POST, &self.path("getUpdates")).json(parameters);
        result(http::send(request.timeout(wait + Duration::from_secs(15))).await?)
    }

    /// Downloads a file by the path that `getFile` returns.
    pub(super) async fn file(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        let path = format!("/file/bot{}/{}", self.token.expose(), path.trim_start_matches('/'));
        http::fetch(self.http.call(Method::GET, &path), most).await
    }

    fn path(&self, method: &str) -> String {
        format!("/bot{}/{method}", self.token.expose())
    }
}

fn result(mut answer: Answer) -> Result<Value, Refusal> {
    if answer.body["ok"] == true {
        return Ok(answer.body["result"].take());
    }
    let description = answer.body["description"].as_str().unwrap_or_default().to_owned();
    let parameters = &answer.body["parameters"];
    Err(match answer.status {
        // Telegram answers 404 to a malformed token
        401 | 404 => Refusal::Token,
        409 => Refusal::Conflict(description),
        429 => Refusal::TooMany(Duration::from_secs(parameters["retry_after"].as_u64().unwrap_or(1))),
        400 if parameters["migrate_to_chat_id"].is_i64() => {
            Refusal::Migrated(parameters["migrate_to_chat_id"].as_i64().unwrap_or_default())
        }
        400..=499 => Refusal::Bad(description),
        status => Refusal::Broken(status),
    })
}

impl Refusal {
    /// How the connection ends after this error.
    pub(super) fn ended(self) -> Ended {
        match self {
            Self::Token => Ended::Refused(self.to_string()),
            Self::Conflict(text) if text.contains("webhook") => Ended::Refused(
                "another program gets the bot's messages by a webhook; stop it and call deleteWebhook, or make another \
                 bot with https://t.me/BotFather"
                    .to_owned(),
            ),
            Self::Conflict(_) => Ended::Broken(
                "another program gets the messages of the same bot; stop it, or make another bot with \
                 https://t.me/BotFather"
                    .to_owned(),
            ),
            refusal => Ended::Broken(refusal.to_string()),
        }
    }

    pub(super) fn finding(&self) -> Finding {
        let remedy = match self {
            Self::Token => "set the variable of the token anew",
            _ => "try again, and look at https://t.me/BotNews if it lasts",
        };
        Finding::fail(self.to_string(), remedy)
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooMany(wait) => Self::RetryAfter(wait),
            Refusal::Http(error) => error.into(),
            Refusal::Broken(_) => Self::Uncertain(refusal.to_string()),
            Refusal::Token => Self::Denied(refusal.to_string()),
            refusal => Self::Refused(refusal.to_string()),
        }
    }
}
