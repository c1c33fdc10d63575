//! The channel actor: one persona in one channel. One turn at a time; what comes in while it
//! plays becomes one following turn.
//!
//! The turn runs in a task, so that the actor always hears *stop* and new cues. The actor holds no
//! cue itself: they stand on the room's cue sheet, where a restarted actor finds them (S7).

use std::{sync::Arc, time::Duration};

use greenroom_core::{ChannelKey, MessageId, PersonaName, TurnId};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::{
    task::{AbortHandle, JoinHandle},
    time::Instant,
};
use tracing::Instrument;

use crate::{
    cue::CueSheet,
    room::RoomMsg,
    services::Services,
    summary::Summary,
    turn::{Interrupt, InterruptReason, LastRequest, Outcome, Turn},
};

/// How long a stopping actor waits for its turn to end. It was broken off already and is stored;
/// only a receiver that does not read can hold it longer, and then it goes on alone.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// What a channel actor hears.
pub(crate) enum ChannelMsg {
    /// There is something on the cue sheet.
    Cued,
    /// The turn is over.
    TurnOver { outcome: Outcome },
    /// Break the running reply off.
    Cancel,
    /// Finish the running turn and go.
    Leave,
    /// Nothing happened for a while.
    Idle,
    /// Rest now, if there is nothing to do.
    Rest,
}

pub(crate) struct ChannelActor;

/// What it is made of.
pub(crate) struct ChannelActorArgs {
    pub(crate) services: Arc<Services>,
    pub(crate) persona: PersonaName,
    pub(crate) channel: ChannelKey,
    pub(crate) sheet: Arc<CueSheet>,
    pub(crate) room: ActorRef<RoomMsg>,
}

pub(crate) struct ChannelActorState {
    args: ChannelActorArgs,
    running: Option<Running>,
    leaving: bool,
    /// Since when there is nothing to do.
    resting: Instant,
    /// Looks whether that is so for long; set once for many turns.
    timer: Option<AbortHandle>,
    summary: Option<Background>,
    last_request: LastRequest,
}

/// Work nobody waits for; it goes with its actor.
struct Background(JoinHandle<()>);

impl Drop for Background {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The turn under way. Dropped with the state of a crashed actor, it takes the turn with it; one
/// that is over does not mind.
struct Running {
    interrupt: Interrupt,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.interrupt.because(InterruptReason::Crashed);
    }
}

impl Actor for ChannelActor {
    type Msg = ChannelMsg;
    type State = ChannelActorState;
    type Arguments = ChannelActorArgs;

