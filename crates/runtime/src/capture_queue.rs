//! The queue of exchanges to be captured, and the notices of captures for later turns. Turns push exchanges; the
//! capture actor takes them. Both are bounded, and a reply never waits for them.

mod debounce;

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use dashmap::DashMap;
use greenroom_core::{ChannelKey, Instant, MemorySnippet, Message, PersonaName, Time, TurnId, Viewer};
use greenroom_memory::{SummaryWorth, ToolResult};
use greenroom_persona::{CaptureSettings, Persona};
use greenroom_store::Sources;
use tokio::sync::Notify;

use debounce::Debounce;

use crate::grant::Grant;

/// The queue holds this many exchanges. When it is full, because a model is slower than people talk, the oldest exchange
/// is postponed.
const WAITING: usize = 64;

/// How many exchanges are captured concurrently, so that one slow model does not delay all others (S9).
const AT_ONCE: usize = 4;

/// The most notices for the next turn of a viewer, and the most viewers with notices.
const NOTICES: usize = 8;
const VIEWERS: usize = 1_000;

/// A burst and its answer.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) turn: TurnId,
    pub(crate) persona: Arc<Persona>,
    pub(crate) viewer: Viewer,
    /// The messages that were answered, oldest first.
    pub(crate) burst: Vec<Message>,
    pub(crate) reply: String,
    pub(crate) tool_results: Vec<ToolResult>,
    /// What to capture of it.
    pub(crate) settings: CaptureSettings,
    /// The memories that were recalled for it. They are not captured again.
    pub(crate) recalled: Arc<[MemorySnippet]>,
    /// The stored items it is made of.
    pub(crate) sources: Sources,
    /// The grant of the answer. Its remaining tokens are for the models that read the exchange.
    pub(crate) grant: Option<Arc<Grant>>,
    /// Whether it was postponed before. Then its mark in the store has to be removed.
    pub(crate) postponed: bool,
}

/// The waiting exchanges, and notices about captured ones.
pub(crate) struct CaptureQueue {
    clock: Arc<dyn Time>,
    queue: Mutex<Queue>,
    /// Notified when an exchange has been captured.
    captured: Notify,
    /// How many exchanges were postponed since the start.
    postponed: AtomicU64,
    /// Whether the store may hold postponed exchanges.
    any_postponed: AtomicBool,
    notices: DashMap<Viewer, Vec<String>>,
}

impl CaptureQueue {
    /// An empty queue. An earlier run may have left postponed exchanges in the store.
    pub(crate) fn new(clock: Arc<dyn Time>) -> Self {
        Self {
            clock,
            queue: Mutex::default(),
            captured: Notify::new(),
            postponed: AtomicU64::new(0),
            any_postponed: AtomicBool::new(true),
            notices: DashMap::new(),
        }
    }
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Exchange>,
    debounce: Debounce,
    in_flight: HashSet<(PersonaName, ChannelKey)>,
}

/// An exchange that is being captured. While this value lives, no other exchange of its persona in its channel is
/// captured.
pub(crate) struct InFlight {
    pub(crate) exchange: Exchange,
    capture_queue: Arc<CaptureQueue>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.capture_queue.queue().in_flight.remove(&self.exchange.place());
        self.capture_queue.captured.notify_waiters();
    }
}

impl Exchange {
    fn place(&self) -> (PersonaName, ChannelKey) {
        (self.viewer.persona().clone(), self.viewer.channel().clone())
    }

    /// Whether neither a model nor tool results can add to its messages and the session's summary.
    fn is_of_messages_only(&self) -> bool {
        !self.settings.facts && (!self.settings.tool_results || self.tool_results.is_empty())
    }

    /// Splits it into what its messages tell, and the session's summary. A later exchange may replace the summary, and
    /// must not replace what the messages tell.
    fn split(self) -> (Self, Self) {
        let told = CaptureSettings { sessions: false, ..self.settings.clone() };
        let summary = CaptureSettings { preferences: false, ..self.settings.clone() };
        (Self { settings: told, ..self.clone() }, Self { settings: summary, ..self })
    }

    /// How well a summary of it would describe its session.
    fn summary_worth(&self) -> SummaryWorth {
        let recalled = self.recalled.iter().map(|snippet| snippet.text.as_str());
        SummaryWorth::of(self.burst.iter(), &self.reply, recalled)
    }
}

