//! The capture actor: what is remembered of an exchange behind its reply (JV1, JV4, AS12). Wakes
//! with the first exchange there is, so that without memory there is no such actor (FG17), and when one
//! is ripe.
//!
//! The model reads a few exchanges at a time, and has a deadline: one that hangs costs its own facts
//! and holds up nobody else's (S9). What needs no model does not wait for one.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::FutureExt;
use greenroom_core::{Message, Tier};
use greenroom_memory::{CaptureReport, Exchange as Captured, MemoryError, SmallModel};
use greenroom_persona::CaptureSettings;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::time::Instant;
use tracing::{Instrument, Span};

use crate::{
    exchanges::{
        Exchange,
        postponed::{settle, take_up},
    },
    stage::Stage,
    turn::Budget,
};

/// What finding the facts of an exchange takes in tokens, beside the exchange itself.
const FACTS_TOKENS: usize = 2_000;

/// So long a model may take over the facts of an exchange.
const PATIENCE: Duration = Duration::from_secs(30);

/// There is something to capture, something may be ripe, or somebody has finished.
pub(crate) struct Capture;

pub(crate) struct CaptureActor;

/// What it is made of.
pub(crate) struct Scribe {
    pub(crate) stage: Arc<Stage>,
    /// True while a [`Capture`] waits in the mailbox: one is enough, so the mailbox stays short.
    pub(crate) asked: Arc<AtomicBool>,
}

pub(crate) struct State {
    scribe: Scribe,
    /// When it wakes by itself.
    alarm: Option<Instant>,
}

impl Actor for CaptureActor {
    type Msg = Capture;
    type State = State;
    type Arguments = Scribe;

    async fn pre_start(&self, _: ActorRef<Capture>, scribe: Scribe) -> Result<State, ActorProcessingErr> {
        Ok(State { scribe, alarm: None })
    }

    /// Begins what may be begun; where nothing waits, what was postponed.
    async fn handle(
        &self,
        myself: ActorRef<Capture>,
        _: Capture,
        State { scribe: Scribe { stage, asked }, alarm }: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        asked.store(false, Ordering::SeqCst);
        begin_all(stage, &myself);
        while !stage.closing.is_cancelled() && take_up(stage).await {
            begin_all(stage, &myself);
        }
        let ripe_at = stage.exchanges.ripe_at();
        if let Some(at) = ripe_at.filter(|_| *alarm != ripe_at) {
            myself.send_after(at.saturating_duration_since(Instant::now()), || Capture);
            *alarm = ripe_at;
        }
        Ok(())
    }
}

/// Begins what may be begun, each in a task of its own.
fn begin_all(stage: &Arc<Stage>, actor: &ActorRef<Capture>) {
    while !stage.closing.is_cancelled()
        && let Some(underway) = stage.exchanges.next()
    {
        let (stage, actor) = (stage.clone(), actor.clone());
        tokio::spawn(async move {
            let recording = record(&stage, &underway.exchange).instrument(span(&underway.exchange));
            let recorded = AssertUnwindSafe(recording).catch_unwind().await;
            if recorded.is_err() {
                tracing::error!("capturing an exchange crashed; what it held is left out");
            }
            settle(&stage, &underway.exchange).await;
            drop(underway);
            // the actor may be gone by now, and then the rest is captured at the end
            let _ = actor.send_message(Capture);
        });
    }
}

/// Says on every line of a capture which turn it belongs to.
fn span(exchange: &Exchange) -> Span {
    tracing::error_span!(parent: None, "capture", turn_id = %exchange.turn)
}

