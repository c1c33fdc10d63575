//! One connection of a client, and the queue of idle connections. When the server is full, it closes the connection
//! that has been idle for longest. So a client that opens connections and sends nothing, or half a request, cannot keep
//! others out (B2).

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use crate::{limits::KeyedPermit, operations::GaugeGuard};

/// Connections without a request in flight, the one idle for longest first.
#[derive(Default)]
pub(crate) struct IdleQueue(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    next: u64,
    evictions: BTreeMap<u64, CancellationToken>,
}

impl IdleQueue {
    /// Closes the connection that has been idle for longest; false if none is idle.
    pub(crate) fn evict(&self) -> bool {
        let longest = self.entries().evictions.pop_first();
        longest.inspect(|(_, eviction)| eviction.cancel()).is_some()
    }

    fn push(&self, eviction: &CancellationToken) -> u64 {
        let mut entries = self.entries();
        entries.next += 1;
        let number = entries.next;
        entries.evictions.insert(number, eviction.clone());
        number
    }

    fn remove(&self, number: u64) {
        self.entries().evictions.remove(&number);
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The resources of a connection. A WebSocket keeps them for longer than hyper keeps the connection.
pub(crate) struct Connection {
    queue: Arc<IdleQueue>,
    state: Mutex<State>,
    /// Cancelled when the connection is closed to make room for another.
    pub(crate) eviction: CancellationToken,
    _slot: OwnedSemaphorePermit,
    _of_address: Option<KeyedPermit<IpAddr>>,
    _open: GaugeGuard,
}

struct State {
    in_flight: usize,
    /// The entry in the queue while nothing is in flight.
    number: u64,
}

impl Connection {
    /// A new connection, idle.
    pub(crate) fn new(
        queue: Arc<IdleQueue>,
        slot: OwnedSemaphorePermit,
        of_address: Option<KeyedPermit<IpAddr>>,
        open: GaugeGuard,
    ) -> Arc<Self> {
        let eviction = CancellationToken::new();
        let state = Mutex::new(State { in_flight: 0, number: queue.push(&eviction) });
        Arc::new(Self { queue, state, eviction, _slot: slot, _of_address: of_address, _open: open })
    }

    /// Takes the connection out of the queue until the guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> InFlight {
        let mut state = self.state();
        state.in_flight += 1;
        self.queue.remove(state.number);
        InFlight(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.queue.remove(self.state().number);
    }
}

/// A request in flight, or a WebSocket.
pub(crate) struct InFlight(Arc<Connection>);

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight -= 1;
        if state.in_flight == 0 {
            state.number = self.0.queue.push(&self.0.eviction);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;

    #[test]
    fn b2_the_connection_idle_for_longest_makes_room_and_none_that_is_busy() {
        let (queue, slots) = (Arc::new(IdleQueue::default()), Arc::new(Semaphore::new(3)));
        let [first, second, third] = [(); 3].map(|()| {
            let slot = slots.clone().try_acquire_owned().unwrap();
            Connection::new(queue.clone(), slot, None, GaugeGuard::new(&Default::default()))
        });
        let (request, socket) = (first.begin(), first.begin());
        assert!(queue.evict());
        assert!(second.eviction.is_cancelled() && !first.eviction.is_cancelled());
        drop(request);
        assert!(queue.evict() && third.eviction.is_cancelled());
        assert!(!queue.evict(), "the first still serves a WebSocket");
        drop(socket);
        drop(first);
        assert!(!queue.evict(), "a connection that has ended is not in the queue");
    }
}
