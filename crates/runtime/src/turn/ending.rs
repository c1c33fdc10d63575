//! 4 commit: how a turn ends, in the store and then in front of its audience, in exactly one way.
//!
//! A reply is stored before anybody is told it is done. What a cancelled or failed turn had said
//! by then is shown and not stored: half a sentence is no reply, and what the persona did not
//! finish saying it shall not remember having said.

use std::time::Duration;

use greenroom_context::AssembleError;
use greenroom_core::{ActorState, ChatEvent, ErrorCode, Finish, Timestamp, TurnId, Usage};
use greenroom_memory::MemoryError;
use greenroom_models::ModelError;
use greenroom_store::{ItemId, Sources, StoreError, TurnCommit, TurnEnd, TurnState};

use super::{EventSink, progress::Progress};
use crate::{
    capture_queue::{Exchange, postponed::postpone},
    cue::Cue,
    metrics::{End, step},
    services::Services,
};

/// The model of a turn for which none was chosen.
pub(super) const NOBODY: &str = "none";

/// Waits before the end of a turn is stored again; twice as long each time.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(4);

/// How a turn ends.
pub(crate) enum Ending {
    /// With a reply.
    Reply(Finish),
    /// With an error.
    Failed(Failure),
    /// Somebody stopped it.
    Cancelled,
}

/// Why a turn has no reply.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    /// For programs.
    pub(crate) code: ErrorCode,
    /// For people: what happened and what to do.
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The turn had its time.
    pub(crate) fn out_of_time(limit: Duration) -> Self {
        let message =
            format!("the turn took longer than {limit:?}; raise model.timeouts.turn if it is only slow");
        Self::new(ErrorCode::ModelTimeout, message)
    }

    /// Something it was shown is gone (GR10).
    pub(crate) fn forgotten() -> Self {
        Self::new(
            ErrorCode::ForgottenMeanwhile,
            "something it was shown was forgotten meanwhile, so what it answered is not kept; say it again",
        )
    }

    /// A defect of ours (S7). What the panic said stands in the log, not in the chat.
    pub(crate) fn crash() -> Self {
        Self::new(ErrorCode::Internal, "something broke inside greenroom; the log says what. Try again")
    }

    /// As the audience hears of it.
    pub(crate) fn told(self) -> ChatEvent {
        ChatEvent::Failed { code: self.code, message: self.message }
    }

    /// The state it leaves its persona in (WB13).
    fn state(&self) -> ActorState {
        match self.code {
            ErrorCode::BudgetExceeded => ActorState::BudgetExceeded,
            ErrorCode::ContextFull => ActorState::ContextFull,
            _ => ActorState::Error,
        }
    }
}

