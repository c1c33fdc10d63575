//! A room is a live channel. It takes messages in, runs the channel actors of the personas, and restarts the ones that
//! crash. A channel actor ends with what its persona had to do; the room stays until the channel has been idle for a while
//! (GR9), so that an idle channel costs one actor, and soon none.

mod accepting;
mod cache;
mod deciding;
mod following;
mod moderating;
mod retrying;

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use futures::future::join_all;
use greenroom_core::{ActorState, ChannelKey, ErrorCode, Instant, PersonaName, TurnId};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};

use crate::{
    backoff::{Crashes, Verdict},
    channel_actor::{ChannelActor, ChannelActorArgs},
    cue::CueQueue,
    delayed::send_after,
    mailbox::{ChannelMsg, Done, Incoming, RoomMsg, SupervisorMsg, TurnReply},
    services::Services,
    turn::{
        ending::{call_off, refuse},
        failure::Failure,
        interrupt::InterruptReason,
        last_request::LastRequest,
    },
};

pub(crate) struct Room;

/// What a room starts with.
pub(crate) struct RoomArgs {
    pub(crate) services: Arc<Services>,
    pub(crate) channel: ChannelKey,
    pub(crate) queue: Arc<CueQueue>,
    pub(crate) supervisor: ActorRef<SupervisorMsg>,
}

pub(crate) struct RoomState {
    args: RoomArgs,
    slots: HashMap<PersonaName, PersonaSlot>,
    crashes: HashMap<PersonaName, Crashes>,
    /// Read from the store with the first message.
    cache: Option<cache::RoomCache>,
    /// How many messages the room has taken in.
    handled: u64,
    /// How many messages to itself the room waits for: choices of the moderator, and replies to be decided about again.
    awaited: usize,
    /// Whether the moderator is asked about a message; those behind it are held.
    is_message_moderated: bool,
    /// Bounded as the channel's queue is: each has its place there.
    held: VecDeque<Box<Incoming>>,
    /// Since when there is nothing to do, while that is so.
    idle_since: Option<Instant>,
}

/// The actor and the last request of a persona in this room.
#[derive(Default)]
struct PersonaSlot {
    actor: SlotActor,
    last_request: LastRequest,
}

#[derive(Default)]
enum SlotActor {
    /// The persona has nothing to do.
    #[default]
    Resting,
    Running(ActorRef<ChannelMsg>),
    /// Its actor crashed, and the next one starts a little later.
    Restarting,
}

impl PersonaSlot {
    fn running(&self) -> Option<&ActorRef<ChannelMsg>> {
        match &self.actor {
            SlotActor::Running(actor) => Some(actor),
            SlotActor::Resting | SlotActor::Restarting => None,
        }
    }

    fn is_resting(&self) -> bool {
        matches!(self.actor, SlotActor::Resting)
    }
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
            cache: None,
            handled: 0,
            awaited: 0,
            is_message_moderated: false,
            held: VecDeque::new(),
            idle_since: None,
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<RoomMsg>,
        message: RoomMsg,
        state: &mut RoomState,
    ) -> Result<(), ActorProcessingErr> {
        if !matches!(message, RoomMsg::LookIfIdle) {
            state.idle_since = None;
        }
        // the long ones are boxed: a room that waits for messages would keep the place of the largest future, 5 KB
        match message {
            RoomMsg::Incoming(incoming) => Box::pin(state.take_in(&myself, incoming)).await,
            RoomMsg::Moderated { about, choice } => Box::pin(state.go_on(&myself, about, choice)).await,
            RoomMsg::TurnsOver { turns, spoken } => Box::pin(state.turns_over(&myself, &turns, spoken)).await,
            RoomMsg::Retry(follow_up) => {
                state.awaited -= 1;
                Box::pin(state.try_follow_up(&myself, follow_up)).await;
            }
            RoomMsg::Recover { reply, token } => {
                Box::pin(state.recover_reply(&myself, *reply, token)).await;
            }
            RoomMsg::Command { command, done } => {
                state.handled += 1;
                let _ = done.send(Box::pin(state.command(command)).await);
            }
            // what follows is all there is to do
            RoomMsg::LookIfIdle => {}
            RoomMsg::Restart { persona } => state.restart(&persona),
            RoomMsg::Cancel => state.cancel(),
            RoomMsg::Stop { personas, done } => {
                state.stop(&personas, &done);
                Box::pin(state.note_presence()).await;
            }
            RoomMsg::CastChanged { done: _done } => {
                state.let_removed_go();
                Box::pin(state.note_presence()).await;
            }
            RoomMsg::Rest => state.rest(),
        }
        Box::pin(state.cue_ready(&myself)).await?;
        state.leave_when_idle(&myself)
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<RoomMsg>,
        event: SupervisionEvent,
        state: &mut RoomState,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorTerminated(actor, ..) => state.left(actor.get_id()),
            SupervisionEvent::ActorFailed(actor, error) => {
                state.crashed(&myself, actor.get_id(), &error);
                Box::pin(state.note_presence()).await;
            }
            _ => return Ok(()),
        }
        Box::pin(state.cue_ready(&myself)).await?;
        state.leave_when_idle(&myself)
    }

    /// Stops the channel actors first: left to itself ractor would kill them.
    async fn post_stop(
        &self,
        myself: ActorRef<RoomMsg>,
        state: &mut RoomState,
    ) -> Result<(), ActorProcessingErr> {
        myself.stop_children_and_wait(None, None).await;
        let RoomArgs { services, channel, queue, .. } = &state.args;
        for persona in state.slots.keys() {
            services.directory.actor_stopped(persona, channel);
        }
        let waiting = queue.withdraw(None);
        join_all(waiting.iter().map(|cue| call_off(services, cue))).await;
        Ok(())
    }
}

