//! Captures that were postponed: turns of whose exchange nothing was learned yet, because too much waited.

use async_trait::async_trait;
use greenroom_core::TurnId;

use crate::{Postponed, Result};

/// Marks at turns that wait to be captured.
#[async_trait]
pub trait CaptureStore: Send + Sync {
    /// Marks a turn: nothing was captured of its exchange yet. The mark goes with the turn when that is
    /// erased; of a turn that is not there nothing is marked.
    async fn postpone_capture(&self, turn: TurnId) -> Result<()>;

    /// The oldest `limit` turns that are marked, with what was said in them.
    async fn postponed_captures(&self, limit: usize) -> Result<Vec<Postponed>>;

    /// How many turns are marked.
    async fn count_postponed(&self) -> Result<u64>;

    /// Takes a turn's mark away.
    async fn capture_settled(&self, turn: TurnId) -> Result<()>;
}
