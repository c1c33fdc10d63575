//! Loading of a place into the index. A load notes the journal's end, reads the place page by page, and then applies
//! what was written meanwhile. Of a large place it publishes the newest rows first, for views whose time ends before.

use std::{collections::BTreeSet, sync::Arc};

use greenroom_core::Timestamp;
use greenroom_store::{Changes, Entry, Place, Store, StoreError, VectorSpace};
use tokio::sync::watch;

use super::{Index, NEWS};
use crate::index::rows::Rows;

/// The page size of a load, in rows.
const PAGE: usize = 5_000;

/// How many of the newest rows of a large place are loaded first. A place is large if it has more than one page.
const NEWEST: usize = 2_000;

/// A page with fewer rows is indexed on the current thread, since that takes less time than starting a blocking task.
const FEW: usize = 64;

/// How often a load starts again when the journal no longer reaches back to its start; then it fails.
const TRIES: usize = 3;

/// A load in progress. The channel closes when the load ends.
pub(super) type Loading = watch::Receiver<()>;

impl Index {
    /// Starts to load a place in the background.
    pub(super) fn begin(
        self: &Arc<Self>,
        store: &Arc<dyn Store>,
        space: Option<&VectorSpace>,
        place: &Place,
        now: Timestamp,
    ) -> Loading {
        let (running, loading) = watch::channel(());
        let (index, store) = (Arc::downgrade(self), store.clone());
        let (space, place) = (space.cloned(), place.clone());
        tokio::spawn(async move {
            let _running = running;
            let Some(index) = index.upgrade() else { return };
            if let Err(error) = index.load(&store, space.as_ref(), &place, now).await {
                index.failed(&place, &error);
            }
        });
        loading
    }

    /// Loads a place: reads all its rows, applies what was written meanwhile, and adds it to the index. The newest rows
    /// of a large place are added before the others.
    async fn load(
        self: &Arc<Self>,
        store: &Arc<dyn Store>,
        space: Option<&VectorSpace>,
        place: &Place,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut permit = None;
        'anew: for _ in 0..TRIES {
            // not the position of the other places: on a busy server it is so far behind that reading on from it costs
            // more
            let seq = store.journal_end().await?;
            let mut page = store.load(place, space, None, NEWEST, now).await?;
            let mut whole = page.len() < NEWEST;
            if !whole && permit.is_none() {
                // the semaphore is closed only when the program ends
                permit = self.loads.acquire().await.ok();
            }
            let names = match place {
                Place::Messages(_) if whole => authors(&page),
                Place::Messages(channel) => {
                    let authors = store.participants(channel).await?;
                    authors.iter().map(|author| author.name().to_owned()).collect()
                }
                Place::Memories(..) => Vec::new(),
            };
            let empty = || Rows::new(place, names.clone(), space.map_or(0, |space| space.dimension));
            if !whole && store.before_newest(place, PAGE).await?.is_some() {
                let older = store.before_newest(place, NEWEST).await?;
                let newest = indexed(empty(), store.load(place, space, older, PAGE, now).await?).await?;
                if !self.join(store, space, place, newest, seq, true).await? {
                    continue 'anew;
                }
            }
            let mut rows = empty();
            loop {
                let after = page.last().map(|entry| entry.item);
                rows = indexed(rows, page).await?;
                if whole {
                    break;
                }
                page = store.load(place, space, after, PAGE, now).await?;
                whole = page.len() < PAGE;
            }
            if self.join(store, space, place, rows, seq, false).await? {
                return Ok(());
            }
        }
        Err(StoreError::Other("more is written than can be read meanwhile".into()))
    }

    /// Applies the changes since `seq` and adds the rows to the index. Returns false if the journal does not reach back
    /// to `seq`.
    async fn join(
        self: &Arc<Self>,
        store: &Arc<dyn Store>,
        space: Option<&VectorSpace>,
        place: &Place,
        mut rows: Rows,
        mut seq: i64,
        partial: bool,
    ) -> Result<bool, StoreError> {
        loop {
            let news = store.changes(space, seq, &|changed| changed == place, NEWS).await?;
            let Changes::Rows { rows: changes, end, more } = news else { return Ok(false) };
            seq = end;
            rows.apply(changes);
            if !more {
                match self.put(space, place, rows, seq, partial) {
                    None => return Ok(true),
                    Some(back) => rows = back,
                }
            }
        }
    }

    /// Adds a loaded place to the index. Returns the rows if the other places are further in the journal, so that the
    /// caller reads on. Rows of another space, or of a place that is no longer used, are dropped.
    fn put(
        self: &Arc<Self>,
        space: Option<&VectorSpace>,
        place: &Place,
        rows: Rows,
        seq: i64,
        partial: bool,
    ) -> Option<Rows> {
        let mut state = self.lock();
        if state.space.as_ref() != space || !state.places.contains_key(place) {
            return None;
        }
        if state.seq.is_some_and(|others| others > seq) {
            return Some(rows);
        }
        state.seq.get_or_insert(seq);
        if let Some(held) = state.places.get_mut(place) {
            (held.rows, held.partial) = (Some(rows), partial);
            if !partial {
                held.loading = None;
                self.graph(place, held);
            }
        }
        state.update_size(place);
        self.evict(&mut state);
        None
    }

    /// Logs a failed load. The next recall tries again; until then nothing of the place is recalled (FG4). A program
    /// that ends closes its store, which is no failure.
    fn failed(&self, place: &Place, error: &StoreError) {
        let mut state = self.lock();
        let closed = matches!(error, StoreError::Closed);
        if closed || std::mem::replace(&mut state.warned, true) {
            tracing::debug!(?place, "could not be loaded into the index: {error}");
        } else {
            tracing::warn!(
                "the index of memories could not be loaded; until it can, nothing of it is recalled: {error}"
            );
        }
        if state.places.get(place).is_some_and(|held| held.rows.is_none() || held.partial) {
            state.drop_place(place);
        }
    }
}

/// Adds one page to the rows; a large page is indexed on a blocking thread.
async fn indexed(rows: Rows, page: Vec<Entry>) -> Result<Rows, StoreError> {
    if page.len() < FEW {
        return Ok(rows.with(page));
    }
    let rows = tokio::task::spawn_blocking(move || rows.with(page)).await;
    rows.map_err(|error| StoreError::Other(format!("a place cannot be indexed: {error}")))
}

/// The authors of a place's messages.
fn authors(said: &[Entry]) -> Vec<String> {
    let authors: BTreeSet<_> = said.iter().filter_map(|entry| entry.author.clone()).collect();
    authors.into_iter().collect()
}

/// Waits until each load has ended.
pub(super) async fn ended(loads: Vec<Loading>) {
    for mut load in loads {
        while load.changed().await.is_ok() {}
    }
}
