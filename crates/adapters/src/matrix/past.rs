//! Reads the messages missed in rooms during an absence.

use greenroom_core::Timestamp;
use serde_json::Value;

use super::{Matrix, Refusal, encoded, joining::is_invitation, refusal::malformed};
use crate::{Ended, LookedBack};

/// Events per page.
const PAGE: usize = 100;
/// The most pages per room after an absence.
const PAGES: usize = 10;

/// The point to read back to.
#[derive(Clone, Copy)]
pub(super) enum PastUntil<'a> {
    /// An earlier sync.
    Sync(&'a str),
    /// The account's invitation.
    Invitation { me: &'a str },
}

impl PastUntil<'_> {
    fn is_over(self, event: &Value) -> bool {
        matches!(self, Self::Invitation { me } if is_invitation(event, me))
    }
}

/// How far back all rooms of a sync were read.
#[derive(Default)]
pub(super) struct Seen {
    /// For each room that was not read completely: the time of its first event that was read.
    incomplete: Vec<Option<Timestamp>>,
}

impl Seen {
    /// Notes that a room was not read completely. `first`: its first event that was read.
    pub(super) fn is_incomplete_from(&mut self, first: Option<&Value>) {
        let at = first.and_then(|event| event["origin_server_ts"].as_i64());
        self.incomplete.push(at.map(|millis| Timestamp(millis.saturating_mul(1000))));
    }

    /// The latest of these times: from then on, all events of all rooms were read.
    pub(super) fn looked_back(&self) -> LookedBack {
        let is_known = self.incomplete.iter().all(Option::is_some);
        let since = self.incomplete.iter().copied().max().flatten().filter(|_| is_known);
        LookedBack { since, complete: self.incomplete.is_empty() }
    }
}

impl Matrix {
    /// Reads the events of a room before its timeline. Returns them in order, and whether they reach back to `until`.
    pub(super) async fn past(
        &self,
        room: &str,
        from: Option<&str>,
        until: PastUntil<'_>,
    ) -> Result<(Vec<Value>, bool), Ended> {
        let Some(mut from) = from.map(str::to_owned) else { return Ok((Vec::new(), false)) };
        let (mut events, mut all) = (Vec::new(), false);
        for _ in 0..PAGES {
            let mut path =
                format!("/rooms/{}/messages?dir=b&limit={PAGE}&from={}", encoded(room), encoded(&from));
            if let PastUntil::Sync(since) = until {
                path.push_str(&format!("&to={}", encoded(since)));
            }
            let page = self.get(&path).await.map_err(Refusal::ended)?;
            let Some(chunk) = page["chunk"].as_array().cloned() else {
                return Err(malformed(&path, "it has no `chunk`").ended());
            };
            let over = chunk.is_empty() || chunk.iter().any(|event| until.is_over(event));
            events.extend(chunk);
            match page["end"].as_str() {
                Some(end) if !over => end.clone_into(&mut from),
                _ => {
                    all = true;
                    break;
                }
            }
        }
        events.reverse();
        Ok((events, all))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The time was once that of the last room, which hid missing events in other rooms.
    #[test]
    fn ad7_what_was_seen_of_several_rooms_begins_with_the_one_that_was_read_least() {
        let event = |millis: i64| json!({ "origin_server_ts": millis });
        let mut seen = Seen::default();
        assert_eq!(seen.looked_back(), LookedBack { since: None, complete: true });
        seen.is_incomplete_from(Some(&event(9)));
        seen.is_incomplete_from(Some(&event(5)));
        assert_eq!(seen.looked_back(), LookedBack { since: Some(Timestamp(9000)), complete: false });
        seen.is_incomplete_from(None);
        assert_eq!(seen.looked_back(), LookedBack { since: None, complete: false });
    }
}
