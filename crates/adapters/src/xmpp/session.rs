//! The state of a connection that the next connection continues with: rooms, counters, messages in flight, ids.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::Hash,
};

use greenroom_core::PersonaName;
use tokio::{sync::oneshot, time::Instant};

use super::{event::stanza_id, managed::Managed, xml::Element};
use crate::Outcome;

/// Entries in each of the two generations.
const REMEMBERED: usize = 4096;

/// A map that keeps the newest entries, between 4,096 and 8,192.
pub(super) struct Recent<K, V> {
    new: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { new: HashMap::new(), old: HashMap::new() }
    }
}

impl<K: Hash + Eq, V> Recent<K, V> {
    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.new.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(key, value);
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.new.get(key).or_else(|| self.old.get(key))
    }
}

/// A sent message without a confirmation.
pub(super) struct UnderWay {
    pub(super) chat: String,
    /// Whether the echo of a room confirms it. Otherwise the server's counter does.
    pub(super) group: bool,
    pub(super) sent_at: Instant,
    pub(super) done: oneshot::Sender<Outcome>,
}

/// A person in a room.
#[derive(Debug, Clone, Default)]
pub(super) struct Occupant {
    /// The JID without its resource, if the room shows it.
    pub(super) jid: Option<String>,
    /// The room's own id of the person (XEP-0421).
    pub(super) id: Option<String>,
    /// Whether we have asked whether the occupant is a program.
    pub(super) is_asked: bool,
    /// Whether the occupant describes itself as a bot.
    pub(super) is_bot: bool,
}

/// Whether we are in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Presence {
    #[default]
    Entering,
    There,
    /// The room refuses us; the log contains the reason.
    Refused,
}

/// A room of the account.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) presence: Presence,
    pub(super) nick: String,
    pub(super) occupants: HashMap<String, Occupant>,
    /// Whether the room has an archive (XEP-0313).
    pub(super) archived: bool,
    /// Whether the room gives ids to people (XEP-0421). If not, an author may have forged such an id.
    pub(super) has_ids: bool,
}

/// The number of refusals before the log reports a room. A room that is being created lets nobody in for a moment.
pub(super) const SOON: u32 = 3;

/// Rooms that refuse us, with the number of refusals. They are tried again.
#[derive(Default)]
pub(super) struct Refusals(HashMap<String, u32>);

impl Refusals {
    /// Counts a refusal. Returns whether to log it: true once per room.
    pub(super) fn refused(&mut self, room: &str) -> bool {
        let times = self.0.entry(room.to_owned()).or_default();
        *times = times.saturating_add(1);
        *times == SOON
    }

    pub(super) fn entered(&mut self, room: &str) {
        self.0.remove(room);
    }

    pub(super) fn rooms(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    pub(super) fn contains(&self, room: &str) -> bool {
        self.0.contains_key(room)
    }
}

/// The state of one connection of an account.
#[derive(Default)]
pub(super) struct Session {
    pub(super) managed: Managed,
    /// Whether all rooms are entered and all missed messages stored. Only then may the stream be resumed.
    pub(super) ready: bool,
    pub(super) rooms: HashMap<String, Room>,
    /// Whether the account's server archives direct chats.
    pub(super) archived: bool,
    pub(super) under_way: HashMap<String, UnderWay>,
    /// The platform's ids of our own messages, by key.
    pub(super) sent: Recent<String, String>,
    /// The event ids of messages, by chat, author and the author's id. Corrections refer to the author's id.
    pub(super) event_ids: Recent<(String, String, String), String>,
    /// The authors' ids of messages, by chat and event id. Replies in direct chats refer to them.
    pub(super) given_ids: Recent<(String, String), String>,
    /// The addresses of people, by room and the room's id. A room may show an address only at times.
    pub(super) addresses: Recent<(String, String), String>,
    /// By room: the archive's id of the last stored message. The next connection reads from there. Another process
    /// begins at the cursor's time instead, because it does not know which of our messages have arrived.
    pub(super) seen: HashMap<String, String>,
    /// Messages that arrived while the archives were read.
    pub(super) later: VecDeque<Element>,
    /// Chats in which we have already answered that encrypted messages cannot be read.
    pub(super) told_encrypted: HashSet<String>,
}

impl Session {
    /// Adds the address that the room has shown before, if it shows none now.
    pub(super) fn with_address(&mut self, room: &str, mut occupant: Occupant) -> Occupant {
        let Some(id) = occupant.id.clone() else { return occupant };
        let key = (room.to_owned(), id);
        match &occupant.jid {
            Some(jid) => self.addresses.insert(key, jid.clone()),
            None => occupant.jid = self.addresses.get(&key).cloned(),
        }
        occupant
    }

    /// Notes that a room's message was stored.
    pub(super) fn note_seen(&mut self, stanza: &Element) {
        let room = bare(stanza.attribute("from").unwrap_or_default());
        if stanza.attribute("type") == Some("groupchat")
            && self.rooms.get(room).is_some_and(|room| room.archived)
            && let Some(id) = stanza_id(stanza, room)
        {
            self.seen.insert(room.to_owned(), id);
        }
    }