/// Captures one exchange. A model that takes too long, or is still asked when the program ends, is
/// not waited for (S9, S10): everything else is written all the same, once.
async fn record(stage: &Stage, exchange: &Exchange) {
    let all = &exchange.persona.memory.capture;
    let Some(model) = finder(stage, exchange).await else {
        return capture(stage, exchange, all.clone(), None).await;
    };
    if all.tool_results && !exchange.tool_results.is_empty() {
        let results = CaptureSettings { sessions: false, facts: false, ..all.clone() };
        capture(stage, exchange, results, None).await;
    }
    let rest = CaptureSettings { tool_results: false, ..all.clone() };
    let finding = tokio::time::timeout(PATIENCE, capture(stage, exchange, rest.clone(), Some(model)));
    let why = match stage.closing.run_until_cancelled(finding).await {
        Some(Ok(())) => return,
        Some(Err(_elapsed)) => "the model took too long",
        None => "the program ended before the model had answered",
    };
    let persona = &exchange.persona.name;
    tracing::warn!(%persona, "an exchange was captured without facts: {why}");
    capture(stage, exchange, rest, None).await;
}

/// Captures what is left when the runtime stops: without a model, so that it takes a moment.
pub(crate) async fn capture_the_rest(stage: &Stage) {
    let mut without = 0;
    loop {
        stage.exchanges.hasten();
        while let Some(underway) = stage.exchanges.next() {
            let exchange = &underway.exchange;
            let settings = exchange.persona.memory.capture.clone();
            without += usize::from(settings.facts && stage.scribe(&exchange.persona).is_some());
            capture(stage, exchange, settings, None).instrument(span(exchange)).await;
            settle(stage, exchange).await;
        }
        // what is still underway may be all that keeps others from being begun
        if stage.exchanges.is_empty() {
            stage.exchanges.settled().await;
            break;
        }
        stage.exchanges.one_captured().await;
    }
    if without > 0 {
        tracing::warn!(
            "{without} exchanges were captured without facts: the program ended before a model read them"
        );
    }
}

/// The model that finds facts, if they are wanted and the hour has tokens left for it (WB12).
async fn finder(stage: &Stage, exchange: &Exchange) -> Option<SmallModel> {
    let persona = &exchange.persona;
    let model = stage.scribe(persona).filter(|_| persona.memory.capture.facts)?;
    let said: usize = exchange.burst.iter().map(|message| message.text.len()).sum();
    let tokens = FACTS_TOKENS + (said + exchange.reply.len()) / 4;
    match Budget::of(stage, persona).has_room(tokens as u64).await {
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

async fn capture(stage: &Stage, exchange: &Exchange, settings: CaptureSettings, model: Option<SmallModel>) {
    let (persona, channel) = (exchange.viewer.persona(), exchange.viewer.channel());
    match try_capture(stage, exchange, settings, model).await {
        Ok(report) => tell(stage, exchange, report),
        Err(error) => tracing::warn!(%persona, %channel, %error, "an exchange could not be captured"),
    }
}

async fn try_capture(
    stage: &Stage,
    exchange: &Exchange,
    settings: CaptureSettings,
    model: Option<SmallModel>,
) -> Result<CaptureReport, MemoryError> {
    let captured = Captured {
        session: session(stage, exchange).await?,
        burst: exchange.burst.iter().map(|message| Message::clone(message)).collect(),
        reply: exchange.reply.clone(),
        tool_results: exchange.tool_results.clone(),
        recalled: exchange.recalled.iter().map(|snippet| snippet.text.clone()).collect(),
        settings,
        model,
        zone: exchange.persona.memory.zone(),
        sources: exchange.sources.clone(),
    };
    stage.memory.capture_after(&exchange.viewer, &captured).await
}

/// The sitting the exchange belongs to (AS5).
async fn session(stage: &Stage, exchange: &Exchange) -> Result<Option<i64>, MemoryError> {
    let (Some(user), Some(last)) = (exchange.viewer.user(), exchange.burst.last()) else { return Ok(None) };
    let own = stage.store.session(exchange.viewer.channel(), user, last.at).await?;
    Ok(own.map(|session| session.id))
}

/// Every decision stands in the log; what was learned is told with the next turn. The summary of a
/// sitting is written again and again while it goes on, and nobody has to hear of that.
fn tell(stage: &Stage, exchange: &Exchange, report: CaptureReport) {
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
    stage.exchanges.tell_later(&exchange.viewer, notices);
}
