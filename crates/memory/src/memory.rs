//! The memory service: one value for the whole program, shared by actors, tools and commands.

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
    /// Nothing to remember (BD12).
    #[error("there is nothing to remember: the text is empty")]
    Empty,
    /// More than a memory should hold.
    #[error("the text has {length} characters and a memory holds at most {limit}; say it shorter")]
    TooLong {
        /// How long it is.
        length: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A turn of nobody.
    #[error("nobody said it: give the viewer the user who did")]
    Nobody,
    /// What a stranger says holds in the channel where it was said, or for that person, and never everywhere (X7).
    #[error(
        "what was learned from somebody in a channel cannot become a {scope} memory; keep it in the channel"
    )]
    Untrusted {
        /// The scope that was asked for.
        scope: &'static str,
    },
    /// The writer could not even see what it writes (X6).
    #[error(
        "a memory of scope {scope} for another channel or person cannot be written from here; write it there"
    )]
    OutOfSight {
        /// The scope that was asked for.
        scope: &'static str,
    },
}

/// The memory service. Cheap to clone; every clone is the same memory.
///
/// It needs no actor and no runtime; [`Library`](crate::Library) has the calls of a library (AS14).
#[derive(Clone)]
pub struct Memory {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Time>,
    /// Empty while the embedder is awaited.
    embedders: Arc<OnceLock<Embedders>>,
    /// Why it is.
    awaited: Option<Arc<str>>,
    /// Whether what a person told in one chat is looked for in another (MP1).
    recalls_other_chats: bool,
    pub(crate) shared: Arc<Shared>,
}

/// What texts and queries are embedded with.
#[derive(Default)]
struct Embedders {
    current: Option<Arc<Cached>>,
    /// What was embedded with before, while texts still wait for a vector of the new model (L19).
    previous: Option<Arc<Cached>>,
}

/// What all clones of a memory share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) cache: Cache,
    pub(crate) speakers: SpeakersCache,
    pub(crate) cast_names: CastNames,
    pub(crate) index: Arc<Index>,
    pub(crate) marks: Marks,
    /// Whether everything has a vector of the current model, as far as it can have one.
    pub(crate) moved: AtomicBool,
    /// Whether it was looked up, once, if everything has.
    looked: AtomicBool,
    /// Whether it was said that only one of embedder and retrieval model is there (FG10).
    pub(crate) warned_of_half: AtomicBool,
}

impl Memory {
    /// A memory over `store`; without an embedder nothing is recalled by meaning (BD8).
    pub fn new(store: Arc<dyn Store>, embedder: Option<Arc<dyn Embedder>>, clock: Arc<dyn Time>) -> Self {
        let embedders = OnceLock::from(Embedders { current: embedder.map(Cached::over), previous: None });
        let embedders = Arc::new(embedders);
        Self { store, clock, embedders, awaited: None, recalls_other_chats: true, shared: Arc::default() }
    }

    /// A memory whose embedder is not there yet, and why. Until it [arrives](Self::arrived) every recall
    /// that needs it says so (L20), and what is said waits for its vector.
    pub fn awaiting(store: Arc<dyn Store>, why: &str, clock: Arc<dyn Time>) -> Self {
        let awaited = Some(why.into());
        let embedders = Arc::default();
        Self { store, clock, embedders, awaited, recalls_other_chats: true, shared: Arc::default() }
    }

    /// The same over the index of another memory of this store: each change is read once for all that share it, and an
    /// agent of a simulation that goes elsewhere is not loaded again.
    #[must_use]
    pub fn sharing_index_of(self, other: &Self) -> Self {
        let shared = Shared { index: other.shared.index.clone(), ..Shared::default() };
        Self { shared: Arc::new(shared), ..self }
    }

    /// The same without what people told in other chats. The places of a simulation run beside each other over one store: an
    /// agent knows of another place what it took along (SM7), and nothing that depends on how far the other one is.
    #[must_use]
    pub fn without_other_chats(self) -> Self {
        Self { recalls_other_chats: false, ..self }
    }

    /// Whether what a person told in one chat is looked for in another (MP1).
    pub fn recalls_other_chats(&self) -> bool {
        self.recalls_other_chats
    }

    /// Every wait and every moment (SM2).
    pub fn clock(&self) -> &dyn Time {
        &*self.clock
    }

    /// The embedder that was awaited, and the one before it as in [`with_previous`](Self::with_previous).
    /// One that is there already stays.
    pub fn arrived(&self, embedder: Arc<dyn Embedder>, previous: Option<Arc<dyn Embedder>>) {
        self.embed_with(Cached::over(embedder), previous);
    }

    fn embed_with(&self, current: Arc<Cached>, previous: Option<Arc<dyn Embedder>>) {
        let previous = previous.filter(|old| space_of(&**old) != space_of(&*current)).map(Cached::over);
        // the first one counts
        let _ = self.embedders.set(Embedders { current: Some(current), previous });
    }

    /// The same after a change of embedder: until everything has a vector of the new model, queries
    /// go to the vectors of `embedder`, the one before, and new texts get vectors of both (FG16,
    /// BD13, L19). It changes over by itself when [`index_pending`](Self::index_pending) or
    /// [`reembed`](Self::reembed) has gone through.
    pub fn with_previous(self, embedder: Arc<dyn Embedder>) -> Self {
        let Some(current) = self.embedders.get().and_then(|embedders| embedders.current.clone()) else {
            return self;
        };
        let limit = self.shared.index.limit();
        let renewed = Self { embedders: Arc::default(), shared: Arc::default(), ..self };
        renewed.embed_with(current, Some(embedder));
        renewed.with_index_bytes(limit)
    }

    /// Why the embedder is not there yet, if it is to come.
    pub fn awaited(&self) -> Option<String> {
        let why = self.awaited.as_ref().filter(|_| self.embedders.get().is_none());
        why.map(ToString::to_string)
    }

    /// What new texts are embedded with.
    pub(crate) fn embedder(&self) -> Option<&Cached> {
        self.embedders.get().and_then(|embedders| embedders.current.as_deref())
    }

    /// What was embedded with before.
    pub(crate) fn previous(&self) -> Option<&Cached> {
        self.embedders.get().and_then(|embedders| embedders.previous.as_deref())
    }

    /// The same with an index that takes so many bytes of memory and no more, but for what the present
    /// recall needs. What was not used for longest goes first and is read from the store when it is wanted.
    #[must_use]
    pub fn with_index_bytes(self, bytes: usize) -> Self {
        self.shared.index.limit_to(bytes);
        self
    }

    /// About how many bytes of memory the index takes.
    pub fn index_bytes(&self) -> usize {
        self.shared.index.bytes()
    }

    /// Lets go of what the index holds and nobody used for so long.
    pub fn release_idle(&self, idle: Duration) {
        self.shared.index.release(&*self.clock, idle);
    }

    /// The embedder for queries: the previous one until the vectors of the new one are complete.
    pub(crate) async fn query_embedder(&self) -> Result<Option<&Cached>, StoreError> {
        let current = self.embedder();
        match (self.previous(), current) {
            (Some(previous), Some(new)) if !self.has_moved(new).await? => Ok(Some(previous)),
            _ => Ok(current),
        }
    }

    /// Whether the vectors of `new` are complete. Looked up once; from then on the runs that embed
    /// say when they are.
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

/// The space an embedder's vectors live in.
pub(crate) fn space_of(embedder: &dyn Embedder) -> VectorSpace {
    VectorSpace { model: embedder.model().to_owned(), dimension: embedder.dimension() }
}