    /// Prepares for a new stream. Messages in flight stay: the archive may show their outcomes.
    pub(super) fn begin_again(&mut self) {
        self.ready = false;
        self.rooms.clear();
        self.later.clear();
    }

    /// One of our messages has arrived.
    pub(super) fn arrived(&mut self, key: &str, event_id: &str) {
        self.sent.insert(key.to_owned(), event_id.to_owned());
        if let Some(one) = self.under_way.remove(key) {
            let _ = one.done.send(Outcome::Done { event_id: Some(event_id.to_owned()) });
        }
    }

    /// The server took these stanzas. For a direct message there is no further confirmation.
    pub(super) fn taken(&mut self, stanzas: &[Element]) {
        for key in stanzas.iter().filter_map(|stanza| stanza.attribute("id")) {
            if self.under_way.get(key).is_some_and(|one| !one.group) {
                self.arrived(key, key);
            }
        }
    }

    /// Decides the outcomes of messages in flight on an earlier stream, after the archives were read. `complete`:
    /// whether all archived messages were read.
    pub(super) fn settle(&mut self, complete: bool) {
        let keys: Vec<_> = self.under_way.keys().cloned().collect();
        for key in keys {
            if let Some(event_id) = self.sent.get(&key).cloned() {
                self.arrived(&key, &event_id);
                continue;
            }
            let Some(one) = self.under_way.remove(&key) else { continue };
            let is_kept = self.rooms.get(&one.chat).map_or(self.archived, |room| room.archived);
            let _ = one.done.send(match is_kept && complete {
                true => Outcome::Failed("the connection broke before the server took it".into()),
                false => Outcome::Uncertain("the connection broke before the server confirmed it".into()),
            });
        }
    }
}

/// The role of a connection.
pub(super) struct Role {
    /// The persona of the connection; `None` if all personas share it.
    pub(super) persona: Option<PersonaName>,
    /// The wanted nick in rooms.
    pub(super) nick: String,
    /// Whether it passes on room messages and messages to the account. Of several connections, only the first does.
    pub(super) is_first: bool,
}

/// The bare JID: `ada@example.org` of `ada@example.org/phone`.
pub(super) fn bare(jid: &str) -> &str {
    jid.split('/').next().unwrap_or_default()
}

/// The resource: `phone` of `ada@example.org/phone`.
pub(super) fn resource(jid: &str) -> Option<&str> {
    jid.split_once('/').map(|(_, resource)| resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under_way(session: &mut Session, key: &str, chat: &str) -> oneshot::Receiver<Outcome> {
        let (done, outcome) = oneshot::channel();
        let one = UnderWay { chat: chat.into(), group: true, sent_at: Instant::now(), done };
        session.under_way.insert(key.into(), one);
        outcome
    }

    #[test]
    fn ad1_what_was_under_way_ends_as_the_archive_shows() {
        let mut session = Session::default();
        session.rooms.insert("tea@rooms".into(), Room { archived: true, ..Room::default() });
        session.rooms.insert("den@rooms".into(), Room::default());
        let mut there = under_way(&mut session, "k1", "tea@rooms");
        let mut lost = under_way(&mut session, "k2", "tea@rooms");
        let mut unknown = under_way(&mut session, "k3", "den@rooms");
        session.sent.insert("k1".into(), "archive-1".into());
        session.settle(true);
        assert_eq!(there.try_recv(), Ok(Outcome::Done { event_id: Some("archive-1".into()) }));
        assert!(matches!(lost.try_recv(), Ok(Outcome::Failed(_))));
        assert!(matches!(unknown.try_recv(), Ok(Outcome::Uncertain(_))));
        let mut cut = under_way(&mut session, "k4", "tea@rooms");
        session.settle(false);
        assert!(
            matches!(cut.try_recv(), Ok(Outcome::Uncertain(_))),
            "a past that was cut off proves nothing"
        );
    }

    /// Another connection of the account may be about to open the room, so nothing is logged.
    #[test]
    fn ad2_a_room_that_refuses_us_for_a_moment_raises_no_alarm() {
        let mut refusals = Refusals::default();
        let told =
            |refusals: &mut Refusals, times: u32| (0..times).filter(|_| refusals.refused("tea")).count();
        assert_eq!(told(&mut refusals, SOON - 1), 0);
        refusals.entered("tea");
        assert!(!refusals.contains("tea") && refusals.rooms().is_empty());
        assert_eq!(told(&mut refusals, SOON - 1), 0);
        assert_eq!(told(&mut refusals, 10), 1, "and a room that goes on refusing us raises one");
        assert_eq!(refusals.rooms(), ["tea"]);
    }

    #[test]
    fn s9_what_is_remembered_is_bounded() {
        let mut recent = Recent::default();
        (0..20_000).for_each(|n| recent.insert(n, n));
        assert!(recent.new.len() + recent.old.len() <= 2 * REMEMBERED);
        assert_eq!((recent.get(&19_999), recent.get(&1)), (Some(&19_999), None));
    }
}
