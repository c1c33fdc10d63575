//! Rates as the platforms count them: so many calls within a stretch of time.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

/// Calls within the last stretch of time.
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

    /// Counts a call, or returns how long the caller has to wait.
    pub(crate) fn take(&mut self) -> Result<(), Duration> {
        let now = Instant::now();
        self.forget(now);
        if self.calls.len() < self.limit {
            self.calls.push_back(now);
            return Ok(());
        }
        Err(self.reset_after(now))
    }

    /// The calls that are still allowed.
    pub(crate) fn remaining(&mut self) -> usize {
        self.forget(Instant::now());
        self.limit - self.calls.len()
    }

    /// The time until one more call is allowed than now; zero when none was counted.
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
