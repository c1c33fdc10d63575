//! Breaks off a running turn: because it was stopped, its actor crashed, or something it was shown was erased.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Why a turn was broken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InterruptReason {
    /// A person stopped the reply, or the persona.
    Asked,
    /// The persona was let go (RM1).
    Left,
    /// The channel actor crashed (S7).
    Crashed,
    /// Something it was shown was erased (GR10).
    Forgotten,
}

/// Breaks off one turn. The first reason stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    token: CancellationToken,
    why: Arc<OnceLock<InterruptReason>>,
}

impl Interrupt {
    /// Breaks the turn off; does nothing to one that is over.
    pub(crate) fn trigger(&self, why: InterruptReason) {
        let _ = self.why.set(why);
        self.token.cancel();
    }

    /// Resolves when the turn is to be broken off.
    pub(crate) async fn triggered(&self) -> InterruptReason {
        self.token.cancelled().await;
        self.why.get().copied().unwrap_or(InterruptReason::Asked)
    }
}
