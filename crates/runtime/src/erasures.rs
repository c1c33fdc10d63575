//! Follows erasures (GR10). When this process or another erases something in a channel, this process drops what it
//! keeps of turns there.

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

/// Follows the erasures, which the store numbers.
pub(crate) struct Erasures {
    store: Arc<dyn Store>,
    clock: Arc<dyn Time>,
    hub: Arc<Hub>,
    contexts: Arc<RecentContexts>,
    capture_queue: Arc<CaptureQueue>,
    /// The newest erasure that this process has followed.
    followed: AtomicI64,
    /// When the last successful look at the store began.
    looked: Mutex<Option<Instant>>,
    /// Whether the last attempt to read the newest erasure failed.
    unknown: AtomicBool,
    /// How many erasures may concern turns that are not stored.
    unstored: AtomicU64,
    /// Whether an erasure hides earlier turns.
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

    /// Whether an erasure hides earlier turns and interrupts running ones.
    pub(crate) fn hides(&self) -> bool {
        self.hides
    }

    /// The newest erasure that this process has followed.
    pub(crate) fn followed(&self) -> i64 {
        self.followed.load(Ordering::SeqCst)
    }

    /// How many erasures may concern turns that are not stored.
    pub(crate) fn unstored(&self) -> u64 {
        self.unstored.load(Ordering::Acquire)
    }

    /// Follows the erasures, unless that was done within this time. Every running turn asks ten times a second, and one
    /// look serves them all.
    pub(crate) async fn follow_within(&self, time: Duration) -> i64 {
        let looked = *self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.is_some_and(|at| self.clock.elapsed(at) < time) {
            self.followed()
        } else {
            self.follow().await
        }
    }

    /// Follows all erasures so far. Afterwards this process publishes nothing that they erased.
    /// Returns the number of the newest erasure.
    pub(crate) async fn follow(&self) -> i64 {
        let (begun, followed) = (self.clock.instant(), self.followed());
        let erased = self.store.erased_since(followed).await;
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = erased.is_ok().then_some(begun);
        // running turns ask again and again, so a failure is logged once
        let failed_before = self.unknown.swap(erased.is_err(), Ordering::SeqCst);
        match erased {
            Ok(erased) if erased.end == followed => followed,
            Ok(erased) => {
                self.forget_turns(|channel| erased.reaches(channel), erased.end);
                // a concurrent call has done the same
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

    /// Drops what this process keeps of turns in some channels: their contexts, the events for late listeners, and
    /// waiting notices. `erased` is the newest erasure that this follows.
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
