//! What the process keeps in memory between requests, within fixed bounds: which messages without a key are
//! unanswered, so that a client that repeats one is not answered twice, and the items of replies that clients
//! of the responses API refer to instead of sending them.

use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use greenroom_core::{Author, ChannelKey, Clock, Message, PersonaName, SystemClock, UserId};
use uuid::Uuid;

use super::ask::RequestMessage;
use crate::{ApiError, Services};

/// So long a repeated message without a key is the same message: the SDKs give up before.
const REPEATED: Duration = Duration::from_secs(15 * 60);
/// So many unanswered messages are known. They are those under way and those whose client went away.
const UNANSWERED: usize = 4_096;
/// How many messages of a channel are read at once when one that an SDK sends again is searched for, and at most.
const PAGE: usize = 128;
const LOOKED_AT: usize = 4_096;
/// How an event id begins that we gave.
const OURS: &str = "v1-";

/// What is kept.
#[derive(Debug, Default)]
pub(crate) struct DialectState {
    /// Messages without a key whose reply was not handed over.
    pub(super) unanswered: Arc<Unanswered>,
    /// Items of replies.
    pub(crate) items: Items,
}

/// A message as it is recognised without a key: the same words of the same person to the same persona.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    /// Of the text. Two texts that share it within a quarter of an hour, by the same person, are taken for one.
    hash: u64,
    user: UserId,
    persona: PersonaName,
    channel: ChannelKey,
}

impl Event {
    pub(super) fn new(channel: &ChannelKey, persona: &PersonaName, user: &UserId, text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let (channel, persona, user) = (channel.clone(), persona.clone(), user.clone());
        Self { channel, persona, user, hash: hasher.finish() }
    }

    /// The event id under which the message was stored lately, perhaps by an earlier run of the server. Looked
    /// up only for an SDK that says that it tries again.
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

/// Messages without a key whose reply was not handed over yet.
#[derive(Debug, Default)]
pub(super) struct Unanswered(Mutex<VecDeque<Entry>>);

#[derive(Debug)]
struct Entry {
    event: Event,
    id: Arc<str>,
    since: Instant,
    /// Requests that wait for the reply now.
    waiting: usize,
}

/// A message that is unanswered until it is closed. One that is dropped stays so for a while: its client lost the
/// connection or heard of a failure, and may say it again.
#[derive(Debug)]
pub(crate) struct Open {
    all: Arc<Unanswered>,
    id: Arc<str>,
}

impl Unanswered {
    /// Takes a message in. The id is that of the same message where it is unanswered and nobody waits for its
    /// reply any more, or its client says that it tries again; `stored` where it is known from the store; else a
    /// new one.
    pub(super) fn open(self: &Arc<Self>, event: Event, retried: bool, stored: Option<String>) -> Open {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while entries.front().is_some_and(|oldest| oldest.since.elapsed() > REPEATED) {
            entries.pop_front();
        }
        let same = |entry: &&mut Entry| entry.event == event && (retried || entry.waiting == 0);
        let id = match entries.iter_mut().find(same) {
            Some(known) => {
                known.waiting += 1;
                known.id.clone()
            }
            None => {
                let id: Arc<str> = stored.unwrap_or_else(|| format!("{OURS}{}", Uuid::now_v7())).into();
                if entries.len() >= UNANSWERED {
                    let oldest = oldest_of_the_busiest(&entries);
                    entries.remove(oldest);
                }
                entries.push_back(Entry { event, id: id.clone(), since: Instant::now(), waiting: 1 });
                id
            }
        };
        Open { all: self.clone(), id }
    }
}

/// The place of the oldest message of the person who has most of them, so that nobody pushes out another's.
fn oldest_of_the_busiest(entries: &VecDeque<Entry>) -> usize {
    let mut counts: HashMap<&UserId, (usize, usize)> = HashMap::new();
    for (place, entry) in entries.iter().enumerate() {
        counts.entry(&entry.event.user).or_insert((0, place)).0 += 1;
    }
    let busiest = counts.into_values().max_by_key(|(count, oldest)| (*count, Reverse(*oldest)));
    busiest.map_or(0, |(_, oldest)| oldest)
}

impl Open {
    /// The event's id.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The reply was handed over: the same words are another message from now on.
    pub(super) fn close(self) {
        let mut entries = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.id != self.id);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut entries = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter_mut().find(|entry| entry.id == self.id) {
            entry.waiting = entry.waiting.saturating_sub(1);
        }
    }
}

/// So many bytes of items one caller may have here, and all together.
const ITEMS: (usize, usize) = (512 * 1024, 8 * 1024 * 1024);

/// What an item takes beside its texts.
const ITEM: usize = 256;

/// The items of replies without a channel, by their ids. Vercel's AI SDK sends `{"type": "item_reference"}` in
/// place of a reply it was given.
#[derive(Debug, Default)]
pub(crate) struct Items(Mutex<VecDeque<Item>>);

