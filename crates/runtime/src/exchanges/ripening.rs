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

/// What ripens, in the order of its time.
#[derive(Default)]
pub(super) struct Ripening(VecDeque<Waiting>);

struct Waiting {
    ripe_at: Instant,
    exchange: Exchange,
    telling: Telling,
}

impl Ripening {
    /// One more. Comes back: one that is to be captured at once, as another sitting's or as one too many.
    pub(super) fn push(&mut self, later: Exchange, now: Instant) -> Option<Exchange> {
        let told = later.telling();
        let before = self.0.iter_mut().find(|waiting| waiting.exchange.viewer == later.viewer);
        if let Some(Waiting { exchange: earlier, telling, .. }) = before
            && is_one_sitting(earlier, &later)
        {
            if told.replaces(*telling) {
                (*earlier, *telling) = (later, told);
            }
            return None;
        }
        let early = match self.take(&later.viewer) {
            None if self.0.len() == RIPENING => self.0.pop_front().map(|oldest| oldest.exchange),
            ended => ended,
        };
        self.0.push_back(Waiting { ripe_at: now + RIPENS_IN, exchange: later, telling: told });
        early
    }

    /// The one of this viewer, ripe or not.
    pub(super) fn take(&mut self, viewer: &Viewer) -> Option<Exchange> {
        let at = self.0.iter().position(|waiting| &waiting.exchange.viewer == viewer)?;
        Some(self.0.remove(at)?.exchange)
    }

    /// The oldest ripe one of those that may be begun.
    pub(super) fn next(&mut self, now: Instant, may: impl Fn(&Exchange) -> bool) -> Option<Exchange> {
        let at = self.0.iter().position(|waiting| waiting.ripe_at <= now && may(&waiting.exchange))?;
        Some(self.0.remove(at)?.exchange)
    }

    /// Nothing waits for its time any more.
    pub(super) fn hasten(&mut self, now: Instant) {
        for waiting in &mut self.0 {
            waiting.ripe_at = waiting.ripe_at.min(now);
        }
    }

    /// When the next one is ripe that is not ripe yet.
    pub(super) fn ripe_at(&self, now: Instant) -> Option<Instant> {
        self.0.iter().map(|waiting| waiting.ripe_at).find(|ripe_at| *ripe_at > now)
    }

    /// Whether one waits for nothing but its turn.
    pub(super) fn any_ripe(&self, now: Instant) -> bool {
        self.0.front().is_some_and(|oldest| oldest.ripe_at <= now)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Whether two exchanges of a viewer are of one sitting for sure; otherwise each has its own summary.
fn is_one_sitting(earlier: &Exchange, later: &Exchange) -> bool {
    let said_at = |exchange: &Exchange| exchange.burst.last().map(|message| message.at);
    matches!((said_at(earlier), said_at(later)), (Some(one), Some(other)) if other.since(one) < SESSION_GAP)
}
