//! The interface to time: the clock and every wait (SM2). The caller passes it in, so that a test or a simulation
//! controls it. `scripts/check-time` finds code that asks the machine instead.

mod simulated;

use std::{
    fmt,
    pin::Pin,
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use tokio::{task::coop::unconstrained, time};
use utoipa::ToSchema;

pub use simulated::SimulatedTime;
pub use tokio::time::Instant;

/// A moment: microseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This moment and `d` more; saturates.
    pub fn after(self, d: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(d.as_micros()).unwrap_or(i64::MAX)))
    }
    /// This moment less `d`; saturates.
    pub fn before(self, d: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(d.as_micros()).unwrap_or(i64::MAX)))
    }
    /// The time since `earlier`; zero if `earlier` lies ahead, since a clock may jump back (S5).
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// A wait of a [`Time`].
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A limit of time passed before the work was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the time limit passed")]
pub struct Elapsed;

/// Time, real or virtual. The provided methods are real time, as tokio measures it: a test can pause it.
pub trait Time: Send + Sync + fmt::Debug {
    /// The present moment, as a calendar shows it. It can jump.
    fn now(&self) -> Timestamp;
    /// The present moment of a clock that never goes back: for time limits and durations.
    fn instant(&self) -> Instant {
        Instant::now()
    }
    /// Waits until `at`. The future borrows nothing from `self`.
    fn sleep_until(&self, at: Instant) -> Sleep {
        // unconstrained: a task that has used up tokio's cooperative budget still sees that the time has passed
        Box::pin(unconstrained(time::sleep_until(at)))
    }
}

impl dyn Time + '_ {
    /// How long ago `begun` was.
    pub fn elapsed(&self, begun: Instant) -> Duration {
        self.instant().saturating_duration_since(begun)
    }

    /// The moment `limit` from now; thirty years from now if the clock cannot represent that moment.
    pub fn deadline(&self, limit: Duration) -> Instant {
        const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
        let now = self.instant();
        now.checked_add(limit).unwrap_or_else(|| now + FAR)
    }

    /// Waits for `duration`.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.sleep_until(self.deadline(duration))
    }

    /// Does `work` for at most `limit`.
    ///
    /// # Errors
    /// [`Elapsed`] where the limit passed first; the work is dropped.
    pub fn timeout<F: Future>(
        &self,
        limit: Duration,
        work: F,
    ) -> impl Future<Output = Result<F::Output, Elapsed>> + use<F> {
        self.timeout_at(self.deadline(limit), work)
    }

    /// Does `work` until `at` at the latest.
    ///
    /// # Errors
    /// As `timeout`.
    pub fn timeout_at<F: Future>(
        &self,
        at: Instant,
        work: F,
    ) -> impl Future<Output = Result<F::Output, Elapsed>> + use<F> {
        let late = self.sleep_until(at);
        async move {
            tokio::select! {
                biased;
                done = work => Ok(done),
                () = late => Err(Elapsed),
            }
        }
    }
}

/// Real time, for work outside a simulation: endpoints, processes, files and terminals know no virtual time.
pub fn real_time() -> &'static dyn Time {
    &SystemClock
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Time for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

/// A clock whose present moment changes only when the caller moves it, and whose waits are real; for tests.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `at`.
    pub fn at(at: Timestamp) -> Self {
        Self(AtomicI64::new(at.0))
    }
    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX), Ordering::SeqCst);
    }
    /// Moves the clock back, as a time server does with a machine whose clock was fast.
    pub fn set_back(&self, by: Duration) {
        self.0.fetch_sub(i64::try_from(by.as_micros()).unwrap_or(i64::MAX), Ordering::SeqCst);
    }
}

impl Time for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
