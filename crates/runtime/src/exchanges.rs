//! Exchanges that wait to be captured, and what was decided about those before. Bounded on every
//! side: whoever waits for a reply never waits for this.

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use dashmap::DashMap;
use greenroom_core::{ChannelKey, Message, PersonaName, Viewer};
use greenroom_memory::ToolResult;
use greenroom_persona::Persona;
use tokio::sync::Notify;

/// So many exchanges wait; when a model is slower than people talk, the oldest is left out.
const WAITING: usize = 64;

/// So many are captured at once, so that one slow model does not hold up everybody (S9).
const AT_ONCE: usize = 4;

/// So many notices wait for a persona's next turn in a channel, and so many personas in channels.
const NOTICES: usize = 8;
const LISTENERS: usize = 1_000;

/// A burst and its answer.
pub(crate) struct Exchange {
    pub(crate) persona: Arc<Persona>,
    pub(crate) viewer: Viewer,
    /// The messages that were answered, oldest first.
    pub(crate) burst: Vec<Message>,
    pub(crate) reply: String,
    pub(crate) tool_results: Vec<ToolResult>,
    /// The texts that were recalled for it: they are not captured again.
    pub(crate) recalled: Vec<String>,
}

/// What waits, and what was decided.
#[derive(Default)]
pub(crate) struct Exchanges {
    queue: Mutex<Queue>,
    /// Something has been captured.
    captured: Notify,
    left_out: AtomicU64,
    decided: DashMap<Viewer, Vec<String>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Exchange>,
    underway: HashSet<(PersonaName, ChannelKey)>,
}

/// An exchange that is being captured. While it lives no other of its persona in its channel is.
pub(crate) struct Underway {
    pub(crate) exchange: Exchange,
    exchanges: Arc<Exchanges>,
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.exchanges.queue().underway.remove(&self.exchange.place());
        self.exchanges.captured.notify_waiters();
    }
}

impl Exchange {
    fn place(&self) -> (PersonaName, ChannelKey) {
        (self.viewer.persona().clone(), self.viewer.channel().clone())
    }
}

impl Exchanges {
    /// One more. When too many wait, the oldest is left out, which is logged and counted.
    pub(crate) fn push(&self, exchange: Exchange) {
        let oldest = {
            let waiting = &mut self.queue().waiting;
            waiting.push_back(exchange);
            if waiting.len() > WAITING { waiting.pop_front() } else { None }
        };
        if let Some(exchange) = oldest {
            let left_out = self.left_out.fetch_add(1, Ordering::Relaxed) + 1;
            let (persona, channel) = (exchange.viewer.persona(), exchange.viewer.channel());
            tracing::warn!(%persona, %channel, left_out, "too much waits to be captured; an exchange is left out");
        }
    }

    /// The one that waited longest of those whose turn it is: one at a time for a persona in a
    /// channel, and a few over all.
    pub(crate) fn next(self: &Arc<Self>) -> Option<Underway> {
        let mut queue = self.queue();
        let Queue { waiting, underway } = &mut *queue;
        if underway.len() >= AT_ONCE {
            return None;
        }
        let at = waiting.iter().position(|exchange| !underway.contains(&exchange.place()))?;
        let exchange = waiting.remove(at)?;
        underway.insert(exchange.place());
        Some(Underway { exchange, exchanges: self.clone() })
    }

    /// How many wait to be begun.
    pub(crate) fn waiting(&self) -> usize {
        self.queue().waiting.len()
    }

    /// Whether nothing waits to be begun.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue().waiting.is_empty()
    }

    /// Resolves when nothing waits and nothing is being captured.
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
        if !self.queue().underway.is_empty() {
            captured.await;
        }
    }

    fn is_settled(&self) -> bool {
        let queue = self.queue();
        queue.waiting.is_empty() && queue.underway.is_empty()
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
mod tests {
    use super::*;

    fn viewer(channel: usize) -> Viewer {
        Viewer::new("ada".parse().unwrap(), format!("terminal:{channel}").parse().unwrap(), None)
    }

    fn exchange(n: usize) -> Exchange {
        exchange_in(0, n)
    }

    fn exchange_in(channel: usize, n: usize) -> Exchange {
        Exchange {
            persona: Arc::new(Persona::new("ada".parse().unwrap(), String::new())),
            viewer: viewer(channel),
            burst: Vec::new(),
            reply: n.to_string(),
            tool_results: Vec::new(),
            recalled: Vec::new(),
        }
    }

    #[test]
    fn s9_when_too_many_wait_the_oldest_is_left_out() {
        let exchanges = Arc::new(Exchanges::default());
        for n in 0..WAITING + 3 {
            exchanges.push(exchange(n));
        }
        assert_eq!(exchanges.queue().waiting.len(), WAITING);
        assert_eq!(exchanges.left_out.load(Ordering::Relaxed), 3);
        assert_eq!(exchanges.next().unwrap().exchange.reply, "3");
    }

    #[test]
    fn s9_a_few_are_captured_at_once_and_one_for_a_persona_in_a_channel() {
        let exchanges = Arc::new(Exchanges::default());
        for (channel, n) in [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6)] {
            exchanges.push(exchange_in(channel, n));
        }
        let mut underway: Vec<_> = std::iter::from_fn(|| exchanges.next()).collect();
        let replies: Vec<_> = underway.iter().map(|taken| taken.exchange.reply.clone()).collect();
        assert_eq!(replies, ["1", "3", "4", "5"]);
        underway.remove(0);
        assert_eq!(exchanges.next().unwrap().exchange.reply, "2");
    }

    #[test]
    fn s9_what_was_decided_waits_in_bounds_and_is_told_once() {
        let exchanges = Exchanges::default();
        exchanges.tell_later(&viewer(0), (0..NOTICES + 2).map(|n| n.to_string()).collect());
        for channel in 1..LISTENERS + 5 {
            exchanges.tell_later(&viewer(channel), vec!["hm".into()]);
        }
        assert_eq!(exchanges.decided.len(), LISTENERS);
        let told = exchanges.decided(&viewer(0));
        assert_eq!((told.len(), told[0].as_str()), (NOTICES, "2"));
        assert!(exchanges.decided(&viewer(0)).is_empty());
    }
}
