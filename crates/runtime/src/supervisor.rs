//! The supervisor finds or wakes the room of a message, and restarts actors that crashed. [`Runtime`](crate::Runtime)
//! talks to it alone.
//!
//! All messages from outside reach a room through the supervisor. So it knows whether a message is on its way to a room
//! that wants to end.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use greenroom_core::ChannelKey;
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};

use crate::{
    backoff::{Crashes, Verdict},
    capture_actor::{Capture, CaptureActor, CaptureArgs},
    cue::CueQueue,
    delayed::send_after,
    mailbox::{Incoming, RoomMsg, SupervisorMsg},
    memory_actor::{Index, MemoryActor, MemoryArgs},
    room::{Room, RoomArgs},
    services::Services,
    turn::{ending::refuse, failure::Failure},
};

pub(crate) struct Supervisor;

pub(crate) struct SupervisorState {
    services: Arc<Services>,
    /// The live rooms; [`Directory::rooms`](crate::directory::Directory) mirrors their channels.
    rooms: HashMap<ChannelKey, LiveRoom>,
    /// The cue queue of each room, kept until the room's actor has ended.
    queues: HashMap<ActorId, (ChannelKey, Arc<CueQueue>)>,
    /// `None` until a persona has a memory (FG17).
    memory: Option<ActorRef<Index>>,
    memory_asked: Arc<AtomicBool>,
    memory_crashes: Crashes,
    /// `None` until there is something to capture (FG17).
    capture: Option<ActorRef<Capture>>,
    capture_asked: Arc<AtomicBool>,
}

struct LiveRoom {
    actor: ActorRef<RoomMsg>,
    /// How many messages it was sent. The room may end when it has handled all of them.
    sent: u64,
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
        // an earlier run may have left texts without vectors, and exchanges to capture
        myself.send_message(SupervisorMsg::RestartMemory)?;
        myself.send_message(SupervisorMsg::TurnOver)?;
        Ok(SupervisorState {
            services,
            rooms: HashMap::new(),
            queues: HashMap::new(),
            memory: None,
            memory_asked: Arc::default(),
            memory_crashes: Crashes::default(),
            capture: None,
            capture_asked: Arc::default(),
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<SupervisorMsg>,
        message: SupervisorMsg,
        state: &mut SupervisorState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SupervisorMsg::Incoming(incoming) => state.route(&myself, incoming).await?,
            SupervisorMsg::Leaving { channel, room, handled } => state.end_if_done(&channel, room, handled),
            SupervisorMsg::Recover { reply, token } => {
                let channel = reply.channel.clone();
                state.hand_over(&myself, &channel, RoomMsg::Recover { reply, token }).await?;
            }
            SupervisorMsg::Command { channel, command, done } => {
                state.hand_over(&myself, &channel, RoomMsg::Command { command, done }).await?;
            }
            SupervisorMsg::Cancel(channel) => state.tell(&channel, RoomMsg::Cancel),
            SupervisorMsg::Rest(channel) => state.tell(&channel, RoomMsg::Rest),
            SupervisorMsg::LookForIdle => state.tell_all(|| RoomMsg::LookIfIdle),
            SupervisorMsg::Stop { personas, done } => {
                state.tell_all(|| RoomMsg::Stop { personas: personas.clone(), done: done.clone() });
            }
            SupervisorMsg::CastChanged { done } => {
                state.tell_all(|| RoomMsg::CastChanged { done: done.clone() });
                drop(done);
                state.start_memory(&myself).await?;
            }
            SupervisorMsg::TurnOver => {
                state.index();
                state.capture(&myself).await?;
            }
            SupervisorMsg::RestartMemory => state.start_memory(&myself).await?,
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
            SupervisionEvent::ActorTerminated(actor, ..) => state.room_ended(actor.get_id()),
            SupervisionEvent::ActorFailed(actor, error) => {
                tracing::error!(%error, "an actor crashed");
                if state.memory.as_ref().is_some_and(|memory| memory.get_id() == actor.get_id()) {
                    state.memory_crashed(&myself);
                }
                // the next turn starts another actor; captures that were begun go on without it (S8)
                if state.capture.as_ref().is_some_and(|capture| capture.get_id() == actor.get_id()) {
                    state.capture = None;
                }
                state.room_ended(actor.get_id());
            }
            _ => {}
        }
        Ok(())
    }

    /// Stops the rooms first, and they stop their actors. Otherwise ractor would kill them.
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
    /// Hands a message to its room. Wakes the room if it is not live.
    async fn route(
        &mut self,
        myself: &ActorRef<SupervisorMsg>,
        incoming: Box<Incoming>,
    ) -> Result<(), SpawnErr> {
        let channel = incoming.envelope.message.channel.clone();
        self.hand_over(myself, &channel, RoomMsg::Incoming(incoming)).await
    }