#[derive(Debug)]
struct Item {
    caller: UserId,
    id: String,
    what: RequestMessage,
    bytes: usize,
    /// What had been forgotten when it was put here.
    forgotten: u64,
}

impl Items {
    /// Keeps an item of a caller; the oldest go where there are too many.
    pub(crate) fn put(&self, caller: &UserId, id: String, what: RequestMessage, forgotten: u64) {
        let bytes = ITEM + id.len() + size(&what);
        let mut items = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        items.push_back(Item { caller: caller.clone(), id, what, bytes, forgotten });
        let (each, all) = ITEMS;
        loop {
            let own: usize = items.iter().filter(|item| item.caller == *caller).map(|item| item.bytes).sum();
            let whole: usize = items.iter().map(|item| item.bytes).sum();
            let oldest = if own > each { items.iter().position(|item| item.caller == *caller) } else { None };
            match oldest.or_else(|| (whole > all).then_some(0)) {
                Some(oldest) => drop(items.remove(oldest)),
                None => return,
            }
        }
    }

    /// An item of a caller, unless something was forgotten since.
    pub(crate) fn get(&self, caller: &UserId, id: &str, forgotten: u64) -> Option<RequestMessage> {
        let mut items = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        items.retain(|item| item.forgotten == forgotten);
        items.iter().find(|item| item.caller == *caller && item.id == id).map(|item| item.what.clone())
    }
}

fn size(what: &RequestMessage) -> usize {
    match what {
        RequestMessage::System(text)
        | RequestMessage::User { text, .. }
        | RequestMessage::Tool { text, .. } => text.as_ref().map_or(0, String::len),
        RequestMessage::Assistant { text, calls } => {
            let called = calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>();
            text.as_ref().map_or(0, String::len) + called
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(user: &str, text: &str) -> Event {
        let (channel, persona) = ("api:den".parse().unwrap(), "ada".parse().unwrap());
        Event::new(&channel, &persona, &user.parse().unwrap(), text)
    }

    #[test]
    fn gr6_the_same_words_are_the_same_message_when_nobody_waits_for_their_reply_any_more() {
        let unanswered = Arc::new(Unanswered::default());
        let open = |user, text, retried| unanswered.open(event(user, text), retried, None);
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
        assert_eq!(unanswered.open(event("mo", "yes"), true, Some("v1-7".into())).id(), "v1-7");
    }

    #[test]
    fn x14_unanswered_messages_do_not_grow() {
        let unanswered = Arc::new(Unanswered::default());
        for n in 0..UNANSWERED + 9 {
            drop(unanswered.open(event("jo", &n.to_string()), false, None));
        }
        assert_eq!(unanswered.0.lock().unwrap().len(), UNANSWERED);
    }

    #[test]
    fn b2_who_leaves_many_messages_unanswered_makes_nobody_elses_unknown() {
        let unanswered = Arc::new(Unanswered::default());
        let id = unanswered.open(event("ann", "yes"), false, None).id().to_owned();
        for n in 0..2 * UNANSWERED {
            drop(unanswered.open(event("jo", &n.to_string()), false, None));
        }
        assert_eq!(unanswered.open(event("ann", "yes"), false, None).id(), id);
    }

    fn said(text: &str) -> RequestMessage {
        RequestMessage::Assistant { text: Ok(text.into()), calls: Vec::new() }
    }

    #[test]
    fn x6_an_item_is_its_callers_alone_and_gone_when_something_is_forgotten() {
        let (items, jo, eve) = (Items::default(), "jo".parse().unwrap(), "eve".parse().unwrap());
        items.put(&jo, "msg_1".into(), said("hi"), 0);
        assert_eq!(items.get(&jo, "msg_1", 0), Some(said("hi")));
        assert_eq!(items.get(&eve, "msg_1", 0), None);
        assert_eq!(items.get(&jo, "msg_1", 1), None);
        assert!(items.0.lock().unwrap().is_empty());
    }

    #[test]
    fn x14_the_items_of_one_caller_push_out_nobody_elses() {
        let (items, jo, eve) = (Items::default(), "jo".parse().unwrap(), "eve".parse().unwrap());
        items.put(&jo, "msg_1".into(), said("hi"), 0);
        for n in 0..40 {
            items.put(&eve, format!("msg_{n}"), said(&"x".repeat(64 * 1024)), 0);
        }
        assert!(items.get(&jo, "msg_1", 0).is_some());
        assert!(items.get(&eve, "msg_0", 0).is_none() && items.get(&eve, "msg_39", 0).is_some());
        let held: usize = items.0.lock().unwrap().iter().map(|item| item.bytes).sum();
        assert!(held < ITEMS.0 + 1024, "{held}");
    }
}
