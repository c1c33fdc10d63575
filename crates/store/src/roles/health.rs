//! The state of the store itself, and its shutdown.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, TurnId};

use crate::{Health, Result};

/// The state of the store itself.
#[async_trait]
pub trait HealthStore: Send + Sync {
    /// What the store contains and whether it can write; for `doctor`.
    async fn health(&self) -> Result<Health>;

    /// Reads the whole file and checks its structure; for `doctor`.
    ///
    /// # Errors
    /// [`StoreError::Damaged`](crate::StoreError::Damaged) if the structure is broken anywhere.
    async fn check_integrity(&self) -> Result<()>;

    /// Checks that writes succeed: by a recent write, otherwise by a probe. Cheap enough to call every second (S3).
    async fn ready(&self) -> Result<()>;

    /// Turns whose channel differs from the channel of their message, with the turn's channel. A sound store has none.
    /// Scans every turn; for `doctor`.
    async fn stray_turns(&self) -> Result<Vec<(TurnId, ChannelKey)>>;

    /// Frees memory that only caches stored data; later reads use the disk.
    async fn release_memory(&self);

    /// Completes outstanding writes and closes the store. Later calls fail.
    async fn close(&self);
}
