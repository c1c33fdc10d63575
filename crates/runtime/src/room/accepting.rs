//! How a room takes a message in: it decides who answers, stores the message with the turns that answer it, and queues
//! their cues.

use std::{collections::HashMap, sync::Arc};

use greenroom_core::{Author, Envelope, Message, PersonaName, Timestamp};
use greenroom_store::{NewTurn, Plan, StoreError};

use super::{ActorSlot, RoomArgs, RoomState};
use crate::{
    TurnEvents,
    cue::Cue,
    floor::{Floor, decide},
    mailbox::{Accepted, Incoming, PlannedTurn},
    presence::{PresenceChange, PresenceTracker},
};

/// How many messages a waking room reads to learn when each persona last spoke.
const LOOK_BACK: usize = 50;

/// An accepted message, for the room.
struct Planned {
    duplicate: bool,
    turns: Vec<PlannedTurn>,
    /// With the message as it is stored.
    envelope: Envelope,
    /// Whether the first turn was stored as running; otherwise it waits.
    begun: bool,
}

impl RoomState {
    /// Takes a message in and tells its sender what became of it.
    pub(super) async fn receive(&mut self, incoming: Incoming) {
        self.handled += 1;
        let Incoming { envelope, span, ticket, token, accepted: sender } = incoming;
        let erased = self.args.services.erasures.followed();
        let planned = self.accept(envelope).await.map(|Planned { duplicate, turns, envelope, begun }| {
            let RoomArgs { services, channel, queue, .. } = &self.args;
            // the sender listens before the first turn can begin
            let ids = turns.iter().map(|turn| turn.id);
            let events = TurnEvents::of(&services.store, &services.hub, channel, ids);
            let (message, envelope) = (envelope.message.id, Arc::new(envelope));
            let cues = turns.iter().cloned().enumerate().map(|(n, turn)| Cue {
                turn: turn.id,
                persona: turn.persona,
                why: turn.why,
                envelope: envelope.clone(),
                begun: begun && n == 0,
                erased,
                span: span.clone(),
                _token: token.clone(),
            });
            queue.add(cues.collect(), ticket);
            Accepted { message, duplicate, turns, events }
        });
        // the sender may have left; the turns run all the same
        let _ = sender.send(planned);
    }

    /// Decides who answers, and stores the message with the turns. Where nothing is in front of the first turn it is
    /// stored as running, which saves a write.
    ///
    /// This is the only way in. A message that is stored already is answered once more by the persona it is addressed
    /// to. A repeat of a message changes nothing, unless the first attempt got no further than storing it.
    async fn accept(&mut self, mut envelope: Envelope) -> Result<Planned, StoreError> {
        let again = envelope.message.is_stored();
        let turns = self.decide(&envelope).await?;
        let change = self.presence_change(&turns).await?;
        // a message that is answered again was heard when it was said: personas come and go after it
        let (change, later_change) = match again {
            false => (change, PresenceChange::default()),
            true => (PresenceChange::default(), change),
        };
        let RoomArgs { services, channel, .. } = &self.args;
        let begins = turns.first().is_some_and(|first| self.begins_at_once(&first.persona));
        let at = services.now();
        let new_turn = |(n, turn): (usize, &PlannedTurn)| NewTurn {
            id: turn.id,
            persona: turn.persona.clone(),
            at,
            begins: begins && n == 0,
        };
        let (disable_memory, said_to_be_a_group) = (envelope.disable_memory, envelope.group);
        let plan = |vector| Plan {
            turns: turns.iter().enumerate().map(new_turn).collect(),
            vector,
            come: change.come.clone(),
            gone: change.gone.clone(),
            aside: disable_memory,
            group: said_to_be_a_group,
        };
        let answering = turns.iter().map(|turn| &turn.persona);
        let vector = services.vector(answering, channel, &envelope.message.text).await;
        let mut erased = None;
        if again {
            services.store.plan_turns(envelope.message.id, plan(vector)).await?;
            envelope.group |= services.store.group_since(channel).await?.is_some();
        } else {
            let stored = services.store.accept_planned(envelope.message, plan(vector)).await?;
            envelope.message = stored.message;
            envelope.group = stored.group;
            erased = Some(stored.erased);
            if stored.duplicate && self.is_settled(&envelope.message).await? {
                return Ok(Planned { duplicate: true, turns: Vec::new(), envelope, begun: false });
            }
            if stored.duplicate {
                services.store.plan_turns(envelope.message.id, plan(None)).await?;
            }
        }
        if let Some(presence) = &mut self.presence {
            presence.apply(change, turns.iter().map(|turn| turn.persona.clone()));
        }
        self.store_presence(later_change).await;
        self.refresh_presence(&envelope.message, erased).await;
        Ok(Planned { duplicate: false, turns, envelope, begun: begins })
    }

