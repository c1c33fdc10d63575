//! Postponed captures: turns whose exchange was not yet captured as memories, because the capture queue was full.

use async_trait::async_trait;
use greenroom_core::TurnId;

use crate::{Postponed, Result};

/// Marks on turns that wait to be captured.
#[async_trait]
pub trait CaptureStore: Send + Sync {
    /// Marks a turn as not yet captured. Erasing the turn removes the mark. If the turn does not exist, nothing is
    /// marked.
    async fn postpone_capture(&self, turn: TurnId) -> Result<()>;

    /// The oldest `limit` marked turns, with their messages.
    async fn postponed_captures(&self, limit: usize) -> Result<Vec<Postponed>>;

    /// The number of marked turns.
    async fn count_postponed(&self) -> Result<u64>;

    /// Removes the mark of a turn.
    async fn capture_settled(&self, turn: TurnId) -> Result<()>;
}
