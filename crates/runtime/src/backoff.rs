//! How soon a crashed actor restarts, and when it no longer does (S7). Pure: the caller passes the time in.

use std::{collections::VecDeque, time::Duration};

use greenroom_core::Instant;

/// Crashes further apart than this count as independent.
const WINDOW: Duration = Duration::from_secs(60);
/// At most this many restarts within the window; the next crash is the last.
const RESTARTS: usize = 5;
/// The wait before the first restart; it doubles from there.
const FIRST: Duration = Duration::from_millis(100);

/// What to do after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Start the actor again after this time.
    RestartAfter(Duration),
    /// It crashes too often. It stays stopped until the operator starts it.
    GiveUp,
}

/// The crashes of one actor within the window.
#[derive(Debug, Default)]
pub(crate) struct Crashes(VecDeque<Instant>);

impl Crashes {
    /// Records a crash and decides.
    pub(crate) fn another(&mut self, now: Instant) -> Verdict {
        while self.0.front().is_some_and(|at| now.duration_since(*at) > WINDOW) {
            self.0.pop_front();
        }
        self.0.push_back(now);
        match self.0.len() {
            n if n > RESTARTS => Verdict::GiveUp,
            // 0.1, 0.2, 0.4, 0.8, 1.6 seconds: all five waits fit into the window
            n => Verdict::RestartAfter(FIRST * (1 << (n - 1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s7_restarts_wait_twice_as_long_each_time_and_then_end() {
        let mut crashes = Crashes::default();
        let now = Instant::now();
        let waits: Vec<_> = (0..6).map(|_| crashes.another(now)).collect();
        let expected = [100, 200, 400, 800, 1600].map(|ms| Verdict::RestartAfter(Duration::from_millis(ms)));
        assert_eq!(waits[..5], expected);
        assert_eq!(waits[5], Verdict::GiveUp);
    }

    #[test]
    fn s7_crashes_far_apart_never_add_up() {
        let mut crashes = Crashes::default();
        let start = Instant::now();
        for minute in 0..100u32 {
            let verdict = crashes.another(start + Duration::from_secs(61) * minute);
            assert_eq!(verdict, Verdict::RestartAfter(FIRST));
        }
    }
}