    /// The turns that answer a message, in order.
    async fn decide(&mut self, envelope: &Envelope) -> Result<Vec<PlannedTurn>, StoreError> {
        if self.spoke_at.is_none() {
            self.spoke_at = Some(self.read_spoke_at().await?);
        }
        let Envelope { message, to, .. } = envelope;
        let services = &self.args.services;
        let cast = services.cast.get();
        let answering = match to {
            Some(persona) if message.is_stored() => {
                vec![(persona.clone(), "asked to answer again".to_owned())]
            }
            to => {
                let spoke_at = self.spoke_at.get_or_insert_default();
                let floor = Floor { personas: &cast, spoke_at, now: services.now() };
                decide(&floor, &message.author, &message.text, to.as_ref())
            }
        };
        let turn = |(persona, why)| PlannedTurn { id: services.turn_id(), persona, why };
        Ok(answering.into_iter().map(turn).collect())
    }

    /// Whether it was decided before who answers a stored message. Not so where the store failed in between. Rooms take
    /// messages in one by one, so nothing else is about to decide it.
    async fn is_settled(&self, message: &Message) -> Result<bool, StoreError> {
        let store = &self.args.services.store;
        if !store.answers(message.id).await?.is_empty() {
            return Ok(true);
        }
        let unfinished = store.unfinished(Some(&message.channel)).await?;
        Ok(unfinished.iter().all(|left| left.message.id != message.id))
    }

    /// Whether nothing is in front of what this persona answers next.
    fn begins_at_once(&self, persona: &PersonaName) -> bool {
        self.may_answer(persona)
            && !self.args.queue.has(persona)
            && !matches!(self.slots.get(persona), Some(ActorSlot::Restarting))
    }

    /// When each persona last spoke here, as far as a waking room looks back.
    async fn read_spoke_at(&self) -> Result<HashMap<PersonaName, Timestamp>, StoreError> {
        let RoomArgs { services, channel, .. } = &self.args;
        let history = services.store.history(channel, None, LOOK_BACK).await?;
        let spoke_at = history.into_iter().filter_map(|message| match message.author {
            Author::Persona { name } => Some((name, message.at)),
            Author::User { .. } => None,
        });
        Ok(spoke_at.collect())
    }

    /// Who comes and who goes with a message that these turns answer.
    async fn presence_change(&mut self, turns: &[PlannedTurn]) -> Result<PresenceChange, StoreError> {
        let RoomArgs { services, channel, .. } = &self.args;
        let presence = match &mut self.presence {
            Some(presence) => presence,
            none => {
                let erased = services.erasures.followed();
                none.insert(PresenceTracker::read(&*services.store, channel, erased).await?)
            }
        };
        Ok(presence.change(&self.args.may_answer(), turns.iter().map(|turn| &turn.persona)))
    }

    /// Stores who has come and gone since the last message (GR2). A room that has taken in no message yet reads with
    /// the first who is present.
    pub(super) async fn note_presence(&mut self) {
        let Some(presence) = &self.presence else { return };
        let change = presence.change(&self.args.may_answer(), std::iter::empty());
        self.store_presence(change).await;
    }

    async fn store_presence(&mut self, change: PresenceChange) {
        if change.is_empty() {
            return;
        }
        let RoomArgs { services, channel, .. } = &self.args;
        match services.store.attend(channel, &change.come, &change.gone).await {
            Ok(()) => {
                if let Some(presence) = &mut self.presence {
                    presence.apply(change, std::iter::empty());
                }
            }
            Err(error) => {
                tracing::warn!(%channel, %error, "who came and who went is stored with the next message");
            }
        }
    }

    /// Reads presence again where something was erased since it was read: a channel that was forgotten has forgotten
    /// presence, too, and begins anew with this message (GR2). `erased` is the newest erasure when it was stored, where
    /// that is known: the store need not be asked again.
    async fn refresh_presence(&mut self, message: &Message, erased: Option<i64>) {
        let RoomArgs { services, channel, .. } = &self.args;
        let followed = services.erasures.followed();
        let erased = match erased {
            Some(erased) if erased <= followed => followed,
            _ => services.erasures.follow().await,
        };
        if self.presence.as_ref().is_none_or(|known| known.erased == erased) {
            return;
        }
        let read = async {
            let mut presence = PresenceTracker::read(&*services.store, channel, erased).await?;
            let change = presence.change(&self.args.may_answer(), std::iter::empty());
            for persona in &change.come {
                services.store.enter(persona, channel, message.id).await?;
            }
            presence.apply(PresenceChange { gone: Vec::new(), ..change }, std::iter::empty());
            Ok::<_, StoreError>(presence)
        };
        self.presence = match read.await {
            Ok(presence) => Some(presence),
            Err(error) => {
                tracing::warn!(%channel, %error, "who is present is read with the next message");
                None
            }
        };
    }
}
