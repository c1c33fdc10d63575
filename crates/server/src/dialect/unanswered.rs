//! Messages without a key whose reply has not reached the client. A client that repeats one is not answered twice.

use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use greenroom_core::{
    Author, ChannelKey, Entropy, Instant, Message, PersonaName, SystemClock, SystemEntropy, Time, UserId,
    real_time,
};

use crate::{ApiError, Services};

/// The time in which a repeated message without a key is the same message. SDKs give up earlier.
const REPEATED: Duration = Duration::from_secs(15 * 60);
/// The limit of unanswered messages: those being answered, and those whose client went away.
const UNANSWERED: usize = 4_096;
/// The page size for reading a channel's messages in search of one that an SDK repeats, and the most messages read.
const PAGE: usize = 128;
const LOOKED_AT: usize = 4_096;
/// The prefix of the event ids that we gave.
const OURS: &str = "v1-";

/// The identity of a message without a key: the same text of the same person to the same persona.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MessageIdentity {
    /// The hash of the text. Two texts of one person with the same hash within a quarter of an hour count as one.
    hash: u64,
    user: UserId,
    persona: PersonaName,
    channel: ChannelKey,
}

impl MessageIdentity {
    pub(super) fn new(channel: &ChannelKey, persona: &PersonaName, user: &UserId, text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let (channel, persona, user) = (channel.clone(), persona.clone(), user.clone());
        Self { channel, persona, user, hash: hasher.finish() }
    }

    /// The event id under which the message was stored recently, perhaps by an earlier run of the server. Looked up
    /// only if an SDK states that it retries.
    pub(super) async fn stored(&self, services: &Services, text: &str) -> Result<Option<String>, ApiError> {
        let now = SystemClock.now();
        let is_recent = |said: &Message| now.since(said.at) < REPEATED;
        let is_same = |said: &Message| {
            let theirs = matches!(&said.author, Author::User { id, .. } if *id == self.user);
            theirs && said.text == text && said.event_id.starts_with(OURS) && is_recent(said)
        };
        let mut before = None;
        for _ in 0..LOOKED_AT / PAGE {
            let page = services.store.page(&self.channel, before, PAGE).await?;
            if let Some(same) = page.iter().rev().find(|said| is_same(said)) {
                return Ok(Some(same.event_id.clone()));
            }
            let Some(oldest) = page.first().filter(|said| is_recent(said)) else { break };
            before = Some(oldest.id);
        }
        Ok(None)
    }
}

/// Messages without a key whose reply has not been delivered.
#[derive(Debug, Default)]
pub(super) struct Unanswered(Mutex<VecDeque<Entry>>);

#[derive(Debug)]
struct Entry {
    identity: MessageIdentity,
    id: Arc<str>,
    since: Instant,
    /// Requests that wait for the reply now.
    waiting: usize,
}

/// A message that is unanswered until it is closed. A dropped one stays unanswered for a while: its client lost the
/// connection or got an error, and may repeat the message.
#[derive(Debug)]
pub(crate) struct PendingMessage {
    all: Arc<Unanswered>,
    id: Arc<str>,
}

impl Unanswered {
    /// Registers a message and chooses its id. It gets the id of the same unanswered message if no request waits for
    /// that reply any more, or if the client states that it retries; otherwise `stored`, the id found in the store;
    /// otherwise a new id.
    pub(super) fn open(
        self: &Arc<Self>,
        identity: MessageIdentity,
        retried: bool,
        stored: Option<String>,
    ) -> PendingMessage {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while entries.front().is_some_and(|oldest| real_time().elapsed(oldest.since) > REPEATED) {
            entries.pop_front();
        }
        let same = |entry: &&mut Entry| entry.identity == identity && (retried || entry.waiting == 0);
        let id = match entries.iter_mut().find(same) {
            Some(known) => {
                known.waiting += 1;
                known.id.clone()
            }
            None => {
                let id: Arc<str> = stored.unwrap_or_else(|| format!("{OURS}{}", SystemEntropy.uuid())).into();
                if entries.len() >= UNANSWERED {
                    let oldest = oldest_of_the_busiest(&entries);
                    entries.remove(oldest);
                }
                entries.push_back(Entry {
                    identity,
                    id: id.clone(),
                    since: real_time().instant(),
                    waiting: 1,
                });
                id
            }
        };
        PendingMessage { all: self.clone(), id }
    }
}

/// The place of the oldest message of the person with the most messages, so that no person displaces another's.
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

    /// The reply was delivered: the same text is a new message from now on.
    pub(super) fn close(self) {
        let mut entries = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.id != self.id);
    }
}

impl Drop for PendingMessage {
    fn drop(&mut self) {
        let mut entries = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter_mut().find(|entry| entry.id == self.id) {
            entry.waiting = entry.waiting.saturating_sub(1);
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
        assert_eq!(unanswered.open(identity("mo", "yes"), true, Some("v1-7".into())).id(), "v1-7");
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
