//! The store itself: whether it is well, and its end.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, TurnId};

use crate::{Health, Result};

/// What a store says of itself.
#[async_trait]
pub trait HealthStore: Send + Sync {
    /// What the store holds and whether it can write; for `doctor`.
    async fn health(&self) -> Result<Health>;

    /// Whether writes go through: one that did lately proves it, else one is tried. Cheap enough to be asked
    /// every second (S3).
    async fn ready(&self) -> Result<()>;

    /// Turns whose message lies in another channel than they do, with the channel of the turn: a defect, and so
    /// none in a sound store. For `doctor`; it looks at every turn.
    async fn stray_turns(&self) -> Result<Vec<(TurnId, ChannelKey)>>;

    /// Lets go of what is kept in memory of the stored alone, so that it is read from the disk when it is asked for again.
    async fn release_memory(&self);

    /// Finishes outstanding writes and closes. Later calls fail.
    async fn close(&self);
}