impl From<&StoreError> for Failure {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Erased(_) => Self::forgotten(),
            other => Self::new(ErrorCode::StoreFailed, other.to_string()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::from(&error)
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Store(error) => error.into(),
            other => Self::new(ErrorCode::StoreFailed, other.to_string()),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<AssembleError> for Failure {
    fn from(error: AssembleError) -> Self {
        Self::new(ErrorCode::ContextFull, error.to_string())
    }
}

/// Ends a turn. When the persona spoke, the moment it did; what is to be captured of it waits by
/// the time anybody is told.
pub(crate) async fn conclude(
    services: &Services,
    trigger: &Cue,
    sink: &EventSink,
    progress: Progress,
    ending: Ending,
    exchange: Option<Exchange>,
) -> Option<Timestamp> {
    if !progress.started {
        sink.tell_bare(started(trigger, NOBODY)).await;
    }
    let now = services.now();
    let usage = progress.cost();
    let shown = sink.shown().get();
    let ending = match ending {
        Ending::Reply(finish) => {
            let Progress { said, receipt, .. } = progress;
            let who = std::iter::once(&trigger.persona);
            let vector = services.vector(who, &trigger.message.channel, &said).await;
            let sources = shown.clone();
            let followed = services.followed();
            let commit = TurnCommit { text: said.clone(), at: now, usage, receipt, vector, sources };
            let stored = services.store.commit_turn(trigger.turn, commit);
            match step(tracing::info_span!("commit"), &services.metrics.steps.commit, stored).await {
                Ok(reply) => {
                    count(services, trigger, End::Done, usage);
                    if let Some(mut exchange) = exchange {
                        exchange.sources.items.push(ItemId::Message(reply));
                        postpone(services, services.capture_queue.push(exchange));
                    }
                    show(services, trigger, ActorState::Idle);
                    let done = ChatEvent::Done { text: said, message_id: reply, finish, usage };
                    let holding =
                        Sources { erased: followed, items: vec![ItemId::Message(reply)], summary_of: None };
                    sink.tell_end(done, holding, Failure::forgotten().told()).await;
                    return Some(now);
                }
                Err(error) => Ending::Failed(error.into()),
            }
        }
        Ending::Cancelled => {
            let end = end(TurnState::Cancelled, None, "stopped", now, usage);
            store_end(services, trigger.turn, end).await;
            count(services, trigger, End::Cancelled, usage);
            show(services, trigger, ActorState::Idle);
            hide_what_was_erased(services, trigger, &shown).await;
            let silent = ChatEvent::Cancelled { text: String::new() };
            sink.tell_end(ChatEvent::Cancelled { text: progress.said }, shown, silent).await;
            return None;
        }
        failed => failed,
    };
    if let Ending::Failed(failure) = ending {
        hide_what_was_erased(services, trigger, &shown).await;
        fail(services, trigger, sink, failure, usage).await;
    }
    None
}

/// Ends the turns of the earlier messages of a burst, where it was not stored that they are answered with the last:
/// they have failed like that one.
pub(crate) async fn fail_earlier(
    services: &Services,
    earlier: impl Iterator<Item = TurnId>,
    failure: &Failure,
) {
    for turn in earlier {
        let why = failure.message.as_str();
        let end = end(TurnState::Failed, Some(failure.code), why, services.now(), Usage::default());
        store_end(services, turn, end).await;
    }
}

/// How every turn begins.
pub(super) fn started(cue: &Cue, model: &str) -> ChatEvent {
    ChatEvent::TurnStarted { trigger: cue.message.id, model: model.to_owned(), why: cue.why.clone() }
}

/// Ends a turn before its model was chosen, as when its persona is stopped.
pub(crate) async fn refuse(services: &Services, cue: &Cue, failure: Failure) {
    let sink = EventSink::alone(services, cue);
    sink.tell_bare(started(cue, NOBODY)).await;
    fail(services, cue, &sink, failure, Usage::default()).await;
}

/// Ends a turn that never began because somebody stopped it while it waited.
pub(crate) async fn call_off(services: &Services, cue: &Cue) {
    let end = end(TurnState::Cancelled, None, "stopped", services.now(), Usage::default());
    store_end(services, cue.turn, end).await;
    count(services, cue, End::Cancelled, Usage::default());
    let sink = EventSink::alone(services, cue);
    sink.tell_bare(started(cue, NOBODY)).await;
    sink.tell_bare(ChatEvent::Cancelled { text: String::new() }).await;
}

async fn fail(services: &Services, cue: &Cue, sink: &EventSink, failure: Failure, usage: Usage) {
    // the audience is told; the log need not say it a second time
    tracing::info!(turn_id = %cue.turn, persona = %cue.persona, code = failure.code.as_str(), "a turn failed");
    let span = tracing::Span::current();
    span.record("otel.status_code", "ERROR").record("code", failure.code.as_str());
    show(services, cue, failure.state());
    count(services, cue, End::Failed, usage);
    let end = end(TurnState::Failed, Some(failure.code), &failure.message, services.now(), usage);
    store_end(services, cue.turn, end).await;
    sink.tell_bare(failure.told()).await;
}

/// A line of the log for a turn that went well; which turn it is, the span says.
pub(super) fn log_done(usage: Usage, took: Duration) {
    let Usage { prompt_tokens, completion_tokens, .. } = usage;
    tracing::info!(prompt_tokens, completion_tokens, ms = took.as_millis() as u64, "a turn is done");
}

pub(super) fn count(services: &Services, cue: &Cue, end: End, usage: Usage) {
    services.metrics.of(&cue.persona).ended(end, usage);
}

fn show(services: &Services, cue: &Cue, state: ActorState) {
    services.directory.play(&cue.persona, &cue.message.channel, state);
}

fn end(state: TurnState, code: Option<ErrorCode>, message: &str, at: Timestamp, usage: Usage) -> TurnEnd {
    TurnEnd { state, code, message: message.to_owned(), at, usage }
}

/// Stores the end of a turn without a reply. Where it cannot be stored, as while the disk is full, it is tried again
/// until it is: the store must not show for ever that a turn is under way which is not. What is not stored by the
/// time the program ends, the next start finds (S1).
///
/// A turn that went with the message it answers has no end to be stored, and one that has ended has it already.
async fn store_end(services: &Services, turn: TurnId, end: TurnEnd) {
    let stored = |ended: &Result<(), StoreError>| {
        matches!(ended, Ok(()) | Err(StoreError::Erased(_) | StoreError::TurnMoved { .. }))
    };
    let first = services.store.end_turn(turn, end.clone()).await;
    if stored(&first) {
        return;
    }
    if let Err(error) = first {
        tracing::warn!(%turn, %error, "the end of a turn could not be stored; it is tried again");
    }
    let (store, closing) = (services.store.clone(), services.closing.clone());
    let again = async move {
        let mut wait = FIRST_WAIT;
        loop {
            tokio::time::sleep(wait).await;
            if stored(&store.end_turn(turn, end.clone()).await) {
                return;
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    };
    tokio::spawn(async move { closing.run_until_cancelled(again).await });
}

/// What a turn without a reply was shown may have been erased meanwhile: then nobody who comes late is told what
/// it said (GR10).
async fn hide_what_was_erased(services: &Services, trigger: &Cue, shown: &Sources) {
    if shown.is_empty() {
        return;
    }
    let followed = services.follow_erasures().await;
    if followed > shown.erased {
        services.forget_turns(|channel| *channel == trigger.message.channel, followed);
    }
}
