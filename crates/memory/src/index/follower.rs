//! The index in memory: one shard a place, loaded in the background when it is first wanted, kept
//! up to date from the store's journal (FG1, FG4).
//!
//! Once a place is loaded (`loading.rs`), every recall first reads the journal and applies its few rows to all
//! shards: applying a row twice is applying it once, and a batch that another reader
//! overtook is read again. The locks are short and never held across an await, but for the turn to read the journal. A
//! reader holds a snapshot.

mod loading;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use greenroom_core::{Instant, Time, Timestamp};
use greenroom_index::Shard;
use greenroom_store::{Changes, Place, Store, StoreError, VectorSpace};
use tokio::sync::{Semaphore, watch};

use self::loading::{Progress, settled};
use super::rows::Rows;

/// Rows of one page of the journal: they are indexed under the lock, so few enough to be quick.
const NEWS: usize = 500;

/// Large places that are loaded at once.
const LOADS: usize = 2;

/// How often a view looks for places again, where the journal was lost or a load failed meanwhile.
const LOOKS: usize = 2;

/// Bytes that places may take where nothing else is said; then those not used for longest go.
const LIMIT: usize = 512 << 20;

/// Of the limit, in hundredths, what stays when places go: they go many at a time.
const KEPT: usize = 90;

/// Bytes a place takes beside its rows.
const PLACE: usize = 1_500;

/// The shards of all places that were wanted lately.
pub(crate) struct Index {
    state: Mutex<IndexState>,
    loads: Semaphore,
    /// Held by who reads the journal: the number of the last reading that was done.
    reading: tokio::sync::Mutex<u64>,
    /// The number of the last reading that began.
    begun: AtomicU64,
    /// Bytes that the places may take together.
    limit: AtomicUsize,
}

#[derive(Default)]
struct IndexState {
    /// The space of all vectors in it.
    space: Option<VectorSpace>,
    /// Up to where the journal is applied; nothing as long as no place is loaded.
    seq: Option<i64>,
    places: HashMap<Place, LoadedPlace>,
    /// What they take, in bytes.
    bytes: usize,
    /// Counts the views, to know what was used last.
    views: u64,
    /// A failure was warned of (FG4).
    warned: bool,
}

/// A place in the index.
#[derive(Default)]
struct LoadedPlace {
    /// Nothing until it is loaded, or its newest are.
    rows: Option<Rows>,
    /// Only its newest are there; the others are being loaded.
    partial: bool,
    loading: Option<watch::Receiver<Progress>>,
    /// A graph is being built.
    building: bool,
    /// The view that used it last.
    used: u64,
    /// When that was.
    used_at: Option<Instant>,
    /// What it takes, as it is counted in all.
    bytes: usize,
}

/// What is searched of a place.
pub(crate) struct PlaceView {
    pub(crate) shard: Arc<Shard>,
    /// Only the newest are in it so far.
    pub(crate) partial: bool,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            loads: Semaphore::new(LOADS),
            reading: tokio::sync::Mutex::default(),
            begun: AtomicU64::new(0),
            limit: AtomicUsize::new(LIMIT),
        }
    }
}

impl Index {
    /// The places may take so many bytes together.
    pub(crate) fn limit_to(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
        self.evict(&mut self.lock());
    }

    /// Bytes that the places may take together.
    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Bytes that the places take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Lets go of the places that nobody used for so long.
    pub(crate) fn release(&self, clock: &dyn Time, idle: Duration) {
        let mut state = self.lock();
        let now = clock.instant();
        let unused =
            |held: &LoadedPlace| held.used_at.is_none_or(|at| now.saturating_duration_since(at) >= idle);
        let unused = state.places.iter().filter(|(_, held)| held.rows.is_some() && unused(held));
        let unused: Vec<Place> = unused.map(|(place, _)| place.clone()).collect();
        for place in unused {
            state.drop_place(&place);
        }
        // while nothing is loaded, the journal is not followed
        if state.places.is_empty() {
            state.seq = None;
        }
    }

