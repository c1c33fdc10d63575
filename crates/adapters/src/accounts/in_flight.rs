//! Tracks posts whose platform ids are not stored yet. A person may reply to such a post before its id is stored; the
//! reply then waits here for the id.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use greenroom_core::ChannelKey;
use tokio::{sync::watch, time::timeout};

/// The longest wait for an id. The wait may block the connection that delivers the id, so it must end.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// The posts in flight of all accounts.
#[derive(Default)]
pub(super) struct InFlight {
    posts: watch::Sender<Vec<(ChannelKey, u64)>>,
    next: AtomicU64,
}

/// A guard for a post in flight.
pub(super) struct Flight<'a> {
    all: &'a InFlight,
    number: u64,
}

impl InFlight {
    /// Registers a post before it is sent. Drop the guard after its outcome is stored.
    pub(super) fn begin(&self, channel: &ChannelKey) -> Flight<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.posts.send_modify(|posts| posts.push((channel.clone(), number)));
        Flight { all: self, number }
    }

    /// Waits until the outcomes of all posts now in flight to a channel are stored.
    pub(super) async fn landed(&self, channel: &ChannelKey) {
        let now = self.next.load(Ordering::Relaxed);
        let is_awaited = |posts: &Vec<_>| posts.iter().any(|(to, number)| to == channel && *number < now);
        if !is_awaited(&self.posts.borrow()) {
            return;
        }
        let mut posts = self.posts.subscribe();
        let _ = timeout(LONGEST_WAIT, posts.wait_for(|posts| !is_awaited(posts))).await;
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.all.posts.send_modify(|posts| posts.retain(|(_, number)| *number != self.number));
    }
}
