//! Calls the Web API. Nothing is retried here, because a repeated `chat.postMessage` would appear twice.

use std::time::Duration;

use greenroom_persona::Secret;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, header};
use serde_json::{Value, json};

use crate::{
    Ended, Outcome,
    http::{self, Answer, Http, HttpError},
    registry::is_local,
};

/// The host of files.
const FILES: &str = "files.slack.com";
/// Errors after which a call may have taken effect.
const AMBIGUOUS: [&str; 3] = ["fatal_error", "internal_error", "request_timeout"];
/// Errors that mean a wrong token or a token of the wrong kind.
const TOKEN: [&str; 7] = [
    "account_inactive",
    "invalid_auth",
    "not_allowed_token_type",
    "not_authed",
    "token_expired",
    "token_revoked",
    "missing_scope",
];

/// The API, with the tokens of the bot and of its app.
pub(super) struct Api {
    http: Http,
    bot: Secret,
    app: Secret,
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// Slack's error code.
    #[error("Slack says {0}")]
    Error(String),
    /// Slack asks to wait.
    #[error("Slack asks to wait for {0:?}")]
    TooMany(Duration),
    /// Slack failed; the call may have taken effect.
    #[error("Slack failed with status {0}")]
    Broken(u16),
    /// There is no answer.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl Api {
    pub(super) fn new(base: &str, bot: Secret, app: Secret) -> Result<Self, String> {
        Ok(Self { http: Http::new(base.trim_end_matches('/'))?, bot, app })
    }

    /// Calls a method as the bot. Sends a form, because the methods that read accept no JSON.
    pub(super) async fn call(&self, method: &str, form: &[(&str, &str)]) -> Result<Value, Refusal> {
        self.send(method, form, &self.bot).await?.1
    }

    /// The bot's own user, and its scopes if Slack tells them.
    pub(super) async fn auth_test(&self) -> Result<(Value, Option<Vec<String>>), Refusal> {
        let (scopes, answer) = self.send("auth.test", &[], &self.bot).await?;
        Ok((answer?, scopes))
    }

    /// The address for one connection of Socket Mode.
    pub(super) async fn open(&self) -> Result<String, Refusal> {
        let answer = self.send("apps.connections.open", &[], &self.app).await?.1?;
        answer["url"].as_str().map(str::to_owned).ok_or_else(|| Refusal::Error("no address".to_owned()))
    }

    /// Answers a slash command, visible to its user only.
    pub(super) async fn respond(&self, url: &str, text: &str) -> Result<(), Refusal> {
        let body = json!({ "response_type": "ephemeral", "text": text });
        let answer = http::send(self.http.call_absolute(url).json(&body)).await?;
        match answer.status {
            200..=299 => Ok(()),
            404 => Err(Refusal::Error("expired_url".to_owned())),
            status => Err(Refusal::Broken(status)),
        }
    }

    /// Downloads a file as the bot. Without the scope `files:read`, Slack answers with an HTML page.
    pub(super) async fn file(&self, url: &str, most: usize) -> Result<Vec<u8>, String> {
        let local = is_local(self.http.base());
        let host = http::host(url, local).filter(|host| host == FILES || local && is_local(host));
        if host.is_none() {
            return Err("it is not on a server of Slack".to_owned());
        }
        let request = self.http.get_absolute(url).bearer_auth(self.bot.expose());
        let bytes = http::fetch(request, most).await?;
        match bytes.first() {
            Some(b'<') => Err(format!("the bot lacks the scope files:read; {}", super::ADD_SCOPE)),
            _ => Ok(bytes),
        }
    }

    async fn send(
        &self,
        method: &str,
        form: &[(&str, &str)],
        token: &Secret,
    ) -> Result<(Option<Vec<String>>, Result<Value, Refusal>), Refusal> {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let form: Vec<String> =
            form.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let request = self
            .http
            .call(Method::POST, &format!("/api/{method}"))
            .bearer_auth(token.expose())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded; charset=utf-8")
            .body(form.join("&"));
        let answer = http::send(request).await?;
        let scopes = answer.headers.get("x-oauth-scopes").and_then(|value| value.to_str().ok());
        let scopes = scopes.map(|scopes| scopes.split(',').map(|scope| scope.trim().to_owned()).collect());
        Ok((scopes, result(answer)))
    }
}

fn result(answer: Answer) -> Result<Value, Refusal> {
    match answer.status {
        429 => Err(Refusal::TooMany(answer.retry_after())),
        500.. => Err(Refusal::Broken(answer.status)),
        _ if answer.body["ok"] == true => Ok(answer.body),
        status => {
            let error =
                answer.body["error"].as_str().map_or_else(|| format!("status {status}"), str::to_owned);
            match answer.body["needed"].as_str() {
                Some(needed) => Err(Refusal::Error(format!("{error} ({needed})"))),
                None => Err(Refusal::Error(error)),
            }
        }
    }
}

impl Refusal {
    fn word(&self) -> &str {
        match self {
            Self::Error(error) => error.split(' ').next().unwrap_or_default(),
            _ => "",
        }
    }

    /// The remedy.
    pub(super) fn remedy(&self) -> &'static str {
        match self.word() {
            "missing_scope" => super::ADD_SCOPE,
            "not_allowed_token_type" => {
                "the bot token begins with xoxb-, the app token with xapp-: they may be swapped"
            }
            "not_in_channel" | "channel_not_found" => "invite the bot: /invite @NAME in the channel",
            "invalid_auth" | "not_authed" | "token_revoked" | "account_inactive" => {
                "copy the token again from https://api.slack.com/apps: OAuth & Permissions has the bot token, Basic \
                 Information the app token"
            }
            _ => "look at https://slack-status.com, and try again",
        }
    }

    /// How the connection ends after this error.
    pub(super) fn ended(self) -> Ended {
        match TOKEN.contains(&self.word()) {
            true => Ended::Refused(format!("{self}; {}", self.remedy())),
            false => Ended::Broken(self.to_string()),
        }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooMany(wait) => Self::RetryAfter(wait),
            Refusal::Http(error) => error.into(),
            Refusal::Broken(_) => Self::Uncertain(refusal.to_string()),
            refusal if AMBIGUOUS.contains(&refusal.word()) => Self::Uncertain(refusal.to_string()),
            refusal if refusal.word() == "service_unavailable" => Self::Failed(refusal.to_string()),
            refusal => match TOKEN.contains(&refusal.word()) {
                true => Self::Denied(format!("{refusal}; {}", refusal.remedy())),
                false => Self::Refused(format!("{refusal}; {}", refusal.remedy())),
            },
        }
    }
}
