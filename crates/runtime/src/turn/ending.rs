//! Step 4 of a turn: ends it in exactly one way, first in the store and then for its listeners.
//!
//! A reply is stored before `done` is published. What a cancelled or failed turn had said by then is shown but not
//! stored: half a sentence is no reply, and the persona must not remember having said it.

use std::{sync::Arc, time::Duration};

use greenroom_core::{
    ActorState, ChatEvent, ErrorCode, Finish, Message, NoticeCode, Timestamp, TurnId, Usage,
};
use greenroom_store::{ItemId, Sources, StoreError, TurnCommit, TurnEnd, TurnState};

use super::{event_sink::EventSink, failure::Failure, interrupt::InterruptReason, progress::Progress};
use crate::{
    capture_actor::postponed::postpone,
    capture_queue::Exchange,
    cue::Cue,
    metrics::{End, step},
    services::Services,
    write_again::write_again,
};

/// The name of the model where none was chosen.
pub(super) const NO_MODEL: &str = "none";

/// Why a turn of a persona that was let go is cancelled.
pub(crate) const LEFT: &str = "it left the channel";

/// How a turn ends.
pub(crate) enum Ending {
    /// With a reply.
    Reply(Finish),
    /// With an error.
    Failed(Failure),
    /// It was stopped.
    Cancelled,
    /// The persona was let go meanwhile (RM1).
    Left,
    /// The reply nearly repeats what the persona has just said, and is not sent (RM4).
    Repeats,
}

impl From<InterruptReason> for Ending {
    fn from(reason: InterruptReason) -> Self {
        match reason {
            InterruptReason::Asked => Self::Cancelled,
            InterruptReason::Left => Self::Left,
            InterruptReason::Crashed => Self::Failed(Failure::crash()),
        }
    }
}

/// Ends a turn. Returns the stored reply, if there is one. An exchange to be captured is in its queue before the end is
/// published.
pub(crate) async fn conclude(
    services: &Services,
    trigger: &Cue,
    sink: &EventSink,
    progress: Progress,
    ending: Ending,
    exchange: Option<Exchange>,
) -> Option<Arc<Message>> {
    if !progress.started {
        sink.publish_unchecked(started(trigger, NO_MODEL));
    }
    let usage = progress.cost();
    let shown = sink.shown().get();
    let repeats = matches!(ending, Ending::Repeats);
    let failure = match ending {
        Ending::Reply(finish) => match commit(services, trigger, sink, progress, finish, exchange).await {
            Ok(reply) => return Some(reply),
            Err(error) => error.into(),
        },
        Ending::Cancelled | Ending::Left | Ending::Repeats => {
            let why = match ending {
                Ending::Repeats => "it nearly repeated what it had just said",
                Ending::Left => LEFT,
                _ => "stopped",
            };
            let end = end(TurnState::Cancelled, None, why, services.now(), usage);
            if repeats || !is_left_for_the_next_run(services, trigger) {
                store_end(services, trigger.turn, end).await;
            }
            count(services, trigger, End::Cancelled, usage);
            set_state(services, trigger, ActorState::Idle);
            hide_what_was_erased(services, trigger, &shown).await;
            if repeats {
                let why = "the reply nearly repeats what it had just said, and is not sent";
                sink.publish_unchecked(ChatEvent::Notice { code: NoticeCode::NotSent, message: why.into() });
            }
            let silent = ChatEvent::Cancelled { text: String::new() };
            let said = if repeats { String::new() } else { progress.said };
            sink.tell_end(ChatEvent::Cancelled { text: said }, shown, silent).await;
            return None;
        }
        Ending::Failed(failure) => failure,
    };
    hide_what_was_erased(services, trigger, &shown).await;
    fail(services, trigger, sink, failure, usage).await;
    None
}

/// Stores a reply and publishes it.
async fn commit(
    services: &Services,
    trigger: &Cue,
    sink: &EventSink,
    progress: Progress,
    finish: Finish,
    exchange: Option<Exchange>,
) -> Result<Arc<Message>, StoreError> {
    let (now, usage) = (services.now(), progress.cost());
    let Progress { said, receipt, .. } = progress;
    let vector = services.vector(std::iter::once(&trigger.persona), &trigger.message().channel, &said).await;
    // read before the reply is stored: a newer erasure may concern it
    let followed = services.erasures.followed();
    let sources = sink.shown().get();
    let unhandled = trigger.terms.is_heard;
    let commit = TurnCommit { text: said.clone(), at: now, usage, receipt, vector, sources, unhandled };
    let stored = services.store.commit_turn(trigger.turn, commit);
    let reply = step(tracing::info_span!("commit"), &services.metrics.steps.commit, stored).await?;
    count(services, trigger, End::Done, usage);
    if trigger.message().channel.has_accounts() {
        services.replies.send_modify(|replies| *replies += 1);
    }
    if let Some(mut exchange) = exchange {
        exchange.sources.items.push(ItemId::Message(reply));
        let judges = services.memory.judges_what_is_told();
        postpone(services, services.capture_queue.push(exchange, judges));
    }
    set_state(services, trigger, ActorState::Idle);
    let (channel, persona) = (trigger.message().channel.clone(), trigger.persona.clone());
    let message = Message::reply(reply, channel, persona, said.clone(), now, trigger.turn);
    let done = ChatEvent::Done { text: said, message_id: reply, finish, usage };
    let holding = Sources { erased: followed, items: vec![ItemId::Message(reply)], summary_of: None };
    sink.tell_end(done, holding, Failure::forgotten().into_event()).await;
    Ok(Arc::new(message))
}

