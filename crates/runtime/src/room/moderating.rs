//! A moderator, a model, chooses who answers (RM3). It runs in a task and may take seconds. Meanwhile people can quiet
//! the room, stop replies and let personas go. Messages behind the one in question wait, so that their order is kept.

use std::sync::Arc;

use greenroom_floor::Kind;
use greenroom_persona::{Persona, RoomPolicy};
use greenroom_store::{Plan, StoreError};
use ractor::ActorRef;

use super::{RoomArgs, RoomState, cache::RoomCache};
use crate::{
    mailbox::{Incoming, ModeratorQuestion, RoomMsg, StoredUndecided},
    relevance::Choice,
};

impl RoomState {
    /// Accepts a message, or asks the moderator first. A message waits if the moderator is being asked about an earlier
    /// one. A waiting message is stored, so that no crash loses it and its id keeps the order (S1).
    pub(super) async fn take_in(&mut self, myself: &ActorRef<RoomMsg>, mut incoming: Box<Incoming>) {
        if self.is_message_moderated {
            match self.store_undecided(&mut incoming).await {
                Ok(()) => self.held.push_back(incoming),
                Err(error) => _ = incoming.accepted.send(Err(error.into())),
            }
            return;
        }
        match self.moderated(&mut incoming).await {
            Ok(Some(personas)) => {
                self.is_message_moderated = true;
                self.ask_moderator(myself, ModeratorQuestion::Message(incoming), personas);
            }
            Ok(None) => self.receive(*incoming, None).await,
            Err(error) => _ = incoming.accepted.send(Err(error.into())),
        }
    }

    /// The personas among which the moderator has to choose for a message, which is then stored. `None` if the
    /// moderator is not asked.
    async fn moderated(&mut self, incoming: &mut Incoming) -> Result<Option<Vec<Arc<Persona>>>, StoreError> {
        let envelope = &incoming.envelope;
        let kind = if envelope.bot { Kind::Bot } else { Kind::Person };
        let cache = self.take_cache().await?;
        let personas =
            self.eligible(&cache, incoming.asks_for_another_answer() || envelope.to.is_some(), kind);
        self.cache = Some(cache);
        if personas.is_none() {
            return Ok(None);
        }
        self.store_undecided(incoming).await?;
        let is_repeat = incoming.undecided.is_some_and(|undecided| undecided.duplicate);
        let is_settled = is_repeat && self.args.services.is_settled(incoming.envelope.message.id).await?;
        Ok(personas.filter(|_| !is_settled))
    }

    /// Stores a message as undecided, if it is not stored yet.
    async fn store_undecided(&self, incoming: &mut Incoming) -> Result<(), StoreError> {
        let envelope = &mut incoming.envelope;
        if envelope.message.is_stored() {
            return Ok(());
        }
        let plan = Plan {
            without_memory: envelope.disable_memory,
            group: envelope.group || envelope.bot,
            undecided: true,
            ..Plan::default()
        };
        let stored = self.args.services.store.accept_planned(envelope.message.clone(), plan).await?;
        envelope.message = stored.message;
        incoming.undecided = Some(StoredUndecided { duplicate: stored.duplicate });
        Ok(())
    }

    /// The personas among which the moderator may choose. `None` if it is not asked: the room has no moderator, the
    /// message is for one persona alone, or the limits permit no answer.
    pub(super) fn eligible(
        &self,
        cache: &RoomCache,
        is_settled: bool,
        kind: Kind,
    ) -> Option<Vec<Arc<Persona>>> {
        let RoomArgs { services, channel, .. } = &self.args;
        let has_moderator = services.rooms.policy(channel) == RoomPolicy::Moderator;
        if !has_moderator || is_settled || services.directory.is_closed() {
            return None;
        }
        let seconds = services.now().0 / 1_000_000;
        if !cache.ledger.counters.is_open(&services.rooms.limits(channel), kind, seconds) {
            return None;
        }
        let change = cache.presence.change(&cache.belonging, |persona| self.why_away(persona));
        let members = cache.presence.members_after(&change);
        let personas: Vec<_> = members.filter_map(|name| services.cast.persona(name)).collect();
        (personas.len() > 1).then_some(personas)
    }

    /// Asks the moderator in a task. The choice comes back as a message to the room, even if the model fails.
    pub(super) fn ask_moderator(
        &mut self,
        myself: &ActorRef<RoomMsg>,
        about: ModeratorQuestion,
        personas: Vec<Arc<Persona>>,
    ) {
        self.awaited += 1;
        let (services, room) = (self.args.services.clone(), myself.clone());
        tokio::spawn(async move {
            let message = match &about {
                ModeratorQuestion::Message(incoming) => &incoming.envelope.message,
                ModeratorQuestion::Reply(follow_up) => &*follow_up.reply,
            };
            let choice = services.moderate(message, &personas).await;
            // a room that has ended drops the message, and the sender sees its `oneshot` closed
            let _ = room.send_message(RoomMsg::Moderated { about, choice });
        });
    }

    /// Goes on with the message or reply in question, and then with the messages that waited behind it.
    pub(super) async fn resume(
        &mut self,
        myself: &ActorRef<RoomMsg>,
        about: ModeratorQuestion,
        choice: Choice,
    ) {
        self.awaited -= 1;
        match about {
            ModeratorQuestion::Message(incoming) => {
                self.receive(*incoming, Some(choice)).await;
                self.is_message_moderated = false;
                while !self.is_message_moderated
                    && let Some(next) = self.held.pop_front()
                {
                    Box::pin(self.take_in(myself, next)).await;
                }
            }
            ModeratorQuestion::Reply(follow_up) => {
                let answer = async {
                    let mut cache = self.take_cache().await?;
                    self.answer_reply(&mut cache, follow_up.clone(), Some(choice)).await?;
                    self.cache = Some(cache);
                    Ok(())
                };
                let answered = answer.await;
                self.retry_where_failed(myself, answered, Some(follow_up));
            }
        }
    }
}
