//! Access keys for programs and people (X1, X2). Only their hashes are stored.

use async_trait::async_trait;
use greenroom_core::Timestamp;

use crate::{AccessKey, NewKey, Result};

/// Access keys.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Stores a key. Returns an error if the hash is already stored.
    async fn add_key(&self, key: NewKey) -> Result<AccessKey>;

    /// All keys, including revoked ones, oldest first. There are few keys, and the caller that checks requests reads
    /// them often.
    async fn keys(&self) -> Result<Vec<AccessKey>>;

    /// Revokes a key permanently. A key that is already revoked stays unchanged. `None` if no key has this id.
    async fn revoke_key(&self, id: i64, at: Timestamp) -> Result<Option<AccessKey>>;
}
