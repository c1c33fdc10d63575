//! The supervisor: finds or wakes the room of a message, and brings back what crashed.
//!
//! It is the only one that sends messages to a room, so it knows when a room that wants to leave
//! has none on its way.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use greenroom_core::{ChannelKey, PersonaName};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use tokio::{sync::mpsc, time::Instant};

use crate::{
    backoff::{Crashes, Verdict},
    capture_actor::{Capture, CaptureActor, CaptureArgs},
    cue::CueSheet,
    directory::LiveRoom,
    memory_actor::{Housekeeping, Index, MemoryActor},
    room::{Incoming, Room, RoomArgs, RoomMsg},
    services::Services,
    turn::{Failure, refuse},
};

/// What a supervisor hears.
pub(crate) enum SupervisorMsg {
    /// A message was accepted.
    Incoming(Box<Incoming>),
    /// A room has nobody left and has handled so many messages.
    Leaving { channel: ChannelKey, room: ActorId, handled: u64 },
    /// Break off the replies of a channel.
    Cancel(ChannelKey),
    /// Let the room of a channel go, if nothing is to be done there.
    Rest(ChannelKey),
    /// Stop these personas everywhere. `done` closes when they have stopped.
    Stop { who: Arc<[PersonaName]>, done: mpsc::Sender<Infallible> },
    /// The cast has changed, or somebody was started. `done` closes when every room has noted it.
    Recast { done: mpsc::Sender<Infallible> },
    /// A turn is over: there may be something to embed and to capture.
    TurnOver,
    /// Bring the memory actor back.
    ReviveMemory,
}

pub(crate) struct Supervisor;

pub(crate) struct SupervisorState {
    services: Arc<Services>,
    rooms: HashMap<ActorId, (ChannelKey, Arc<CueSheet>)>,
    memory: Option<ActorRef<Index>>,
    asked: Arc<AtomicBool>,
    crashes: Crashes,
    /// There is none before there is something to capture (FG17).
    capture: Option<ActorRef<Capture>>,
    asked_to_capture: Arc<AtomicBool>,
}

impl Actor for Supervisor {
    type Msg = SupervisorMsg;
    type State = SupervisorState;
    type Arguments = Arc<Services>;

    async fn pre_start(
        &self,
        myself: ActorRef<SupervisorMsg>,
        services: Arc<Services>,
    ) -> Result<SupervisorState, ActorProcessingErr> {
        // what an earlier run left without a vector
        myself.send_message(SupervisorMsg::ReviveMemory)?;
        myself.send_message(SupervisorMsg::TurnOver)?;
        Ok(SupervisorState {
            services,
            rooms: HashMap::new(),
            memory: None,
            asked: Arc::default(),
            crashes: Crashes::default(),
            capture: None,
            asked_to_capture: Arc::default(),
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<SupervisorMsg>,
        message: SupervisorMsg,
        state: &mut SupervisorState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SupervisorMsg::Incoming(said) => state.route(&myself, said).await?,
            SupervisorMsg::Leaving { channel, room, handled } => state.let_go(&channel, room, handled),
            SupervisorMsg::Cancel(channel) => state.tell(&channel, RoomMsg::Cancel),
            SupervisorMsg::Rest(channel) => state.tell(&channel, RoomMsg::Rest),
            SupervisorMsg::Stop { who, done } => {
                state.tell_all(|| RoomMsg::Stop { who: who.clone(), done: done.clone() });
            }
            SupervisorMsg::Recast { done } => {
                state.tell_all(|| RoomMsg::Recast { done: done.clone() });
                drop(done);
                state.revive_memory(&myself).await?;
            }
            SupervisorMsg::TurnOver => {
                state.index();
                state.capture(&myself).await?;
            }
            SupervisorMsg::ReviveMemory => state.revive_memory(&myself).await?,
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<SupervisorMsg>,
        event: SupervisionEvent,
        state: &mut SupervisorState,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorTerminated(who, ..) => state.gone(who.get_id()),
            SupervisionEvent::ActorFailed(who, error) => {
                tracing::error!(%error, "an actor crashed");
                if state.memory.as_ref().is_some_and(|memory| memory.get_id() == who.get_id()) {
                    state.memory_crashed(&myself);
                }
                // the next turn brings it back; what it had begun goes on without it (S8)
                if state.capture.as_ref().is_some_and(|capture| capture.get_id() == who.get_id()) {
                    state.capture = None;
                }
                state.gone(who.get_id());
            }
            _ => {}
        }
        Ok(())
    }

    /// From the leaves to the root: rooms stop their actors first. Left to itself ractor would
    /// kill the children.
    async fn post_stop(
        &self,
        myself: ActorRef<SupervisorMsg>,
        _: &mut SupervisorState,
    ) -> Result<(), ActorProcessingErr> {
        myself.stop_children_and_wait(None, None).await;
        Ok(())
    }
}

impl SupervisorState {
    /// Hands a message to its room, waking it if need be.
    async fn route(&mut self, myself: &ActorRef<SupervisorMsg>, said: Box<Incoming>) -> Result<(), SpawnErr> {
        let channel = said.what.channel().clone();
        if !self.services.directory.rooms.contains_key(&channel) {
            self.wake(myself, &channel).await?;
        }
        if let Some(mut room) = self.services.directory.rooms.get_mut(&channel) {
            room.sent += 1;
            // a room that died just now drops the message; its sender learns it from that
            let _ = room.actor.send_message(RoomMsg::Incoming(said));
        }
        Ok(())
    }