    /// Lets the places go that were not used for longest, until the rest fits. The last view stays.
    fn evict(&self, state: &mut IndexState) {
        let limit = self.limit();
        if state.bytes <= limit {
            return;
        }
        let idle = state.places.iter().filter(|(_, held)| held.used < state.views && held.rows.is_some());
        let mut idle: Vec<(u64, Place)> = idle.map(|(place, held)| (held.used, place.clone())).collect();
        idle.sort_unstable_by_key(|(used, _)| *used);
        for (_, place) in idle {
            if state.bytes <= limit / 100 * KEPT {
                break;
            }
            state.drop_place(&place);
        }
    }

    /// The shards of these places as they are now, with what every process has written. What is not
    /// there is loaded and waited for until `by`, of a large place the newest rows. `None` is a place of which nothing
    /// is there by then, or that cannot be loaded.
    pub(crate) async fn view(
        self: &Arc<Self>,
        clock: &dyn Time,
        store: &Arc<dyn Store>,
        space: Option<&VectorSpace>,
        places: &[Place],
        now: Timestamp,
        by: Instant,
    ) -> Result<Vec<Option<PlaceView>>, StoreError> {
        let mut seen = Vec::new();
        for _ in 0..LOOKS {
            let loading = self.wanted(clock, store, space, places, now);
            let in_time = loading.is_empty() || clock.timeout_at(by, settled(loading)).await.is_ok();
            self.catch_up(store).await?;
            seen = self.snapshots(space, places);
            if !in_time || seen.iter().all(Option::is_some) {
                break;
            }
        }
        Ok(seen)
    }

    /// Waits until these places are loaded, however large they are.
    pub(crate) async fn ready(
        self: &Arc<Self>,
        clock: &dyn Time,
        store: &Arc<dyn Store>,
        space: Option<&VectorSpace>,
        places: &[Place],
        now: Timestamp,
    ) {
        for mut loading in self.wanted(clock, store, space, places, now) {
            while loading.changed().await.is_ok() {}
        }
    }

    /// Up to where the journal is applied.
    #[cfg(test)]
    pub(crate) fn seq(&self) -> Option<i64> {
        self.lock().seq
    }

