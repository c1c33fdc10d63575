//! A room: one live channel. Settles who answers, seats the personas, and brings back the ones that crash.

mod settling;

use std::{collections::HashMap, convert::Infallible, sync::Arc};

use futures::future::join_all;
use greenroom_core::{ActorState, ChannelKey, ErrorCode, PersonaName, Timestamp, TurnId};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use tokio::{sync::mpsc, time::Instant};

pub(crate) use self::settling::{Incoming, IncomingMessage, Recipient, SettledMessage};
use crate::{
    backoff::{Crashes, Verdict},
    channel_actor::{ChannelActor, ChannelActorArgs, ChannelMsg, PATIENCE},
    cue::CueSheet,
    presence::PresenceTracker,
    services::Services,
    supervisor::SupervisorMsg,
    turn::{Failure, call_off, refuse},
};

/// What a room hears.
pub(crate) enum RoomMsg {
    /// Somebody said something.
    Incoming(Box<Incoming>),
    /// Turns have ended.
    Over { persona: PersonaName, turns: Vec<TurnId>, spoke: Option<Timestamp> },
    /// A channel actor has had nothing to do for a while.
    Idle { persona: PersonaName },
    /// A crashed channel actor may come back.
    Restart { persona: PersonaName },
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
pub(crate) struct RoomArgs {
    pub(crate) services: Arc<Services>,
    pub(crate) channel: ChannelKey,
    pub(crate) sheet: Arc<CueSheet>,
    pub(crate) supervisor: ActorRef<SupervisorMsg>,
}

pub(crate) struct RoomState {
    args: RoomArgs,
    slots: HashMap<PersonaName, ActorSlot>,
    crashes: HashMap<PersonaName, Crashes>,
    /// When each persona last spoke; read from the store with the first message.
    spoke: Option<HashMap<PersonaName, Timestamp>>,
    /// Who is present; read from the store with the first message.
    presence: Option<PresenceTracker>,
    handled: u64,
}

/// A persona's place in the room.
enum ActorSlot {
    Running(ActorRef<ChannelMsg>),
    /// Its actor crashed and comes back soon.
    Restarting,
}

impl Actor for Room {
    type Msg = RoomMsg;
    type State = RoomState;
    type Arguments = RoomArgs;

