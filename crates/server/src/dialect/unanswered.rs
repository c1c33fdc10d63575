//! Messages without a key whose reply has not reached the client. If the client repeats such a message, it is not
//! answered twice.

use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use greenroom_core::{Instant, SystemClock, Time, Timestamp, UserId, real_time};

use super::repeats::{MessageIdentity, NewestMessage, REPEATED};

/// The limit of unanswered messages: those being answered, and those whose client went away.
const UNANSWERED: usize = 4_096;

/// Messages without a key whose reply has not been delivered.
#[derive(Debug, Default)]
pub(super) struct Unanswered(Mutex<VecDeque<Entry>>);

#[derive(Debug)]
struct Entry {
    identity: MessageIdentity,
    id: Arc<str>,
    since: Instant,
    /// The number of requests that currently wait for the reply.
    waiting: usize,
    /// When the last of these requests ended.
    left: Timestamp,
}

impl Entry {
    /// Whether a request can no longer repeat this message, because its author has the reply or has sent another
    /// message since. A client that states that it retries may have had several requests in flight: then only messages
    /// count that were sent after it went away.
    fn is_over(&self, identity: &MessageIdentity, retried: bool, newest: &NewestMessage) -> bool {
        let is_theirs = self.identity.user == identity.user && self.identity.channel == identity.channel;
        let is_newest = *newest.event_id == *self.id;
        let is_past = !is_newest && self.waiting == 0 && (!retried || newest.at >= self.left);
        is_theirs && (is_past || is_newest && newest.is_read)
    }
}

/// A message that is unanswered until it is closed. After a drop it stays unanswered for a while, because the client
/// lost the connection or got an error, and may repeat it.
#[derive(Debug)]
pub(crate) struct PendingMessage {
    all: Arc<Unanswered>,
    id: Arc<str>,
}

impl Unanswered {
    /// Whether a request may repeat a message of this identity.
    pub(super) fn knows(&self, identity: &MessageIdentity) -> bool {
        self.entries().iter().any(|entry| entry.identity == *identity)
    }

