//! Exchanges that wait to be captured, and what was decided about those before. Bounded on every
//! side: whoever waits for a reply never waits for this.

mod debounce;
pub(crate) mod postponed;

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use dashmap::DashMap;
use greenroom_core::{ChannelKey, MemorySnippet, Message, PersonaName, TurnId, Viewer};
use greenroom_memory::{Telling, ToolResult};
use greenroom_persona::Persona;
use greenroom_store::Sources;
use tokio::{sync::Notify, time::Instant};

use debounce::Debounce;

/// So many exchanges wait; when a model is slower than people talk, the oldest is postponed.
const WAITING: usize = 64;

/// So many are captured at once, so that one slow model does not hold up everybody (S9).
const AT_ONCE: usize = 4;

/// So many notices wait for a persona's next turn in a channel, and so many personas in channels.
const NOTICES: usize = 8;
const LISTENERS: usize = 1_000;

/// A burst and its answer.
pub(crate) struct Exchange {
    pub(crate) turn: TurnId,
    pub(crate) persona: Arc<Persona>,
    pub(crate) viewer: Viewer,
    /// The messages that were answered, oldest first.
    pub(crate) burst: Vec<Arc<Message>>,
    pub(crate) reply: String,
    pub(crate) tool_results: Vec<ToolResult>,
    /// What was recalled for it: it is not captured again.
    pub(crate) recalled: Arc<[MemorySnippet]>,
    /// What it is made of.
    pub(crate) sources: Sources,
    /// Whether it was postponed before: its mark in the store is to be taken away.
    pub(crate) postponed: bool,
}

/// What waits, and what was decided.
pub(crate) struct CaptureQueue {
    queue: Mutex<Queue>,
    /// Something has been captured.
    captured: Notify,
    left_out: AtomicU64,
    /// Whether the store may know of postponed ones.
    any_postponed: AtomicBool,
    decided: DashMap<Viewer, Vec<String>>,
}

impl Default for CaptureQueue {
    /// A run before may have postponed some.
    fn default() -> Self {
        Self {
            queue: Mutex::default(),
            captured: Notify::new(),
            left_out: AtomicU64::new(0),
            any_postponed: AtomicBool::new(true),
            decided: DashMap::new(),
        }
    }
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Exchange>,
    debounce: Debounce,
    in_flight: HashSet<(PersonaName, ChannelKey)>,
}

/// An exchange that is being captured. While it lives no other of its persona in its channel is.
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

    /// Whether nothing but a summary of the sitting is made of it.
    fn is_summed_up_only(&self) -> bool {
        let capture = &self.persona.memory.capture;
        !capture.facts && (!capture.tool_results || self.tool_results.is_empty())
    }

    /// How much its summary would tell.
    fn telling(&self) -> Telling {
        let recalled = self.recalled.iter().map(|snippet| snippet.text.as_str());
        Telling::of(self.burst.iter().map(|message| &**message), &self.reply, recalled)
    }
}

impl CaptureQueue {
    /// One more. When too many wait, the oldest are left out: their turns come back, to be postponed.
    pub(crate) fn push(&self, exchange: Exchange) -> Vec<TurnId> {
        let mut oldest = Vec::new();
        {
            let Queue { waiting, debounce, .. } = &mut *self.queue();
            let due = if exchange.is_summed_up_only() {
                [debounce.push(exchange, Instant::now()), None]
            } else {
                // both may sum up the same sitting: the later one last
                [debounce.take(&exchange.viewer), Some(exchange)]
            };
            for exchange in due.into_iter().flatten() {
                waiting.push_back(exchange);
                oldest.extend(if waiting.len() > WAITING { waiting.pop_front() } else { None });
            }
        }
        for exchange in &oldest {
            let left_out = self.left_out.fetch_add(1, Ordering::Relaxed) + 1;
            let (persona, channel) = (exchange.viewer.persona(), exchange.viewer.channel());
            tracing::warn!(%persona, %channel, left_out, "too much waits to be captured; an exchange is postponed");
        }
        oldest.into_iter().map(|exchange| exchange.turn).collect()
    }

    /// One that was postponed waits again.
    fn take_up(&self, exchange: Exchange) {
        self.queue().waiting.push_back(exchange);
    }

    /// Whether nothing waits for its turn and nothing is being captured: there is time for what was
    /// postponed.
    fn is_calm(&self) -> bool {
        let queue = self.queue();
        queue.waiting.is_empty() && queue.in_flight.is_empty()
    }

    /// How many were left out since the start.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }

    /// The one that waited longest of those whose turn it is: one at a time for a persona in a
    /// channel, and a few over all.
    pub(crate) fn next(self: &Arc<Self>) -> Option<InFlight> {
        let mut queue = self.queue();
        let Queue { waiting, debounce, in_flight } = &mut *queue;
        if in_flight.len() >= AT_ONCE {
            return None;
        }
        let may = |exchange: &Exchange| !in_flight.contains(&exchange.place());
        let exchange = match waiting.iter().position(may) {
            Some(at) => waiting.remove(at),
            None => debounce.next(Instant::now(), may),
        }?;
        in_flight.insert(exchange.place());
        Some(InFlight { exchange, capture_queue: self.clone() })
    }

    /// When there will be another one to begin that is not ripe yet.
    pub(crate) fn due_at(&self) -> Option<Instant> {
        self.queue().debounce.due_at(Instant::now())
    }

    /// Nothing of what is there waits for its time any more.
    pub(crate) fn hasten(&self) {
        self.queue().debounce.hasten(Instant::now());
    }

    /// How many wait to be begun.
    pub(crate) fn waiting(&self) -> usize {
        let queue = self.queue();
        queue.waiting.len() + queue.debounce.len()
    }

    /// Whether nothing waits to be begun.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting() == 0
    }

    /// Resolves when nothing waits for its turn and nothing is being captured. What is not ripe yet is not
    /// waited for.
    pub(crate) async fn settled(&self) {
        loop {
            let captured = self.captured.notified();
            if self.is_settled() {
                return;
            }
            captured.await;
        }
    }

    /// Resolves when there may be another one to begin.
    pub(crate) async fn one_captured(&self) {
        let captured = self.captured.notified();
        if !self.queue().in_flight.is_empty() {
            captured.await;
        }
    }

    fn is_settled(&self) -> bool {
        let queue = self.queue();
        queue.waiting.is_empty() && queue.in_flight.is_empty() && !queue.debounce.any_ripe(Instant::now())
    }

    /// What was decided is told with the persona's next turn there for the same person: the stream of
    /// the turn it was about has ended.
    pub(crate) fn tell_later(&self, viewer: &Viewer, notices: Vec<String>) {
        if notices.is_empty() || self.decided.len() >= LISTENERS && !self.decided.contains_key(viewer) {
            return;
        }
        let mut decided = self.decided.entry(viewer.clone()).or_default();
        decided.extend(notices);
        let over = decided.len().saturating_sub(NOTICES);
        decided.drain(..over);
    }

    /// Whether anything was decided since this was last asked.
    pub(crate) fn has_decided(&self, viewer: &Viewer) -> bool {
        self.decided.contains_key(viewer)
    }

    /// Tells nobody what was decided in some channels (GR10).
    pub(crate) fn forget(&self, concerned: impl Fn(&ChannelKey) -> bool) {
        self.decided.retain(|viewer, _| !concerned(viewer.channel()));
    }

    /// What was decided since this was last asked.
    pub(crate) fn decided(&self, viewer: &Viewer) -> Vec<String> {
        let decided = self.decided.remove(viewer);
        decided.map(|(_, notices)| notices).unwrap_or_default()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
