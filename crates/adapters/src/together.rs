//! Runs several connections of one account together: the account is online only if all of them are.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{Stream, StreamExt};

use crate::Ended;

/// Returns a function that calls `online` at its `count`th call, one call per connection.
pub(crate) fn when_all(count: usize, online: impl Fn()) -> impl Fn() {
    let ready = AtomicUsize::new(0);
    move || {
        if ready.fetch_add(1, Ordering::SeqCst) + 1 == count {
            online();
        }
    }
}

/// Runs connections until one ends. The caller then starts all of them again. At a stop, waits until all have ended.
pub(crate) async fn until_one_ends(mut running: impl Stream<Item = Ended> + Unpin) -> Ended {
    let ended = running.next().await.unwrap_or_else(|| {
        Ended::Refused("no persona of the cast is on this account; see `personas` of the account".into())
    });
    if ended == Ended::Stopped {
        while running.next().await.is_some() {}
    }
    ended
}