    /// Registers a message and chooses its event id:
    /// - the id of the same unanswered message, if no request waits for that reply any more, or if the client states
    ///   that it retries;
    /// - otherwise the id of the `newest` message of its author, if that is the same, and if the client states that it
    ///   retries or an earlier run of the server left it without a reply;
    /// - otherwise a new id.
    pub(super) fn open(
        self: &Arc<Self>,
        identity: MessageIdentity,
        retried: bool,
        newest: Option<&NewestMessage>,
    ) -> PendingMessage {
        let mut entries = self.entries();
        while entries.front().is_some_and(|oldest| real_time().elapsed(oldest.since) > REPEATED) {
            entries.pop_front();
        }
        if let Some(newest) = newest {
            entries.retain(|entry| !entry.is_over(&identity, retried, newest));
        }
        let same = |entry: &&mut Entry| entry.identity == identity && (retried || entry.waiting == 0);
        let id = match entries.iter_mut().find(same) {
            Some(known) => {
                known.waiting += 1;
                known.id.clone()
            }
            None => {
                let repeated = newest
                    .filter(|newest| newest.is_same && !newest.is_read && (retried || newest.is_left_over))
                    // another request waits for its reply
                    .filter(|newest| entries.iter().all(|entry| *entry.id != *newest.event_id));
                let id = repeated.map_or_else(|| identity.new_id(), |newest| newest.event_id.clone());
                let id: Arc<str> = id.into();
                if entries.len() >= UNANSWERED {
                    let oldest = oldest_of_the_busiest(&entries);
                    entries.remove(oldest);
                }
                let (since, left) = (real_time().instant(), SystemClock.now());
                entries.push_back(Entry { identity, id: id.clone(), since, waiting: 1, left });
                id
            }
        };
        PendingMessage { all: self.clone(), id }
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The index of the oldest message of the person with the most messages, so that no person displaces another's
/// messages.
fn oldest_of_the_busiest(entries: &VecDeque<Entry>) -> usize {
    let mut counts: HashMap<&UserId, (usize, usize)> = HashMap::new();
    for (place, entry) in entries.iter().enumerate() {
        counts.entry(&entry.identity.user).or_insert((0, place)).0 += 1;
    }
    let busiest = counts.into_values().max_by_key(|(count, oldest)| (*count, Reverse(*oldest)));
    busiest.map_or(0, |(_, oldest)| oldest)
}

impl PendingMessage {
    /// The event's id.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Marks the reply as delivered: from now on the same text is a new message.
    pub(super) fn close(self) {
        self.all.entries().retain(|entry| entry.id != self.id);
    }
}

impl Drop for PendingMessage {
    fn drop(&mut self) {
        let mut entries = self.all.entries();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.id == self.id) {
            entry.waiting = entry.waiting.saturating_sub(1);
            entry.left = SystemClock.now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(user: &str, text: &str) -> MessageIdentity {
        let (channel, persona) = ("api:den".parse().unwrap(), "ada".parse().unwrap());
        MessageIdentity::new(&channel, &persona, &user.parse().unwrap(), text)
    }

    #[test]
    fn gr6_the_same_words_are_the_same_message_when_nobody_waits_for_their_reply_any_more() {
        let unanswered = Arc::new(Unanswered::default());
        let open = |user, text, retried| unanswered.open(identity(user, text), retried, None);
        let first = open("jo", "yes", false);
        assert_ne!(open("jo", "yes", false).id(), first.id(), "somebody waits: it is said twice");
        assert_eq!(open("jo", "yes", true).id(), first.id(), "an SDK says that it tries again");
        let id = first.id().to_owned();
        drop(first);
        assert_ne!(open("eve", "yes", false).id(), id);
        assert_ne!(open("jo", "no", false).id(), id);
        let again = open("jo", "yes", false);
        assert_eq!(again.id(), id, "its client went away");
        again.close();
        assert_ne!(open("jo", "yes", true).id(), id, "its reply was handed over");
    }

    fn newest(event_id: &str, at: Timestamp) -> NewestMessage {
        let event_id = event_id.to_owned();
        NewestMessage { event_id, at, is_same: true, is_read: false, is_left_over: false }
    }

    #[test]
    fn gr6_a_retry_is_the_newest_message_of_its_author_unless_the_client_has_the_reply() {
        let unanswered = Arc::new(Unanswered::default());
        let id = |retried, newest| {
            let pending = unanswered.open(identity("mo", "yes"), retried, Some(&newest));
            let id = pending.id().to_owned();
            pending.close();
            id
        };
        let stored = || newest("v1-7", SystemClock.now());
        assert_eq!(id(true, stored()), "v1-7");
        assert_ne!(id(false, stored()), "v1-7", "it was delivered");
        assert_eq!(id(false, NewestMessage { is_left_over: true, ..stored() }), "v1-7");
        assert_ne!(id(true, NewestMessage { is_read: true, ..stored() }), "v1-7");
        assert_ne!(id(true, NewestMessage { is_same: false, ..stored() }), "v1-7");
    }

    #[test]
    fn gr6_a_lost_message_is_over_when_its_author_says_something_else() {
        let unanswered = Arc::new(Unanswered::default());
        let open = |newest: &NewestMessage| unanswered.open(identity("jo", "yes"), true, Some(newest));
        let before = NewestMessage { is_same: false, ..newest("e0", SystemClock.now()) };
        let lost = open(&before);
        let id = lost.id().to_owned();
        let beside = NewestMessage { is_same: false, ..newest("e1", SystemClock.now()) };
        assert_eq!(open(&beside).id(), id, "both requests were under way");
        drop(lost);
        assert_eq!(open(&before).id(), id);
        assert_eq!(open(&newest(&id, SystemClock.now())).id(), id);
        let plain = unanswered.open(identity("eve", "yes"), false, None).id().to_owned();
        assert_ne!(
            unanswered.open(identity("eve", "yes"), false, Some(&before)).id(),
            plain,
            "no retry is stated"
        );
        let after = NewestMessage { is_same: false, ..newest("e2", SystemClock.now()) };
        assert_ne!(open(&after).id(), id);
    }

    #[test]
    fn x14_unanswered_messages_do_not_grow() {
        let unanswered = Arc::new(Unanswered::default());
        for n in 0..UNANSWERED + 9 {
            drop(unanswered.open(identity("jo", &n.to_string()), false, None));
        }
        assert_eq!(unanswered.0.lock().unwrap().len(), UNANSWERED);
    }

    #[test]
    fn b2_who_leaves_many_messages_unanswered_makes_nobody_elses_unknown() {
        let unanswered = Arc::new(Unanswered::default());
        let id = unanswered.open(identity("ann", "yes"), false, None).id().to_owned();
        for n in 0..2 * UNANSWERED {
            drop(unanswered.open(identity("jo", &n.to_string()), false, None));
        }
        assert_eq!(unanswered.open(identity("ann", "yes"), false, None).id(), id);
    }
}
