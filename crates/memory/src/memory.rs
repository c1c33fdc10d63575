//! The memory service: one value for the whole program, shared by actors, tools and commands.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use greenroom_core::Clock;
use greenroom_models::Embedder;
use greenroom_store::{Store, StoreError, VectorSpace};

use crate::{
    index::{Index, Marks},
    names::SpeakersCache,
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
    /// What a stranger says holds in the channel where it was said and nowhere else (X7).
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
/// It needs no actor and no runtime. As a library (AS14) the seed's calls are
///
/// | seed | here |
/// |---|---|
/// | `get_context_for_message` | [`recall`](Self::recall): 5 messages, 10 knowledge entries and 0.3 are the settings of the `knowledge` profile; [`render`](crate::render()) makes the block |
/// | `persist_turn` | [`Store::accept`] and [`Store::commit_turn`], then [`index_pending`](Self::index_pending) |
/// | `add_knowledge` | [`remember`](Self::remember) with a source and `expires_in` |
/// | `search` | [`search`](Self::search) |
#[derive(Clone)]
pub struct Memory {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) clock: Arc<dyn Clock>,
    /// What was embedded with before, while texts still wait for a vector of the new model (L19).
    pub(crate) previous: Option<Arc<dyn Embedder>>,
    pub(crate) shared: Arc<Shared>,
}

/// What all clones of a memory share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) cache: Cache,
    pub(crate) speakers: SpeakersCache,
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
    pub fn new(store: Arc<dyn Store>, embedder: Option<Arc<dyn Embedder>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, embedder, clock, previous: None, shared: Arc::default() }
    }

    /// The same after a change of embedder: until everything has a vector of the new model, queries
    /// go to the vectors of `embedder`, the one before, and new texts get vectors of both (FG16,
    /// BD13, L19). It changes over by itself when [`index_pending`](Self::index_pending) or
    /// [`reembed`](Self::reembed) has gone through.
    pub fn with_previous(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.previous = Some(embedder)
            .filter(|old| self.embedder.as_ref().is_some_and(|new| space_of(&**new) != space_of(&**old)));
        self.shared = Arc::default();
        self
    }

    /// The embedder that queries go to now.
    pub(crate) async fn asked(&self) -> Result<Option<&dyn Embedder>, StoreError> {
        let current = self.embedder.as_deref();
        match (self.previous.as_deref(), current) {
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
        let embedder = self.embedder.as_ref().map(|e| e.model());
        f.debug_struct("Memory").field("embedder", &embedder).finish_non_exhaustive()
    }
}

/// The space an embedder's vectors live in.
pub(crate) fn space_of(embedder: &dyn Embedder) -> VectorSpace {
    VectorSpace { model: embedder.model().to_owned(), dimension: embedder.dimension() }
}
