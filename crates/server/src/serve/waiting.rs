//! The connections on which no request is under way. Where there is no room for another connection, the one that
//! has waited longest is closed: somebody who opens connections and sends nothing, or half a request, keeps
//! nobody out.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio_util::sync::CancellationToken;

/// Those that wait for a request, the longest first.
#[derive(Default)]
pub(super) struct Waiting(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    next: u64,
    tokens: BTreeMap<u64, CancellationToken>,
}

/// One connection, from when it is accepted until its task ends.
pub(super) struct Turns {
    waiting: Arc<Waiting>,
    place: Mutex<Place>,
    /// Cancelled when the connection has to make room.
    pub(super) evicted: CancellationToken,
}

enum Place {
    Waiting(u64),
    Busy,
    Ended,
}

/// A request under way; its connection waits again when this is dropped.
pub(super) struct UnderWay(Arc<Turns>);

/// Takes the connection out of the queue when its task ends.
pub(super) struct Ends(pub(super) Arc<Turns>);

impl Waiting {
    /// A connection that has just come.
    pub(super) fn come(self: &Arc<Self>) -> Arc<Turns> {
        let evicted = CancellationToken::new();
        let place = Mutex::new(Place::Waiting(self.queue().push(&evicted)));
        Arc::new(Turns { waiting: self.clone(), place, evicted })
    }

    /// Closes the connection that has waited longest; says whether there was one.
    pub(super) fn evict(&self) -> bool {
        let longest = self.queue().tokens.pop_first();
        longest.is_some_and(|(_, evicted)| {
            evicted.cancel();
            true
        })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn push(&mut self, token: &CancellationToken) -> u64 {
        self.next += 1;
        self.tokens.insert(self.next, token.clone());
        self.next
    }
}

impl Turns {
    /// A request has come.
    pub(super) fn begin(self: &Arc<Self>) -> UnderWay {
        self.change(|place, queue| {
            if let Place::Waiting(at) = place {
                queue.tokens.remove(at);
            }
            Place::Busy
        });
        UnderWay(self.clone())
    }

    /// Changes its place, unless it has ended.
    fn change(&self, to: impl FnOnce(&Place, &mut Queue) -> Place) {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*place, Place::Ended) {
            *place = to(&place, &mut self.waiting.queue());
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Turns { evicted, .. } = &*self.0;
        self.0.change(|_, queue| Place::Waiting(queue.push(evicted)));
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.change(|place, queue| {
            if let Place::Waiting(at) = place {
                queue.tokens.remove(at);
            }
            Place::Ended
        });
    }
}

/// A body with which a request is under way until all of it is sent.
pub(super) struct Sending {
    body: Body,
    _under_way: UnderWay,
}

impl Sending {
    pub(super) fn new(body: Body, under_way: UnderWay) -> Self {
        Self { body, _under_way: under_way }
    }
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_the_connection_that_waited_longest_makes_room_and_none_that_is_busy() {
        let waiting = Arc::new(Waiting::default());
        let [first, second, third] = [(); 3].map(|()| waiting.come());
        let under_way = first.begin();
        assert!(waiting.evict());
        assert!(second.evicted.is_cancelled() && !first.evicted.is_cancelled());
        drop(under_way);
        assert!(waiting.evict() && third.evicted.is_cancelled(), "the first began to wait anew");
        drop(Ends(first.clone()));
        assert!(!waiting.evict(), "one that has ended is none");
        drop(first.begin());
        assert!(!waiting.evict());
    }
}
