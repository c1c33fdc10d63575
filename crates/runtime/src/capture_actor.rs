//! The capture actor extracts memories from exchanges, after their replies (JV1, JV4, AS12). It starts with the first
//! exchange, so that there is none without memory (FG17). It wakes again when a debounced exchange is due.
//!
//! The model reads a few exchanges at once and has a deadline. If it hangs, the facts of its exchange are lost, and no
//! other exchange waits (S9). Captures that need no model do not wait for one.

pub(crate) mod postponed;

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::FutureExt;
use greenroom_core::{Instant, Tier};
use greenroom_memory::{CaptureReport, Exchange as Captured, MemoryError, SmallModel};
use greenroom_persona::CaptureSettings;
use postponed::{put_off, settle, take_up};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use tracing::{Instrument, Span};

use greenroom_store::StoreError;

use crate::{capture_queue::Exchange, delayed::send_after, services::Services, turn::budget::Budget};

/// The tokens of a call that finds facts, apart from the exchange itself.
const FACTS_TOKENS: usize = 2_000;

/// The time limit of a model that finds the facts of an exchange.
const FACTS_TIMEOUT: Duration = Duration::from_secs(30);

/// There is something to capture, a debounced exchange may be due, or a capture has finished.
pub(crate) struct Capture;

pub(crate) struct CaptureActor;

/// What a capture actor starts with.
pub(crate) struct CaptureArgs {
    pub(crate) services: Arc<Services>,
    /// True while a [`Capture`] is in the mailbox. One is enough, so the mailbox stays short.
    pub(crate) asked: Arc<AtomicBool>,
}

pub(crate) struct CaptureActorState {
    args: CaptureArgs,
    /// When the actor wakes itself.
    wakes_at: Option<Instant>,
}

impl Actor for CaptureActor {
    type Msg = Capture;
    type State = CaptureActorState;
    type Arguments = CaptureArgs;

    async fn pre_start(
        &self,
        _: ActorRef<Capture>,
        args: CaptureArgs,
    ) -> Result<CaptureActorState, ActorProcessingErr> {
        Ok(CaptureActorState { args, wakes_at: None })
    }

    /// Begins the waiting captures. If none waits, begins postponed ones.
    async fn handle(
        &self,
        myself: ActorRef<Capture>,
        _: Capture,
        CaptureActorState { args: CaptureArgs { services, asked }, wakes_at }: &mut CaptureActorState,
    ) -> Result<(), ActorProcessingErr> {
        asked.store(false, Ordering::SeqCst);
        begin_all(services, &myself);
        while !services.closing.is_cancelled() && take_up(services).await {
            begin_all(services, &myself);
        }
        let due_at = services.capture_queue.due_at();
        if let Some(at) = due_at.filter(|_| *wakes_at != due_at) {
            let wait = at.saturating_duration_since(services.clock.instant());
            send_after(services, wait, &myself, Capture);
            *wakes_at = due_at;
        }
        Ok(())
    }
}

/// Begins every capture that may begin now, each in a task.
fn begin_all(services: &Arc<Services>, actor: &ActorRef<Capture>) {
    while !services.closing.is_cancelled()
        && let Some(in_flight) = services.capture_queue.next()
    {
        let (services, actor) = (services.clone(), actor.clone());
        tokio::spawn(async move {
            let recording = record(&services, &in_flight.exchange).instrument(span(&in_flight.exchange));
            match AssertUnwindSafe(recording).catch_unwind().await {
                Ok(Recorded::Done) => settle(&services, &in_flight.exchange).await,
                Ok(Recorded::Later) => put_off(&services, in_flight.exchange.turn, &actor),
                Err(_) => {
                    tracing::error!("capturing an exchange crashed; what it held is left out");
                    settle(&services, &in_flight.exchange).await;
                }
            }
            drop(in_flight);
            // if the actor is gone by now, the rest is captured when the runtime stops
            let _ = actor.send_message(Capture);
        });
    }
}

/// A span that puts the turn on every log line of its capture.
fn span(exchange: &Exchange) -> Span {
    tracing::error_span!(parent: None, "capture", turn_id = %exchange.turn)
}

/// The result of capturing an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recorded {
    Done,
    /// The store takes no writes at present: the disk is full, or another process writes.
    Later,
}

/// Captures one exchange. If the model takes too long, or has not answered when the program ends, the exchange is
/// captured without facts (S9, S10). Everything else is written in any case, once.
async fn record(services: &Services, exchange: &Exchange) -> Recorded {
    let all = &exchange.settings;
    let Some(model) = facts_model(services, exchange).await else {
        return capture(services, exchange, all.clone(), None).await;
    };
    if all.tool_results && !exchange.tool_results.is_empty() {
        let results = CaptureSettings { sessions: false, facts: false, ..all.clone() };
        if capture(services, exchange, results, None).await == Recorded::Later {
            return Recorded::Later;
        }
    }
    let rest = CaptureSettings { tool_results: false, ..all.clone() };
    let finding =
        services.clock.timeout(FACTS_TIMEOUT, capture(services, exchange, rest.clone(), Some(model)));
    let why = match services.closing.run_until_cancelled(finding).await {
        Some(Ok(recorded)) => return recorded,
        Some(Err(_elapsed)) => "the model took too long",
        None => "the program ended before the model had answered",
    };
    let persona = &exchange.persona.name;
    tracing::warn!(%persona, "an exchange was captured without facts: {why}");
    capture(services, exchange, rest, None).await
}

