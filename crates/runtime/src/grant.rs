//! The tokens that one answer may take in its room. They cover everything that is done for the answer: its own model
//! calls, those of small models before and after it, and the moderator that chose it (RM4).
//!
//! Each answer that counts against the limits has one grant, so the grants of a chain never exceed `chain ×
//! tokens_per_answer` (RM5).

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The tokens that an answer may take, and those that it has taken.
#[derive(Debug)]
pub(crate) struct Grant {
    limit: AtomicU64,
    /// Tokens used by the turn's own calls.
    own: AtomicU64,
    /// Tokens used and reserved by calls of other models for this answer.
    beside: AtomicU64,
}

impl Grant {
    /// A grant of this many tokens.
    pub(crate) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit: AtomicU64::new(limit), own: AtomicU64::new(0), beside: AtomicU64::new(0) })
    }

    /// The tokens granted in all.
    pub(crate) fn limit(&self) -> u64 {
        self.limit.load(Ordering::SeqCst)
    }

    /// The same grant with a limit of at most this: a moderator used it before the answer that pays for it was known.
    pub(crate) fn lowered_to(self: Arc<Self>, limit: u64) -> Arc<Self> {
        self.limit.fetch_min(limit, Ordering::SeqCst);
        self
    }

    /// The tokens left when the turn's own calls have used `own`.
    pub(crate) fn left(&self, own: u64) -> u64 {
        self.limit().saturating_sub(own).saturating_sub(self.beside.load(Ordering::SeqCst))
    }

    /// The tokens left for calls of other models.
    pub(crate) fn left_beside(&self) -> u64 {
        self.left(self.own.load(Ordering::SeqCst))
    }

    /// Sets what the turn's own calls have used, or are about to use.
    pub(crate) fn set_own(&self, tokens: u64) {
        self.own.store(tokens, Ordering::SeqCst);
    }

    /// Reserves tokens for a call of another model. Returns false, and reserves nothing, if fewer are left.
    pub(crate) fn reserve(&self, tokens: u64) -> bool {
        let room = self.limit().saturating_sub(self.own.load(Ordering::SeqCst));
        let add = |taken: u64| taken.checked_add(tokens).filter(|taken| *taken <= room);
        self.beside.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add).is_ok()
    }

    /// Ends a reservation: the call used `used` of the `reserved` tokens.
    pub(crate) fn settle(&self, reserved: u64, used: u64) {
        let spare = reserved.saturating_sub(used);
        let less = |taken: u64| Some(taken.saturating_sub(spare));
        let _ = self.beside.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
    }

    /// Whether a call of another model has used or reserved tokens.
    pub(crate) fn is_touched(&self) -> bool {
        self.beside.load(Ordering::SeqCst) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rm4_what_small_models_take_is_no_longer_there_for_the_answer() {
        let grant = Grant::new(1_000);
        assert!(grant.reserve(300));
        assert_eq!(grant.left(0), 700);
        grant.settle(300, 120);
        assert_eq!((grant.left(0), grant.left(500)), (880, 380));
        grant.set_own(500);
        assert!(!grant.reserve(381), "the answer has taken that");
        assert!(grant.reserve(380));
        assert_eq!(grant.left_beside(), 0);
    }
}
