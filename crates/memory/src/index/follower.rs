//! The search index in memory: one shard per place, loaded in the background at its first use, and updated from the
//! store's journal (FG1, FG4).
//!
//! After a place is loaded (`loading.rs`), every recall first reads the journal and applies its few new rows to all
//! shards. Applying a row is idempotent, and a batch that another reader overtook is read again. The mutex is never
//! held across an await; only the right to read the journal is. Readers get a snapshot.

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
use tokio::sync::Semaphore;

use self::loading::{Loading, ended};
use super::rows::Rows;

/// The page size of the journal in rows. Rows are indexed under the lock, so a page must be small.
const NEWS: usize = 500;

/// How many large places are loaded concurrently.
const LOADS: usize = 2;

/// How often a view tries again if the journal was lost or a load failed meanwhile.
const LOOKS: usize = 2;

/// The default limit of all places in bytes; beyond it the least recently used places are evicted.
const LIMIT: usize = 512 << 20;

/// An eviction goes down to this percentage of the limit, so that evictions are rare.
const KEPT: usize = 90;

/// The size of a place in bytes without its rows.
const PLACE: usize = 1_500;

/// The shards of all recently used places.
pub(crate) struct Index {
    state: Mutex<IndexState>,
    loads: Semaphore,
    /// The right to read the journal. The number is that of the last completed reading.
    reading: tokio::sync::Mutex<u64>,
    /// The number of the last reading that began.
    begun: AtomicU64,
    /// The limit of all places together, in bytes.
    limit: AtomicUsize,
}

#[derive(Default)]
struct IndexState {
    /// The space of all vectors in the index.
    space: Option<VectorSpace>,
    /// The journal position up to which changes are applied; `None` if no place is loaded.
    seq: Option<i64>,
    places: HashMap<Place, LoadedPlace>,
    /// The size of all places, in bytes.
    bytes: usize,
    /// A counter of views, for the least recently used order.
    views: u64,
    /// Whether a failure was already logged as a warning (FG4).
    warned: bool,
}

/// A place in the index.
#[derive(Default)]
struct LoadedPlace {
    /// `None` until all rows, or the newest of a large place, are loaded.
    rows: Option<Rows>,
    /// Only the newest rows are loaded; the others are still being loaded.
    partial: bool,
    loading: Option<Loading>,
    /// Whether a graph is being built.
    building: bool,
    /// The number of the last view that used the place.
    used: u64,
    /// The time of that view.
    used_at: Option<Instant>,
    /// The size of the place, as it is counted in [`IndexState::bytes`].
    bytes: usize,
}

/// A snapshot of a place for a search.
pub(crate) struct PlaceView {
    pub(crate) shard: Arc<Shard>,
    /// Whether only the newest rows are loaded so far.
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
    /// Sets the limit of all places together, in bytes.
    pub(crate) fn limit_to(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
        self.evict(&mut self.lock());
    }

    /// The limit of all places together, in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// The approximate size of all places, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Evicts the places that were not used for `idle`.
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
        // without loaded places the journal is not followed
        if state.places.is_empty() {
            state.seq = None;
        }
    }

    /// Evicts the least recently used places until the rest fits. The places of the last view stay.
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

    /// Returns snapshots of these places with everything that any process has written. Places that are not loaded are
    /// loaded, and the call waits for them until `by`. Of a large place that is not loaded in time the snapshot has the
    /// newest rows. `None` stands for a place of which nothing is loaded in time, or that cannot be loaded.
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
            let loading = self.begin_loads(clock, store, space, places, now);
            let in_time = loading.is_empty() || clock.timeout_at(by, ended(loading)).await.is_ok();
            self.catch_up(store).await?;
            seen = self.snapshots(space, places);
            if !in_time || seen.iter().all(Option::is_some) {
                break;
            }
        }
        Ok(seen)
    }

    /// Waits until these places are completely loaded, regardless of the time.
    pub(crate) async fn ready(
        self: &Arc<Self>,
        clock: &dyn Time,
        store: &Arc<dyn Store>,
        space: Option<&VectorSpace>,
        places: &[Place],
        now: Timestamp,
    ) {
        ended(self.begin_loads(clock, store, space, places, now)).await;
    }

    /// The journal position up to which changes are applied.
    #[cfg(test)]
    pub(crate) fn seq(&self) -> Option<i64> {
        self.lock().seq
    }

    /// Whether no place was ever used (FG17).
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().places.is_empty()
    }

    /// Panics in the middle of a change, for a test of lock poisoning.
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
            // a change was interrupted by a panic: everything is loaded again
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            *state = IndexState { warned: state.warned, ..IndexState::default() };
            state
        })
    }

    /// Starts loads of places that are not loaded, and returns the loads in progress.
    fn begin_loads(
        self: &Arc<Self>,
        clock: &dyn Time,
        store: &Arc<dyn Store>,
        space: Option<&VectorSpace>,
        places: &[Place],
        now: Timestamp,
    ) -> Vec<Loading> {
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
                // a closed channel without rows means that the load was aborted
                let running = held.loading.take().filter(|loading| loading.has_changed().is_ok());
                let running = running.unwrap_or_else(|| self.begin(store, space, place, now));
                loading.push(running.clone());
                held.loading = Some(running);
            }
        }
        loading
    }

    /// Applies the changes that any process wrote since the last reading. One reader reads for all that wait: a reading
    /// that began after a reader arrived contains everything that was written before its arrival.
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
                continue; // another reader was faster, so these changes may be older than the applied ones
            }
            let Changes::Rows { rows: changes, end, more } = news else {
                // the journal no longer reaches back: each place is loaded again at its next use
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
                    state.update_size(&place);
                }
            }
            self.evict(&mut state);
            if !more {
                return Ok(());
            }
        }
    }

    /// The loaded snapshots of these places.
    pub(crate) fn snapshots(&self, space: Option<&VectorSpace>, places: &[Place]) -> Vec<Option<PlaceView>> {
        let state = self.lock();
        let seen = |place| {
            let held = state.places.get(place).filter(|_| state.space.as_ref() == space)?;
            Some(PlaceView { shard: held.rows.as_ref()?.shard(), partial: held.partial })
        };
        places.iter().map(seen).collect()
    }

    /// Builds the graph of a place on a blocking thread, if it is large enough for one.
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
    /// Evicts a place; its next use loads it again from the store.
    fn drop_place(&mut self, place: &Place) {
        self.bytes -= self.places.remove(place).map_or(0, |held| held.bytes);
    }

    /// Updates the counted size of a place.
    fn update_size(&mut self, place: &Place) {
        let Some(held) = self.places.get_mut(place) else { return };
        let now = held.rows.as_ref().map_or(0, |rows| PLACE + rows.bytes());
        self.bytes = self.bytes - held.bytes + now;
        held.bytes = now;
    }
}
