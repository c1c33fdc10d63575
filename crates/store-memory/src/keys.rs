//! Access keys for programs and people (X1, X2).

use async_trait::async_trait;
use greenroom_core::Timestamp;
use greenroom_store::{AccessKey, KeyStore, NewKey, Result, StoreError};

use crate::InMemoryStore;

#[async_trait]
impl KeyStore for InMemoryStore {
    async fn add_key(&self, new: NewKey) -> Result<AccessKey> {
        let keys = &mut self.state()?.keys;
        if keys.iter().any(|key| key.hash == new.hash) {
            return Err(StoreError::Invalid("there is such a key already; make another".into()));
        }
        let NewKey { label, role, user, hash, at } = new;
        // keys are never removed, so the ids have no gaps
        let id = keys.len() as i64 + 1;
        let key = AccessKey { id, label, role, user, hash, created_at: at, revoked_at: None };
        keys.push(key.clone());
        Ok(key)
    }

    async fn keys(&self) -> Result<Vec<AccessKey>> {
        Ok(self.state()?.keys.clone())
    }

    async fn revoke_key(&self, id: i64, at: Timestamp) -> Result<Option<AccessKey>> {
        let keys = &mut self.state()?.keys;
        let key = keys.iter_mut().find(|key| key.id == id);
        Ok(key.map(|key| {
            key.revoked_at = key.revoked_at.or(Some(at));
            key.clone()
        }))
    }
}