    /// Whether no place was ever wanted (FG17).
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().places.is_empty()
    }

    /// Breaks off in the middle of a change.
    #[cfg(test)]
    pub(crate) fn break_off(self: &Arc<Self>) {
        let index = self.clone();
        let broken = std::thread::spawn(move || {
            let mut state = index.lock();
            for (place, held) in &mut state.places {
                held.rows = Some(Rows::new(place, Vec::new(), 0));
            }
            panic!("a test breaks off");
        });
        assert!(broken.join().is_err() && self.state.is_poisoned());
    }

    fn lock(&self) -> MutexGuard<'_, IndexState> {
        self.state.lock().unwrap_or_else(|poisoned| {
            // a change broke off in the middle: everything is read anew
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            *state = IndexState { warned: state.warned, ..IndexState::default() };
            state
        })
    }

    /// Begins to load what is not there; what is being loaded.
    fn wanted(
        self: &Arc<Self>,
        clock: &dyn Time,
        store: &Arc<dyn Store>,
        space: Option<&VectorSpace>,
        places: &[Place],
        now: Timestamp,
    ) -> Vec<watch::Receiver<Progress>> {
        let mut state = self.lock();
        if state.space.as_ref() != space {
            // vectors of two models are never compared (L19)
            *state = IndexState { space: space.cloned(), warned: state.warned, ..IndexState::default() };
        }
        state.views += 1;
        let view = state.views;
        let now_used = clock.instant();
        let mut loading = Vec::new();
        for place in places {
            let held = state.places.entry(place.clone()).or_default();
            held.used = view;
            held.used_at = Some(now_used);
            if held.rows.is_none() || held.partial {
                // a load that ended and left nothing behind broke off
                let running = held.loading.take().filter(|loading| loading.has_changed().is_ok());
                let running = running.unwrap_or_else(|| self.begin(store, space, place, now));
                loading.push(running.clone());
                held.loading = Some(running);
            }
        }
        loading
    }

    /// Applies what was written since the last time, by whatever process. One reads for all who wait: a
    /// reading that began after a reader came holds everything that was written before they did.
    async fn catch_up(self: &Arc<Self>, store: &Arc<dyn Store>) -> Result<(), StoreError> {
        let came = self.begun.load(Ordering::SeqCst);
        let mut last = self.reading.lock().await;
        if *last > came {
            return Ok(());
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        self.read_journal(store).await?;
        *last = number;
        Ok(())
    }

    async fn read_journal(self: &Arc<Self>, store: &Arc<dyn Store>) -> Result<(), StoreError> {
        loop {
            let (space, after) = {
                let state = self.lock();
                let Some(seq) = state.seq else { return Ok(()) };
                (state.space.clone(), seq)
            };
            let followed = |place: &Place| self.lock().places.contains_key(place);
            let news = store.changes(space.as_ref(), after, &followed, NEWS).await?;
            let mut state = self.lock();
            if state.seq != Some(after) || state.space != space {
                continue; // another reader was faster: what was read may be older than what is applied
            }
            let Changes::Rows { rows: changes, end, more } = news else {
                // the journal does not reach back: each place is read anew when it is wanted again
                state.seq = None;
                state.places.clear();
                state.bytes = 0;
                return Ok(());
            };
            state.seq = Some(end);
            let mut by_place: HashMap<Place, Vec<_>> = HashMap::new();
            for change in changes {
                match by_place.get_mut(&change.place) {
                    Some(changes) => changes.push(change),
                    None => _ = by_place.insert(change.place.clone(), vec![change]),
                }
            }
            for (place, changes) in by_place {
                if let Some(held) = state.places.get_mut(&place)
                    && let Some(rows) = &mut held.rows
                {
                    rows.apply(changes);
                    self.graph(&place, held);
                    state.weigh(&place);
                }
            }
            self.evict(&mut state);
            if !more {
                return Ok(());
            }
        }
    }

    /// What is loaded of these places.
    pub(crate) fn snapshots(&self, space: Option<&VectorSpace>, places: &[Place]) -> Vec<Option<PlaceView>> {
        let state = self.lock();
        let seen = |place| {
            let held = state.places.get(place).filter(|_| state.space.as_ref() == space)?;
            Some(PlaceView { shard: held.rows.as_ref()?.shard(), partial: held.partial })
        };
        places.iter().map(seen).collect()
    }

    /// Builds the graph of a place where it pays, off the async threads.
    fn graph(self: &Arc<Self>, place: &Place, held: &mut LoadedPlace) {
        let Some(shard) = held.rows.as_ref().map(Rows::shard) else { return };
        if held.building || held.partial || !shard.wants_graph() {
            return;
        }
        held.building = true;
        let (index, place) = (Arc::downgrade(self), place.clone());
        tokio::task::spawn_blocking(move || {
            let graph = shard.build_graph(|| index.strong_count() == 0);
            let Some(index) = index.upgrade() else { return };
            let mut state = index.lock();
            let Some(held) = state.places.get_mut(&place) else { return };
            held.building = false;
            if let (Some(graph), Some(rows)) = (graph, held.rows.as_mut()) {
                rows.adopt(graph);
            }
            index.graph(&place, held);
        });
    }
}

impl IndexState {
    /// Lets a place go; when it is wanted again it is read from the store.
    fn drop_place(&mut self, place: &Place) {
        self.bytes -= self.places.remove(place).map_or(0, |held| held.bytes);
    }

    /// Counts anew what a place takes.
    fn weigh(&mut self, place: &Place) {
        let Some(held) = self.places.get_mut(place) else { return };
        let now = held.rows.as_ref().map_or(0, |rows| PLACE + rows.bytes());
        self.bytes = self.bytes - held.bytes + now;
        held.bytes = now;
    }
}
