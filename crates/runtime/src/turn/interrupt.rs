//! Interrupts a running turn: because it was stopped, its persona was let go, or its actor crashed.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Why a turn was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InterruptReason {
    /// A person stopped the reply, or the persona.
    Asked,
    /// The persona was let go (RM1).
    Left,
    /// The channel actor crashed (S7).
    Crashed,
}

/// Interrupts one turn. Only the first reason counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    token: CancellationToken,
    why: Arc<OnceLock<InterruptReason>>,
}

impl Interrupt {
    /// Interrupts the turn. Does nothing if it has ended.
    pub(crate) fn trigger(&self, why: InterruptReason) {
        let _ = self.why.set(why);
        self.token.cancel();
    }

    /// Resolves when the turn is interrupted.
    pub(crate) async fn triggered(&self) -> InterruptReason {
        self.token.cancelled().await;
        self.why.get().copied().unwrap_or(InterruptReason::Asked)
    }
}
