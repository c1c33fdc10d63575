//! Receives events by HTTP (the Events API). Requests are signed, and each is answered after its event is stored.
//!
//! Slack repeats a request that is not answered by 200 within 3 s: at once, after 1 and after 5 minutes, with
//! `X-Slack-Retry-Num`. A repetition may be the only copy that arrives. So duplicates are recognised by the store and
//! not by this number.

use greenroom_persona::Secret;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use super::{Slack, api::Refusal, history};
use crate::{
    ConnectionState, Ended, Event, Inlet, NotTaken, Taken, WebhookError, WebhookRequest, WebhookResponse,
    signature::{self, ReplayCache},
};

/// Verifies requests and puts them in order.
pub(super) struct Requests {
    secret: Secret,
    seen: ReplayCache,
    /// Requests arrive concurrently. The semaphore makes them run one after another.
    order: Semaphore,
}

impl Requests {
    pub(super) fn new(secret: Secret) -> Self {
        Self { secret, seen: ReplayCache::since(signature::now()), order: Semaphore::new(1) }
    }

    /// Handles a webhook request.
    pub(super) async fn webhook(
        &self,
        slack: &Slack,
        inlet: &dyn Inlet,
        request: &WebhookRequest,
    ) -> Result<WebhookResponse, WebhookError> {
        let (Some(timestamp), Some(signature)) = (&request.timestamp, &request.signature) else {
            return Err(WebhookError::Unsigned);
        };
        // the signature is checked before the body is read (X3)
        let parts: [&[u8]; 4] = [b"v0:", timestamp.as_bytes(), b":", &request.body];
        let digits = signature.strip_prefix("v0=");
        if !digits.is_some_and(|digits| signature::is_signed(self.secret.expose(), &parts, digits)) {
            return Err(WebhookError::Unsigned);
        }
        let at: u64 = timestamp.parse().map_err(|_| WebhookError::Unsigned)?;
        self.seen.admit(signature, at)?;
        let answer = self.answer(slack, inlet, &request.body, at).await;
        if answer.is_err() {
            // Slack sends the request again
            self.seen.forget(signature);
        }
        answer
    }

    async fn answer(
        &self,
        slack: &Slack,
        inlet: &dyn Inlet,
        body: &[u8],
        at: u64,
    ) -> Result<WebhookResponse, WebhookError> {
        let event = match serde_json::from_slice::<Value>(body) {
            Ok(body) if body["type"] == "url_verification" => {
                return Ok(WebhookResponse::Challenge(
                    body["challenge"].as_str().unwrap_or_default().to_owned(),
                ));
            }
            Ok(body) if body["type"] == "event_callback" => {
                let me = slack.me().ok_or(NotTaken::Stopped)?;
                let _in_order = self.order.acquire().await;
                return match slack.event(&body["event"], &me).await {
                    Some(event) => Ok(slack.take(inlet, event).await?.into()),
                    None => Ok(Taken::Ignored.into()),
                };
            }
            Ok(_) => None,
            Err(_) => {
                let fields = form(body);
                // a form that we do not use, for example of a button, is accepted, so that Slack does not repeat it
                if fields.get("command").or(fields.get("payload")).is_none() {
                    return Err(WebhookError::Invalid("the body is neither JSON nor a form of Slack".into()));
                }
                slack.command(&fields)
            }
        };
        match event {
            // The store recognises repeated messages, but not commands. A command from before the start may have run
            // already.
            Some(_) if at < self.seen.since => Err(WebhookError::Stale),
            Some(call) => Ok(slack.take(inlet, Event::Command(call)).await?.into()),
            None => Ok(Taken::Ignored.into()),
        }
    }
}

/// Parses the fields of a form.
fn form(body: &[u8]) -> Value {
    let body = String::from_utf8_lossy(body);
    let url = reqwest::Url::parse(&format!("http://form/?{}", body.replace('#', "%23")));
    let fields = url.ok().map(|url| {
        let pairs = url.query_pairs();
        pairs.map(|(name, value)| (name.into_owned(), value.into_owned().into())).collect::<Map<_, _>>()
    });
    fields.unwrap_or_default().into()
}

/// Catches up and is online until the program stops. Slack calls our webhook.
pub(super) async fn run(slack: &Slack, inlet: &dyn Inlet) -> Ended {
    let closing = inlet.closing();
    let run = async {
        inlet.report(ConnectionState::Connecting);
        let me = slack.sign_in().await.map_err(Refusal::ended)?;
        history::catch_up(slack, inlet, &me).await?;
        inlet.report(ConnectionState::Online { as_user: format!("@{}", me.name) });
        closing.cancelled().await;
        Err::<(), _>(Ended::Stopped)
    };
    tokio::select! {
        ended = run => ended.err().unwrap_or(Ended::Reconnect),
        () = closing.cancelled() => Ended::Stopped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad6_a_slash_command_comes_as_a_form() {
        let fields = form(b"command=%2Fgreenroom&text=quiet+1h&user_name=a%26b#c");
        assert_eq!(fields["command"], "/greenroom");
        assert_eq!((&fields["text"], &fields["user_name"]), (&"quiet 1h".into(), &"a&b#c".into()));
    }
}
