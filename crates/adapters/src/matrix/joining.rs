//! Joins the rooms of the settings, or the rooms that the account is invited to. Describes rooms that are not joined, for
//! `connect` and `doctor`.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{StreamExt, stream};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::{Matrix, Refusal, broken, encoded};
use crate::{Ended, Finding, Inlet, http};

/// The pause before the next attempt to join a room. It doubles while attempts fail.
const AGAIN: Duration = Duration::from_secs(2);
/// The longest pauses: for a room of the settings, and for an invitation.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE_INVITED: Duration = Duration::from_secs(600);
/// Concurrent joins. A remote server may make a homeserver wait.
const AT_ONCE: usize = 4;
/// The most waiting invitations. When full, the invitation with the most attempts is dropped.
const INVITATIONS: usize = 100;
/// The name of the cursor with the waiting invitations. They are stored, because the homeserver reports each only once.
const KEPT: &str = "invitations";

/// The rooms still to join: addresses of the settings, or ids of invitations.
#[derive(Default)]
pub(super) struct Joining {
    waiting: Mutex<BTreeMap<String, Attempt>>,
    changed: Notify,
}

#[derive(Clone, Copy)]
struct Attempt {
    failed: u32,
    due: Instant,
}

impl Joining {
    fn waiting(&self) -> MutexGuard<'_, BTreeMap<String, Attempt>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds rooms to join at once.
    fn want(&self, rooms: impl IntoIterator<Item = String>) {
        let due = Instant::now();
        self.waiting().extend(rooms.into_iter().map(|room| (room, Attempt { failed: 0, due })));
        self.changed.notify_one();
    }

    /// Adds invitations.
    fn invited(&self, rooms: Vec<String>) {
        self.want(rooms);
        let waiting = &mut *self.waiting();
        while waiting.len() > INVITATIONS {
            let most = waiting.iter().max_by_key(|(_, attempt)| attempt.failed).map(|(room, _)| room.clone());
            let Some(room) = most else { break };
            tracing::warn!(room, "an invitation is given up: too many wait");
            waiting.remove(&room);
        }
    }

    /// The rooms to join now, and the time of the next attempt.
    fn due(&self) -> (Vec<String>, Option<Instant>) {
        let now = Instant::now();
        let waiting = self.waiting();
        let due = waiting.iter().filter(|(_, attempt)| attempt.due <= now).map(|(room, _)| room.clone());
        (due.collect(), waiting.values().map(|attempt| attempt.due).min())
    }

    /// Postpones the next attempt for a room by the pause, at least by `wait`.
    fn postpone(&self, room: &str, wait: Duration, longest: Duration) {
        if let Some(attempt) = self.waiting().get_mut(room) {
            let pause = AGAIN * 2_u32.saturating_pow(attempt.failed.min(16));
            attempt.failed += 1;
            attempt.due = Instant::now() + pause.min(longest).max(wait);
        }
    }

    fn kept(&self) -> String {
        json!(self.waiting().keys().collect::<Vec<_>>()).to_string()
    }
}

impl Matrix {
    /// Whether the account accepts invitations. It does if the settings name no rooms.
    fn follows_invitations(&self) -> bool {
        self.channels.is_empty()
    }

    /// Loads the invitations that an earlier process stored. Call this before the first sync, which stores the list
    /// again.
    ///
    /// # Errors
    /// The store cannot be read. Going on would overwrite the stored list with the next invitation.
    pub(super) async fn restore_invitations(&self, inlet: &dyn Inlet) -> Result<(), Ended> {
        if self.follows_invitations() {
            let kept = inlet.cursor(KEPT).await.map_err(broken)?.unwrap_or_else(|| "[]".to_owned());
            let kept: Vec<String> = serde_json::from_str(&kept)
                .inspect_err(|error| tracing::error!(%error, "the stored invitations cannot be read"))
                .unwrap_or_default();
            self.joining.want(kept);
        }
        Ok(())
    }