/// Fails the turns of the earlier messages of a burst, if the store failed before it recorded that the last turn
/// answers them.
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

/// The first event of every turn.
pub(super) fn started(cue: &Cue, model: &str) -> ChatEvent {
    ChatEvent::TurnStarted { trigger: cue.message().id, model: model.to_owned(), why: cue.why.clone() }
}

/// Fails a turn before its model was chosen, as when its persona is stopped.
pub(crate) async fn refuse(services: &Services, cue: &Cue, failure: Failure) {
    let sink = EventSink::for_cue(services, cue);
    sink.publish_unchecked(started(cue, NO_MODEL));
    fail(services, cue, &sink, failure, Usage::default()).await;
}

/// Cancels a waiting turn.
pub(crate) async fn call_off(services: &Services, cue: &Cue) {
    withdraw(services, cue, "stopped").await;
}

/// Cancels a waiting turn, and stores the reason.
pub(crate) async fn withdraw(services: &Services, cue: &Cue, why: &str) {
    let end = end(TurnState::Cancelled, None, why, services.now(), Usage::default());
    if !is_left_for_the_next_run(services, cue) {
        store_end(services, cue.turn, end).await;
    }
    count(services, cue, End::Cancelled, Usage::default());
    let sink = EventSink::for_cue(services, cue);
    sink.publish_unchecked(started(cue, NO_MODEL));
    sink.publish_unchecked(ChatEvent::Cancelled { text: String::new() });
}

/// Whether a cancelled turn stays unfinished because the program stops. People on a chat platform wait for the answer,
/// and the next run gives it (AD1). People in a terminal or at the API see the end and can ask again.
fn is_left_for_the_next_run(services: &Services, cue: &Cue) -> bool {
    let waits = cue.message().channel.has_accounts();
    waits && services.closing.is_cancelled()
}

async fn fail(services: &Services, cue: &Cue, sink: &EventSink, failure: Failure, usage: Usage) {
    // listeners get the message; the log does not repeat it
    tracing::info!(turn_id = %cue.turn, persona = %cue.persona, code = failure.code.as_str(), "a turn failed");
    let span = tracing::Span::current();
    span.record("otel.status_code", "ERROR").record("code", failure.code.as_str());
    set_state(services, cue, failure.state());
    count(services, cue, End::Failed, usage);
    let end = end(TurnState::Failed, Some(failure.code), &failure.message, services.now(), usage);
    store_end(services, cue.turn, end).await;
    sink.publish_unchecked(failure.into_event());
}

/// Logs a turn that ended with a reply. The span identifies the turn.
pub(super) fn log_done(usage: Usage, took: Duration) {
    let Usage { prompt_tokens, completion_tokens, .. } = usage;
    tracing::info!(prompt_tokens, completion_tokens, ms = took.as_millis() as u64, "a turn is done");
}

pub(super) fn count(services: &Services, cue: &Cue, end: End, usage: Usage) {
    services.metrics.of(&cue.persona).ended(end, usage);
}

fn set_state(services: &Services, cue: &Cue, state: ActorState) {
    services.directory.set_state(&cue.persona, &cue.message().channel, state);
}

fn end(state: TurnState, code: Option<ErrorCode>, message: &str, at: Timestamp, usage: Usage) -> TurnEnd {
    TurnEnd { state, code, message: message.to_owned(), at, usage }
}

/// Stores the end of a turn without a reply. If the store fails, for example because the disk is full, the write is
/// tried again until it succeeds. Otherwise the store would show the turn as running for ever. The next start of the
/// program ends turns whose end could not be stored (S1).
///
/// Nothing is stored for a turn whose message was erased, or for a turn that has ended already.
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
    let store = services.store.clone();
    write_again(services.clock.clone(), move || {
        let (store, end) = (store.clone(), end.clone());
        Box::pin(async move { store.end_turn(turn, end).await })
    });
}

/// Hides a turn without a reply from late listeners, if something that it was shown was erased meanwhile (GR10).
async fn hide_what_was_erased(services: &Services, trigger: &Cue, shown: &Sources) {
    if shown.is_empty() {
        return;
    }
    let followed = services.erasures.follow().await;
    if followed > shown.erased {
        services.erasures.forget_turns(|channel| *channel == trigger.message().channel, followed);
    }
}
