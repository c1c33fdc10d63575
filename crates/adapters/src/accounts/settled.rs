//! Recognises events that must have no effect when a platform delivers them again: commands that already ran, deleted
//! messages, and messages of a person or channel erased since. A catch-up reads some minutes twice, and the store no
//! longer contains these messages.

use std::{collections::HashMap, time::Duration};

use dashmap::DashSet;
use greenroom_core::{ChannelKey, Timestamp, UserId, UserRef};
use greenroom_store::{Erase, Store, StoreError};

use crate::{Message, text::short_hash};

/// How long marks are kept. No platform looks back farther.
const KEPT: Duration = Duration::from_hours(48);

/// What the marks tell about an event and its author. The store keeps hashes as marks, because the originals were
/// erased.
#[derive(Default)]
pub(super) struct Settled {
    /// The event was deleted.
    is_deleted: bool,
    /// The event was a command that ran.
    is_command: bool,
    /// The time at which its author or channel was erased, by the clock of this machine.
    erased: Option<Timestamp>,
    /// The time until which what its author said there is erased, by the platform's clock.
    said_until: Option<Timestamp>,
}

impl Settled {
    /// Reads the marks for a message.
    pub(super) async fn of(
        store: &dyn Store,
        channel: &ChannelKey,
        message: &Message,
    ) -> Result<Self, StoreError> {
        let event = event_mark(channel, &message.event_id);
        let command = command_mark(channel, &message.event_id, "");
        let subjects = subjects(channel, &message.author.person.id);
        let said: Vec<_> = subjects.iter().map(|mark| said_mark(mark)).collect();
        let marks: Vec<_> = subjects.iter().chain(&said).chain([&event, &command]).cloned().collect();
        let mut known = Self::default();
        for (mark, at) in store.settled(&marks).await? {
            if mark == event {
                known.is_deleted = true;
            } else if mark == command {
                known.is_command = true;
            } else if said.contains(&mark) {
                known.said_until = known.said_until.max(Some(at));
            } else {
                known.erased = known.erased.max(Some(at));
            }
        }
        Ok(known)
    }

    /// Whether the event must be ignored: it ran, was deleted, or was said before an erasure that covers it.
    pub(super) fn is_replayed(&self, said_at: Timestamp) -> bool {
        self.is_command || self.is_forgotten(said_at)
    }

    /// Whether the event was a command, which its author may change into a message or another command.
    pub(super) fn is_command(&self, said_at: Timestamp) -> bool {
        self.is_command && !self.is_forgotten(said_at)
    }

    fn is_forgotten(&self, said_at: Timestamp) -> bool {
        self.is_deleted || self.said_until.is_some_and(|until| said_at <= until)
    }

    /// Whether an erasure covers what this machine received of the author at a time.
    pub(super) fn is_erased(&self, at: Timestamp) -> bool {
        self.erased.is_some_and(|erased| at <= erased)
    }
}

/// The times at which authors or their channels were erased, by mark.
pub(super) struct Erasures(HashMap<String, Timestamp>);

impl Erasures {
    /// Reads the erasures for several authors in their channels.
    pub(super) async fn of(
        store: &dyn Store,
        authors: impl IntoIterator<Item = (ChannelKey, String)>,
    ) -> Result<Self, StoreError> {
        let marks: Vec<String> =
            authors.into_iter().flat_map(|(channel, person)| subjects(&channel, &person)).collect();
        Ok(Self(store.settled(&marks).await?.into_iter().collect()))
    }

    /// Whether an erasure covers what this machine received of a person in a channel at a time.
    pub(super) fn reach(&self, channel: &ChannelKey, person: &str, at: Timestamp) -> bool {
        subjects(channel, person).iter().filter_map(|mark| self.0.get(mark)).any(|erased| at <= *erased)
    }
}

/// The commands that run now, of all accounts. Two accounts in one room get the same command.
#[derive(Default)]
pub(super) struct RunningCommands(DashSet<(ChannelKey, String)>);

/// A command that runs until this is dropped.
pub(super) struct RunningCommand<'a> {
    all: &'a RunningCommands,
    event: (ChannelKey, String),
}

