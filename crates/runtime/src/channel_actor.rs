//! The channel actor: one persona in one channel. Its room starts it when a cue is ready. The actor runs one turn at a
//! time; the messages that arrive meanwhile form a burst, which the next turn answers.
//!
//! The turn runs in a task, so that the actor can always receive a stop and new cues. The actor holds no cues: they
//! stay in the room's queue, where a restarted actor finds them (S7). Without work the actor stops, and the room starts
//! another when a cue is ready. That costs less than the queues of an idle actor, 6 KB each.

use std::{sync::Arc, time::Duration};

use greenroom_core::{ChannelKey, PersonaName, TurnId};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::task::JoinHandle;
use tracing::Instrument;

use crate::{
    capture_actor::capture_all,
    cue::{Cue, CueQueue},
    mailbox::{ChannelMsg, RoomMsg, TurnReply},
    services::Services,
    summary::Summary,
    turn::{
        Outcome, Turn,
        interrupt::{Interrupt, InterruptReason},
        last_request::LastRequest,
        options::{limit_to_grant, with_options},
        stored::StoredConversation,
    },
};

/// How long a stopping actor waits for its turn to end. The turn is interrupted already, so only a slow store delays it
/// longer. Then the turn goes on without the actor.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct ChannelActor;

/// What a channel actor starts with.
pub(crate) struct ChannelActorArgs {
    pub(crate) services: Arc<Services>,
    pub(crate) persona: PersonaName,
    pub(crate) channel: ChannelKey,
    pub(crate) queue: Arc<CueQueue>,
    pub(crate) room: ActorRef<RoomMsg>,
    pub(crate) last_request: LastRequest,
}

pub(crate) struct ChannelActorState {
    args: ChannelActorArgs,
    running: Option<RunningTurn>,
    summary: Option<BackgroundTask>,
}

/// A task that is aborted when its actor ends.
struct BackgroundTask(JoinHandle<()>);

impl Drop for BackgroundTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The running turn. Dropping this value interrupts the turn, also when it is dropped with the state of a crashed
/// actor. A turn that has ended ignores the interrupt.
struct RunningTurn {
    interrupt: Interrupt,
    task: JoinHandle<()>,
}

impl Drop for RunningTurn {
    fn drop(&mut self) {
        self.interrupt.trigger(InterruptReason::Crashed);
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
        Ok(ChannelActorState { args, running: None, summary: None })
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
                state.summarise(&myself, outcome);
                state.next(&myself);
            }
            ChannelMsg::SummaryOver => {
                state.summary = None;
                state.next(&myself);
            }
            ChannelMsg::Cancel(why) => state.break_off(why),
        }
        Ok(())
    }

    async fn post_stop(
        &self,
        _: ActorRef<ChannelMsg>,
        state: &mut ChannelActorState,
    ) -> Result<(), ActorProcessingErr> {
        state.break_off(InterruptReason::Asked);
        if let Some(running) = &mut state.running {
            let _ = state.args.services.clock.timeout(STOP_TIMEOUT, &mut running.task).await;
        }
        Ok(())
    }
}

impl ChannelActorState {
    /// Starts a turn for the cues that are ready. Stops the actor if there is nothing to do.
    fn next(&mut self, myself: &ActorRef<ChannelMsg>) {
        if self.running.is_some() {
            return;
        }
        let Some(persona) = self.args.services.cast.persona(&self.args.persona) else {
            return myself.stop(None);
        };
        let burst = self.args.queue.take(&self.args.persona);
        let Some(trigger) = burst.last().cloned() else {
            if self.summary.is_none() {
                myself.stop(None);
            }
            return;
        };
        // of the level error, so that every log line of the turn has its ids at any log level
        let span = tracing::error_span!(
            parent: &trigger.span,
            "turn",
            turn_id = %trigger.turn,
            persona = %self.args.persona,
            channel = %self.args.channel,
            // set when the turn fails
            code = tracing::field::Empty,
            otel.status_code = tracing::field::Empty,
        );
        let guard = CompletionGuard {
            turns: burst.iter().map(|cue| cue.turn).collect(),
            actor: myself.clone(),
            room: self.args.room.clone(),
            trigger: trigger.clone(),
            outcome: Outcome { crashed: true, ..Outcome::default() },
        };
        let interrupt = Interrupt::default();
        let services = self.args.services.clone();
        let within_turn = services.settings.memory_in_turn.then(|| services.clone());
        let (name, channel) = (self.args.persona.clone(), self.args.channel.clone());
        let last_request = self.args.last_request.clone();
        let persona = with_options(persona, &trigger.envelope.reply_options);
        let persona = limit_to_grant(persona, trigger.terms.grant.as_deref());
        let turn = Turn {
            services,
            persona,
            burst,
            trigger,
            interrupt: interrupt.clone(),
            last_request,
            conversation: Box::new(StoredConversation),
        };
        // boxed: the future of a turn is large, and each move would copy it
        let task = Box::pin(async move {
            let mut guard = guard;
            guard.outcome = turn.run().await;
            let Some(services) = within_turn else { return };
            services.closing.run_until_cancelled(capture_all(&services)).await;
            if let Some(summary) = Summary::after(&services, &name, &channel, &mut guard.outcome) {
                services.closing.run_until_cancelled(summary.make()).await;
            }
        });
        self.running = Some(RunningTurn { interrupt, task: tokio::spawn(task.instrument(span)) });
    }

    /// Summarises the history in the background if it has outgrown the context of a turn, unless a summary is under way
    /// (FG12).
    fn summarise(&mut self, myself: &ActorRef<ChannelMsg>, mut outcome: Outcome) {
        let ChannelActorArgs { services, persona, channel, .. } = &self.args;
        if self.summary.is_some() {
            return;
        }
        let Some(summary) = Summary::after(services, persona, channel, &mut outcome) else { return };
        let (closing, guard) = (services.closing.clone(), SummaryGuard(myself.clone()));
        let task = async move {
            let _guard = guard;
            closing.run_until_cancelled(summary.make()).await;
        };
        self.summary = Some(BackgroundTask(tokio::spawn(task)));
    }

    fn break_off(&self, why: InterruptReason) {
        if let Some(running) = &self.running {
            running.interrupt.trigger(why);
        }
    }
}

/// Tells the room and the actor that a turn is over, also after a panic.
struct CompletionGuard {
    turns: Vec<TurnId>,
    trigger: Arc<Cue>,
    actor: ActorRef<ChannelMsg>,
    room: ActorRef<RoomMsg>,
    outcome: Outcome,
}

impl Drop for CompletionGuard {
    fn drop(&mut self) {
        let outcome = std::mem::take(&mut self.outcome);
        let turns = std::mem::take(&mut self.turns);
        let (reply, repeats) = (outcome.reply.clone(), outcome.repeats);
        let spoken =
            (reply.is_some() || repeats).then(|| TurnReply { trigger: self.trigger.clone(), reply, repeats });
        // the actor may have ended
        let _ = self.actor.send_message(ChannelMsg::TurnOver { outcome });
        let _ = self.room.send_message(RoomMsg::TurnsOver { turns, spoken });
    }
}

/// Tells the actor that its summary has ended, also after a panic.
struct SummaryGuard(ActorRef<ChannelMsg>);

impl Drop for SummaryGuard {
    fn drop(&mut self) {
        // the actor may have ended
        let _ = self.0.send_message(ChannelMsg::SummaryOver);
    }
}
