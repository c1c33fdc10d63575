//! Keys that let programs and people in (X1, X2). Only their hashes are stored.

use async_trait::async_trait;
use greenroom_core::Timestamp;

use crate::{AccessKey, NewKey, Result};

/// Access keys.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Keeps a key. A hash that is kept already is an error.
    async fn add_key(&self, key: NewKey) -> Result<AccessKey>;

    /// Every key that was ever made, revoked ones too, the oldest first. They are few, and a caller that
    /// lets callers in reads them again and again.
    async fn keys(&self) -> Result<Vec<AccessKey>>;

    /// Revokes a key for good; one that was revoked before stays as it is. `None` when there is none
    /// of this number.
    async fn revoke_key(&self, id: i64, at: Timestamp) -> Result<Option<AccessKey>>;
}
