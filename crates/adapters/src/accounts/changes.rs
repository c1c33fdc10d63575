//! Messages that are changed or deleted on the platform: they are here, too, with what was captured from them (AD1).

use std::time::Duration;

use greenroom_core::{Author, ChannelKey, Envelope, MessageId, PersonaName, Platform};
use greenroom_store::{Erase, Quotes, StoreError, TurnState};

use super::{Running, intake::Intake, settled::Settled};
use crate::{Adapter, Message, NotTaken, Outcome, Place, Request, Taken};

/// A change is answered once more while the message is among this many newest ones of its channel.
const RECENT: usize = 50;
/// Threads in which a changed message is looked for.
const THREADS: usize = 200;
/// Attempts to delete a reply on the platform, and the pause after one, which doubles: together about 20 minutes.
const TRIES: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

impl Intake {
    /// Stores the message as it is now in place of the old one. What the old one led to is erased. The new one is
    /// answered if it is the last that its author said.
    pub(super) async fn edited(&self, mut message: Message) -> Result<Taken, NotTaken> {
        let Running { early, runtime, store, .. } = &*self.account;
        let Some(channel) = self.key(&message.place) else { return Ok(Taken::Ignored) };
        let Some(old) = self.stored(&channel, &message.event_id).await? else {
            if !self.is_over(&Settled::read(&**store).await?, &channel, &message) {
                early.edited(&channel, &message, runtime.now());
            }
            return Ok(Taken::Ignored);
        };
        message.place = Place::of(&old.channel);
        let Some(mut envelope) = self.envelope(&message, old.channel.clone()).await? else {
            return self.deleted(&message.place, &message.event_id, Some(&message.author.person.id)).await;
        };
        if !same_author(&old.author, &envelope.message.author) {
            return Ok(Taken::Ignored);
        }
        if old.text == envelope.message.text {
            return Ok(Taken::Duplicate);
        }
        let is_stale = runtime.now().since(old.at) > self.account.settings.stale_after;
        envelope.unanswered = is_stale || !self.is_newest(&old).await?;
        envelope.said_at = Some(old.at);
        envelope.message.reply_to = envelope.message.reply_to.or_else(|| old.reply_to.clone());
        let to = self.who_answered(old.id).await?;
        self.erase(&message.place, old.id).await?;
        let envelope = Envelope { to: envelope.to.or(to), ..envelope };
        self.send(envelope, Some((&message.place, &message.author.person))).await
    }

    /// Erases the message with what it led to: replies, which are deleted on the platform, too, and memories.
    /// `by`: who asks for it, where the platform has not checked that they may.
    pub(super) async fn deleted(
        &self,
        place: &Place,
        event_id: &str,
        by: Option<&str>,
    ) -> Result<Taken, NotTaken> {
        let Some(channel) = self.key(place) else { return Ok(Taken::Ignored) };
        let Running { early, runtime, store, .. } = &*self.account;
        let known = self.stored(&channel, event_id).await?;
        // a reply of ours that a moderator deletes stays in the history: it is forgotten with what it answers
        let may = |author: &Author| match author {
            Author::User { id, .. } => by.is_none_or(|by| id.as_str() == by),
            _ => false,
        };
        // the message may come, or come again
        early.deleted(&channel, event_id, by, runtime.now());
        let Some(old) = known.filter(|old| may(&old.author)) else { return Ok(Taken::Ignored) };
        Settled::note(&**store, &old.channel, event_id).await?;
        self.erase(&Place::of(&old.channel), old.id).await?;
        Ok(Taken::Stored)
    }

    /// The stored message of an event. Matrix does not say in which thread a message is that is redacted, or edited.
    async fn stored(
        &self,
        channel: &ChannelKey,
        event_id: &str,
    ) -> Result<Option<greenroom_core::Message>, StoreError> {
        let store = &self.account.store;
        let found = store.message_of_event(channel, event_id).await?;
        if found.is_some() || channel.platform() != Some(Platform::Matrix) || channel.thread().is_some() {
            return Ok(found);
        }
        for thread in store.channels(Some((channel.provider(), channel.chat_id())), None, THREADS).await? {
            let found = store.message_of_event(&thread.channel, event_id).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    async fn erase(&self, place: &Place, message: MessageId) -> Result<(), StoreError> {
        let Running { store, runtime, adapter, settings, in_flight, .. } = &*self.account;
        let erasing = in_flight.erasing().await;
        let replies = store.sent_events(message).await?;
        store.erase(&Erase::Message(message), Quotes::Stay).await?;
        drop(erasing);
        // what was answering it ends, and its events are told to nobody any more
        runtime.follow_erasures().await;
        let delete = |(persona, event_id)| Request::Delete {
            place: place.clone(),
            event_id,
            face: Some(self.account.face(&persona)),
        };
        let requests: Vec<_> = replies.into_iter().map(delete).collect();
        let (adapter, account) = (adapter.clone(), settings.name.clone());
        if !requests.is_empty() {
            tokio::spawn(async move {
                for request in requests {
                    take_back(&*adapter, &account, request).await;
                }
            });
        }
        Ok(())
    }

    /// Whether it is the last that its author said there.
    async fn is_newest(&self, old: &greenroom_core::Message) -> Result<bool, StoreError> {
        let newest = self.account.store.page(&old.channel, None, RECENT).await?;
        let last = newest.iter().rfind(|said| same_author(&said.author, &old.author));
        Ok(last.is_some_and(|last| last.id == old.id))
    }

    /// The persona that answered a message, or is about to, where it is one alone.
    async fn who_answered(&self, message: MessageId) -> Result<Option<PersonaName>, StoreError> {
        let answers = self.account.store.answers(message).await?;
        let mut personas: Vec<_> = answers
            .into_iter()
            .filter(|turn| turn.state != TurnState::Cancelled)
            .map(|turn| turn.persona)
            .collect();
        personas.dedup();
        Ok(personas.pop().filter(|_| personas.is_empty()))
    }
}

/// Deletes a reply on the platform. A deletion does nothing twice, so one that failed is tried again.
async fn take_back(adapter: &dyn Adapter, account: &str, request: Request) {
    let mut pause = FIRST_PAUSE;
    for _ in 0..TRIES {
        let outcome = adapter.perform(request.clone()).await;
        let wait = match &outcome {
            Outcome::Done { .. } => return,
            Outcome::Refused(why) => {
                tracing::warn!(account, why, "a reply to an erased message stays on the platform");
                return;
            }
            Outcome::RetryAfter(wait) => *wait,
            Outcome::Offline | Outcome::Failed(_) | Outcome::Uncertain(_) => pause,
        };
        tracing::debug!(account, ?outcome, "a reply to an erased message is not deleted yet");
        tokio::time::sleep(wait).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    tracing::warn!(account, "a reply to an erased message stays on the platform: it could not be deleted");
}

/// Ids decide, not names: an edit by another person is none.
fn same_author(one: &Author, other: &Author) -> bool {
    matches!((one, other), (Author::User { id, .. }, Author::User { id: other, .. }) if id == other)
}