    /// Joins the rooms of the settings and of invitations. Failed joins are retried, and operators see the reason.
    /// Never returns; it runs concurrently with the syncs.
    pub(super) async fn keep_joining(&self, inlet: &dyn Inlet) -> Infallible {
        self.joining.want(self.channels.iter().cloned());
        loop {
            let (due, next) = self.joining.due();
            if due.is_empty() {
                let next = async {
                    match next {
                        Some(next) => sleep_until(next).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = next => {}
                    () = self.joining.changed.notified() => {}
                }
                continue;
            }
            stream::iter(due).for_each_concurrent(AT_ONCE, |room| self.try_to_join(inlet, room)).await;
        }
    }

    /// Tries to join a room. After a success, or a permanent refusal, an invitation is removed.
    async fn try_to_join(&self, inlet: &dyn Inlet, room: String) {
        let invited = self.follows_invitations();
        let refusal = self.join(&room).await.err();
        match &refusal {
            None => inlet.refused(&room, None, None),
            Some(refusal) => {
                tracing::warn!(room, %refusal, invited, "a room cannot be joined");
                // Report only permanent refusals for rooms of the settings. For an invitation, nothing else tells the
                // operator.
                if invited || matches!(refusal, Refusal::Bad(_)) {
                    inlet.refused(&room, None, Some(&refusal.to_string()));
                }
            }
        }
        match refusal {
            Some(Refusal::TooMany(wait)) => self.joining.postpone(&room, wait, LONGEST_PAUSE),
            Some(Refusal::Bad(_)) if invited => _ = self.joining.waiting().remove(&room),
            Some(_) if invited => self.joining.postpone(&room, Duration::ZERO, LONGEST_PAUSE_INVITED),
            Some(_) => self.joining.postpone(&room, Duration::ZERO, LONGEST_PAUSE),
            None => _ = self.joining.waiting().remove(&room),
        }
        if invited && let Err(error) = inlet.keep_cursor(KEPT, &self.joining.kept()).await {
            tracing::warn!(%error, "the invitations that wait are not kept");
        }
    }

    async fn join(&self, room: &str) -> Result<Value, Refusal> {
        let path = format!("/join/{}", encoded(room));
        self.call(Method::POST, &path, Some(&json!({})), Duration::ZERO).await
    }

    /// Notes the invitations of a sync. If the settings name rooms, the invitation may be to any of them, so all of
    /// them are tried at once.
    pub(super) async fn invitations(&self, inlet: &dyn Inlet, synced: &Value) -> Result<(), Ended> {
        let rooms = |of: &str| -> Vec<String> {
            synced["rooms"][of].as_object().into_iter().flat_map(|rooms| rooms.keys().cloned()).collect()
        };
        let (invited, mut withdrawn) = (rooms("invite"), rooms("leave"));
        if !self.follows_invitations() {
            if !invited.is_empty() {
                self.joining.want(self.channels.iter().cloned());
            }
            return Ok(());
        }
        withdrawn.retain(|room| self.joining.waiting().remove(room).is_some());
        withdrawn.iter().for_each(|room| inlet.refused(room, None, None));
        if invited.is_empty() && withdrawn.is_empty() {
            return Ok(());
        }
        self.joining.invited(invited);
        inlet.keep_cursor(KEPT, &self.joining.kept()).await.map_err(broken)
    }

    /// Describes a room of the settings that is not joined: whether the account may join it.
    pub(super) async fn look_at(&self, channel: &str, user: &str) -> Finding {
        let path = format!("/room_summary/{}", encoded(channel));
        let request = self.v1.call(Method::GET, &path).bearer_auth(self.token.expose());
        match http::send(request).await {
            Ok(answer) if answer.body["errcode"] == "M_UNRECOGNIZED" => self.look_up(channel).await,
            Ok(answer) => seen(channel, user, answer.status, &answer.body),
            Err(error) => Finding::fail(format!("{channel}: {error}"), "try again"),
        }
    }

    /// Does the same on a homeserver without room summaries: whether it knows the address.
    async fn look_up(&self, channel: &str) -> Finding {
        if !channel.starts_with('#') {
            return Finding::pass(format!("{channel}: the homeserver does not say whether it may be joined"));
        }
        match self.get(&format!("/directory/room/{}", encoded(channel))).await {
            Ok(_) => Finding::pass(format!("{channel} is there")),
            Err(Refusal::Bad(_)) => unknown(channel),
            Err(refusal) => Finding::fail(format!("{channel}: {refusal}"), "try again"),
        }
    }
}

/// The account's join in the timeline of a room, and its invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    /// The index of the join.
    at: usize,
    is_invited: bool,
    /// The index of the invitation, if the timeline contains it. From then on, people may address the account.
    invited_at: Option<usize>,
}

