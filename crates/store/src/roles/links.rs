//! Links between accounts of one person on several platforms (MP1).

use async_trait::async_trait;
use greenroom_core::UserRef;

use crate::Result;

/// Stores which accounts belong to one person. Statements that the person made with one account are visible with the
/// others. Memories do not change, so that unlinking restores the earlier visibility.
#[async_trait]
pub trait LinkStore: Send + Sync {
    /// Links two accounts, and all accounts that are linked with either of them, to one person.
    async fn link(&self, one: &UserRef, other: &UserRef) -> Result<()>;

    /// Unlinks an account from its person. Returns false if it was linked with no other account.
    async fn unlink(&self, account: &UserRef) -> Result<bool>;

    /// The other accounts of the same person, sorted.
    async fn linked(&self, account: &UserRef) -> Result<Vec<UserRef>>;
}
