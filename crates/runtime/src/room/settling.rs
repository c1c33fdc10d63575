//! How a room settles who answers a message: decided, stored with the turns that answer it, written on the
//! cue sheet.

use std::{collections::HashMap, sync::Arc, time::Instant};

use greenroom_core::{Author, ChannelKey, Message, PersonaName, Timestamp, TurnEvent, TurnId};
use greenroom_store::{NewMessage, NewTurn, Plan, StoreError};
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use super::{ActorSlot, RoomArgs, RoomState};
use crate::{
    Wishes,
    cue::Cue,
    directory::{Open, Ticket},
    floor::{Floor, decide},
    presence::{PresenceChange, PresenceTracker},
    services::Project,
};

/// So far back a waking room looks for who spoke last.
const LOOK_BACK: usize = 50;

/// A message on its way to its room.
pub(crate) struct Incoming {
    pub(crate) what: IncomingMessage,
    pub(crate) to: Recipient,
    pub(crate) project: Project,
    pub(crate) disable_memory: bool,
    pub(crate) wishes: Wishes,
    /// The span of whoever handed it in: its turns belong to the same trace.
    pub(crate) span: Span,
    pub(crate) events: mpsc::Sender<Arc<TurnEvent>>,
    pub(crate) ticket: Ticket,
    pub(crate) open: Open,
    pub(crate) settled: oneshot::Sender<Result<SettledMessage, StoreError>>,
}

/// What was said.
pub(crate) enum IncomingMessage {
    /// This, which is not stored yet.
    New(NewMessage),
    /// A message that is stored.
    Stored(Arc<Message>),
}

impl IncomingMessage {
    pub(crate) fn channel(&self) -> &ChannelKey {
        match self {
            Self::New(new) => &new.channel,
            Self::Stored(message) => &message.channel,
        }
    }

    fn author(&self) -> &Author {
        match self {
            Self::New(new) => &new.author,
            Self::Stored(message) => &message.author,
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::New(new) => &new.text,
            Self::Stored(message) => &message.text,
        }
    }
}

/// What became of a message.
pub(crate) enum SettledMessage {
    /// It is answered so.
    Answered { message: Arc<Message>, answering: Answering },
    /// It had been stored before, and nothing is settled anew.
    Known(Arc<Message>),
}

/// Whom a message is for.
pub(crate) enum Recipient {
    /// Whoever the floor is given to; the one it is addressed to first.
    Floor(Option<PersonaName>),
    /// The one who did not answer it the first time, and nobody else.
    Again(PersonaName),
}

/// Who answers, in which turn, in order, and why.
pub(crate) type Answering = Vec<(TurnId, PersonaName, String)>;

impl RoomState {
    /// Settles who answers: decided, stored, written on the cue sheet.
    pub(super) async fn hear(&mut self, said: Incoming) {
        self.handled += 1;
        let Incoming { what, to, project, disable_memory, wishes, span, events, ticket, open, settled } =
            said;
        let erased = self.args.services.followed();
        let settling = self.settle(what, &to, disable_memory).await;
        if let Ok((SettledMessage::Answered { message, answering }, begins)) = &settling {
            let cues = answering.iter().cloned().enumerate().map(|(n, (turn, persona, why))| Cue {
                turn,
                persona,
                begun: begins.filter(|_| n == 0),
                erased,
                why,
                message: message.clone(),
                project: project.clone(),
                disable_memory,
                wishes: wishes.clone(),
                span: span.clone(),
                events: events.clone(),
                _open: open.clone(),
            });
            self.args.sheet.add(cues.collect(), ticket);
        }
        // whoever sent it may have left; the turns are played all the same
        let _ = settled.send(settling.map(|(settled, _)| settled));
    }

