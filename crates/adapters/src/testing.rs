//! Test doubles for tests of adapters.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use greenroom_core::PersonaName;
use greenroom_store::StoreError;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{ConnectionState, Event, Face, Inlet, LookedBack, NotTaken, Place, Taken};

/// An [`Inlet`] that records its calls. Like a store, it outlives adapters: pass the same recorder to the next adapter
/// to test a restart.
#[derive(Debug)]
pub struct Recorder {
    state: Mutex<State>,
    faces: Vec<Face>,
    /// Cancelled to stop the adapter.
    pub closing: CancellationToken,
    /// Counts changes: events, cursors, reports.
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    events: Vec<Event>,
    known: HashSet<(Place, String)>,
    cursors: HashMap<String, String>,
    reports: Vec<ConnectionState>,
    looked_back: Vec<LookedBack>,
    refused: HashMap<String, String>,
    waits: Vec<Duration>,
    failing: bool,
    /// The name of a cursor whose next read fails.
    failing_cursor: Option<String>,
}

impl Recorder {
    /// A recorder without events, with these faces.
    pub fn new(faces: Vec<Face>) -> Self {
        let (changed, _) = watch::channel(0);
        Self { state: Mutex::default(), faces, closing: CancellationToken::new(), changed }
    }

    /// All recorded events, without duplicates.
    pub fn events(&self) -> Vec<Event> {
        self.state().events.clone()
    }

    /// The texts of the recorded messages, in order.
    pub fn texts(&self) -> Vec<String> {
        let text = |event: &Event| match event {
            Event::Message(message) => Some(message.text.clone()),
            _ => None,
        };
        self.state().events.iter().filter_map(text).collect()
    }

    /// The reported connection states.
    pub fn reports(&self) -> Vec<ConnectionState> {
        self.state().reports.clone()
    }

    /// The value of a kept cursor.
    pub fn kept(&self, name: &str) -> Option<String> {
        self.state().cursors.get(name).cloned()
    }

    /// The reports of how far back the adapter read.
    pub fn looks_back(&self) -> Vec<LookedBack> {
        self.state().looked_back.clone()
    }

    /// The channels that refuse the account, with the platform's reasons.
    pub fn refusals(&self) -> HashMap<String, String> {
        self.state().refused.clone()
    }

    /// The waits that the platform asked for.
    pub fn waits(&self) -> Vec<Duration> {
        self.state().waits.clone()
    }

    /// Whether the store fails from now on.
    pub fn fail(&self, failing: bool) {
        self.state().failing = failing;
    }

    /// Makes the next read of a cursor fail.
    pub fn fail_cursor(&self, name: &str) {
        self.state().failing_cursor = Some(name.to_owned());
    }

    /// Waits until the condition is true. Checks it after every change.
    pub async fn until(&self, condition: impl Fn(&Self) -> bool) {
        let mut changes = self.changed.subscribe();
        while !condition(self) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) {
        self.changed.send_modify(|n| *n += 1);
    }

    fn store(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state();
        if state.failing { Err(StoreError::Full) } else { Ok(state) }
    }
}

#[async_trait]
impl Inlet for Recorder {
    async fn take(&self, event: Event) -> Result<Taken, NotTaken> {
        let taken = {
            let mut state = self.store()?;
            let id = match &event {
                Event::Message(message) => Some((message.place.clone(), message.event_id.clone())),
                _ => None,
            };
            if id.is_some_and(|id| !state.known.insert(id)) {
                Taken::Duplicate
            } else {
                state.events.push(event);
                Taken::Stored
            }
        };
        self.change();
        Ok(taken)
    }

    async fn cursor(&self, name: &str) -> Result<Option<String>, StoreError> {
        let mut state = self.store()?;
        match state.failing_cursor.take_if(|failing| failing == name) {
            Some(_) => Err(StoreError::Full),
            None => Ok(state.cursors.get(name).cloned()),
        }
    }

    async fn keep_cursor(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.store()?.cursors.insert(name.to_owned(), value.to_owned());
        self.change();
        Ok(())
    }

    fn report(&self, connection: ConnectionState) {
        self.state().reports.push(connection);
        self.change();
    }

    fn looked_back(&self, looked: LookedBack) {
        self.state().looked_back.push(looked);
        self.change();
    }

    fn refused(&self, channel: &str, _persona: Option<&PersonaName>, why: Option<&str>) {
        match why {
            Some(why) => self.state().refused.insert(channel.to_owned(), why.to_owned()),
            None => self.state().refused.remove(channel),
        };
        self.change();
    }

    fn asked_to_wait(&self, wait: Duration) {
        self.state().waits.push(wait);
        self.change();
    }

    fn faces(&self) -> Vec<Face> {
        self.faces.clone()
    }

    fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }
}
