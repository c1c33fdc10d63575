//! Rooms that are joined: those of the settings, and invitations; and how they look from outside.

use std::{convert::Infallible, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};

use super::{Matrix, Refusal, encoded};
use crate::{Finding, Inlet, http};

/// How often rooms are tried again that have refused the account, or are not there yet.
const AGAIN: Duration = Duration::from_secs(30);

impl Matrix {
    /// Joins the rooms of the settings. Those that refuse the account are shown to operators, and tried again and again.
    /// Never returns: it runs beside the syncs, because a server far away may let a homeserver wait.
    pub(super) async fn keep_joining(&self, inlet: &dyn Inlet) -> Infallible {
        let mut waiting = self.channels.clone();
        loop {
            for channel in std::mem::take(&mut waiting) {
                let Err(refusal) = self.join(&format!("/join/{}", encoded(&channel))).await else {
                    inlet.refused(&channel, None, None);
                    continue;
                };
                tracing::warn!(channel, %refusal, "a room cannot be joined; it is tried again");
                // what the homeserver says of the room
                if let Refusal::Bad(_) = refusal {
                    inlet.refused(&channel, None, Some(&refusal.to_string()));
                }
                waiting.push(channel);
            }
            match waiting.is_empty() {
                true => std::future::pending().await,
                false => tokio::time::sleep(AGAIN).await,
            }
        }
    }

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

/// Whether an event says that the account came into the room; a change of its profile looks alike.
pub(super) fn is_arrival(event: &Value, me: &str) -> bool {
    let before = &event["unsigned"]["prev_content"]["membership"];
    event["type"] == "m.room.member"
        && event["state_key"] == me
        && event["content"]["membership"] == "join"
        && before != "join"
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
    fn gr2_the_account_comes_with_its_first_join_and_not_with_a_new_name() {
        let join = |user: &str, before: &str| {
            json!({ "type": "m.room.member", "state_key": user, "content": { "membership": "join" },
                "unsigned": { "prev_content": { "membership": before } } })
        };
        assert!(is_arrival(&join("@bot:test", "invite"), "@bot:test"));
        assert!(!is_arrival(&join("@bot:test", "join"), "@bot:test"));
        assert!(!is_arrival(&join("@ann:test", "leave"), "@bot:test"));
    }

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