    /// Who answers, and whether the first of them does at once: then its turn is written as begun, and no
    /// second time; the moment before that. A message that is not stored yet is stored with all that.
    async fn settle(
        &mut self,
        what: IncomingMessage,
        to: &Recipient,
        aside: bool,
    ) -> Result<(SettledMessage, Option<Instant>), StoreError> {
        if self.spoke.is_none() {
            self.spoke = Some(self.last_words().await?);
        }
        let RoomArgs { services, channel, .. } = &self.args;
        let presence = match &mut self.presence {
            Some(presence) => presence,
            none => {
                let erased = services.followed();
                none.insert(PresenceTracker::of(&*services.store, channel, erased).await?)
            }
        };
        let (cast, now) = (services.cast(), services.now());
        let floor = Floor { personas: &cast, spoke: self.spoke.get_or_insert_default(), now };
        let answering = match to {
            Recipient::Floor(to) => decide(&floor, what.author(), what.text(), to.as_ref()),
            Recipient::Again(who) => vec![(who.clone(), "asked to answer again".to_owned())],
        };
        let answering: Answering =
            answering.into_iter().map(|(who, why)| (services.turn_id(), who, why)).collect();
        let here = cast.iter().map(|persona| &persona.name);
        let here = here.filter(|who| services.directory.may_play(who, channel));
        let change = presence.call(here, answering.iter().map(|(_, who, _)| who));
        // one that is answered again was heard when it was said: who came or went since did so now
        let (change, since) = match to {
            Recipient::Floor(_) => (change, PresenceChange::default()),
            Recipient::Again(_) => (PresenceChange::default(), change),
        };
        let begins = answering.first().is_some_and(|(_, who, _)| self.plays_at_once(who));
        let turns = answering.iter().enumerate().map(|(n, (id, who, _))| NewTurn {
            id: *id,
            persona: who.clone(),
            at: now,
            begins: begins && n == 0,
        });
        let turns = turns.collect();
        let vector = services.vector(answering.iter().map(|(_, who, _)| who), channel, what.text()).await;
        let PresenceChange { come, gone } = change.clone();
        let plan = Plan { turns, vector, come, gone, aside };
        let asked_at = Instant::now();
        let begins = begins.then_some(asked_at);
        let message = match what {
            IncomingMessage::New(new) => {
                let accepted = services.store.accept_planned(new, plan).await?;
                if accepted.duplicate {
                    return Ok((SettledMessage::Known(Arc::new(accepted.message)), None));
                }
                Arc::new(accepted.message)
            }
            IncomingMessage::Stored(message) => {
                services.store.plan_turns(message.id, plan).await?;
                message
            }
        };
        if let Some(presence) = &mut self.presence {
            presence.heard(change, answering.iter().map(|(_, who, _)| who.clone()));
        }
        self.note(since).await;
        self.look_again(&message, asked_at).await;
        Ok((SettledMessage::Answered { message, answering }, begins))
    }

    /// Where something was erased since it was read who is present: a channel that was forgotten has forgotten that,
    /// too, and begins anew with this message, which all hear who are here (GR2).
    async fn look_again(&mut self, message: &Message, asked_at: Instant) {
        let RoomArgs { services, channel, .. } = &self.args;
        let erased = services.follow_erasures_until(asked_at).await;
        if self.presence.as_ref().is_none_or(|known| known.erased == erased) {
            return;
        }
        let looked = async {
            let mut known = PresenceTracker::of(&*services.store, channel, erased).await?;
            let cast = services.cast();
            let here = cast.iter().map(|persona| &persona.name);
            let change = known.now(here.filter(|who| services.directory.may_play(who, channel)));
            for persona in &change.come {
                services.store.enter(persona, channel, message.id).await?;
            }
            known.heard(PresenceChange { gone: Vec::new(), ..change }, std::iter::empty());
            Ok::<_, StoreError>(known)
        };
        self.presence = match looked.await {
            Ok(known) => Some(known),
            Err(error) => {
                tracing::warn!(%channel, %error, "who is present is read with the next message");
                None
            }
        };
    }

    /// Notes who has come and gone since the last message (GR2). A room that has settled no message yet reads
    /// with the first who is present.
    pub(super) async fn note_presence(&mut self) {
        let RoomArgs { services, channel, .. } = &self.args;
        let Some(presence) = &self.presence else { return };
        let cast = services.cast();
        let here = cast.iter().map(|persona| &persona.name);
        let change = presence.now(here.filter(|who| services.directory.may_play(who, channel)));
        self.note(change).await;
    }

    async fn note(&mut self, change: PresenceChange) {
        if change.is_empty() {
            return;
        }
        let RoomArgs { services, channel, .. } = &self.args;
        match services.store.attend(channel, &change.come, &change.gone).await {
            Ok(()) => {
                if let Some(presence) = &mut self.presence {
                    presence.heard(change, std::iter::empty());
                }
            }
            Err(error) => {
                tracing::warn!(%channel, %error, "who came and who went is noted with the next message");
            }
        }
    }

    /// Whether nothing is in front of what this persona is to play next.
    fn plays_at_once(&self, who: &PersonaName) -> bool {
        self.may_play(who)
            && !self.args.sheet.has(who)
            && !matches!(self.slots.get(who), Some(ActorSlot::Restarting))
    }

    /// When each persona last spoke here, as far as a waking room looks back.
    async fn last_words(&self) -> Result<HashMap<PersonaName, Timestamp>, StoreError> {
        let RoomArgs { services, channel, .. } = &self.args;
        let said = services.store.history(channel, None, LOOK_BACK).await?;
        let spoke = said.into_iter().filter_map(|message| match message.author {
            Author::Persona { name } => Some((name, message.at)),
            Author::User { .. } => None,
        });
        Ok(spoke.collect())
    }
}
