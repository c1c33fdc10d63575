//! Calls the REST API. The caller handles the waits that Discord asks for.

use std::time::Duration;

use greenroom_persona::Secret;
use reqwest::{Method, header};
use serde_json::Value;

use crate::{
    Ended, Outcome,
    http::{self, Answer, Http, HttpError},
};

/// The API with the bot's token.
pub(super) struct Rest {
    http: Http,
    token: Secret,
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// The token is wrong.
    #[error("Discord does not know the token")]
    Token,
    /// Discord asks to wait.
    #[error("Discord asks to wait for {0:?}")]
    TooMany(Duration),
    /// Another mistake of the bot or a missing right, with Discord's code.
    #[error("Discord refuses: {1} (code {0})")]
    Bad(u64, String),
    /// Discord failed; the call may have taken effect.
    #[error("Discord failed with status {0}")]
    Broken(u16),
    /// The answer does not come from Discord. The call may have taken effect.
    #[error(
        "the answer is not that of Discord, it is no JSON; check the proxy between this machine and Discord"
    )]
    NotJson,
    /// There is no answer.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl Rest {
    pub(super) fn new(base: &str, token: Secret) -> Result<Self, String> {
        let base = format!("{}/api/v10", base.trim_end_matches('/'));
        Ok(Self { http: Http::new(base)?, token })
    }

    pub(super) fn token(&self) -> &str {
        self.token.expose()
    }

    /// Whether the API is a server on this machine. Then its gateway may be unencrypted.
    pub(super) fn is_local(&self) -> bool {
        self.http.base().starts_with("http://")
    }

    /// A GET call of an absolute address that Discord gave, without the token.
    pub(super) fn get(&self, url: &str) -> reqwest::RequestBuilder {
        self.http.get_absolute(url)
    }

    /// Makes a call as the bot. A null body means no body.
    pub(super) async fn call(&self, method: Method, path: &str, body: &Value) -> Result<Value, Refusal> {
        let request = self.http.call(method, path);
        let request = request.header(header::AUTHORIZATION, format!("Bot {}", self.token.expose()));
        result(http::send(with(request, body)).await?)
    }

    /// Makes a call without the bot's token. The paths of webhooks and interactions contain a token of their own.
    pub(super) async fn call_by_path(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Value, Refusal> {
        result(http::send(with(self.http.call(method, path), body)).await?)
    }
}

/// Discord refuses clients whose user agent has another form.
const USER_AGENT: &str = concat!("DiscordBot (greenroom, ", env!("CARGO_PKG_VERSION"), ")");

fn with(request: reqwest::RequestBuilder, body: &Value) -> reqwest::RequestBuilder {
    let request = request.header(header::USER_AGENT, USER_AGENT);
    if body.is_null() { request.header(header::CONTENT_LENGTH, 0) } else { request.json(body) }
}

fn result(answer: Answer) -> Result<Value, Refusal> {
    let code = answer.body["code"].as_u64().unwrap_or_default();
    match answer.status {
        204 => Ok(Value::Null),
        // a proxy may answer in place of Discord; its page must not count as an empty list of messages
        200..=299 if answer.body.is_null() => Err(Refusal::NotJson),
        200..=299 => Ok(answer.body),
        429 => {
            let body = answer.body["retry_after"].as_f64().filter(|seconds| seconds.is_finite());
            let wait = body.map(|seconds| Duration::from_secs_f64(seconds.clamp(0.0, 86_400.0)));
            Err(Refusal::TooMany(wait.unwrap_or_else(|| answer.retry_after())))
        }
        401 if code == 0 => Err(Refusal::Token),
        500.. => Err(Refusal::Broken(answer.status)),
        _ => Err(Refusal::Bad(code, answer.body["message"].as_str().unwrap_or_default().to_owned())),
    }
}

impl Refusal {
    /// The remedy.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Self::Token => {
                "at https://discord.com/developers/applications choose the application, Bot, Reset Token, and set the \
                 variable of the token anew"
            }
            Self::Bad(50_001 | 50_013, _) => {
                "let the bot's role View Channel, Send Messages, Send Messages in Threads, Read Message History and \
                 Manage Webhooks"
            }
            _ => "look at https://discordstatus.com, and try again",
        }
    }

    /// How the connection ends after this error.
    pub(super) fn ended(self) -> Ended {
        match self {
            Self::Token => Ended::Refused(format!("{self}; {}", self.remedy())),
            refusal => Ended::Broken(refusal.to_string()),
        }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooMany(wait) => Self::RetryAfter(wait),
            Refusal::Http(error) => error.into(),
            Refusal::Broken(_) | Refusal::NotJson => Self::Uncertain(refusal.to_string()),
            Refusal::Token => Self::Denied(format!("{refusal}; {}", refusal.remedy())),
            refusal => Self::Refused(format!("{refusal}; {}", refusal.remedy())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The page of a proxy once counted as a channel without messages.
    #[test]
    fn ad7_an_answer_that_is_no_json_is_no_empty_one() {
        let answer = |status, body| result(Answer { status, headers: header::HeaderMap::new(), body });
        assert!(matches!(answer(200, Value::Null), Err(Refusal::NotJson)));
        assert_eq!(answer(204, Value::Null).unwrap(), Value::Null);
        assert_eq!(answer(200, json!([])).unwrap(), json!([]));
    }
}
