//! Following erasures (GR10): what this process knows of turns in a channel goes when something was erased there, by
//! this process or another.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use greenroom_core::{ChannelKey, Instant, Time};
use greenroom_store::Store;

use crate::{capture_queue::CaptureQueue, hub::Hub, turn::contexts::RecentContexts};

/// Follows the erasures that the store numbers.
pub(crate) struct Erasures {
    store: Arc<dyn Store>,
    clock: Arc<dyn Time>,
    hub: Arc<Hub>,
    contexts: Arc<RecentContexts>,
    capture_queue: Arc<CaptureQueue>,
    /// The newest erasure that this process has followed.
    followed: AtomicI64,
    /// When the last look at the store began that succeeded.
    looked: Mutex<Option<Instant>>,
    /// Whether the newest erasure could not be read the last time.
    unknown: AtomicBool,
    /// How often turns that are not stored may have been shown something that was erased.
    unstored: AtomicU64,
    /// Whether turns of before are hidden then.
    hides: bool,
}

impl Erasures {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Time>,
        hub: Arc<Hub>,
        contexts: Arc<RecentContexts>,
        capture_queue: Arc<CaptureQueue>,
        hides: bool,
    ) -> Self {
        Self {
            store,
            clock,
            hub,
            contexts,
            capture_queue,
            followed: AtomicI64::new(0),
            looked: Mutex::default(),
            unknown: AtomicBool::new(false),
            unstored: AtomicU64::new(0),
            hides,
        }
    }

    /// Whether turns of before are hidden when something is erased, and turns under way broken off.
    pub(crate) fn hides(&self) -> bool {
        self.hides
    }

    /// The newest erasure that this process has followed.
    pub(crate) fn followed(&self) -> i64 {
        self.followed.load(Ordering::SeqCst)
    }

    /// How often something was erased that a turn which is not stored may have been shown.
    pub(crate) fn unstored(&self) -> u64 {
        self.unstored.load(Ordering::Acquire)
    }

    /// Follows the erasures, unless another turn has within this time: every running turn asks ten times a second, and one
    /// look serves them all.
    pub(crate) async fn follow_within(&self, time: Duration) -> i64 {
        let looked = *self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.is_some_and(|at| self.clock.elapsed(at) < time) {
            self.followed()
        } else {
            self.follow().await
        }
    }

    /// Follows every erasure there has been. What this process tells afterwards holds nothing of what was erased.
    /// Returns the number of the newest erasure.
    pub(crate) async fn follow(&self) -> i64 {
        let (begun, followed) = (self.clock.instant(), self.followed());
        let erased = self.store.erased_since(followed).await;
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = erased.is_ok().then_some(begun);
        // running turns ask again and again: a failure is logged once
        let failed_before = self.unknown.swap(erased.is_err(), Ordering::SeqCst);
        match erased {
            Ok(erased) if erased.end == followed => followed,
            Ok(erased) => {
                self.forget_turns(|channel| erased.reaches(channel), erased.end);
                // a concurrent call has forgotten the same
                self.followed.store(erased.end, Ordering::SeqCst);
                erased.end
            }
            Err(error) => {
                if !failed_before {
                    tracing::warn!(%error, "what was erased is not known; nothing of earlier turns is told");
                }
                self.forget_turns(|_| true, followed);
                followed
            }
        }
    }

    /// Forgets what this process knows of turns in some channels: their contexts, the events for late listeners, and
    /// notices that wait. `erased` is the newest erasure that is followed by that.
    pub(crate) fn forget_turns(&self, concerned: impl Fn(&ChannelKey) -> bool, erased: i64) {
        if !self.hides {
            return;
        }
        if concerned(&ChannelKey::nowhere()) {
            self.unstored.fetch_add(1, Ordering::Release);
        }
        self.contexts.forget(&concerned, erased);
        self.capture_queue.forget(&concerned);
        self.hub.forget(concerned, erased);
    }
}