impl CaptureQueue {
    /// Adds an exchange. `judges` says whether a model judges its messages
    /// ([`greenroom_memory::Memory::judges_what_is_told`]). If the queue is full, removes the oldest exchanges and
    /// returns their turns, which the caller has to postpone.
    pub(crate) fn push(&self, exchange: Exchange, judges: bool) -> Vec<TurnId> {
        let mut oldest = Vec::new();
        {
            let Queue { waiting, debounce, .. } = &mut *self.queue();
            let due = if !exchange.is_of_messages_only() {
                // both may summarise the same session, so the later one is captured last
                [debounce.take(&exchange.viewer), Some(exchange)]
            } else if judges && exchange.settings.preferences {
                let (told, summary) = exchange.split();
                let summary = Some(summary).filter(|summary| summary.settings.sessions);
                [Some(told), summary.and_then(|summary| debounce.push(summary, self.clock.instant()))]
            } else {
                [debounce.push(exchange, self.clock.instant()), None]
            };
            for exchange in due.into_iter().flatten() {
                waiting.push_back(exchange);
                oldest.extend(if waiting.len() > WAITING { waiting.pop_front() } else { None });
            }
        }
        for exchange in &oldest {
            let postponed = self.postponed.fetch_add(1, Ordering::Relaxed) + 1;
            let (persona, channel) = (exchange.viewer.persona(), exchange.viewer.channel());
            tracing::warn!(%persona, %channel, postponed, "too much waits to be captured; an exchange is postponed");
        }
        oldest.into_iter().map(|exchange| exchange.turn).collect()
    }

    /// Adds an exchange that was postponed.
    pub(crate) fn take_up(&self, exchange: Exchange) {
        self.queue().waiting.push_back(exchange);
    }

    /// Whether nothing waits, apart from debounced exchanges, and no capture is running. Then there is time for
    /// postponed ones.
    pub(crate) fn is_calm(&self) -> bool {
        let queue = self.queue();
        queue.waiting.is_empty() && queue.in_flight.is_empty()
    }

    /// How many exchanges were postponed since the start.
    pub(crate) fn postponed(&self) -> u64 {
        self.postponed.load(Ordering::Relaxed)
    }

    /// Sets whether the store may hold postponed exchanges. Returns the value before.
    pub(crate) fn set_any_postponed(&self, any: bool) -> bool {
        self.any_postponed.swap(any, Ordering::SeqCst)
    }

    /// The oldest exchange that may be captured now: one at a time per persona and channel, and a few in all.
    pub(crate) fn next(self: &Arc<Self>) -> Option<InFlight> {
        let mut queue = self.queue();
        let Queue { waiting, debounce, in_flight } = &mut *queue;
        if in_flight.len() >= AT_ONCE {
            return None;
        }
        let may = |exchange: &Exchange| !in_flight.contains(&exchange.place());
        let exchange = match waiting.iter().position(may) {
            Some(at) => waiting.remove(at),
            None => debounce.next(self.clock.instant(), may),
        }?;
        in_flight.insert(exchange.place());
        Some(InFlight { exchange, capture_queue: self.clone() })
    }

    /// When the next debounced exchange is due.
    pub(crate) fn due_at(&self) -> Option<Instant> {
        self.queue().debounce.due_at(self.clock.instant())
    }

    /// Makes every debounced exchange due now.
    pub(crate) fn flush(&self) {
        self.queue().debounce.flush(self.clock.instant());
    }

    /// How many exchanges wait.
    pub(crate) fn waiting(&self) -> usize {
        let queue = self.queue();
        queue.waiting.len() + queue.debounce.len()
    }

    /// Whether no exchange waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting() == 0
    }

    /// Resolves when nothing waits and no capture is running. Does not wait for debounced exchanges that are not due.
    pub(crate) async fn settled(&self) {
        loop {
            let captured = self.captured.notified();
            if self.is_settled() {
                return;
            }
            captured.await;
        }
    }

    /// Resolves when a running capture has ended, so that another may begin.
    pub(crate) async fn one_captured(&self) {
        let captured = self.captured.notified();
        if !self.queue().in_flight.is_empty() {
            captured.await;
        }
    }

    fn is_settled(&self) -> bool {
        let queue = self.queue();
        queue.waiting.is_empty()
            && queue.in_flight.is_empty()
            && !queue.debounce.any_due(self.clock.instant())
    }

    /// Keeps notices for the viewer's next turn, because the turn that they are about has ended.
    pub(crate) fn add_notices(&self, viewer: &Viewer, notices: Vec<String>) {
        if notices.is_empty() || self.notices.len() >= VIEWERS && !self.notices.contains_key(viewer) {
            return;
        }
        let mut waiting = self.notices.entry(viewer.clone()).or_default();
        waiting.extend(notices);
        let over = waiting.len().saturating_sub(NOTICES);
        waiting.drain(..over);
    }

    /// Whether there are notices for a viewer.
    pub(crate) fn has_notices(&self, viewer: &Viewer) -> bool {
        self.notices.contains_key(viewer)
    }

    /// Takes the notices for a viewer.
    pub(crate) fn take_notices(&self, viewer: &Viewer) -> Vec<String> {
        self.notices.remove(viewer).map(|(_, notices)| notices).unwrap_or_default()
    }

    /// Drops the notices of channels that an erasure concerns (GR10).
    pub(crate) fn forget(&self, concerned: impl Fn(&ChannelKey) -> bool) {
        self.notices.retain(|viewer, _| !concerned(viewer.channel()));
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
