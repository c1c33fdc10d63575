//! How a room settles who answers a message: decided, stored with the turns that answer it, written on the
//! cue sheet.

use std::{collections::HashMap, sync::Arc, time::Instant};

use greenroom_core::{Author, ChannelKey, Message, PersonaName, Timestamp, TurnEvent, TurnId};
use greenroom_store::{NewMessage, NewTurn, Plan, StoreError};
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use super::{Seat, Setting, State};
use crate::{
    Wishes,
    attendance::{Attendance, Roll},
    cue::Cue,
    directory::{Open, Ticket},
    floor::{Floor, decide},
    stage::Project,
};

/// So far back a waking room looks for who spoke last.
const LOOK_BACK: usize = 50;

/// A message on its way to its room.
pub(crate) struct Said {
    pub(crate) what: What,
    pub(crate) to: Address,
    pub(crate) project: Project,
    pub(crate) disable_memory: bool,
    pub(crate) wishes: Wishes,
    /// The span of whoever handed it in: its turns belong to the same trace.
    pub(crate) span: Span,
    pub(crate) events: mpsc::Sender<Arc<TurnEvent>>,
    pub(crate) ticket: Ticket,
    pub(crate) open: Open,
    pub(crate) settled: oneshot::Sender<Result<Settled, StoreError>>,
}

/// What was said.
pub(crate) enum What {
    /// This, which is not stored yet.
    New(NewMessage),
    /// A message that is stored.
    Stored(Arc<Message>),
}

impl What {
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
pub(crate) enum Settled {
    /// It is answered so.
    Answered { message: Arc<Message>, answering: Answering },
    /// It had been stored before, and nothing is settled anew.
    Known(Arc<Message>),
}

/// Whom a message is for.
pub(crate) enum Address {
    /// Whoever the floor is given to; the one it is addressed to first.
    Floor(Option<PersonaName>),
    /// The one who did not answer it the first time, and nobody else.
    Again(PersonaName),
}

/// Who answers, in which turn, in order, and why.
pub(crate) type Answering = Vec<(TurnId, PersonaName, String)>;

impl State {
    /// Settles who answers: decided, stored, written on the cue sheet.
    pub(super) async fn hear(&mut self, said: Said) {
        self.handled += 1;
        let Said { what, to, project, disable_memory, wishes, span, events, ticket, open, settled } = said;
        let erased = self.setting.stage.followed();
        let settling = self.settle(what, &to, disable_memory).await;
        if let Ok((Settled::Answered { message, answering }, begins)) = &settling {
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
            self.setting.sheet.add(cues.collect(), ticket);
        }
        // whoever sent it may have left; the turns are played all the same
        let _ = settled.send(settling.map(|(settled, _)| settled));
    }

