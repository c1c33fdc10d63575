//! Keeps edits and deletions whose message is not stored. The message may still arrive, because platforms deliver
//! events again or out of order. Then the change is applied to it.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use greenroom_core::{ChannelKey, Timestamp};
use greenroom_store::{Store, StoreError};

use super::settled::{Erasures, Settled};
use crate::Message;

/// The most changes kept. When full, the oldest is dropped.
const KEPT: usize = 1024;
/// How long the text of an edit is kept. Platforms deliver again for six minutes.
const LONGEST: Duration = Duration::from_mins(10);

/// A change of a message that is not stored yet.
struct EarlyChange {
    channel: ChannelKey,
    event_id: String,
    /// The person who made the change. `None` where the platform has checked the right to make it.
    by: Option<String>,
    /// The message after an edit. `None` for a deletion.
    now: Option<Message>,
    at: Timestamp,
}

impl EarlyChange {
    /// The channel and the person of an edit's text. `None` for a deletion.
    fn author(&self) -> Option<(ChannelKey, String)> {
        self.now.as_ref().map(|_| (self.channel.clone(), self.by.clone().unwrap_or_default()))
    }
}

/// The early changes of all accounts.
#[derive(Default)]
pub(super) struct EarlyChanges(Mutex<VecDeque<EarlyChange>>);

impl EarlyChanges {
    fn changes(&self) -> MutexGuard<'_, VecDeque<EarlyChange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an edit.
    pub(super) fn edited(&self, channel: &ChannelKey, now: &Message, at: Timestamp) {
        let (event_id, by) = (now.event_id.clone(), Some(now.author.person.id.clone()));
        self.keep(EarlyChange { channel: channel.clone(), event_id, by, now: Some(now.clone()), at });
    }

    /// Keeps a deletion. `by`: the person who asks for it, on platforms that do not check the right to delete.
    pub(super) fn deleted(&self, channel: &ChannelKey, event_id: &str, by: Option<&str>, at: Timestamp) {
        let (event_id, by) = (event_id.to_owned(), by.map(str::to_owned));
        self.keep(EarlyChange { channel: channel.clone(), event_id, by, now: None, at });
    }

    /// Drops texts that are too old, and texts of people and channels that were erased.
    pub(super) async fn sweep(&self, store: &dyn Store, now: Timestamp) -> Result<(), StoreError> {
        let authors: Vec<_> = self.changes().iter().filter_map(EarlyChange::author).collect();
        if !authors.is_empty() {
            let erasures = Erasures::of(store, authors).await?;
            self.changes().retain(|change| {
                change.author().is_none_or(|(channel, by)| {
                    now.since(change.at) < LONGEST && !erasures.reach(&channel, &by, change.at)
                })
            });
        }
        Ok(())
    }

    fn keep(&self, new: EarlyChange) {
        let mut changes = self.changes();
        let is_same = |change: &EarlyChange| {
            change.channel == new.channel && change.event_id == new.event_id && change.by == new.by
        };
        match changes.iter().position(is_same) {
            // a deletion is final, so a later edit is ignored
            Some(n) if changes[n].now.is_none() => return,
            Some(n) => drop(changes.remove(n)),
            None if changes.len() >= KEPT => drop(changes.pop_front()),
            None => {}
        }
        changes.push_back(new);
    }

    /// Applies the early changes to a message. `None` if the message was deleted. Ignores changes by other people than
    /// its author, and edits that were erased since.
    pub(super) fn apply(&self, channel: &ChannelKey, message: Message, settled: &Settled) -> Option<Message> {
        let changes = self.changes();
        let author = &message.author.person.id;
        let of_message = changes.iter().filter(|change| {
            change.channel == *channel
                && change.event_id == message.event_id
                && change.by.as_ref().is_none_or(|by| by == author)
                && (change.now.is_none() || !settled.is_erased(change.at))
        });
        let mut now = Some(&message);
        for change in of_message {
            now = now.and(change.now.as_ref());
        }
        let now = now?.clone();
        Some(Message { said_at: message.said_at, reply_to: now.reply_to.or(message.reply_to), ..now })
    }
}

#[cfg(test)]
mod tests {
    use greenroom_store_memory::InMemoryStore;

    use super::*;
    use crate::{Author, Place};

    fn message(author: &str, text: &str) -> Message {
        Message::new(Place::chat("tea"), "e1", Author::person(author, author), text)
    }

    fn channel() -> ChannelKey {
        "irc:tea".parse().unwrap()
    }

    const NOW: Timestamp = Timestamp(1_000_000);

    #[test]
    fn ad1_a_change_that_came_first_counts_where_its_author_made_it() {
        let (early, settled) = (EarlyChanges::default(), Settled::default());
        let text = |author: &str| {
            early.apply(&channel(), message(author, "old"), &settled).map(|message| message.text)
        };
        assert_eq!(text("ann").as_deref(), Some("old"));
        early.edited(&channel(), &message("ann", "new"), NOW);
        early.edited(&channel(), &message("eve", "forged"), NOW);
        assert_eq!((text("ann").as_deref(), text("eve").as_deref()), (Some("new"), Some("forged")));
        early.deleted(&channel(), "e1", Some("eve"), NOW);
        assert_eq!(text("ann").as_deref(), Some("new"), "the deletion of another person is none");
        early.deleted(&channel(), "e1", Some("ann"), NOW);
        early.edited(&channel(), &message("ann", "newer"), NOW);
        assert_eq!(text("ann"), None, "a deletion is final");
    }

    #[tokio::test]
    async fn s9_early_changes_are_bounded_in_number_and_time() {
        let (early, store) = (EarlyChanges::default(), InMemoryStore::new());
        (0..KEPT + 9).for_each(|n| early.deleted(&channel(), &n.to_string(), None, NOW));
        assert_eq!(early.changes().len(), KEPT);
        early.edited(&channel(), &message("ann", "new"), NOW);
        let texts = |early: &EarlyChanges| early.changes().iter().filter(|one| one.now.is_some()).count();
        early.sweep(&store, NOW.after(LONGEST / 2)).await.unwrap();
        assert_eq!(texts(&early), 1);
        early.sweep(&store, NOW.after(LONGEST)).await.unwrap();
        assert_eq!(texts(&early), 0);
    }
}
