//! The capture actor: what is remembered of an exchange behind its reply (JV1, JV4, AS12). Wakes
//! with the first exchange there is, so that without memory there is no such actor (FG17).
//!
//! What it writes is keyed or held against what is known, so an exchange that was begun before a
//! crash or an end can be captured again without doubling anything.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use greenroom_core::Tier;
use greenroom_memory::{CaptureReport, Exchange as Captured, MemoryError, SmallModel};
use ractor::{Actor, ActorProcessingErr, ActorRef};

use crate::{exchanges::Exchange, stage::Stage, turn::Budget};

/// What finding the facts of an exchange takes in tokens, beside the exchange itself.
const FACTS_TOKENS: usize = 2_000;

/// There is something to capture.
pub(crate) struct Capture;

pub(crate) struct CaptureActor;

/// What it is made of.
pub(crate) struct Scribe {
    pub(crate) stage: Arc<Stage>,
    /// True while a [`Capture`] waits in the mailbox: one is enough, so the mailbox stays short.
    pub(crate) asked: Arc<AtomicBool>,
}

impl Actor for CaptureActor {
    type Msg = Capture;
    type State = Scribe;
    type Arguments = Scribe;

    async fn pre_start(&self, _: ActorRef<Capture>, scribe: Scribe) -> Result<Scribe, ActorProcessingErr> {
        Ok(scribe)
    }

    /// A model that is asked when the program ends is not waited for (S10).
    async fn handle(
        &self,
        _: ActorRef<Capture>,
        _: Capture,
        Scribe { stage, asked }: &mut Scribe,
    ) -> Result<(), ActorProcessingErr> {
        asked.store(false, Ordering::SeqCst);
        while !stage.closing.is_cancelled()
            && let Some(exchange) = stage.exchanges.next()
        {
            let model = finder(stage, &exchange).await;
            let capturing = stage.closing.run_until_cancelled(capture(stage, &exchange, model));
            if capturing.await.is_none() {
                stage.exchanges.put_back(exchange);
            }
        }
        Ok(())
    }
}

/// Captures what is left when the runtime stops: without a model, so that it takes a moment.
pub(crate) async fn capture_the_rest(stage: &Stage) {
    while let Some(exchange) = stage.exchanges.next() {
        capture(stage, &exchange, None).await;
    }
}

/// The model that finds facts, if they are wanted and the hour has tokens left for it (WB12).
async fn finder(stage: &Stage, exchange: &Exchange) -> Option<SmallModel> {
    let persona = &exchange.persona;
    let model = stage.scribe(persona).filter(|_| persona.memory.capture.facts)?;
    let said: usize = exchange.burst.iter().map(|message| message.text.len()).sum();
    let tokens = FACTS_TOKENS + (said + exchange.reply.len()) / 4;
    match Budget::of(stage, persona).allows(0, tokens as u64).await {
        Ok(true) => Some(model),
        Ok(false) => {
            tracing::info!(persona = %persona.name, "no facts are looked for: the hourly token budget is used up");
            None
        }
        Err(error) => {
            tracing::warn!(persona = %persona.name, %error, "no facts are looked for");
            None
        }
    }
}

async fn capture(stage: &Stage, exchange: &Exchange, model: Option<SmallModel>) {
    let (persona, channel) = (exchange.viewer.persona(), exchange.viewer.channel());
    match try_capture(stage, exchange, model).await {
        Ok(report) => tell(stage, exchange, report),
        Err(error) => tracing::warn!(%persona, %channel, %error, "an exchange could not be captured"),
    }
}

async fn try_capture(
    stage: &Stage,
    exchange: &Exchange,
    model: Option<SmallModel>,
) -> Result<CaptureReport, MemoryError> {
    let memory = &exchange.persona.memory;
    let captured = Captured {
        session: session(stage, exchange).await?,
        burst: exchange.burst.clone(),
        reply: exchange.reply.clone(),
        tool_results: exchange.tool_results.clone(),
        recalled: exchange.recalled.clone(),
        settings: memory.capture.clone(),
        model,
        zone: memory.zone(),
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
/// sitting is written with every exchange, and nobody has to hear of that.
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