    /// Who answers, and whether the first of them does at once: then its turn is written as begun, and no
    /// second time; the moment before that. A message that is not stored yet is stored with all that.
    async fn settle(
        &mut self,
        what: What,
        to: &Address,
        aside: bool,
    ) -> Result<(Settled, Option<Instant>), StoreError> {
        if self.spoke.is_none() {
            self.spoke = Some(self.last_words().await?);
        }
        let Setting { stage, channel, .. } = &self.setting;
        let attendance = match &mut self.attendance {
            Some(attendance) => attendance,
            none => {
                let erased = stage.followed();
                none.insert(Attendance::of(&*stage.store, channel, erased).await?)
            }
        };
        let (cast, now) = (stage.cast(), stage.now());
        let floor = Floor { personas: &cast, spoke: self.spoke.get_or_insert_default(), now };
        let answering = match to {
            Address::Floor(to) => decide(&floor, what.author(), what.text(), to.as_ref()),
            Address::Again(who) => vec![(who.clone(), "asked to answer again".to_owned())],
        };
        let answering: Answering =
            answering.into_iter().map(|(who, why)| (stage.turn_id(), who, why)).collect();
        let here = cast.iter().map(|persona| &persona.name);
        let here = here.filter(|who| stage.directory.may_play(who, channel));
        let roll = attendance.call(here, answering.iter().map(|(_, who, _)| who));
        // one that is answered again was heard when it was said: who came or went since did so now
        let (roll, since) = match to {
            Address::Floor(_) => (roll, Roll::default()),
            Address::Again(_) => (Roll::default(), roll),
        };
        let begins = answering.first().is_some_and(|(_, who, _)| self.plays_at_once(who));
        let turns = answering.iter().enumerate().map(|(n, (id, who, _))| NewTurn {
            id: *id,
            persona: who.clone(),
            at: now,
            begins: begins && n == 0,
        });
        let turns = turns.collect();
        let vector = stage.vector(answering.iter().map(|(_, who, _)| who), channel, what.text()).await;
        let Roll { come, gone } = roll.clone();
        let plan = Plan { turns, vector, come, gone, aside };
        let asked_at = Instant::now();
        let begins = begins.then_some(asked_at);
        let message = match what {
            What::New(new) => {
                let accepted = stage.store.accept_planned(new, plan).await?;
                if accepted.duplicate {
                    return Ok((Settled::Known(Arc::new(accepted.message)), None));
                }
                Arc::new(accepted.message)
            }
            What::Stored(message) => {
                stage.store.plan_turns(message.id, plan).await?;
                message
            }
        };
        if let Some(attendance) = &mut self.attendance {
            attendance.heard(roll, answering.iter().map(|(_, who, _)| who.clone()));
        }
        self.note(since).await;
        self.look_again(&message, asked_at).await;
        Ok((Settled::Answered { message, answering }, begins))
    }

    /// Where something was erased since it was read who is present: a channel that was forgotten has forgotten that,
    /// too, and begins anew with this message, which all hear who are here (GR2).
    async fn look_again(&mut self, message: &Message, asked_at: Instant) {
        let Setting { stage, channel, .. } = &self.setting;
        let erased = stage.follow_erasures_until(asked_at).await;
        if self.attendance.as_ref().is_none_or(|known| known.erased == erased) {
            return;
        }
        let looked = async {
            let mut known = Attendance::of(&*stage.store, channel, erased).await?;
            let cast = stage.cast();
            let here = cast.iter().map(|persona| &persona.name);
            let roll = known.now(here.filter(|who| stage.directory.may_play(who, channel)));
            for persona in &roll.come {
                stage.store.enter(persona, channel, message.id).await?;
            }
            known.heard(Roll { gone: Vec::new(), ..roll }, std::iter::empty());
            Ok::<_, StoreError>(known)
        };
        self.attendance = match looked.await {
            Ok(known) => Some(known),
            Err(error) => {
                tracing::warn!(%channel, %error, "who is present is read with the next message");
                None
            }
        };
    }

    /// Notes who has come and gone since the last message (GR2). A room that has settled no message yet reads
    /// with the first who is present.
    pub(super) async fn call_roll(&mut self) {
        let Setting { stage, channel, .. } = &self.setting;
        let Some(attendance) = &self.attendance else { return };
        let cast = stage.cast();
        let here = cast.iter().map(|persona| &persona.name);
        let roll = attendance.now(here.filter(|who| stage.directory.may_play(who, channel)));
        self.note(roll).await;
    }

    async fn note(&mut self, roll: Roll) {
        if roll.is_empty() {
            return;
        }
        let Setting { stage, channel, .. } = &self.setting;
        match stage.store.attend(channel, &roll.come, &roll.gone).await {
            Ok(()) => {
                if let Some(attendance) = &mut self.attendance {
                    attendance.heard(roll, std::iter::empty());
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
            && !self.setting.sheet.has(who)
            && !matches!(self.seats.get(who), Some(Seat::Reserved))
    }

    /// When each persona last spoke here, as far as a waking room looks back.
    async fn last_words(&self) -> Result<HashMap<PersonaName, Timestamp>, StoreError> {
        let Setting { stage, channel, .. } = &self.setting;
        let said = stage.store.history(channel, None, LOOK_BACK).await?;
        let spoke = said.into_iter().filter_map(|message| match message.author {
            Author::Persona { name } => Some((name, message.at)),
            Author::User { .. } => None,
        });
        Ok(spoke.collect())
    }
}
