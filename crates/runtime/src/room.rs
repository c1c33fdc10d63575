//! A room: one live channel. Settles who answers, seats the personas, and brings back the ones that crash.

mod settling;

use std::{collections::HashMap, convert::Infallible, sync::Arc};

use futures::future::join_all;
use greenroom_core::{ActorState, ChannelKey, ErrorCode, PersonaName, Timestamp, TurnId};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use tokio::{sync::mpsc, time::Instant};

pub(crate) use self::settling::{Address, Said, Settled, What};
use crate::{
    attendance::Attendance,
    backoff::{Crashes, Verdict},
    channel_actor::{ChannelActor, ChannelMsg, PATIENCE, Part},
    cue::CueSheet,
    stage::Stage,
    supervisor::SupervisorMsg,
    turn::{Failure, call_off, refuse},
};

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
    /// The cast has changed, or somebody was started. `done` is dropped when the room has noted it.
    Recast { done: mpsc::Sender<Infallible> },
    /// Whoever has nothing to do may go.
    Rest,
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
            RoomMsg::Stop { who, done } => {
                state.stop(&who, &done);
                state.call_roll().await;
            }
            RoomMsg::Recast { done: _done } => {
                state.recast();
                state.call_roll().await;
            }
            RoomMsg::Rest => state.rest(),
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
            SupervisionEvent::ActorFailed(who, error) => {
                state.crashed(&myself, who.get_id(), &error);
                state.call_roll().await;
            }
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

    /// Whoever has nothing to do goes, and with the last of them the room.
    fn rest(&self) {
        for seat in self.seats.values() {
            if let Seat::Taken(actor) = seat {
                let _ = actor.send_message(ChannelMsg::Rest);
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
