//! Permits for requests and streams, in total and for each user key or channel.

use std::{hash::Hash, sync::Arc};

use greenroom_store::Role;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    keyed::{KeyedPermit, KeyedSemaphore},
    refusal::too_many,
};
use crate::ApiError;

/// Permits for all callers, of which user keys may take a part.
pub(super) struct PermitPool {
    all: Arc<Semaphore>,
    for_users: Arc<Semaphore>,
    refusal: ApiError,
}

impl PermitPool {
    /// `all` permits. One in `reserved` is for operators; at least one is for users.
    pub(super) fn new(all: usize, reserved: usize, refusal: ApiError) -> Self {
        let places = |count: usize| Arc::new(Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)));
        Self { all: places(all), for_users: places(all - all / reserved), refusal }
    }

    pub(super) fn take(&self, role: Role) -> Result<[Option<OwnedSemaphorePermit>; 2], ApiError> {
        let take = |places: &Arc<Semaphore>| {
            places.clone().try_acquire_owned().map(Some).map_err(|_| self.refusal.clone())
        };
        let for_users = if role == Role::User { take(&self.for_users)? } else { None };
        Ok([take(&self.all)?, for_users])
    }
}

/// A limit for each user key or each channel, and the text of its refusal.
pub(super) struct UserLimit<K: Hash + Eq> {
    semaphore: KeyedSemaphore<K>,
    code: &'static str,
    what: &'static str,
    setting: &'static str,
}

impl<K: Hash + Eq + Clone> UserLimit<K> {
    pub(super) fn new(limit: usize, code: &'static str, what: &'static str, setting: &'static str) -> Self {
        Self { semaphore: KeyedSemaphore::new(limit), code, what, setting }
    }

    /// A permit of a key; `None` if there is no key to count.
    pub(super) fn take(&self, key: Option<&K>) -> Result<Option<KeyedPermit<K>>, ApiError> {
        let Some(key) = key else { return Ok(None) };
        let refusal = || too_many(self.code, self.what, self.semaphore.permits(), self.setting);
        self.semaphore.try_acquire(key).map(Some).ok_or_else(refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_users_leave_places_to_the_operator() {
        let places = |all| PermitPool::new(all, 8, ApiError::internal());
        let eight = places(8);
        let taken: Vec<_> = std::iter::from_fn(|| eight.take(Role::User).ok()).collect();
        assert_eq!(taken.len(), 7);
        let operators = eight.take(Role::Operator);
        assert!(operators.is_ok() && eight.take(Role::Operator).is_err());
        drop((taken, operators));
        assert!(eight.take(Role::User).is_ok());
        assert!(places(1).take(Role::User).is_ok());
    }
}
