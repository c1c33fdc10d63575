//! How many of something each may hold at a time: a caller, an address, a channel.

use std::{hash::Hash, sync::Arc};

use dashmap::DashMap;

/// Counts what each holder has; who has nothing takes no room.
#[derive(Debug)]
pub(crate) struct Shares<K: Eq + Hash> {
    most: usize,
    held: Arc<DashMap<K, usize>>,
}

/// One of them, given back when dropped.
#[derive(Debug)]
#[must_use = "it is given back at once"]
pub(crate) struct Share<K: Eq + Hash> {
    holder: K,
    held: Arc<DashMap<K, usize>>,
}

impl<K: Eq + Hash + Clone> Shares<K> {
    /// At most so many for each; 0 is unlimited.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: if most == 0 { usize::MAX } else { most }, held: Arc::default() }
    }

    /// One more, unless the holder has as many as it may have.
    pub(crate) fn take(&self, holder: &K) -> Option<Share<K>> {
        let mut count = self.held.entry(holder.clone()).or_insert(0);
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Share { holder: holder.clone(), held: self.held.clone() })
    }

    /// How many each may have.
    pub(crate) fn most(&self) -> usize {
        self.most
    }
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let gone = self.held.get_mut(&self.holder).is_some_and(|mut count| {
            *count -= 1;
            *count == 0
        });
        if gone {
            self.held.remove_if(&self.holder, |_, count| *count == 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_each_has_a_share_of_its_own_and_gives_it_back() {
        let shares = Shares::new(2);
        let (one, _two) = (shares.take(&"ann").unwrap(), shares.take(&"ann").unwrap());
        assert!(shares.take(&"ann").is_none());
        let bobs = shares.take(&"bob").unwrap();
        drop(one);
        assert!(shares.take(&"ann").is_some());
        drop(bobs);
        assert!(!shares.held.contains_key("bob"), "who has nothing takes no room");
    }

    #[test]
    fn b2_zero_is_unlimited() {
        let shares = Shares::new(0);
        let all: Vec<_> = (0..1_000).map(|_| shares.take(&1)).collect();
        assert!(all.iter().all(Option::is_some));
    }
}