    async fn pre_start(&self, _: ActorRef<RoomMsg>, args: RoomArgs) -> Result<RoomState, ActorProcessingErr> {
        Ok(RoomState {
            args,
            slots: HashMap::new(),
            crashes: HashMap::new(),
            spoke: None,
            presence: None,
            handled: 0,
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<RoomMsg>,
        message: RoomMsg,
        state: &mut RoomState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            RoomMsg::Incoming(said) => state.hear(*said).await,
            RoomMsg::Over { persona, turns, spoke } => state.over(persona, &turns, spoke),
            RoomMsg::Idle { persona } => state.dismiss_idle(&persona),
            RoomMsg::Restart { persona } => state.restart_actor(&myself, persona).await?,
            RoomMsg::Cancel => state.cancel(),
            RoomMsg::Stop { who, done } => {
                state.stop(&who, &done);
                state.note_presence().await;
            }
            RoomMsg::Recast { done: _done } => {
                state.recast();
                state.note_presence().await;
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
        state: &mut RoomState,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorTerminated(who, ..) => state.left(who.get_id()),
            SupervisionEvent::ActorFailed(who, error) => {
                state.crashed(&myself, who.get_id(), &error);
                state.note_presence().await;
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
        state: &mut RoomState,
    ) -> Result<(), ActorProcessingErr> {
        myself.stop_children_and_wait(None, None).await;
        let RoomArgs { services, channel, sheet, .. } = &state.args;
        for persona in state.slots.keys() {
            services.directory.actor_stopped(persona, channel);
        }
        let waiting = sheet.withdraw(None);
        let calling_off = join_all(waiting.iter().map(|cue| call_off(services, cue)));
        // past this only receivers that do not read are waited for
        let _ = tokio::time::timeout(PATIENCE, calling_off).await;
        Ok(())
    }
}

impl RoomState {
    /// Turns have ended, so others may be ready and there is something new to embed and to capture.
    fn over(&mut self, persona: PersonaName, turns: &[TurnId], spoke: Option<Timestamp>) {
        if let (Some(at), Some(last)) = (spoke, &mut self.spoke) {
            last.insert(persona, at);
        }
        self.args.sheet.ended(turns);
        let _ = self.args.supervisor.send_message(SupervisorMsg::TurnOver);
    }

    /// Gives everybody who has something ready to play their cue. Who must not play fails visibly,
    /// and that makes way for the next.
    async fn cue_ready(&mut self, myself: &ActorRef<RoomMsg>) -> Result<(), SpawnErr> {
        loop {
            let ready = self.args.sheet.ready();
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
        let RoomArgs { services, channel, .. } = &self.args;
        services.directory.may_play(who, channel) && services.persona(who).is_some()
    }

    async fn cue(&mut self, myself: &ActorRef<RoomMsg>, who: PersonaName) -> Result<(), SpawnErr> {
        match self.slots.get(&who) {
            Some(ActorSlot::Restarting) => Ok(()),
            Some(ActorSlot::Running(actor)) => {
                // one that is just going is missed: `left` looks at the sheet again
                let _ = actor.send_message(ChannelMsg::Cued);
                Ok(())
            }
            None => self.start_actor(myself, who).await,
        }
    }

    async fn start_actor(
        &mut self,
        myself: &ActorRef<RoomMsg>,
        persona: PersonaName,
    ) -> Result<(), SpawnErr> {
        let RoomArgs { services, channel, sheet, .. } = &self.args;
        services.directory.actor_started(&persona, channel);
        let part = ChannelActorArgs {
            services: services.clone(),
            persona: persona.clone(),
            channel: channel.clone(),
            sheet: sheet.clone(),
            room: myself.clone(),
        };
        // actors bear no names: ractor's registry of names is one for the whole process
        let (actor, _) = ChannelActor::spawn_linked(None, ChannelActor, part, myself.get_cell()).await?;
        self.slots.insert(persona, ActorSlot::Running(actor));
        Ok(())
    }

    /// Everything that waits for a persona fails. Not here: a receiver may take its time.
    fn refuse(&self, who: &PersonaName, done: Option<mpsc::Sender<Infallible>>) {
        let services = self.args.services.clone();
        let why = match services.persona(who) {
            Some(_) => format!("{who} is stopped; start it again and repeat the message"),
            None => format!("{who} is no longer in the cast; address somebody else"),
        };
        let cues = self.args.sheet.withdraw(Some(who));
        tokio::spawn(async move {
            let _done = done;
            for cue in cues {
                refuse(&services, &cue, Failure::new(ErrorCode::PersonaStopped, why.as_str())).await;
            }
        });
    }

    /// Breaks off what is being played and calls off what waits.
    fn cancel(&self) {
        for slot in self.slots.values() {
            if let ActorSlot::Running(actor) = slot {
                let _ = actor.send_message(ChannelMsg::Cancel);
            }
        }
        let (services, cues) = (self.args.services.clone(), self.args.sheet.withdraw(None));
        tokio::spawn(async move {
            for cue in cues {
                call_off(&services, &cue).await;
            }
        });
    }

    /// Stops personas: the running reply is broken off, what waits fails.
    fn stop(&mut self, who: &[PersonaName], done: &mpsc::Sender<Infallible>) {
        for persona in who {
            self.refuse(persona, Some(done.clone()));
            let Some(slot) = self.slots.remove(persona) else { continue };
            self.args.services.directory.halt(persona, &self.args.channel);
            if let ActorSlot::Running(actor) = slot {
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
        for (persona, slot) in &self.slots {
            if let ActorSlot::Running(actor) = slot
                && self.args.services.persona(persona).is_none()
            {
                let _ = actor.send_message(ChannelMsg::Leave);
            }
        }
    }

    /// Whoever has nothing to do goes, and with the last of them the room.
    fn rest(&self) {
        for slot in self.slots.values() {
            if let ActorSlot::Running(actor) = slot {
                let _ = actor.send_message(ChannelMsg::Rest);
            }
        }
    }

    /// Passivation: its state is in the store, and the next message wakes it (GR9).
    fn dismiss_idle(&mut self, persona: &PersonaName) {
        if !self.args.sheet.has(persona)
            && let Some(ActorSlot::Running(actor)) = self.slots.remove(persona)
        {
            actor.stop(None);
            self.args.services.directory.actor_stopped(persona, &self.args.channel);
        }
    }

    /// An actor has gone by itself.
    fn left(&mut self, who: ActorId) {
        if let Some(persona) = self.seated(who) {
            self.slots.remove(&persona);
            self.args.services.directory.actor_stopped(&persona, &self.args.channel);
        }
    }

    /// An actor has crashed: it comes back a little later, or not at all (S7). Its cues wait.
    fn crashed(&mut self, myself: &ActorRef<RoomMsg>, who: ActorId, error: &ActorProcessingErr) {
        let Some(persona) = self.seated(who) else { return };
        let RoomArgs { services, channel, .. } = &self.args;
        match self.crashes.entry(persona.clone()).or_default().another(Instant::now()) {
            Verdict::RestartAfter(wait) => {
                tracing::error!(%persona, %channel, %error, ?wait, "a channel actor crashed and comes back");
                services.directory.play(&persona, channel, ActorState::Error);
                self.slots.insert(persona.clone(), ActorSlot::Restarting);
                myself.send_after(wait, move || RoomMsg::Restart { persona });
            }
            Verdict::GiveUp => {
                tracing::error!(%persona, %channel, %error, "a channel actor crashes too often and is stopped");
                services.directory.halt(&persona, channel);
                self.slots.remove(&persona);
                self.crashes.remove(&persona);
            }
        }
    }

    /// Back even with nothing to play, so that the room stays and remembers the crashes.
    async fn restart_actor(
        &mut self,
        myself: &ActorRef<RoomMsg>,
        persona: PersonaName,
    ) -> Result<(), SpawnErr> {
        match self.slots.get(&persona) {
            Some(ActorSlot::Restarting) => self.start_actor(myself, persona).await,
            _ => Ok(()), // it was stopped meanwhile
        }
    }

    fn seated(&self, who: ActorId) -> Option<PersonaName> {
        let is = |slot: &ActorSlot| matches!(slot, ActorSlot::Running(actor) if actor.get_id() == who);
        self.slots.iter().find(|(_, slot)| is(slot)).map(|(persona, _)| persona.clone())
    }

    /// A room goes with its last actor, if the supervisor has sent it nothing else.
    fn leave_when_empty(&self, myself: &ActorRef<RoomMsg>) -> Result<(), ActorProcessingErr> {
        if self.slots.is_empty() && self.args.sheet.is_empty() {
            let channel = self.args.channel.clone();
            let leaving = SupervisorMsg::Leaving { channel, room: myself.get_id(), handled: self.handled };
            self.args.supervisor.send_message(leaving)?;
        }
        Ok(())
    }
}