    async fn wake(&mut self, myself: &ActorRef<SupervisorMsg>, channel: &ChannelKey) -> Result<(), SpawnErr> {
        let sheet = Arc::new(CueSheet::default());
        let setting = RoomArgs {
            services: self.services.clone(),
            channel: channel.clone(),
            sheet: sheet.clone(),
            supervisor: myself.clone(),
        };
        let (actor, _) = Room::spawn_linked(None, Room, setting, myself.get_cell()).await?;
        self.rooms.insert(actor.get_id(), (channel.clone(), sheet));
        self.services.hub.opened(channel);
        self.services.directory.rooms.insert(channel.clone(), LiveRoom { actor, sent: 0 });
        Ok(())
    }

    /// A room may leave when it has handled everything it was sent.
    fn let_go(&self, channel: &ChannelKey, who: ActorId, handled: u64) {
        let may = |room: &LiveRoom| room.actor.get_id() == who && room.sent == handled;
        let left = self.services.directory.rooms.remove_if(channel, |_, room| may(room));
        if let Some((_, room)) = left {
            self.services.hub.closed(channel);
            room.actor.stop(None);
        }
    }

    /// A room is gone. One that crashed leaves cues behind: they fail visibly, and the next message
    /// wakes the room anew (S7). The messages are in the store.
    fn gone(&mut self, who: ActorId) {
        let Some((channel, sheet)) = self.rooms.remove(&who) else { return };
        self.services.directory.rooms.remove_if(&channel, |_, room| room.actor.get_id() == who);
        let services = self.services.clone();
        tokio::spawn(async move {
            for cue in sheet.withdraw(None) {
                services.directory.actor_stopped(&cue.persona, &channel);
                refuse(&services, &cue, Failure::crash()).await;
            }
            if !services.directory.rooms.contains_key(&channel) {
                services.hub.closed(&channel);
            }
        });
    }

    fn tell(&self, channel: &ChannelKey, message: RoomMsg) {
        if let Some(room) = self.services.directory.rooms.get(channel) {
            let _ = room.actor.send_message(message);
        }
    }

    fn tell_all(&self, message: impl Fn() -> RoomMsg) {
        for room in &self.services.directory.rooms {
            let _ = room.actor.send_message(message());
        }
    }

    fn index(&self) {
        if let Some(memory) = &self.memory
            && !self.services.remembering().is_empty()
            && !self.asked.swap(true, Ordering::SeqCst)
        {
            let _ = memory.send_message(Index);
        }
    }

    /// Wakes the capture actor when there is something for it.
    async fn capture(&mut self, myself: &ActorRef<SupervisorMsg>) -> Result<(), SpawnErr> {
        if self.services.capture_queue.is_empty() {
            return Ok(());
        }
        let actor = match &self.capture {
            Some(actor) => actor.clone(),
            None => {
                self.asked_to_capture = Arc::default();
                let scribe =
                    CaptureArgs { services: self.services.clone(), asked: self.asked_to_capture.clone() };
                let (actor, _) =
                    CaptureActor::spawn_linked(None, CaptureActor, scribe, myself.get_cell()).await?;
                self.capture.insert(actor).clone()
            }
        };
        if !self.asked_to_capture.swap(true, Ordering::SeqCst) {
            let _ = actor.send_message(Capture);
        }
        Ok(())
    }

    /// Starts the memory actor where there is none and somebody has a memory (FG17).
    async fn revive_memory(&mut self, myself: &ActorRef<SupervisorMsg>) -> Result<(), SpawnErr> {
        if self.memory.is_some() || self.services.remembering().is_empty() {
            return Ok(());
        }
        self.asked = Arc::default();
        let house = Housekeeping { services: self.services.clone(), asked: self.asked.clone() };
        let (memory, _) = MemoryActor::spawn_linked(None, MemoryActor, house, myself.get_cell()).await?;
        self.memory = Some(memory);
        Ok(())
    }

    fn memory_crashed(&mut self, myself: &ActorRef<SupervisorMsg>) {
        self.memory = None;
        match self.crashes.another(Instant::now()) {
            Verdict::RestartAfter(wait) => {
                myself.send_after(wait, || SupervisorMsg::ReviveMemory);
            }
            Verdict::GiveUp => {
                tracing::error!("indexing crashes again and again and stays off until a restart")
            }
        }
    }
}