impl Arrival {
    /// Whether the invitation is older than the timeline.
    pub(super) fn was_invited_before(self) -> bool {
        self.is_invited && self.invited_at.is_none()
    }

    /// The index of the first event that the account may see.
    pub(super) fn heard_from(self) -> usize {
        self.invited_at.unwrap_or(self.at) + 1
    }
}

/// The newest join of the account in a timeline. A profile change has the same form as a join and is skipped.
pub(super) fn arrival(timeline: &[Value], me: &str) -> Option<Arrival> {
    let before = |event: &Value| event["unsigned"]["prev_content"]["membership"].clone();
    let at = timeline.iter().rposition(|event| is_member(event, me, "join") && before(event) != "join")?;
    let is_invited = before(&timeline[at]) == "invite";
    let invited_at = timeline[..at].iter().rposition(|event| is_invitation(event, me)).filter(|_| is_invited);
    Some(Arrival { at, is_invited, invited_at })
}

/// Whether an event invites the account.
pub(super) fn is_invitation(event: &Value, me: &str) -> bool {
    is_member(event, me, "invite")
}

fn is_member(event: &Value, user: &str, membership: &str) -> bool {
    event["type"] == "m.room.member"
        && event["state_key"] == user
        && event["content"]["membership"] == membership
}

fn unknown(channel: &str) -> Finding {
    let why = format!("{channel}: the homeserver knows no such room, or does not let the account see it");
    Finding::fail(why, "check its address in the settings of the room, and invite the account")
}

/// Whether the account may join a room, from the room's summary.
fn seen(channel: &str, user: &str, status: u16, summary: &Value) -> Finding {
    let word = |name: &str| summary[name].as_str().unwrap_or_default();
    match (status, word("membership"), word("join_rule")) {
        (200..=299, "ban", _) => {
            Finding::fail(format!("{channel} has banned the account"), "ask its moderators")
        }
        (200..=299, "join", _) => Finding::pass(format!("{channel}: the account is there")),
        (200..=299, "invite", _) => Finding::pass(format!("{channel}: the account is invited")),
        (200..=299, _, "invite" | "knock" | "private") => {
            Finding::fail(format!("{channel} is for invited people"), format!("invite {user} there"))
        }
        (200..=299, _, "restricted" | "knock_restricted") => Finding {
            remedy: Some(format!("invite {user} there, if it is in none of them")),
            ..Finding::pass(format!("{channel} is for members of certain rooms and invited people"))
        },
        (200..=299, ..) => Finding::pass(format!("{channel} may be joined")),
        (400 | 403 | 404, ..) => unknown(channel),
        (status, ..) => Finding::fail(format!("{channel}: the homeserver answers {status}"), "try again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gr2_the_account_hears_a_room_from_its_invitation_or_its_first_join() {
        let member = |user: &str, membership: &str, before: &str| {
            json!({ "type": "m.room.member", "state_key": user, "content": { "membership": membership },
                "unsigned": { "prev_content": { "membership": before } } })
        };
        let said = json!({ "type": "m.room.message" });
        let heard = |timeline: &[Value]| arrival(timeline, "@bot:test").map(Arrival::heard_from);
        let (asked, invited) = (member("@bot:test", "invite", ""), member("@bot:test", "join", "invite"));
        assert_eq!(heard(&[said.clone(), asked.clone(), said.clone(), invited.clone()]), Some(2));
        assert_eq!(heard(&[said.clone(), invited.clone()]), Some(2), "the invitation is not there");
        assert!(arrival(&[said.clone(), invited], "@bot:test").unwrap().was_invited_before());
        let unasked = member("@bot:test", "join", "leave");
        assert_eq!(heard(&[asked, said.clone(), unasked]), Some(3), "an older invitation was declined");
        assert_eq!(heard(&[said.clone(), member("@bot:test", "join", "join")]), None, "a new name");
        assert_eq!(heard(&[said, member("@ann:test", "join", "leave")]), None);
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
            assert_eq!(found.passed, ok, "{status} {membership} {rule}: {}", found.text);
        }
    }
}
