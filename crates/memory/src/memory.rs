//! The memory service: the process has one [`Memory`], which actors, tools and commands share.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use greenroom_core::Time;
use greenroom_models::Embedder;
use greenroom_store::{Store, StoreError, VectorSpace};

use crate::{
    embed::Cached,
    index::{Index, Marks},
    names::{CastNames, SpeakersCache},
    recall::Cache,
};

/// Why a memory could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The store failed; the request fails with it (AS10).
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The text of the memory is empty (BD12).
    #[error("there is nothing to remember: the text is empty")]
    Empty,
    /// The text is longer than a memory may be.
    #[error("the text has {length} characters and a memory holds at most {limit}; say it shorter")]
    TooLong {
        /// The length of the text, in characters.
        length: usize,
        /// The longest text that a memory takes, in characters.
        limit: usize,
    },
    /// The viewer of a turn has no user, so the turn has no author.
    #[error("nobody said it: give the viewer the user who did")]
    Nobody,
    /// A statement of a stranger cannot become a global memory (X7). It may have the scope of the channel where it was
    /// said, or of the person who said it.
    #[error(
        "what was learned from somebody in a channel cannot become a {scope} memory; keep it in the channel"
    )]
    Untrusted {
        /// The requested scope.
        scope: &'static str,
    },
    /// The viewer may not see the scope to which it wants to write (X6).
    #[error(
        "a memory of scope {scope} for another channel or person cannot be written from here; write it there"
    )]
    OutOfSight {
        /// The requested scope.
        scope: &'static str,
    },
}

/// The memory service. Cloning is cheap; all clones share one state.
///
/// `Memory` needs no actor and no runtime of its own. [`Library`](crate::Library) offers a smaller interface for
/// programs that use this crate as a library (AS14).
#[derive(Clone)]
pub struct Memory {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Time>,
    /// Empty until the embedder is available.
    embedders: Arc<OnceLock<Embedders>>,
    /// Why the embedder is not yet available.
    awaited: Option<Arc<str>>,
    /// Whether a recall also searches what the person told in other chats (MP1).
    recalls_other_chats: bool,
    pub(crate) shared: Arc<Shared>,
}

/// The embedders of texts and queries.
#[derive(Default)]
struct Embedders {
    current: Option<Arc<Cached>>,
    /// The embedder before a change of model, as long as some texts have no vector of the new model (L19).
    previous: Option<Arc<Cached>>,
}

/// State that all clones of a [`Memory`] share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) cache: Cache,
    pub(crate) speakers: SpeakersCache,
    pub(crate) cast_names: CastNames,
    pub(crate) index: Arc<Index>,
    pub(crate) marks: Marks,
    /// Whether every text that can have a vector has one of the current model.
    pub(crate) moved: AtomicBool,
    /// Whether the store was already asked if all vectors are complete. It is asked once.
    looked: AtomicBool,
    /// Whether the warning was logged that either the embedder or the retrieval model is missing (FG10).
    pub(crate) warned_of_half: AtomicBool,
}

impl Memory {
    /// Returns a memory over `store`. Without an embedder, recall does not search by meaning (BD8).
    pub fn new(store: Arc<dyn Store>, embedder: Option<Arc<dyn Embedder>>, clock: Arc<dyn Time>) -> Self {
        let embedders = OnceLock::from(Embedders { current: embedder.map(Cached::over), previous: None });
        let embedders = Arc::new(embedders);
        Self { store, clock, embedders, awaited: None, recalls_other_chats: true, shared: Arc::default() }
    }

    /// Returns a memory whose embedder is not yet available, for the reason `why`. Until the embedder
    /// [arrives](Self::arrived), every recall that needs it reports this reason (L20), and new texts wait for their
    /// vectors.
    pub fn awaiting(store: Arc<dyn Store>, why: &str, clock: Arc<dyn Time>) -> Self {
        let awaited = Some(why.into());
        let embedders = Arc::default();
        Self { store, clock, embedders, awaited, recalls_other_chats: true, shared: Arc::default() }
    }

    /// Returns this memory with the index of `other`, which must use the same store. Each change of the store is read
    /// once for all memories that share the index. An agent of a simulation that moves to another place is not loaded
    /// again.
    #[must_use]
    pub fn sharing_index_of(self, other: &Self) -> Self {
        let shared = Shared { index: other.shared.index.clone(), ..Shared::default() };
        Self { shared: Arc::new(shared), ..self }
    }