impl RunningCommands {
    /// Begins a command. `None` if another account runs it now.
    pub(super) fn begin(&self, channel: &ChannelKey, event_id: &str) -> Option<RunningCommand<'_>> {
        let event = (channel.clone(), event_id.to_owned());
        self.0.insert(event.clone()).then(|| RunningCommand { all: self, event })
    }
}

impl Drop for RunningCommand<'_> {
    fn drop(&mut self) {
        self.all.0.remove(&self.event);
    }
}

/// Whether the command of an event ran with this line.
pub(super) async fn has_run(
    store: &dyn Store,
    channel: &ChannelKey,
    event_id: &str,
    line: &str,
) -> Result<bool, StoreError> {
    Ok(!store.settled(&[command_mark(channel, event_id, line)]).await?.is_empty())
}

/// Marks an event as a command that ran.
pub(super) async fn note_command(
    store: &dyn Store,
    channel: &ChannelKey,
    event_id: &str,
    line: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let marks = ["", line].map(|line| command_mark(channel, event_id, line));
    store.settle(marks.to_vec(), at, at.before(KEPT)).await
}

/// Marks an event as a message that was deleted.
pub(super) async fn note_event(
    store: &dyn Store,
    channel: &ChannelKey,
    event_id: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    store.settle(vec![event_mark(channel, event_id)], at, at.before(KEPT)).await
}

/// Marks an erasure, so that earlier messages are ignored when a platform delivers them again. Stored messages are
/// recognised by their events, since a delivery may lack its time. Messages that were never stored are recognised by their
/// time: they were said until `said_at`, which is when the platform says that the person asked to be forgotten, or until
/// `now` if an operator asks. Call this before the erasure, because the erasure removes the messages and the links of the
/// person.
///
/// # Errors
/// The store fails.
pub async fn note_erasure(
    store: &dyn Store,
    what: &Erase,
    said_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (keep_from, said_until) = (now.before(KEPT), said_at.map_or(now, |at| at.min(now)));
    let events = store.events_to_erase(what, keep_from).await?;
    // no other channel gets events again
    let of_accounts = events.iter().filter(|(channel, _)| channel.has_accounts());
    let marks = of_accounts.map(|(channel, event)| event_mark(channel, event)).collect();
    store.settle(marks, now, keep_from).await?;
    let (subjects, at, said_until) = match what {
        Erase::Person(person) => {
            let mut people = store.linked(person).await?;
            people.push(person.clone());
            (people.iter().map(|person| hash(&[person.as_str()])).collect(), now, said_until)
        }
        Erase::Own { person, chat } => (vec![own_mark(person, chat)], now, said_until),
        Erase::Channel(channel) => (vec![hash(&[channel.as_str()])], now, said_until),
        Erase::Older { channel, before, .. } => (vec![hash(&[channel.as_str()])], *before, *before),
        Erase::Message(_) => return Ok(()),
    };
    let said = subjects.iter().map(|mark| said_mark(mark)).collect();
    store.settle(subjects, at, keep_from).await?;
    store.settle(said, said_until, keep_from).await
}

/// The marks that cover an author in a channel: the channel, the person, and the person's own messages in the chat.
fn subjects(channel: &ChannelKey, person: &str) -> Vec<String> {
    let mut marks = vec![hash(&[channel.as_str()])];
    if let Ok(user) = person.parse::<UserId>() {
        let person = UserRef::new(channel, &user);
        marks.extend([hash(&[person.as_str()]), own_mark(&person, channel)]);
    }
    marks
}

fn own_mark(person: &UserRef, chat: &ChannelKey) -> String {
    hash(&["own", person.as_str(), chat.provider(), chat.chat_id()])
}

/// The mark of the time by the platform's clock, beside the mark of a subject.
fn said_mark(subject: &str) -> String {
    hash(&["said", subject])
}

fn event_mark(channel: &ChannelKey, event_id: &str) -> String {
    hash(&[channel.as_str(), event_id])
}

/// The mark of a command, and with its line the mark of one version of it.
fn command_mark(channel: &ChannelKey, event_id: &str, line: &str) -> String {
    hash(&["command", channel.as_str(), event_id, line])
}

fn hash(parts: &[&str]) -> String {
    short_hash(&parts.join("\n"))
}
