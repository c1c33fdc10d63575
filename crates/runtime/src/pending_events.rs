//! Events of platforms that are being taken in. The same event that comes a second time waits until the first is stored
//! or refused (GR6).

use std::sync::Arc;

use dashmap::DashMap;
use greenroom_core::ChannelKey;
use tokio::sync::{Mutex, OwnedMutexGuard};

type Event = (ChannelKey, String);

/// A lock for each event that is being taken in; it is removed with its last holder.
#[derive(Default)]
pub(crate) struct PendingEvents(DashMap<Event, Arc<Mutex<()>>>);

/// An event that is being taken in; the same one may follow when this is dropped.
pub(crate) struct PendingEvent<'a> {
    pending_events: &'a PendingEvents,
    event: Event,
    guard: Option<OwnedMutexGuard<()>>,
}

impl PendingEvents {
    /// Waits until nobody else brings the same event.
    pub(crate) async fn pass(&self, channel: &ChannelKey, event_id: &str) -> PendingEvent<'_> {
        let event = (channel.clone(), event_id.to_owned());
        let lock = self.0.entry(event.clone()).or_default().clone();
        // counted among those who wait before it does, so that a wait that is broken off tidies up
        let mut pending = PendingEvent { pending_events: self, event, guard: None };
        pending.guard = Some(lock.lock_owned().await);
        pending
    }
}

impl Drop for PendingEvent<'_> {
    fn drop(&mut self) {
        self.guard = None;
        // only the map's own handle is left: nobody waits
        self.pending_events.0.remove_if(&self.event, |_, lock| Arc::strong_count(lock) == 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn gr6_the_same_event_waits_and_another_does_not() {
        let (pending_events, here) = (PendingEvents::default(), "api:ann".parse().unwrap());
        let first = pending_events.pass(&here, "e1").await;
        let _other = pending_events.pass(&here, "e2").await;
        let mut second = Box::pin(pending_events.pass(&here, "e1"));
        assert!(futures::poll!(&mut second).is_pending());
        drop(first);
        drop(second.await);
        assert_eq!(pending_events.0.len(), 1, "only the door in use is left");
    }

    #[tokio::test]
    async fn a_wait_that_is_broken_off_leaves_no_door() {
        let (pending_events, here) = (PendingEvents::default(), "api:ann".parse().unwrap());
        let first = pending_events.pass(&here, "e1").await;
        let mut second = Box::pin(pending_events.pass(&here, "e1"));
        assert!(futures::poll!(&mut second).is_pending());
        drop(first);
        drop(second);
        assert!(pending_events.0.is_empty());
    }
}