impl RoomState {
    /// Turns have ended, so others may be ready and there is something new to embed and to capture. What was said is
    /// heard first: it may be answered, or settle what waits.
    async fn turns_over(&mut self, myself: &ActorRef<RoomMsg>, turns: &[TurnId], spoken: Option<TurnReply>) {
        if let Some(spoken) = spoken {
            self.turn_ended(myself, spoken).await;
        }
        self.args.queue.ended(turns);
        let _ = self.args.supervisor.send_message(SupervisorMsg::TurnOver);
    }

    /// Tells every persona that has something ready. What waits for a persona that must not answer fails visibly, and
    /// that makes the cues behind it ready.
    async fn cue_ready(&mut self, myself: &ActorRef<RoomMsg>) -> Result<(), SpawnErr> {
        loop {
            let ready = self.args.queue.ready();
            let (may, must_not): (Vec<_>, Vec<_>) = ready.into_iter().partition(|name| self.may_answer(name));
            for persona in &must_not {
                self.refuse(persona, None);
            }
            if must_not.is_empty() {
                for persona in may {
                    self.cue(myself, persona).await?;
                }
                return Ok(());
            }
        }
    }

    fn may_answer(&self, persona: &PersonaName) -> bool {
        let RoomArgs { services, channel, .. } = &self.args;
        services.directory.may_answer(persona, channel) && services.cast.persona(persona).is_some()
    }

    async fn cue(&mut self, myself: &ActorRef<RoomMsg>, persona: PersonaName) -> Result<(), SpawnErr> {
        let slot = self.slots.entry(persona.clone()).or_default();
        match &slot.actor {
            SlotActor::Restarting => return Ok(()),
            SlotActor::Running(actor) => {
                // an actor that is just stopping misses it: `left` is followed by another look at the queue
                let _ = actor.send_message(ChannelMsg::Cued);
                return Ok(());
            }
            SlotActor::Resting => {}
        }
        let RoomArgs { services, channel, queue, .. } = &self.args;
        services.directory.actor_started(&persona, channel);
        let args = ChannelActorArgs {
            services: services.clone(),
            persona,
            channel: channel.clone(),
            queue: queue.clone(),
            room: myself.clone(),
            last_request: slot.last_request.clone(),
        };
        // actors bear no names: ractor's registry of names is one for the whole process
        let (actor, _) = ChannelActor::spawn_linked(None, ChannelActor, args, myself.get_cell()).await?;
        slot.actor = SlotActor::Running(actor);
        Ok(())
    }

    /// Fails everything that waits for a persona. In a task: the store may take its time.
    fn refuse(&self, persona: &PersonaName, done: Option<Done>) {
        let services = self.args.services.clone();
        let why = match services.cast.persona(persona) {
            Some(_) => format!("{persona} is stopped; start it again and repeat the message"),
            None => format!("{persona} is no longer in the cast; address somebody else"),
        };
        let cues = self.args.queue.withdraw(Some(persona));
        tokio::spawn(async move {
            let _done = done;
            for cue in cues {
                refuse(&services, &cue, Failure::new(ErrorCode::PersonaStopped, why.as_str())).await;
            }
        });
    }

    /// Breaks off the running turns and calls off what waits.
    fn cancel(&self) {
        for actor in self.slots.values().filter_map(PersonaSlot::running) {
            let _ = actor.send_message(ChannelMsg::Cancel(InterruptReason::Asked));
        }
        let (services, cues) = (self.args.services.clone(), self.args.queue.withdraw(None));
        tokio::spawn(async move {
            for cue in cues {
                call_off(&services, &cue).await;
            }
        });
    }

