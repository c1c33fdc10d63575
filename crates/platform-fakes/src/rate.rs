//! Rate limits as the platforms count them: a number of calls within a period.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

/// The calls within the last period.
#[derive(Debug)]
pub(crate) struct Window {
    limit: usize,
    per: Duration,
    calls: VecDeque<Instant>,
}

impl Window {
    pub(crate) fn new(limit: usize, per: Duration) -> Self {
        Self { limit, per, calls: VecDeque::new() }
    }

    /// Counts a call. Returns the wait if the limit is reached.
    pub(crate) fn take(&mut self) -> Result<(), Duration> {
        let now = Instant::now();
        self.forget(now);
        if self.calls.len() < self.limit {
            self.calls.push_back(now);
            return Ok(());
        }
        Err(self.reset_after(now))
    }

    /// The number of calls that are still permitted.
    pub(crate) fn remaining(&mut self) -> usize {
        self.forget(Instant::now());
        self.limit - self.calls.len()
    }

    /// The time until another call is permitted; zero if none was counted.
    pub(crate) fn reset_after(&self, now: Instant) -> Duration {
        self.calls.front().map_or(Duration::ZERO, |first| (*first + self.per).saturating_duration_since(now))
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    fn forget(&mut self, now: Instant) {
        while self.calls.front().is_some_and(|first| now.duration_since(*first) >= self.per) {
            self.calls.pop_front();
        }
    }
}
