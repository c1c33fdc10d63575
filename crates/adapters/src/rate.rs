//! Token buckets: `burst` permits at once, then one per interval. The caller passes the time.

use std::time::Duration;

use tokio::time::Instant;

use crate::Rate;

/// The bucket of one rate. It stores only the time at which it will be full; the level follows from that.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    rate: Rate,
    full_at: Instant,
}

impl Bucket {
    /// A full bucket.
    pub fn new(rate: Rate, now: Instant) -> Self {
        Self { rate, full_at: now }
    }

    /// The time until the next permit; zero if one is available.
    pub fn wait(&self, now: Instant) -> Duration {
        let missing = self.full_at.saturating_duration_since(now);
        missing.saturating_sub(self.rate.every * self.rate.burst.saturating_sub(1))
    }

    /// Takes one permit, even if none is available.
    pub fn take(&mut self, now: Instant) {
        self.full_at = self.full_at.max(now) + self.rate.every;
    }

    /// Gives no permits for `wait`, because the platform asked for that.
    pub fn hold(&mut self, now: Instant, wait: Duration) {
        let until = now + wait + self.rate.every * self.rate.burst.saturating_sub(1);
        self.full_at = self.full_at.max(until);
    }

    /// Changes the rate.
    pub fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// Whether the bucket is full. A full bucket need not be kept.
    pub fn is_full(&self, now: Instant) -> bool {
        self.full_at <= now
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn ad1_a_burst_is_permitted_and_then_one_in_each_interval() {
        let start = Instant::now();
        let mut bucket = Bucket::new(Rate { burst: 3, every: 2 * SECOND }, start);
        for _ in 0..3 {
            assert_eq!(bucket.wait(start), Duration::ZERO);
            bucket.take(start);
        }
        assert_eq!(bucket.wait(start), 2 * SECOND);
        assert_eq!(bucket.wait(start + 2 * SECOND), Duration::ZERO);
        bucket.take(start + 2 * SECOND);
        assert_eq!(bucket.wait(start + 3 * SECOND), SECOND);
        assert!(bucket.is_full(start + 8 * SECOND));
    }

    #[test]
    fn ad1_a_platform_that_asks_to_wait_is_obeyed() {
        let start = Instant::now();
        let mut bucket = Bucket::new(Rate { burst: 5, every: SECOND }, start);
        bucket.hold(start, 30 * SECOND);
        assert_eq!(bucket.wait(start), 30 * SECOND);
        assert_eq!(bucket.wait(start + 30 * SECOND), Duration::ZERO);
    }

    proptest! {
        /// In any period, at most the burst plus one per interval is permitted.
        #[test]
        fn ad1_no_more_than_the_rate_is_ever_permitted(
            burst in 1_u32..6,
            steps in proptest::collection::vec(0_u64..3_000, 1..200),
        ) {
            let start = Instant::now();
            let mut bucket = Bucket::new(Rate { burst, every: SECOND }, start);
            let (mut now, mut taken) = (start, Vec::new());
            for step in steps {
                now += Duration::from_millis(step);
                if bucket.wait(now).is_zero() {
                    bucket.take(now);
                    taken.push(now);
                }
            }
            for (n, from) in taken.iter().enumerate() {
                for (m, to) in taken.iter().enumerate().skip(n) {
                    let permitted = f64::from(burst) + (*to - *from).as_secs_f64();
                    prop_assert!((m - n + 1) as f64 <= permitted + 1e-6);
                }
            }
        }
    }
}
