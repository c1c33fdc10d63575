//! A semaphore and a rate limit with a count for each key: a caller, an address, a channel.

use std::{hash::Hash, num::NonZeroU32, sync::Arc, time::Duration};

use dashmap::DashMap;
use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};

/// A semaphore for each key. A key without permits takes no memory.
#[derive(Debug)]
pub(crate) struct KeyedSemaphore<K: Eq + Hash> {
    permits: usize,
    taken: Arc<DashMap<K, usize>>,
}

/// A permit; dropping it gives it back.
#[derive(Debug)]
#[must_use = "a permit that is not kept is given back at once"]
pub(crate) struct KeyedPermit<K: Eq + Hash> {
    key: K,
    taken: Arc<DashMap<K, usize>>,
}

impl<K: Eq + Hash + Clone> KeyedSemaphore<K> {
    /// The number of permits of each key; 0 is unlimited.
    pub(crate) fn new(permits: usize) -> Self {
        Self { permits: if permits == 0 { usize::MAX } else { permits }, taken: Arc::default() }
    }

    /// A permit of a key; `None` if all of them are taken.
    pub(crate) fn try_acquire(&self, key: &K) -> Option<KeyedPermit<K>> {
        let mut count = self.taken.entry(key.clone()).or_insert(0);
        if *count >= self.permits {
            return None;
        }
        *count += 1;
        Some(KeyedPermit { key: key.clone(), taken: self.taken.clone() })
    }

    /// The number of permits of each key.
    pub(crate) fn permits(&self) -> usize {
        self.permits
    }
}

impl<K: Eq + Hash> Drop for KeyedPermit<K> {
    fn drop(&mut self) {
        if let Some(mut count) = self.taken.get_mut(&self.key) {
            *count -= 1;
        }
        self.taken.remove_if(&self.key, |_, count| *count == 0);
    }
}

/// A rate limit for each key.
pub(crate) struct KeyedRate<K: Eq + Hash + Clone>(Option<DefaultKeyedRateLimiter<K>>);

impl<K: Eq + Hash + Clone> KeyedRate<K> {
    /// The number of requests a minute of each key; 0 is unlimited.
    pub(crate) fn per_minute(requests: u32) -> Self {
        Self(NonZeroU32::new(requests).map(|requests| RateLimiter::dashmap(Quota::per_minute(requests))))
    }

    /// Counts a request of a key.
    ///
    /// # Errors
    /// The time until the next request is allowed.
    pub(crate) fn check(&self, key: &K) -> Result<(), Duration> {
        let Some(limiter) = &self.0 else { return Ok(()) };
        limiter.check_key(key).map_err(|until| until.wait_time_from(DefaultClock::default().now()))
    }

    /// Frees the memory of keys whose requests no longer count.
    pub(crate) fn forget(&self) {
        if let Some(limiter) = &self.0 {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_each_key_has_permits_of_its_own_and_gives_them_back() {
        let semaphore = KeyedSemaphore::new(2);
        let (one, _two) = (semaphore.try_acquire(&"ann").unwrap(), semaphore.try_acquire(&"ann").unwrap());
        assert!(semaphore.try_acquire(&"ann").is_none());
        let bobs = semaphore.try_acquire(&"bob").unwrap();
        drop(one);
        assert!(semaphore.try_acquire(&"ann").is_some());
        drop(bobs);
        assert!(!semaphore.taken.contains_key("bob"), "a key without permits takes no memory");
    }

    #[test]
    fn b2_zero_is_unlimited() {
        let semaphore = KeyedSemaphore::new(0);
        let all: Vec<_> = (0..1_000).map(|_| semaphore.try_acquire(&1)).collect();
        assert!(all.iter().all(Option::is_some));
        assert!((0..1_000).all(|_| KeyedRate::per_minute(0).check(&1).is_ok()));
    }
}