/// Captures all waiting exchanges now.
pub(crate) async fn capture_all(services: &Services) {
    services.capture_queue.flush();
    while let Some(in_flight) = services.capture_queue.next() {
        let exchange = &in_flight.exchange;
        if record(services, exchange).instrument(span(exchange)).await == Recorded::Done {
            settle(services, exchange).await;
        }
    }
    services.capture_queue.settled().await;
}

/// Captures the remaining exchanges when the runtime stops. It asks no model, so that this is quick.
pub(crate) async fn capture_the_rest(services: &Services) {
    let mut without = 0;
    loop {
        services.capture_queue.flush();
        while let Some(in_flight) = services.capture_queue.next() {
            let exchange = &in_flight.exchange;
            let settings = exchange.settings.clone();
            without +=
                usize::from(settings.facts && services.models.for_capture(&exchange.persona, None).is_some());
            if capture(services, exchange, settings, None).instrument(span(exchange)).await == Recorded::Done
            {
                settle(services, exchange).await;
            }
        }
        // a running capture may be all that keeps others from beginning
        if services.capture_queue.is_empty() {
            services.capture_queue.settled().await;
            break;
        }
        services.capture_queue.one_captured().await;
    }
    if without > 0 {
        tracing::warn!(
            "{without} exchanges were captured without facts: the program ended before a model read them"
        );
    }
}

/// The model that finds facts; `None` if no facts are wanted or the hourly budget has no room for it (WB12).
async fn facts_model(services: &Services, exchange: &Exchange) -> Option<SmallModel> {
    let persona = &exchange.persona;
    let grant = exchange.grant.as_ref();
    let model = services.models.for_capture(persona, grant).filter(|_| exchange.settings.facts)?;
    let bytes: usize = exchange.burst.iter().map(|message| message.text.len()).sum();
    let tokens = FACTS_TOKENS + (bytes + exchange.reply.len()) / 4;
    if grant.is_some_and(|grant| grant.left_beside() < tokens as u64) {
        tracing::info!(persona = %persona.name, "no facts are looked for: the answer has taken its tokens");
        return None;
    }
    match Budget::of(services, persona).has_room(tokens as u64).await {
        Ok(true) => Some(model),
        Ok(false) => {
            tracing::info!(persona = %persona.name, "no facts are looked for: its budget is used up");
            None
        }
        Err(error) => {
            tracing::warn!(persona = %persona.name, %error, "no facts are looked for");
            None
        }
    }
}

async fn capture(
    services: &Services,
    exchange: &Exchange,
    settings: CaptureSettings,
    model: Option<SmallModel>,
) -> Recorded {
    let (persona, channel) = (exchange.viewer.persona(), exchange.viewer.channel());
    match try_capture(services, exchange, settings, model).await {
        Ok(report) => report_captured(services, exchange, report),
        // intended (GR10): there is nothing to repair
        Err(MemoryError::Store(StoreError::Erased(why))) => {
            tracing::info!(%persona, %channel, "an exchange was not captured: {why}");
        }
        // the store logs the cause, once
        Err(MemoryError::Store(StoreError::Full | StoreError::Busy { .. })) => return Recorded::Later,
        Err(error) => tracing::warn!(%persona, %channel, %error, "an exchange could not be captured"),
    }
    Recorded::Done
}

async fn try_capture(
    services: &Services,
    exchange: &Exchange,
    settings: CaptureSettings,
    model: Option<SmallModel>,
) -> Result<CaptureReport, MemoryError> {
    let captured = Captured {
        session: session(services, exchange).await?,
        burst: exchange.burst.clone(),
        reply: exchange.reply.clone(),
        tool_results: exchange.tool_results.clone(),
        recalled: exchange.recalled.iter().map(|snippet| snippet.text.clone()).collect(),
        settings,
        follow: exchange.persona.memory.follow,
        model,
        zone: exchange.persona.memory.zone(),
        sources: exchange.sources.clone(),
    };
    services.memory.capture_after(&exchange.viewer, &captured).await
}

/// The session that the exchange belongs to (AS5).
async fn session(services: &Services, exchange: &Exchange) -> Result<Option<i64>, MemoryError> {
    let (Some(user), Some(last)) = (exchange.viewer.user(), exchange.burst.last()) else { return Ok(None) };
    let own = services.store.session(exchange.viewer.channel(), user, last.at).await?;
    Ok(own.map(|session| session.id))
}

/// Logs every decision, and keeps a notice of each new memory for the next turn. Session summaries get no notice,
/// because they are written again and again while the session goes on.
fn report_captured(services: &Services, exchange: &Exchange, report: CaptureReport) {
    let (persona, channel) = (exchange.viewer.persona(), exchange.viewer.channel());
    let mut notices = Vec::new();
    for remembered in report.remembered {
        tracing::info!(%persona, %channel, memory = %remembered.memory.id, decision = ?remembered.decision, "captured");
        if remembered.memory.tier != Tier::Conversation {
            notices.push(remembered.to_string());
        }
    }
    for (_, why) in report.ignored {
        tracing::info!(%persona, %channel, ?why, "a statement was not captured");
    }
    for (_, error) in report.refused {
        tracing::warn!(%persona, %channel, %error, "a statement could not be captured");
    }
    services.capture_queue.add_notices(&exchange.viewer, notices);
}
