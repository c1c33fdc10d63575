//! Rooms that are joined: those of the settings, and invitations; and how they look from outside.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Matrix, Refusal, encoded};
use crate::{Finding, Inlet, http};

/// How often rooms are tried again that have refused the account, or are not there yet.
const AGAIN: Duration = Duration::from_secs(30);

/// The rooms of the settings that are not joined yet.
pub(super) struct Joining {
    waiting: Vec<String>,
    due: Instant,
}

impl Joining {
    pub(super) fn of(channels: &[String]) -> Self {
        Self { waiting: channels.to_vec(), due: Instant::now() }
    }

    /// Joins those that let the account in; the others are shown to operators, and tried again after a while.
    pub(super) async fn join(&mut self, matrix: &Matrix, inlet: &dyn Inlet) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        self.due = now + AGAIN;
        for channel in std::mem::take(&mut self.waiting) {
            let refusal = matrix.join(&format!("/join/{}", encoded(&channel))).await.err();
            match &refusal {
                None => inlet.refused(&channel, None, None),
                // what the homeserver says of the room
                Some(Refusal::Bad(_)) => {
                    inlet.refused(&channel, None, refusal.as_ref().map(ToString::to_string).as_deref());
                }
                Some(_) => {}
            }
            if let Some(refusal) = refusal {
                tracing::warn!(channel, %refusal, "a room cannot be joined; it is tried again");
                self.waiting.push(channel);
            }
        }
    }
}

impl Matrix {
    async fn join(&self, path: &str) -> Result<Value, Refusal> {
        self.call(Method::POST, path, Some(&json!({})), Duration::ZERO).await
    }

    /// Joins rooms that the account is invited to: those of the settings, or all where these name none.
    pub(super) async fn invitations(&self, inlet: &dyn Inlet, synced: &Value) {
        for (id, _) in synced["rooms"]["invite"].as_object().into_iter().flatten() {
            if let Some(name) = self.wanted(id).await {
                let joined = self.join(&format!("/rooms/{}/join", encoded(id))).await;
                let why = joined.err().map(|refusal| refusal.to_string());
                if let Some(refusal) = &why {
                    tracing::warn!(room = id, refusal, "an invitation cannot be followed");
                }
                inlet.refused(&name, None, why.as_deref());
            }
        }
    }

    /// What the settings call a room that the account is invited to, if it is one to join.
    async fn wanted(&self, id: &str) -> Option<String> {
        if self.channels.is_empty() || self.channels.iter().any(|channel| channel == id) {
            return Some(id.to_owned());
        }
        for alias in self.channels.iter().filter(|channel| channel.starts_with('#')) {
            let of = self.get(&format!("/directory/room/{}", encoded(alias))).await;
            if of.is_ok_and(|of| of["room_id"] == id) {
                return Some(alias.clone());
            }
        }
        None
    }

    /// How a room of the settings looks from outside.
    pub(super) async fn look_at(&self, channel: &str, user: &str) -> Finding {
        let path = format!("/room_summary/{}", encoded(channel));
        let request = self.v1.call(Method::GET, &path).bearer_auth(self.token.expose());
        match http::send(request).await {
            Ok(answer) if answer.body["errcode"] == "M_UNRECOGNIZED" => self.look_up(channel).await,
            Ok(answer) => seen(channel, user, answer.status, &answer.body),
            Err(error) => Finding::bad(format!("{channel}: {error}"), "try again"),
        }
    }

    /// The same on a homeserver that shows no room from outside: whether the address of one is known.
    async fn look_up(&self, channel: &str) -> Finding {
        if !channel.starts_with('#') {
            return Finding::good(format!("{channel}: the homeserver does not say whether it may be joined"));
        }
        match self.get(&format!("/directory/room/{}", encoded(channel))).await {
            Ok(_) => Finding::good(format!("{channel} is there")),
            Err(Refusal::Bad(_)) => unknown(channel),
            Err(refusal) => Finding::bad(format!("{channel}: {refusal}"), "try again"),
        }
    }
}

fn unknown(channel: &str) -> Finding {
    let why = format!("{channel}: the homeserver knows no such room, or does not let the account see it");
    Finding::bad(why, "check its address in the settings of the room, and invite the account")
}

/// What the summary of a room says of joining it.
fn seen(channel: &str, user: &str, status: u16, summary: &Value) -> Finding {
    let word = |name: &str| summary[name].as_str().unwrap_or_default();
    match (status, word("membership"), word("join_rule")) {
        (200..=299, "ban", _) => {
            Finding::bad(format!("{channel} has banned the account"), "ask its moderators")
        }
        (200..=299, "join", _) => Finding::good(format!("{channel}: the account is there")),
        (200..=299, "invite", _) => Finding::good(format!("{channel}: the account is invited")),
        (200..=299, _, "invite" | "knock" | "private") => {
            Finding::bad(format!("{channel} is for invited people"), format!("invite {user} there"))
        }
        (200..=299, _, "restricted" | "knock_restricted") => Finding {
            remedy: Some(format!("invite {user} there, if it is in none of them")),
            ..Finding::good(format!("{channel} is for members of certain rooms and invited people"))
        },
        (200..=299, ..) => Finding::good(format!("{channel} may be joined")),
        (400 | 403 | 404, ..) => unknown(channel),
        (status, ..) => Finding::bad(format!("{channel}: the homeserver answers {status}"), "try again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad5_a_room_says_from_outside_whether_it_may_be_joined() {
        for (status, membership, rule, ok) in [
            (200, "leave", "public", true),
            (200, "join", "invite", true),
            (200, "invite", "invite", true),
            (200, "", "invite", false),
            (200, "ban", "public", false),
            (200, "", "restricted", true),
            (404, "", "", false),
            (502, "", "", false),
        ] {
            let summary = json!({ "membership": membership, "join_rule": rule });
            let found = seen("#tea:test", "@bot:test", status, &summary);
            assert_eq!(found.ok, ok, "{status} {membership} {rule}: {}", found.text);
        }
    }
}