    /// Returns this memory without recall of what people told in other chats. The places of a simulation run in
    /// parallel over one store. An agent knows of another place only what it took along (SM7). Its knowledge must not
    /// depend on how far the simulation of the other place is.
    #[must_use]
    pub fn without_other_chats(self) -> Self {
        Self { recalls_other_chats: false, ..self }
    }

    /// Whether a recall also searches what the person told in other chats (MP1).
    pub fn recalls_other_chats(&self) -> bool {
        self.recalls_other_chats
    }

    /// The clock for all timeouts and timestamps (SM2).
    pub fn clock(&self) -> &dyn Time {
        &*self.clock
    }

    /// Sets the embedder that was awaited, and the one before it as in [`with_previous`](Self::with_previous). Does
    /// nothing if an embedder is already set.
    pub fn arrived(&self, embedder: Arc<dyn Embedder>, previous: Option<Arc<dyn Embedder>>) {
        self.embed_with(Cached::over(embedder), previous);
    }

    fn embed_with(&self, current: Arc<Cached>, previous: Option<Arc<dyn Embedder>>) {
        let previous = previous.filter(|old| space_of(&**old) != space_of(&*current)).map(Cached::over);
        // `set` does nothing if an embedder is already there
        let _ = self.embedders.set(Embedders { current: Some(current), previous });
    }

    /// Returns this memory after a change of embedder; `embedder` is the previous one. Until every text has a vector of
    /// the new model, queries use the vectors of the previous model, and new texts get vectors of both (FG16, BD13,
    /// L19). Queries change to the new model when a run of [`index_pending`](Self::index_pending) or
    /// [`reembed`](Self::reembed) completes.
    pub fn with_previous(self, embedder: Arc<dyn Embedder>) -> Self {
        let Some(current) = self.embedders.get().and_then(|embedders| embedders.current.clone()) else {
            return self;
        };
        let limit = self.shared.index.limit();
        let renewed = Self { embedders: Arc::default(), shared: Arc::default(), ..self };
        renewed.embed_with(current, Some(embedder));
        renewed.with_index_bytes(limit)
    }

    /// Why the embedder is not yet available; `None` if it is available or none is configured.
    pub fn awaited(&self) -> Option<String> {
        let why = self.awaited.as_ref().filter(|_| self.embedders.get().is_none());
        why.map(ToString::to_string)
    }

    /// The embedder of new texts.
    pub(crate) fn embedder(&self) -> Option<&Cached> {
        self.embedders.get().and_then(|embedders| embedders.current.as_deref())
    }

    /// The embedder before a change of model.
    pub(crate) fn previous(&self) -> Option<&Cached> {
        self.embedders.get().and_then(|embedders| embedders.previous.as_deref())
    }

    /// Returns this memory with a limit of `bytes` for its index. Only what the present recall needs may exceed the
    /// limit. The index evicts the least recently used places first and reads them from the store again when they are
    /// needed.
    #[must_use]
    pub fn with_index_bytes(self, bytes: usize) -> Self {
        self.shared.index.limit_to(bytes);
        self
    }

    /// The approximate size of the index in memory, in bytes.
    pub fn index_bytes(&self) -> usize {
        self.shared.index.bytes()
    }

    /// Evicts places of the index that were not used for `idle`.
    pub fn release_idle(&self, idle: Duration) {
        self.shared.index.release(&*self.clock, idle);
    }

    /// The embedder of queries: the previous one until all vectors of the new one are complete.
    pub(crate) async fn query_embedder(&self) -> Result<Option<&Cached>, StoreError> {
        let current = self.embedder();
        match (self.previous(), current) {
            (Some(previous), Some(new)) if !self.has_moved(new).await? => Ok(Some(previous)),
            _ => Ok(current),
        }
    }

    /// Whether the vectors of `new` are complete. The store is asked once; after that the indexing runs set the flag.
    async fn has_moved(&self, new: &dyn Embedder) -> Result<bool, StoreError> {
        let Shared { moved, looked, .. } = &*self.shared;
        if !moved.load(Ordering::Acquire) && !looked.load(Ordering::Acquire) {
            let complete = self.store.unembedded(&space_of(new), None, 1).await?.is_empty();
            looked.store(true, Ordering::Release);
            if complete {
                moved.store(true, Ordering::Release);
            }
        }
        Ok(moved.load(Ordering::Acquire))
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let embedder = self.embedder().map(|embedder| embedder.model());
        f.debug_struct("Memory").field("embedder", &embedder).finish_non_exhaustive()
    }
}

/// The vector space of an embedder's model.
pub(crate) fn space_of(embedder: &dyn Embedder) -> VectorSpace {
    VectorSpace { model: embedder.model().to_owned(), dimension: embedder.dimension() }
}
