//! A room: one live channel. Decides who answers, seats the personas, and brings back the ones
//! that crash.

use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
    sync::Arc,
};

use futures::future::join_all;
use greenroom_core::{
    ActorState, Author, ChannelKey, ErrorCode, Message, PersonaName, Timestamp, TurnEvent, TurnId,
};
use greenroom_store::{NewMessage, NewTurn, StoreError};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};
use tracing::Span;

use crate::{
    Wishes,
    attendance::Attendance,
    backoff::{Crashes, Verdict},
    channel_actor::{ChannelActor, ChannelMsg, PATIENCE, Part},
    cue::{Cue, CueSheet},
    directory::{Open, Ticket},
    floor::{Floor, decide},
    stage::{Project, Stage},
    supervisor::SupervisorMsg,
    turn::{Failure, call_off, refuse},
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
#[derive(Clone)]
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
    /// It had been stored before, and nothing was settled.
    Known(Arc<Message>),
}

/// The same, with whether the first of those who answer does at once.
enum Planned {
    Answered { message: Arc<Message>, answering: Answering, begins: bool },
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

/// What a room hears.
pub(crate) enum RoomMsg {
    /// Somebody said something.
    Said(Box<Said>),
    /// Turns have ended.
    Over { persona: PersonaName, turns: Vec<TurnId>, spoke: Option<Timestamp> },
    /// A channel actor has had nothing to do for a while.
    Idle { persona: PersonaName },
    /// A crashed channel actor may come back.
    Reseat { persona: PersonaName },
    /// Break off every reply.
    Cancel,
    /// Stop these personas. `done` is dropped when they have stopped.
    Stop { who: Arc<[PersonaName]>, done: mpsc::Sender<Infallible> },
    /// The cast has changed.
    Recast,
}

pub(crate) struct Room;

/// What it is made of.
pub(crate) struct Setting {
    pub(crate) stage: Arc<Stage>,
    pub(crate) channel: ChannelKey,
    pub(crate) sheet: Arc<CueSheet>,
    pub(crate) supervisor: ActorRef<SupervisorMsg>,
}

pub(crate) struct State {
    setting: Setting,
    seats: HashMap<PersonaName, Seat>,
    crashes: HashMap<PersonaName, Crashes>,
    /// When each persona last spoke; read from the store with the first message.
    spoke: Option<HashMap<PersonaName, Timestamp>>,
    /// Who is present; read from the store with the first message.
    attendance: Option<Attendance>,
    handled: u64,
}

/// A persona's place in the room.
enum Seat {
    Taken(ActorRef<ChannelMsg>),
    /// Its actor crashed and comes back soon.
    Reserved,
}

impl Actor for Room {
    type Msg = RoomMsg;
    type State = State;
    type Arguments = Setting;

    async fn pre_start(&self, _: ActorRef<RoomMsg>, setting: Setting) -> Result<State, ActorProcessingErr> {
        Ok(State {
            setting,
            seats: HashMap::new(),
            crashes: HashMap::new(),
            spoke: None,
            attendance: None,
            handled: 0,
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<RoomMsg>,
        message: RoomMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            RoomMsg::Said(said) => state.hear(*said).await,
            RoomMsg::Over { persona, turns, spoke } => state.over(persona, &turns, spoke),
            RoomMsg::Idle { persona } => state.dismiss_idle(&persona),
            RoomMsg::Reseat { persona } => state.reseat(&myself, persona).await?,
            RoomMsg::Cancel => state.cancel(),
            RoomMsg::Stop { who, done } => state.stop(&who, &done),
            RoomMsg::Recast => state.recast(),
        }
        state.cue_ready(&myself).await?;
        state.leave_when_empty(&myself)
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<RoomMsg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorTerminated(who, ..) => state.left(who.get_id()),
            SupervisionEvent::ActorFailed(who, error) => state.crashed(&myself, who.get_id(), &error),
            _ => return Ok(()),
        }
        state.cue_ready(&myself).await?;
        state.leave_when_empty(&myself)
    }

