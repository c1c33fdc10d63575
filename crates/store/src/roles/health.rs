//! The store itself: whether it is well, and its end.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, TurnId};

use crate::{Health, Result};

/// The state of the store itself.
#[async_trait]
pub trait HealthStore: Send + Sync {
    /// What the store holds and whether it can write; for `doctor`.
    async fn health(&self) -> Result<Health>;

    /// Whether writes succeed: proven by a recent write, otherwise by a probe. Cheap enough to be asked every second
    /// (S3).
    async fn ready(&self) -> Result<()>;

    /// Turns whose channel differs from that of their message, with the channel of the turn. A sound store has none. For
    /// `doctor`; it looks at every turn.
    async fn stray_turns(&self) -> Result<Vec<(TurnId, ChannelKey)>>;

    /// Frees memory that only caches stored data; later reads come from disk.
    async fn release_memory(&self);

    /// Finishes outstanding writes and closes. Later calls fail.
    async fn close(&self);
}
