//! Exchanges of which nothing but the summary of their sitting is wanted (JV1). Each waits a few seconds,
//! and a later one of the same sitting takes its place meanwhile, as its summary would: a lively
//! conversation costs a summary every few seconds and not one a turn. Nobody misses it, for a sitting
//! that goes on does not recall its own.

use std::{collections::VecDeque, time::Duration};

use greenroom_core::Viewer;
use greenroom_memory::Telling;
use greenroom_store::SESSION_GAP;
use tokio::time::Instant;

use super::Exchange;

/// So long the first one waits; those that take its place wait no longer.
const RIPENS_IN: Duration = Duration::from_secs(5);

/// So many wait; the oldest ripens early when there are more.
const RIPENING: usize = 256;

/// So many of one sitting are kept before it is looked which of them is to be captured.
const UNREAD: usize = 8;

/// What ripens, in the order of its time.
#[derive(Default)]
pub(super) struct Debounce(VecDeque<Waiting>);

struct Waiting {
    due_at: Instant,
    sitting: Sitting,
}

/// Exchanges of one sitting of which one is to be captured. Which one is looked at as late as may be: the
/// newest alone tells enough, most often.
struct Sitting {
    oldest: Exchange,
    later: Vec<Exchange>,
}

impl Debounce {
    /// One more. Comes back: one that is to be captured at once, as another sitting's or as one too many.
    pub(super) fn push(&mut self, later: Exchange, now: Instant) -> Option<Exchange> {
        let before = self.0.iter().position(|waiting| waiting.viewer() == &later.viewer);
        if let Some(waiting) = before.and_then(|at| self.0.get_mut(at))
            && waiting.sitting.holds(&later)
        {
            waiting.sitting.later.push(later);
            return None;
        }
        let ended = match before {
            Some(at) => self.0.remove(at),
            None if self.0.len() == RIPENING => self.0.pop_front(),
            None => None,
        };
        let sitting = Sitting { oldest: later, later: Vec::new() };
        self.0.push_back(Waiting { due_at: now + RIPENS_IN, sitting });
        ended.map(|waiting| waiting.sitting.summed_up())
    }

    /// The one of this viewer, ripe or not.
    pub(super) fn take(&mut self, viewer: &Viewer) -> Option<Exchange> {
        let at = self.0.iter().position(|waiting| waiting.viewer() == viewer)?;
        Some(self.0.remove(at)?.sitting.summed_up())
    }

    /// The oldest ripe one of those that may be begun.
    pub(super) fn next(&mut self, now: Instant, may: impl Fn(&Exchange) -> bool) -> Option<Exchange> {
        let ripe = |waiting: &Waiting| waiting.due_at <= now && may(&waiting.sitting.oldest);
        let at = self.0.iter().position(ripe)?;
        Some(self.0.remove(at)?.sitting.summed_up())
    }

    /// Nothing waits for its time any more.
    pub(super) fn hasten(&mut self, now: Instant) {
        for waiting in &mut self.0 {
            waiting.due_at = waiting.due_at.min(now);
        }
    }

    /// When the next one is ripe that is not ripe yet.
    pub(super) fn due_at(&self, now: Instant) -> Option<Instant> {
        self.0.iter().map(|waiting| waiting.due_at).find(|due_at| *due_at > now)
    }

    /// Whether one waits for nothing but its turn.
    pub(super) fn any_ripe(&self, now: Instant) -> bool {
        self.0.front().is_some_and(|oldest| oldest.due_at <= now)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Waiting {
    fn viewer(&self) -> &Viewer {
        &self.sitting.oldest.viewer
    }
}

impl Sitting {
    /// Whether an exchange of the same viewer belongs to it for sure; otherwise it has its own summary.
    fn holds(&mut self, later: &Exchange) -> bool {
        if self.later.len() + 1 == UNREAD || !is_one_sitting(&self.oldest, later) {
            self.choose();
        }
        is_one_sitting(&self.oldest, later)
    }

    /// The exchange that is captured for all of them.
    fn summed_up(mut self) -> Exchange {
        self.choose();
        self.oldest
    }

    /// Keeps none but the one whose summary is that of the sitting: the newest that tells much, else the
    /// first of those that tell most.
    fn choose(&mut self) {
        let mut first = None;
        while let Some(newest) = self.later.pop() {
            match newest.telling() {
                Telling::Much => {
                    self.oldest = newest;
                    self.later.clear();
                    return;
                }
                told => first = first.filter(|(best, _)| *best > told).or(Some((told, newest))),
            }
        }
        if let Some((told, exchange)) = first
            && told.replaces(self.oldest.telling())
        {
            self.oldest = exchange;
        }
    }
}

/// Whether two exchanges of a viewer are of one sitting for sure.
fn is_one_sitting(earlier: &Exchange, later: &Exchange) -> bool {
    let said_at = |exchange: &Exchange| exchange.burst.last().map(|message| message.at);
    matches!((said_at(earlier), said_at(later)), (Some(one), Some(other)) if other.since(one) < SESSION_GAP)
}
