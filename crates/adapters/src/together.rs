//! Several connections of one account, which is online as a whole or not at all.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{Stream, StreamExt};

use crate::Ended;

/// Calls `online` when this was called for each of `count` connections.
pub(crate) fn when_all(count: usize, online: impl Fn()) -> impl Fn() {
    let ready = AtomicUsize::new(0);
    move || {
        if ready.fetch_add(1, Ordering::SeqCst) + 1 == count {
            online();
        }
    }
}

/// Runs connections until one ends: then all begin again, but for a stop, which all of them come to.
pub(crate) async fn until_one_ends(mut running: impl Stream<Item = Ended> + Unpin) -> Ended {
    let ended = running.next().await.unwrap_or_else(|| {
        Ended::Refused("no persona of the cast is on this account; see `personas` of the account".into())
    });
    if ended == Ended::Stopped {
        while running.next().await.is_some() {}
    }
    ended
}