    /// The personas first: left to itself ractor would kill them.
    async fn post_stop(
        &self,
        myself: ActorRef<RoomMsg>,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        myself.stop_children_and_wait(None, None).await;
        let Setting { stage, channel, sheet, .. } = &state.setting;
        for persona in state.seats.keys() {
            stage.directory.leave(persona, channel);
        }
        let waiting = sheet.withdraw(None);
        let calling_off = join_all(waiting.iter().map(|cue| call_off(stage, cue)));
        // past this only receivers that do not read are waited for
        let _ = tokio::time::timeout(PATIENCE, calling_off).await;
        Ok(())
    }
}

impl State {
    /// Settles who answers: decided, stored, written on the cue sheet.
    async fn hear(&mut self, said: Said) {
        self.handled += 1;
        let Said { what, to, project, disable_memory, wishes, span, events, ticket, open, settled } = said;
        let planned = match self.plan(what, &to, disable_memory).await {
            Ok(Planned::Answered { message, answering, begins }) => (message, answering, begins),
            Ok(Planned::Known(message)) => {
                let _ = settled.send(Ok(Settled::Known(message)));
                return;
            }
            Err(error) => {
                let _ = settled.send(Err(error));
                return;
            }
        };
        let (message, answering, begins) = planned;
        let cues = answering.iter().cloned().enumerate().map(|(n, (turn, persona, why))| Cue {
            turn,
            persona,
            begun: begins && n == 0,
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
        // whoever sent it may have left; the turns are played all the same
        let _ = settled.send(Ok(Settled::Answered { message, answering }));
    }

    /// Who answers, and whether the first of them does at once: then its turn is written as begun, and no
    /// second time. A message that is not stored yet is stored with that; or before it where something is to be
    /// written of it that they must find: who came or went with it, that it is not to be remembered.
    async fn plan(&mut self, mut what: What, to: &Address, aside: bool) -> Result<Planned, StoreError> {
        if self.spoke.is_none() {
            self.spoke = Some(self.last_words().await?);
        }
        let Setting { stage, channel, .. } = &self.setting;
        let attendance = match &mut self.attendance {
            Some(attendance) => attendance,
            none => none.insert(Attendance::of(&*stage.store, channel).await?),
        };
        let cast = stage.cast();
        let here = cast.iter().map(|persona| &persona.name);
        let here: BTreeSet<_> = here.filter(|who| stage.directory.may_play(who, channel)).cloned().collect();
        if let What::New(new) = &what
            && (aside || !attendance.is(&here))
        {
            let accepted = stage.store.accept(new.clone()).await?;
            if accepted.duplicate {
                return Ok(Planned::Known(Arc::new(accepted.message)));
            }
            what = What::Stored(Arc::new(accepted.message));
        }
        // one that is answered again was heard when it was said
        if let (What::Stored(message), Address::Floor(_)) = (&what, to) {
            attendance.call(&*stage.store, channel, message.id, &here).await?;
            if aside {
                stage.store.set_aside(message.id).await?;
            }
        }

        let now = stage.now();
        let floor = Floor { personas: &cast, spoke: self.spoke.get_or_insert_default(), now };
        let answering = match to {
            Address::Floor(to) => decide(&floor, what.author(), what.text(), to.as_ref()),
            Address::Again(who) => vec![(who.clone(), "asked to answer again".to_owned())],
        };
        let answering: Answering =
            answering.into_iter().map(|(who, why)| (stage.turn_id(), who, why)).collect();
        let begins = answering.first().is_some_and(|(_, who, _)| self.plays_at_once(who));
        let turns = answering.iter().enumerate().map(|(n, (id, who, _))| NewTurn {
            id: *id,
            persona: who.clone(),
            at: now,
            begins: begins && n == 0,
        });
        let turns = turns.collect();
        let vector = stage.vector(answering.iter().map(|(_, who, _)| who), channel, what.text()).await;
        let message = match what {
            What::New(new) => {
                let accepted = stage.store.accept_planned(new, turns, vector).await?;
                if accepted.duplicate {
                    return Ok(Planned::Known(Arc::new(accepted.message)));
                }
                Arc::new(accepted.message)
            }
            What::Stored(message) => {
                stage.store.plan_turns(message.id, turns, vector).await?;
                message
            }
        };
        if let Some(attendance) = &mut self.attendance {
            answering.iter().for_each(|(_, who, _)| attendance.answers(who));
        }
        Ok(Planned::Answered { message, answering, begins })
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

    /// Turns have ended, so others may be ready and there is something new to embed and to capture.
    fn over(&mut self, persona: PersonaName, turns: &[TurnId], spoke: Option<Timestamp>) {
        if let (Some(at), Some(last)) = (spoke, &mut self.spoke) {
            last.insert(persona, at);
        }
        self.setting.sheet.ended(turns);
        let _ = self.setting.supervisor.send_message(SupervisorMsg::TurnOver);
    }

    /// Gives everybody who has something ready to play their cue. Who must not play fails visibly,
    /// and that makes way for the next.
    async fn cue_ready(&mut self, myself: &ActorRef<RoomMsg>) -> Result<(), SpawnErr> {
        loop {
            let ready = self.setting.sheet.ready();
            let (may, must_not): (Vec<_>, Vec<_>) = ready.into_iter().partition(|who| self.may_play(who));
            for who in &must_not {
                self.refuse(who, None);
            }
            if must_not.is_empty() {
                for who in may {
                    self.cue(myself, who).await?;
                }
                return Ok(());
            }
        }
    }

    fn may_play(&self, who: &PersonaName) -> bool {
        let Setting { stage, channel, .. } = &self.setting;
        stage.directory.may_play(who, channel) && stage.persona(who).is_some()
    }

    async fn cue(&mut self, myself: &ActorRef<RoomMsg>, who: PersonaName) -> Result<(), SpawnErr> {
        match self.seats.get(&who) {
            Some(Seat::Reserved) => Ok(()),
            Some(Seat::Taken(actor)) => {
                // one that is just going is missed: `left` looks at the sheet again
                let _ = actor.send_message(ChannelMsg::Cued);
                Ok(())
            }
            None => self.seat(myself, who).await,
        }
    }

    async fn seat(&mut self, myself: &ActorRef<RoomMsg>, persona: PersonaName) -> Result<(), SpawnErr> {
        let Setting { stage, channel, sheet, .. } = &self.setting;
        stage.directory.seat(&persona, channel);
        let part = Part {
            stage: stage.clone(),
            persona: persona.clone(),
            channel: channel.clone(),
            sheet: sheet.clone(),
            room: myself.clone(),
        };
        // actors bear no names: ractor's registry of names is one for the whole process
        let (actor, _) = ChannelActor::spawn_linked(None, ChannelActor, part, myself.get_cell()).await?;
        self.seats.insert(persona, Seat::Taken(actor));
        Ok(())
    }

    /// Everything that waits for a persona fails. Not here: a receiver may take its time.
    fn refuse(&self, who: &PersonaName, done: Option<mpsc::Sender<Infallible>>) {
        let stage = self.setting.stage.clone();
        let why = match stage.persona(who) {
            Some(_) => format!("{who} is stopped; start it again and repeat the message"),
            None => format!("{who} is no longer in the cast; address somebody else"),
        };
        let cues = self.setting.sheet.withdraw(Some(who));
        tokio::spawn(async move {
            let _done = done;
            for cue in cues {
                refuse(&stage, &cue, Failure::new(ErrorCode::PersonaStopped, why.as_str())).await;
            }
        });
    }

    /// Breaks off what is being played and calls off what waits.
    fn cancel(&self) {
        for seat in self.seats.values() {
            if let Seat::Taken(actor) = seat {
                let _ = actor.send_message(ChannelMsg::Cancel);
            }
        }
        let (stage, cues) = (self.setting.stage.clone(), self.setting.sheet.withdraw(None));
        tokio::spawn(async move {
            for cue in cues {
                call_off(&stage, &cue).await;
            }
        });
    }

    /// Stops personas: the running reply is broken off, what waits fails.
    fn stop(&mut self, who: &[PersonaName], done: &mpsc::Sender<Infallible>) {
        for persona in who {
            self.refuse(persona, Some(done.clone()));
            let Some(seat) = self.seats.remove(persona) else { continue };
            self.setting.stage.directory.halt(persona, &self.setting.channel);
            if let Seat::Taken(actor) = seat {
                let done = done.clone();
                tokio::spawn(async move {
                    actor.stop(None);
                    let _ = actor.wait(None).await;
                    drop(done);
                });
            }
        }
    }

    /// Whoever is no longer in the cast finishes its turn and goes.
    fn recast(&self) {
        for (persona, seat) in &self.seats {
            if let Seat::Taken(actor) = seat
                && self.setting.stage.persona(persona).is_none()
            {
                let _ = actor.send_message(ChannelMsg::Leave);
            }
        }
    }

    /// Passivation: its state is in the store, and the next message wakes it (GR9).
    fn dismiss_idle(&mut self, persona: &PersonaName) {
        if !self.setting.sheet.has(persona)
            && let Some(Seat::Taken(actor)) = self.seats.remove(persona)
        {
            actor.stop(None);
            self.setting.stage.directory.leave(persona, &self.setting.channel);
        }
    }

    /// An actor has gone by itself.
    fn left(&mut self, who: ActorId) {
        if let Some(persona) = self.seated(who) {
            self.seats.remove(&persona);
            self.setting.stage.directory.leave(&persona, &self.setting.channel);
        }
    }

    /// An actor has crashed: it comes back a little later, or not at all (S7). Its cues wait.
    fn crashed(&mut self, myself: &ActorRef<RoomMsg>, who: ActorId, error: &ActorProcessingErr) {
        let Some(persona) = self.seated(who) else { return };
        let Setting { stage, channel, .. } = &self.setting;
        match self.crashes.entry(persona.clone()).or_default().another(Instant::now()) {
            Verdict::RestartAfter(wait) => {
                tracing::error!(%persona, %channel, %error, ?wait, "a channel actor crashed and comes back");
                stage.directory.play(&persona, channel, ActorState::Error);
                self.seats.insert(persona.clone(), Seat::Reserved);
                myself.send_after(wait, move || RoomMsg::Reseat { persona });
            }
            Verdict::GiveUp => {
                tracing::error!(%persona, %channel, %error, "a channel actor crashes too often and is stopped");
                stage.directory.halt(&persona, channel);
                self.seats.remove(&persona);
                self.crashes.remove(&persona);
            }
        }
    }

    /// Back even with nothing to play, so that the room stays and remembers the crashes.
    async fn reseat(&mut self, myself: &ActorRef<RoomMsg>, persona: PersonaName) -> Result<(), SpawnErr> {
        match self.seats.get(&persona) {
            Some(Seat::Reserved) => self.seat(myself, persona).await,
            _ => Ok(()), // it was stopped meanwhile
        }
    }

    fn seated(&self, who: ActorId) -> Option<PersonaName> {
        let is = |seat: &Seat| matches!(seat, Seat::Taken(actor) if actor.get_id() == who);
        self.seats.iter().find(|(_, seat)| is(seat)).map(|(persona, _)| persona.clone())
    }

    /// A room goes with its last actor, if the supervisor has sent it nothing else.
    fn leave_when_empty(&self, myself: &ActorRef<RoomMsg>) -> Result<(), ActorProcessingErr> {
        if self.seats.is_empty() && self.setting.sheet.is_empty() {
            let channel = self.setting.channel.clone();
            let leaving = SupervisorMsg::Leaving { channel, room: myself.get_id(), handled: self.handled };
            self.setting.supervisor.send_message(leaving)?;
        }
        Ok(())
    }
}
