//! The capture actor remembers what is worth it of an exchange, after the reply (JV1, JV4, AS12). It starts with the
//! first exchange, so that without memory there is no such actor (FG17), and wakes again when a debounced one is due.
//!
//! The model reads a few exchanges at once and has a deadline: a model that hangs loses the facts of its exchange and
//! delays no other (S9). What needs no model does not wait for one.

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

/// Tokens that finding facts takes beside the exchange itself.
const FACTS_TOKENS: usize = 2_000;

/// How long a model may take to find the facts of an exchange.
const FACTS_TIMEOUT: Duration = Duration::from_secs(30);

/// There is something to capture, a debounced exchange may be due, or a capture has finished.
pub(crate) struct Capture;

pub(crate) struct CaptureActor;

/// What a capture actor starts with.
pub(crate) struct CaptureArgs {
    pub(crate) services: Arc<Services>,
    /// True while a [`Capture`] waits in the mailbox: one is enough, so the mailbox stays short.
    pub(crate) asked: Arc<AtomicBool>,
}

pub(crate) struct CaptureActorState {
    args: CaptureArgs,
    /// When it wakes by itself.
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

    /// Begins captures; where none waits, those that were postponed.
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

/// Begins every capture that may begin now, each in a task of its own.
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

/// Says on every line of a capture which turn it belongs to.
fn span(exchange: &Exchange) -> Span {
    tracing::error_span!(parent: None, "capture", turn_id = %exchange.turn)
}

/// What became of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recorded {
    Done,
    /// The store takes nothing at present: the disk is full, or another process writes.
    Later,
}

/// Captures one exchange. A model that takes too long, or is still asked when the program ends, is
/// not waited for (S9, S10): everything else is written all the same, once.
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

/// Captures everything that waits, now.
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

/// Captures what is left when the runtime stops: without a model, so that it takes a moment.
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
        // a capture under way may be all that keeps others from beginning
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

/// The model that finds facts, if they are wanted and the hourly budget has room for it (WB12).
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
        // as it must be (GR10), and nothing to be repaired
        Err(MemoryError::Store(StoreError::Erased(why))) => {
            tracing::info!(%persona, %channel, "an exchange was not captured: {why}");
        }
        // the store tells in the log what is the matter, once
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

/// Logs every decision, and tells what was learned with the next turn. The summary of a session is written again and
/// again while it goes on; that is not told.
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
