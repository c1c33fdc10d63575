//! Virtual time (SM2). It moves only when the simulation moves it, never while work is done. So no time limit passes
//! because the machine is slow. tokio's paused clock cannot promise that: it advances while an endpoint answers.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::time::Instant;

use super::{Sleep, Time, Timestamp};

/// Virtual time. Clones are handles to the same.
#[derive(Debug, Clone)]
pub struct SimulatedTime(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    begin: Timestamp,
    /// The [`Instant`] that corresponds to `begin`.
    origin: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    now: Timestamp,
    /// The waits by the moment at which they end, then by the order in which they began.
    sleeping: BTreeMap<(Timestamp, u64), Waker>,
    begun: u64,
}

impl SimulatedTime {
    /// Time that begins at `begin` and stays there until it is moved.
    pub fn at(begin: Timestamp) -> Self {
        let state = State { now: begin, sleeping: BTreeMap::new(), begun: 0 };
        Self(Arc::new(Shared { begin, origin: Instant::now(), state: Mutex::new(state) }))
    }

    /// When the next wait ends, if one is under way.
    pub fn next_wait(&self) -> Option<Timestamp> {
        self.0.state().sleeping.first_key_value().map(|((at, _), _)| *at)
    }

    /// Moves the time to `to` and ends the waits until then, in their order. Time never goes back: an earlier moment
    /// changes nothing.
    pub fn advance_to(&self, to: Timestamp) {
        let ended = {
            let mut state = self.0.state();
            state.now = state.now.max(to);
            let rest = state.sleeping.split_off(&(Timestamp(to.0.saturating_add(1)), 0));
            std::mem::replace(&mut state.sleeping, rest)
        };
        ended.into_values().for_each(Waker::wake);
    }
}

impl Time for SimulatedTime {
    fn now(&self) -> Timestamp {
        self.0.state().now
    }

    fn instant(&self) -> Instant {
        self.0.origin + self.now().since(self.0.begin)
    }

    fn sleep_until(&self, at: Instant) -> Sleep {
        let after = at.saturating_duration_since(self.0.origin);
        // rounds up to whole microseconds, so that no wait ends early
        let ceil = after + Duration::from_nanos(999);
        Box::pin(Wait { shared: self.0.clone(), until: self.0.begin.after(ceil), key: None })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Wait {
    shared: Arc<Shared>,
    until: Timestamp,
    key: Option<(Timestamp, u64)>,
}

impl Future for Wait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let shared = self.shared.clone();
        let mut state = shared.state();
        if state.now >= self.until {
            return Poll::Ready(());
        }
        let key = self.key.unwrap_or((self.until, state.begun));
        state.begun = state.begun.max(key.1 + 1);
        self.key = Some(key);
        state.sleeping.insert(key, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.shared.state().sleeping.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    fn poll<F: Future + Unpin>(future: &mut F) -> bool {
        Pin::new(future).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn sm2_a_wait_ends_when_the_time_is_moved_and_never_before() {
        let begin = Timestamp(1_000);
        let time = SimulatedTime::at(begin);
        let shown: &dyn Time = &time;
        let mut hour = shown.sleep(Duration::from_secs(3600));
        assert!(!poll(&mut hour));
        let end = begin.after(Duration::from_secs(3600));
        assert_eq!(time.next_wait(), Some(end));
        time.advance_to(Timestamp(end.0 - 1));
        assert!(!poll(&mut hour));
        time.advance_to(end);
        assert!(poll(&mut hour));
        assert_eq!((time.now(), time.next_wait()), (end, None));
    }

    #[test]
    fn sm2_a_limit_passes_in_virtual_time_alone() {
        let time = SimulatedTime::at(Timestamp(0));
        let shown: &dyn Time = &time;
        let mut limited = Box::pin(shown.timeout(Duration::from_millis(1), std::future::pending::<()>()));
        assert!(!poll(&mut limited));
        time.advance_to(Timestamp(1_000));
        assert!(poll(&mut limited));
    }

    #[test]
    fn sm2_a_dropped_wait_leaves_nothing_behind() {
        let time = SimulatedTime::at(Timestamp(0));
        let mut wait = time.sleep_until(time.instant() + Duration::from_secs(1));
        assert!(!poll(&mut wait));
        drop(wait);
        assert_eq!(time.next_wait(), None);
    }

    #[test]
    fn sm2_time_never_goes_back() {
        let time = SimulatedTime::at(Timestamp(5));
        time.advance_to(Timestamp(3));
        assert_eq!(time.now(), Timestamp(5));
    }
}