    /// Stops personas: the running reply is broken off, what waits fails.
    fn stop(&mut self, personas: &[PersonaName], done: &Done) {
        for persona in personas {
            self.refuse(persona, Some(done.clone()));
            let Some(slot) = self.slots.remove(persona) else { continue };
            self.args.services.directory.actor_halted(persona, &self.args.channel);
            if let SlotActor::Running(actor) = slot.actor {
                let done = done.clone();
                tokio::spawn(async move {
                    actor.stop(None);
                    let _ = actor.wait(None).await;
                    drop(done);
                });
            }
        }
    }

    /// Personas that are no longer in the cast go, with the end of the turn where one runs.
    fn let_removed_go(&mut self) {
        let RoomArgs { services, channel, .. } = &self.args;
        self.slots.retain(|persona, slot| {
            let goes = slot.is_resting() && services.cast.persona(persona).is_none();
            if goes {
                services.directory.actor_stopped(persona, channel);
            }
            !goes
        });
    }

    /// The room goes, with the personas that rest, if none has anything to do.
    fn rest(&mut self) {
        if self.slots.values().all(PersonaSlot::is_resting) {
            for persona in std::mem::take(&mut self.slots).into_keys() {
                self.args.services.directory.actor_stopped(&persona, &self.args.channel);
            }
        }
    }

    /// An actor has gone by itself, since it has nothing to do: its state is in the store, and the next cue starts another.
    fn left(&mut self, actor: ActorId) {
        if let Some(persona) = self.persona_of(actor)
            && let Some(slot) = self.slots.get_mut(&persona)
        {
            slot.actor = SlotActor::Resting;
            self.let_removed_go();
        }
    }

    /// An actor has crashed: it comes back a little later, or not at all (S7). Its cues wait.
    fn crashed(&mut self, myself: &ActorRef<RoomMsg>, actor: ActorId, error: &ActorProcessingErr) {
        let Some(persona) = self.persona_of(actor) else { return };
        let RoomArgs { services, channel, .. } = &self.args;
        match self.crashes.entry(persona.clone()).or_default().another(services.clock.instant()) {
            Verdict::RestartAfter(wait) => {
                tracing::error!(%persona, %channel, %error, ?wait, "a channel actor crashed and comes back");
                services.directory.set_state(&persona, channel, ActorState::Error);
                self.slots.entry(persona.clone()).or_default().actor = SlotActor::Restarting;
                send_after(services, wait, myself, RoomMsg::Restart { persona });
            }
            Verdict::GiveUp => {
                tracing::error!(%persona, %channel, %error, "a channel actor crashes too often and is stopped");
                services.directory.actor_halted(&persona, channel);
                self.slots.remove(&persona);
                self.crashes.remove(&persona);
            }
        }
    }

    /// The persona of a crashed actor may have another. The room remembers the crashes as long as it stays.
    fn restart(&mut self, persona: &PersonaName) {
        // it may have been stopped meanwhile
        if let Some(slot) = self.slots.get_mut(persona)
            && matches!(slot.actor, SlotActor::Restarting)
        {
            slot.actor = SlotActor::Resting;
            self.let_removed_go();
        }
    }

    fn persona_of(&self, id: ActorId) -> Option<PersonaName> {
        let is = |slot: &PersonaSlot| slot.running().is_some_and(|actor| actor.get_id() == id);
        self.slots.iter().find(|(_, slot)| is(slot)).map(|(persona, _)| persona.clone())
    }

    /// A room in which no persona has had anything to do goes at once, another when it has been idle for long: if the
    /// supervisor has sent it nothing else. The supervisor has it look from time to time: a timer of each room would be a
    /// task of 1 KB.
    fn leave_when_idle(&mut self, myself: &ActorRef<RoomMsg>) -> Result<(), ActorProcessingErr> {
        let is_idle = self.slots.values().all(PersonaSlot::is_resting)
            && self.args.queue.is_empty()
            && self.awaited == 0;
        if is_idle && (self.slots.is_empty() || self.is_idle_for_long()) {
            let channel = self.args.channel.clone();
            let leaving = SupervisorMsg::Leaving { channel, room: myself.get_id(), handled: self.handled };
            self.args.supervisor.send_message(leaving)?;
        }
        Ok(())
    }

    fn is_idle_for_long(&mut self) -> bool {
        let services = &self.args.services;
        let since = *self.idle_since.get_or_insert_with(|| services.clock.instant());
        services.clock.elapsed(since) >= services.settings.idle_after
    }
}