    /// Sends a room a message that counts in [`LiveRoom::sent`]. Wakes the room if it is not live.
    async fn hand_over(
        &mut self,
        myself: &ActorRef<SupervisorMsg>,
        channel: &ChannelKey,
        message: RoomMsg,
    ) -> Result<(), SpawnErr> {
        if !self.rooms.contains_key(channel) {
            self.wake(myself, channel).await?;
        }
        if let Some(room) = self.rooms.get_mut(channel) {
            room.sent += 1;
            // a room that has just died drops the message, and the sender sees its `oneshot` closed
            let _ = room.actor.send_message(message);
        }
        Ok(())
    }

    async fn wake(&mut self, myself: &ActorRef<SupervisorMsg>, channel: &ChannelKey) -> Result<(), SpawnErr> {
        let queue = Arc::new(CueQueue::default());
        let args = RoomArgs {
            services: self.services.clone(),
            channel: channel.clone(),
            queue: queue.clone(),
            supervisor: myself.clone(),
        };
        let (actor, _) = Room::spawn_linked(None, Room, args, myself.get_cell()).await?;
        self.queues.insert(actor.get_id(), (channel.clone(), queue));
        self.services.hub.opened(channel);
        self.services.directory.rooms.insert(channel.clone());
        self.rooms.insert(channel.clone(), LiveRoom { actor, sent: 0 });
        Ok(())
    }

    /// Ends a room if it has handled everything that it was sent.
    fn end_if_done(&mut self, channel: &ChannelKey, id: ActorId, handled: u64) {
        let is_done = |room: &LiveRoom| room.actor.get_id() == id && room.sent == handled;
        if self.rooms.get(channel).is_some_and(is_done)
            && let Some(room) = self.rooms.remove(channel)
        {
            self.services.directory.rooms.remove(channel);
            self.services.hub.closed(channel);
            room.actor.stop(None);
        }
    }

    /// A room has ended. The cues that a crashed room leaves behind fail visibly; their messages are in the store. The
    /// next message wakes the room again (S7).
    fn room_ended(&mut self, id: ActorId) {
        let Some((channel, queue)) = self.queues.remove(&id) else { return };
        if self.rooms.get(&channel).is_some_and(|room| room.actor.get_id() == id) {
            self.rooms.remove(&channel);
            self.services.directory.rooms.remove(&channel);
            self.services.directory.room_crashed(&channel);
        }
        let services = self.services.clone();
        tokio::spawn(async move {
            for cue in queue.withdraw(None) {
                refuse(&services, &cue, Failure::crash()).await;
            }
            if !services.directory.rooms.contains(&channel) {
                services.hub.closed(&channel);
            }
        });
    }

    fn tell(&self, channel: &ChannelKey, message: RoomMsg) {
        if let Some(room) = self.rooms.get(channel) {
            let _ = room.actor.send_message(message);
        }
    }

    fn tell_all(&self, message: impl Fn() -> RoomMsg) {
        for room in self.rooms.values() {
            let _ = room.actor.send_message(message());
        }
    }

    fn index(&self) {
        if let Some(memory) = &self.memory
            && !self.services.cast.remembering().is_empty()
            && !self.memory_asked.swap(true, Ordering::SeqCst)
        {
            let _ = memory.send_message(Index);
        }
    }

    /// Tells the capture actor if there is something to capture. Starts the actor if there is none.
    async fn capture(&mut self, myself: &ActorRef<SupervisorMsg>) -> Result<(), SpawnErr> {
        if self.services.capture_queue.is_empty() {
            return Ok(());
        }
        let actor = match &self.capture {
            Some(actor) => actor.clone(),
            None => {
                self.capture_asked = Arc::default();
                let args = CaptureArgs { services: self.services.clone(), asked: self.capture_asked.clone() };
                let (actor, _) =
                    CaptureActor::spawn_linked(None, CaptureActor, args, myself.get_cell()).await?;
                self.capture.insert(actor).clone()
            }
        };
        if !self.capture_asked.swap(true, Ordering::SeqCst) {
            let _ = actor.send_message(Capture);
        }
        Ok(())
    }

    /// Starts the memory actor if there is none and a persona has a memory (FG17).
    async fn start_memory(&mut self, myself: &ActorRef<SupervisorMsg>) -> Result<(), SpawnErr> {
        // runtimes that share a store would embed the texts of each other's personas
        let caller_embeds = self.services.settings.memory_in_turn;
        if caller_embeds || self.memory.is_some() || self.services.cast.remembering().is_empty() {
            return Ok(());
        }
        self.memory_asked = Arc::default();
        let args = MemoryArgs { services: self.services.clone(), asked: self.memory_asked.clone() };
        let (memory, _) = MemoryActor::spawn_linked(None, MemoryActor, args, myself.get_cell()).await?;
        self.memory = Some(memory);
        Ok(())
    }

    fn memory_crashed(&mut self, myself: &ActorRef<SupervisorMsg>) {
        self.memory = None;
        match self.memory_crashes.another(self.services.clock.instant()) {
            Verdict::RestartAfter(wait) => {
                send_after(&self.services, wait, myself, SupervisorMsg::RestartMemory);
            }
            Verdict::GiveUp => {
                tracing::error!("indexing crashes again and again and stays off until a restart")
            }
        }
    }
}
