//! Accounts of one person on several platforms (MP1).

use async_trait::async_trait;
use greenroom_core::UserRef;

use crate::Result;

/// Which accounts are one person's. What a person told under one of them is seen under the others; no memory changes, so
/// that it is seen as before once the accounts are no longer linked.
#[async_trait]
pub trait LinkStore: Send + Sync {
    /// Makes two accounts, and those that are linked with them, one person's.
    async fn link(&self, one: &UserRef, other: &UserRef) -> Result<()>;

    /// Takes an account out of its person's. False where it was linked with none.
    async fn unlink(&self, account: &UserRef) -> Result<bool>;

    /// The other accounts of the person, in order.
    async fn linked(&self, account: &UserRef) -> Result<Vec<UserRef>>;
}
