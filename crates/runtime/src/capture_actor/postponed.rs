//! Postponed captures: exchanges that found no room in the queue. Their turns are marked in the store. When nothing
//! else waits to be captured, a few at a time are read back and captured.
//!
//! Tool results are not stored, so a postponed capture lacks them.

use std::sync::Arc;

use greenroom_core::{MemorySnippet, Receipt, Section, TurnId, Viewer};
use greenroom_store::{ItemId, Postponed, Sources, Store, StoreError};
use ractor::ActorRef;

use super::Capture;
use crate::{
    capture_queue::{CaptureQueue, Exchange},
    grant::Grant,
    rooms::RoomLedger,
    services::Services,
    turn::request::viewer,
    write_again::write_again,
};

/// How many exchanges are read back at once.
const BATCH: usize = 8;

/// Marks turns whose exchanges found no room, in a task.
pub(crate) fn postpone(services: &Services, turns: Vec<TurnId>) {
    if turns.is_empty() {
        return;
    }
    let (store, clock) = (services.store.clone(), services.clock.clone());
    let capture_queue = services.capture_queue.clone();
    tokio::spawn(async move {
        for turn in turns {
            let Err(error) = mark(&*store, &capture_queue, turn).await else { continue };
            tracing::warn!(%turn, %error, "an exchange could not be marked for a later capture; it is tried again");
            let (store, capture_queue) = (store.clone(), capture_queue.clone());
            write_again(clock.clone(), move || {
                let (store, capture_queue) = (store.clone(), capture_queue.clone());
                Box::pin(async move { mark(&*store, &capture_queue, turn).await })
            });
        }
    });
}

/// Marks a turn whose exchange is to be captured later. Does nothing if it is marked already.
async fn mark(store: &dyn Store, capture_queue: &CaptureQueue, turn: TurnId) -> Result<(), StoreError> {
    store.postpone_capture(turn).await?;
    capture_queue.set_any_postponed(true);
    Ok(())
}

/// Marks a turn whose exchange the store did not take, as soon as the store takes writes again.
pub(crate) fn put_off(services: &Services, turn: TurnId, actor: &ActorRef<Capture>) {
    let (store, capture_queue, actor) =
        (services.store.clone(), services.capture_queue.clone(), actor.clone());
    write_again(services.clock.clone(), move || {
        let (store, capture_queue, actor) = (store.clone(), capture_queue.clone(), actor.clone());
        Box::pin(async move {
            mark(&*store, &capture_queue, turn).await?;
            // without the actor, the next start takes it up
            let _ = actor.send_message(Capture);
            Ok(())
        })
    });
}

/// Queues some postponed exchanges again, if nothing else waits to be captured. Returns whether there were any.
pub(crate) async fn take_up(services: &Services) -> bool {
    let capture_queue = &services.capture_queue;
    if !capture_queue.is_calm() || !capture_queue.set_any_postponed(false) {
        return false;
    }
    let taken = try_take_up(services).await;
    let again = *taken.as_ref().unwrap_or(&true);
    if again {
        capture_queue.set_any_postponed(true);
    }
    taken.unwrap_or_else(|error| {
        tracing::warn!(%error, "postponed exchanges cannot be read; they are captured later");
        false
    })
}

async fn try_take_up(services: &Services) -> Result<bool, StoreError> {
    // follow before reading: what is erased from here on is not captured (GR10)
    let erased = services.erasures.follow().await;
    let found = services.store.postponed_captures(BATCH).await?;
    let any = !found.is_empty();
    for postponed in found {
        let turn = postponed.turn.id;
        match exchange(services, postponed, erased).await? {
            Some(exchange) => services.capture_queue.take_up(exchange),
            None => services.store.capture_settled(turn).await?,
        }
    }
    Ok(any)
}

/// Removes the mark of an exchange that was captured.
pub(crate) async fn settle(services: &Services, exchange: &Exchange) {
    if exchange.postponed
        && let Err(error) = services.store.capture_settled(exchange.turn).await
    {
        tracing::warn!(turn = %exchange.turn, %error, "an exchange will be captured a second time");
    }
}

/// The exchange as it was; `None` if its persona was removed or has no memory any more.
async fn exchange(
    services: &Services,
    postponed: Postponed,
    erased: i64,
) -> Result<Option<Exchange>, StoreError> {
    let Postponed { turn, burst, reply } = postponed;
    let persona = services.cast.persona(&turn.persona).filter(|persona| persona.memory.enabled);
    let (Some(persona), Some(last), Some(reply)) = (persona, burst.last(), reply) else { return Ok(None) };
    let since = services.store.group_since(&last.channel).await?;
    // the rest of the answer's grant is not stored, so no model reads the exchange (RM5)
    let room = services.store.room(&last.channel).await?;
    let is_room = room.members.len() > 1 || RoomLedger::read(room.state.as_deref()).has_bots();
    let viewer = viewer(&persona, last, burst.iter().all(|said| since.is_some_and(|since| said.id >= since)));
    let recalled = match &turn.receipt {
        Some(receipt) => recalled(services, &viewer, receipt).await?,
        None => Arc::default(),
    };
    let read = burst.iter().map(|message| message.id).chain([reply.id]).map(ItemId::Message);
    let items = read.chain(recalled.iter().filter_map(|snippet| item_id(&snippet.id))).collect();
    Ok(Some(Exchange {
        turn: turn.id,
        settings: persona.memory.capture.clone(),
        persona,
        viewer,
        burst,
        reply: reply.text,
        tool_results: Vec::new(),
        recalled,
        sources: Sources { erased, items, summary_of: None },
        grant: is_room.then(|| Grant::new(0)),
        postponed: true,
    }))
}

/// The memories that were recalled for the exchange, according to its receipt.
async fn recalled(
    services: &Services,
    viewer: &Viewer,
    receipt: &Receipt,
) -> Result<Arc<[MemorySnippet]>, StoreError> {
    let memories = receipt.items.iter().filter(|item| item.section == Section::Memories);
    let ids: Vec<ItemId> = memories.filter_map(|item| item_id(&item.id)).collect();
    let whole = services.store.items(viewer, &ids, services.now(), false).await?;
    let snippet = |item: &greenroom_store::Item| MemorySnippet {
        id: item.id().to_string(),
        text: item.text().to_owned(),
        category: String::new(),
        score: 0.0,
        source: String::new(),
    };
    Ok(whole.items.iter().map(snippet).collect())
}

/// Parses `m12` or `msg:34`.
fn item_id(shown: &str) -> Option<ItemId> {
    match shown.strip_prefix("msg:") {
        Some(message) => Some(ItemId::Message(greenroom_core::MessageId(message.parse().ok()?))),
        None => shown.parse().ok().map(ItemId::Memory),
    }
}
