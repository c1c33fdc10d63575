//! A room is a live channel. It accepts messages, runs the channel actors of the personas, and restarts those that
//! crash. A channel actor ends when its persona has nothing to do. The room stays until the channel has been idle for a
//! while (GR9), so that an idle channel costs one actor at first, and later none.

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
    /// How many messages to itself the room waits for: the moderator's choices, and replies to be decided again.
    awaited: usize,
    /// Whether the moderator is asked about a message. Later messages are held meanwhile.
    is_message_moderated: bool,
    /// The held messages. Each has its place in the channel's queue, whose limit bounds them.
    held: VecDeque<Box<Incoming>>,
    /// Since when the room has nothing to do, if it has nothing to do.
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
    /// The actor crashed; another starts after its backoff.
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
        // long futures are boxed: otherwise the future of every waiting room would reserve 5 KB for the largest
        match message {
            RoomMsg::Incoming(incoming) => Box::pin(state.take_in(&myself, incoming)).await,
            RoomMsg::Moderated { about, choice } => Box::pin(state.resume(&myself, about, choice)).await,
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
            // after these, `cue_ready` and `leave_when_idle` below do the rest
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
            SupervisionEvent::ActorTerminated(actor, ..) => state.actor_ended(actor.get_id()),
            SupervisionEvent::ActorFailed(actor, error) => {
                state.crashed(&myself, actor.get_id(), &error);
                Box::pin(state.note_presence()).await;
            }
            _ => return Ok(()),
        }
        Box::pin(state.cue_ready(&myself)).await?;
        state.leave_when_idle(&myself)
    }

    /// Stops the channel actors first. Otherwise ractor would kill them.
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
    /// Turns have ended: other cues may be ready, and there may be something to embed and to capture. The reply is
    /// processed first, because it may be answered, or settle waiting cues.
    async fn turns_over(&mut self, myself: &ActorRef<RoomMsg>, turns: &[TurnId], spoken: Option<TurnReply>) {
        if let Some(spoken) = spoken {
            self.turn_ended(myself, spoken).await;
        }
        self.args.queue.ended(turns);
        let _ = self.args.supervisor.send_message(SupervisorMsg::TurnOver);
    }

    /// Tells each persona that has a ready cue. The cues of a persona that must not answer fail visibly, which makes
    /// the cues behind them ready.
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
                // an actor that is just stopping misses this; `left` then looks at the queue again
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
        // actors have no names, because ractor's registry of names is global to the process
        let (actor, _) = ChannelActor::spawn_linked(None, ChannelActor, args, myself.get_cell()).await?;
        slot.actor = SlotActor::Running(actor);
        Ok(())
    }

    /// Fails the waiting cues of a persona. In a task, because the store may be slow.
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

    /// Interrupts the running turns and calls off the waiting cues.
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

    /// Stops personas: interrupts their running replies and fails their waiting cues.
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

    /// Removes personas that are no longer in the cast; a persona in a turn goes when the turn ends.
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

    /// Forgets the resting personas if none has anything to do. The room ends after that.
    fn rest(&mut self) {
        if self.slots.values().all(PersonaSlot::is_resting) {
            for persona in std::mem::take(&mut self.slots).into_keys() {
                self.args.services.directory.actor_stopped(&persona, &self.args.channel);
            }
        }
    }

    /// An actor has ended because it had nothing to do. Its state is in the store, and the next cue starts another.
    fn actor_ended(&mut self, actor: ActorId) {
        if let Some(persona) = self.persona_of(actor)
            && let Some(slot) = self.slots.get_mut(&persona)
        {
            slot.actor = SlotActor::Resting;
            self.let_removed_go();
        }
    }

    /// An actor has crashed. It restarts after a backoff, or not at all (S7). Its cues wait.
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

    /// The persona of a crashed actor may have another actor. The room remembers the crashes as long as it lives.
    fn restart(&mut self, persona: &PersonaName) {
        // the persona may have been stopped meanwhile
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

    /// Asks the supervisor to end the room: at once if no persona has had anything to do, else after `idle_after`. The
    /// supervisor refuses if it has sent the room another message. The supervisor also triggers this check from time to
    /// time, because a timer per room would be a task of 1 KB.
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
