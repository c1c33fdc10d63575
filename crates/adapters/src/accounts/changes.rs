//! Applies edits and deletions on the platform to the stored messages and to the memories captured from them (AD1).

use greenroom_core::{Author, ChannelKey, MessageId, PersonaName, Platform, Unanswered};
use greenroom_runtime::RuntimeError;
use greenroom_store::{Erase, Quotes, StoreError, TurnState};

use super::{
    RunningAccount,
    intake::Intake,
    settled::{Settled, note_event},
};
use crate::{Message, NotTaken, Place, Taken};

/// An edited message is answered only if it is among this many newest messages of its channel.
const RECENT: usize = 50;

impl Intake {
    /// Replaces a stored message with its edited version and erases what the old version caused. If the message is its
    /// author's newest, it is answered again. If not, the personas that answered the old version, or would answer the
    /// new one, only capture memories from it. A message that becomes a command runs and is no message any more, and a
    /// command that becomes a message is a new one.
    pub(super) async fn edited(&self, mut message: Message) -> Result<Taken, NotTaken> {
        let RunningAccount { early, runtime, store, .. } = &*self.account;
        let Some(channel) = self.key(&message.place) else { return Ok(Taken::Ignored) };
        let line = self.command_line(&message);
        let Some(old) = self.stored(&channel, &message.event_id).await? else {
            let settled = Settled::of(&**store, &channel, &message).await?;
            let said_at = message.said_at.unwrap_or_else(|| runtime.now());
            if settled.is_command(said_at) {
                return match line {
                    Some(line) => self.run_once(&channel, &message, &line).await,
                    None => self.said(channel, message).await,
                };
            }
            if !settled.is_replayed(said_at) {
                early.edited(&channel, &message, runtime.now());
            }
            return Ok(Taken::Ignored);
        };
        if !is_by(&old.author, &message.author.person.id) {
            return Ok(Taken::Ignored);
        }
        message.place = Place::of(&old.channel);
        if let Some(line) = line {
            self.erase(&old).await?;
            return self.run_once(&old.channel, &message, &line).await;
        }
        let Some(mut envelope) = self.envelope(&message, old.channel.clone()).await? else {
            return self.deleted(&message.place, &message.event_id, Some(&message.author.person.id)).await;
        };
        if old.text == envelope.message.text {
            return Ok(Taken::Duplicate);
        }
        let why = self.why_unanswered(&message, Some(old.at));
        envelope.unanswered = match why {
            None if !self.is_newest(&old, &message.author.person.id).await? => Some(Unanswered::Older),
            why => why,
        };
        envelope.said_at = Some(old.at);
        envelope.message.reply_to = envelope.message.reply_to.or_else(|| old.reply_to.clone());
        let answered = self.who_answered(old.id).await?;
        self.erase(&old).await?;
        let alone = answered.first().filter(|_| answered.len() == 1);
        envelope.to = envelope.to.or_else(|| alone.cloned());
        let is_answered = envelope.unanswered.is_none();
        let learns = !is_answered && !envelope.bot && why != Some(Unanswered::Limit);
        let learning: Vec<_> = match answered.is_empty() {
            true => envelope.to.iter().chain(envelope.one_of.first()).take(1).cloned().collect(),
            false => answered,
        };
        let taken = self.send(envelope, Some((&message.place, &message.author.person))).await?;
        // capturing memories costs as much as an answer, so it counts as one
        self.count(&message.author.person, false, is_answered || learns, why);
        if learns && let Some(edited) = self.stored(&channel, &message.event_id).await? {
            runtime.learn(&edited, &learning).await.map_err(|error| match error {
                RuntimeError::Store(error) => error,
                error => StoreError::Other(error.to_string()),
            })?;
        }
        Ok(taken)
    }

    /// Erases a message, the replies to it (also on the platform) and the memories from it. `by`: the person who asks
    /// for the deletion, on platforms that do not check the right to delete.
    pub(super) async fn deleted(
        &self,
        place: &Place,
        event_id: &str,
        by: Option<&str>,
    ) -> Result<Taken, NotTaken> {
        let Some(channel) = self.key(place) else { return Ok(Taken::Ignored) };
        let RunningAccount { early, runtime, store, .. } = &*self.account;
        let known = self.stored(&channel, event_id).await?;
        // a moderator may delete a reply of ours, where the platform checks the right to do so
        let may = |author: &Author| match author {
            Author::User { .. } => by.is_none_or(|by| is_by(author, by)),
            Author::Persona { .. } => by.is_none(),
        };
        // the message may still arrive, or arrive again
        early.deleted(&channel, event_id, by, runtime.now());
        let Some(old) = known.filter(|old| may(&old.author)) else { return Ok(Taken::Ignored) };
        note_event(&**store, &old.channel, event_id, runtime.now()).await?;
        self.erase(&old).await?;
        Ok(Taken::Stored)
    }

    /// Finds the stored message of an event. Matrix does not tell the thread of a redacted or edited message, so this
    /// looks in the chat's threads, too.
    async fn stored(
        &self,
        channel: &ChannelKey,
        event_id: &str,
    ) -> Result<Option<greenroom_core::Message>, StoreError> {
        let store = &self.account.store;
        match store.message_of_event(channel, event_id).await? {
            None if channel.platform() == Some(Platform::Matrix) && channel.thread().is_none() => {
                store.message_in_chat(channel, event_id).await
            }
            found => Ok(found),
        }
    }

    /// Erases a message. The same transaction notes its replies for deletion on the platform.
    async fn erase(&self, message: &greenroom_core::Message) -> Result<(), StoreError> {
        let RunningAccount { store, runtime, retractions, .. } = &*self.account;
        runtime.revoke(message).await?;
        store.erase(&Erase::Message(message.id), Quotes::Stay).await?;
        retractions.send_replace(());
        // ends the turns that answer the message and stops their events
        runtime.follow_erasures().await;
        Ok(())
    }

    /// Whether a message of a person is their newest in the channel.
    async fn is_newest(&self, old: &greenroom_core::Message, person: &str) -> Result<bool, StoreError> {
        let newest = self.account.store.page(&old.channel, None, RECENT).await?;
        let last = newest.iter().rfind(|said| is_by(&said.author, person));
        Ok(last.is_some_and(|last| last.id == old.id))
    }

    /// The personas that answered a message or are about to.
    async fn who_answered(&self, message: MessageId) -> Result<Vec<PersonaName>, StoreError> {
        let answers = self.account.store.answers(message).await?;
        let mut personas: Vec<_> = answers
            .into_iter()
            .filter(|turn| turn.state != TurnState::Cancelled)
            .map(|turn| turn.persona)
            .collect();
        personas.sort();
        personas.dedup();
        Ok(personas)
    }
}

/// Compares ids, not names, so that only the author can edit a message.
fn is_by(author: &Author, person: &str) -> bool {
    matches!(author, Author::User { id, .. } if id.as_str() == person)
}