    async fn pre_start(
        &self,
        myself: ActorRef<ChannelMsg>,
        args: ChannelActorArgs,
    ) -> Result<ChannelActorState, ActorProcessingErr> {
        myself.send_message(ChannelMsg::Cued)?;
        Ok(ChannelActorState {
            args,
            running: None,
            leaving: false,
            resting: Instant::now(),
            timer: None,
            summary: None,
            last_request: LastRequest::default(),
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<ChannelMsg>,
        message: ChannelMsg,
        state: &mut ChannelActorState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ChannelMsg::Cued => state.next(&myself),
            ChannelMsg::TurnOver { outcome: Outcome { crashed: true, .. } } => {
                return Err("a turn panicked".into());
            }
            ChannelMsg::TurnOver { outcome } => {
                state.running = None;
                if let Some(until) = outcome.outgrown {
                    state.summarise(until);
                }
                state.next(&myself);
            }
            ChannelMsg::Cancel => state.break_off(),
            ChannelMsg::Leave => {
                state.leaving = true;
                state.next(&myself);
            }
            ChannelMsg::Idle if !state.has_rested(&myself) => {}
            ChannelMsg::Rest if state.running.is_some() || state.summarises() => {}
            // a summary is waited for
            ChannelMsg::Idle if state.summarises() => state.next(&myself),
            ChannelMsg::Idle | ChannelMsg::Rest => {
                let persona = state.args.persona.clone();
                state.args.room.send_message(RoomMsg::Idle { persona })?;
                state.next(&myself);
            }
        }
        Ok(())
    }

    async fn post_stop(
        &self,
        _: ActorRef<ChannelMsg>,
        state: &mut ChannelActorState,
    ) -> Result<(), ActorProcessingErr> {
        state.break_off();
        if let Some(timer) = state.timer.take() {
            timer.abort();
        }
        if let Some(running) = &mut state.running {
            let _ = tokio::time::timeout(PATIENCE, &mut running.task).await;
        }
        Ok(())
    }
}

impl ChannelActorState {
    /// Plays what is ready, or rests.
    fn next(&mut self, myself: &ActorRef<ChannelMsg>) {
        if self.running.is_some() {
            return;
        }
        if self.leaving {
            return myself.stop(None);
        }
        let Some(persona) = self.args.services.persona(&self.args.persona) else {
            return myself.stop(None);
        };
        let burst = self.args.sheet.take(&self.args.persona);
        let Some(trigger) = burst.last().cloned() else {
            return self.rest(myself);
        };
        // an error's span, so that its ids stand on every line within, whatever else is logged
        let span = tracing::error_span!(
            parent: &trigger.span,
            "turn",
            turn_id = %trigger.turn,
            persona = %self.args.persona,
            channel = %self.args.channel,
            // where it fails
            code = tracing::field::Empty,
            otel.status_code = tracing::field::Empty,
        );
        let guard = CompletionGuard {
            turns: burst.iter().map(|cue| cue.turn).collect(),
            persona: self.args.persona.clone(),
            actor: myself.clone(),
            room: self.args.room.clone(),
            outcome: Outcome { crashed: true, ..Outcome::default() },
        };
        let interrupt = Interrupt::default();
        let services = self.args.services.clone();
        let last_request = self.last_request.clone();
        let persona = trigger.wishes.applied_to(persona);
        let interrupt_turn = interrupt.clone();
        let turn =
            Turn { services, persona, burst, trigger, interrupt: interrupt_turn, last_request, given: None };
        // a turn is large and would be copied each time it is handed on
        let task = Box::pin(async move {
            let mut guard = guard;
            guard.outcome = turn.play().await;
        });
        self.running = Some(Running { interrupt, task: tokio::spawn(task.instrument(span)) });
    }

    /// Has the history summarised in the background, unless that is under way (FG12).
    fn summarise(&mut self, until: MessageId) {
        let ChannelActorArgs { services, persona, channel, .. } = &self.args;
        let Some(persona) = services.persona(persona).filter(|_| !self.summarises()) else { return };
        let summary = Summary { services: services.clone(), persona, channel: channel.clone(), until };
        let closing = services.closing.clone();
        let task = async move {
            closing.run_until_cancelled(summary.make()).await;
        };
        self.summary = Some(Background(tokio::spawn(task)));
    }

    fn summarises(&self) -> bool {
        self.summary.as_ref().is_some_and(|Background(task)| !task.is_finished())
    }

    /// There is nothing to do.
    fn rest(&mut self, myself: &ActorRef<ChannelMsg>) {
        self.resting = Instant::now();
        if self.timer.is_none() {
            self.look_after(self.args.services.idle_after, myself);
        }
    }

    fn look_after(&mut self, wait: Duration, myself: &ActorRef<ChannelMsg>) {
        self.timer = Some(myself.send_after(wait, || ChannelMsg::Idle).abort_handle());
    }

    /// Whether there has been nothing to do for as long as an actor stays; otherwise it is looked again when
    /// that may be so.
    fn has_rested(&mut self, myself: &ActorRef<ChannelMsg>) -> bool {
        self.timer = None;
        if self.running.is_some() {
            return false;
        }
        let left = self.args.services.idle_after.saturating_sub(self.resting.elapsed());
        if !left.is_zero() {
            self.look_after(left, myself);
        }
        left.is_zero()
    }

    fn break_off(&self) {
        if let Some(running) = &self.running {
            running.interrupt.because(InterruptReason::Asked);
        }
    }
}

/// The last thing a turn does, however it ends: it tells its room and its actor.
struct CompletionGuard {
    turns: Vec<TurnId>,
    persona: PersonaName,
    actor: ActorRef<ChannelMsg>,
    room: ActorRef<RoomMsg>,
    outcome: Outcome,
}

impl Drop for CompletionGuard {
    fn drop(&mut self) {
        let outcome = self.outcome;
        let (persona, turns) = (self.persona.clone(), std::mem::take(&mut self.turns));
        // either may be gone by now, and then nobody has to know
        let _ = self.actor.send_message(ChannelMsg::TurnOver { outcome });
        let _ = self.room.send_message(RoomMsg::Over { persona, turns, spoke: outcome.spoke });
    }
}
