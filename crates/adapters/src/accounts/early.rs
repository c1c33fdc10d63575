//! Edits and deletions whose message is not stored: it may still come, where a platform delivers events again or out of
//! order.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use greenroom_core::ChannelKey;

use crate::Message;

/// Changes that are kept; with one more, the oldest is dropped.
const KEPT: usize = 256;

/// A change of a message that is not stored.
struct EarlyChange {
    channel: ChannelKey,
    event_id: String,
    /// The person who made it; `None` where the platform has checked that they may.
    by: Option<String>,
    /// The message as it is now; `None` where it was deleted.
    now: Option<Message>,
}

/// The changes of an account's messages.
#[derive(Default)]
pub(super) struct EarlyChanges(Mutex<VecDeque<EarlyChange>>);

impl EarlyChanges {
    fn changes(&self) -> MutexGuard<'_, VecDeque<EarlyChange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an edit.
    pub(super) fn edited(&self, channel: &ChannelKey, now: &Message) {
        let by = Some(now.author.person.id.clone());
        self.keep(channel, &now.event_id, by, Some(now.clone()));
    }

    /// Keeps a deletion. `by`: who asks for it, where the platform has not checked that they may.
    pub(super) fn deleted(&self, channel: &ChannelKey, event_id: &str, by: Option<&str>) {
        self.keep(channel, event_id, by.map(str::to_owned), None);
    }

    fn keep(&self, channel: &ChannelKey, event_id: &str, by: Option<String>, now: Option<Message>) {
        let mut changes = self.changes();
        let is_same = |change: &EarlyChange| {
            change.channel == *channel && change.event_id == event_id && change.by == by
        };
        match changes.iter().position(is_same) {
            // a deletion is final
            Some(n) if changes[n].now.is_none() => return,
            Some(n) => drop(changes.remove(n)),
            None if changes.len() >= KEPT => drop(changes.pop_front()),
            None => {}
        }
        changes.push_back(EarlyChange { channel: channel.clone(), event_id: event_id.to_owned(), by, now });
    }

    /// The message as it is after the changes that came before it; `None` where it was deleted. A change by another
    /// person than its author is none.
    pub(super) fn apply(&self, channel: &ChannelKey, message: Message) -> Option<Message> {
        let changes = self.changes();
        let of_message = changes.iter().filter(|change| {
            let by = &change.by;
            change.channel == *channel
                && change.event_id == message.event_id
                && by.as_ref().is_none_or(|by| *by == message.author.person.id)
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
    use super::*;
    use crate::{Author, Place};

    fn message(author: &str, text: &str) -> Message {
        Message::new(Place::chat("tea"), "e1", Author::person(author, author), text)
    }

    fn channel() -> ChannelKey {
        "irc:tea".parse().unwrap()
    }

    #[test]
    fn ad1_a_change_that_came_first_counts_where_its_author_made_it() {
        let early = EarlyChanges::default();
        let text = |author: &str| early.apply(&channel(), message(author, "old")).map(|message| message.text);
        assert_eq!(text("ann").as_deref(), Some("old"));
        early.edited(&channel(), &message("ann", "new"));
        early.edited(&channel(), &message("eve", "forged"));
        assert_eq!((text("ann").as_deref(), text("eve").as_deref()), (Some("new"), Some("forged")));
        early.deleted(&channel(), "e1", Some("eve"));
        assert_eq!(text("ann").as_deref(), Some("new"), "the deletion of another person is none");
        early.deleted(&channel(), "e1", Some("ann"));
        early.edited(&channel(), &message("ann", "newer"));
        assert_eq!(text("ann"), None, "a deletion is final");
    }

    #[test]
    fn s9_early_changes_are_bounded() {
        let early = EarlyChanges::default();
        (0..KEPT + 9).for_each(|n| early.deleted(&channel(), &n.to_string(), None));
        assert_eq!(early.changes().len(), KEPT);
    }
}
