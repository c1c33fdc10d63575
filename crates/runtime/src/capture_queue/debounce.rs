//! Debounces exchanges from which only the session's summary is wanted (JV1). Each waits a few seconds, and a later
//! exchange of the same session replaces it, as its summary would. So a lively conversation costs one summary every few
//! seconds and not one per turn. Nothing is missed meanwhile, because a running session does not recall its own
//! summary. What the messages themselves tell is captured without this wait.

use std::{collections::VecDeque, time::Duration};

use greenroom_core::{Instant, Viewer};
use greenroom_memory::SummaryWorth;
use greenroom_store::SESSION_GAP;

use super::Exchange;

/// How long the first exchange of a session waits. An exchange that replaces it does not prolong the wait.
const DELAY: Duration = Duration::from_secs(5);

/// The most waiting sessions. If there are more, the oldest is due early.
const SESSIONS: usize = 256;

/// The most exchanges kept per session before one of them is chosen.
const UNREAD: usize = 8;

/// The waiting sessions. The one that is due first is in front.
#[derive(Default)]
pub(super) struct Debounce(VecDeque<Waiting>);

struct Waiting {
    due_at: Instant,
    session: Session,
}

/// Exchanges of one session, one of which is to be captured. It is chosen as late as possible, because usually the
/// newest says enough.
struct Session {
    oldest: Exchange,
    later: Vec<Exchange>,
}

impl Debounce {
    /// Adds an exchange. Returns one that has to be captured now: of an earlier session, or of the oldest if there are
    /// too many.
    pub(super) fn push(&mut self, later: Exchange, now: Instant) -> Option<Exchange> {
        let before = self.0.iter().position(|waiting| waiting.viewer() == &later.viewer);
        if let Some(waiting) = before.and_then(|at| self.0.get_mut(at))
            && waiting.session.holds(&later)
        {
            waiting.session.later.push(later);
            return None;
        }
        let ended = match before {
            Some(at) => self.0.remove(at),
            None if self.0.len() == SESSIONS => self.0.pop_front(),
            None => None,
        };
        let session = Session { oldest: later, later: Vec::new() };
        self.0.push_back(Waiting { due_at: now + DELAY, session });
        ended.map(|waiting| waiting.session.into_chosen())
    }

    /// Takes the exchange of this viewer, due or not.
    pub(super) fn take(&mut self, viewer: &Viewer) -> Option<Exchange> {
        let at = self.0.iter().position(|waiting| waiting.viewer() == viewer)?;
        Some(self.0.remove(at)?.session.into_chosen())
    }

    /// Takes the oldest exchange that is due and may be captured.
    pub(super) fn next(&mut self, now: Instant, may: impl Fn(&Exchange) -> bool) -> Option<Exchange> {
        let due = |waiting: &Waiting| waiting.due_at <= now && may(&waiting.session.oldest);
        let at = self.0.iter().position(due)?;
        Some(self.0.remove(at)?.session.into_chosen())
    }

    /// Makes every exchange due now.
    pub(super) fn flush(&mut self, now: Instant) {
        for waiting in &mut self.0 {
            waiting.due_at = waiting.due_at.min(now);
        }
    }

    /// When the next exchange becomes due, of those that are not due yet.
    pub(super) fn due_at(&self, now: Instant) -> Option<Instant> {
        self.0.iter().map(|waiting| waiting.due_at).find(|due_at| *due_at > now)
    }

    /// Whether an exchange is due.
    pub(super) fn any_due(&self, now: Instant) -> bool {
        self.0.front().is_some_and(|oldest| oldest.due_at <= now)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Waiting {
    fn viewer(&self) -> &Viewer {
        &self.session.oldest.viewer
    }
}

impl Session {
    /// Whether an exchange of the same viewer certainly belongs to the session. Otherwise it needs a summary of its
    /// own.
    fn holds(&mut self, later: &Exchange) -> bool {
        if self.later.len() + 1 == UNREAD || !is_one_session(&self.oldest, later) {
            self.choose();
        }
        is_one_session(&self.oldest, later)
    }

    /// Chooses the exchange that is captured for all of them.
    fn into_chosen(mut self) -> Exchange {
        self.choose();
        self.oldest
    }

    /// Keeps only the exchange to be captured: the newest that says much, else the first of those that say most.
    fn choose(&mut self) {
        let mut first = None;
        while let Some(newest) = self.later.pop() {
            match newest.summary_worth() {
                SummaryWorth::Full => {
                    self.oldest = newest;
                    self.later.clear();
                    return;
                }
                worth => first = first.filter(|(best, _)| *best > worth).or(Some((worth, newest))),
            }
        }
        if let Some((worth, exchange)) = first
            && worth.replaces(self.oldest.summary_worth())
        {
            self.oldest = exchange;
        }
    }
}

/// Whether two exchanges of a viewer are certainly of one session.
fn is_one_session(earlier: &Exchange, later: &Exchange) -> bool {
    let said_at = |exchange: &Exchange| exchange.burst.last().map(|message| message.at);
    matches!((said_at(earlier), said_at(later)), (Some(one), Some(other)) if other.since(one) < SESSION_GAP)
}
