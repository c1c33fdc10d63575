//! The memory service: one value for the whole program, shared by actors, tools and commands.

use std::{fmt, sync::Arc};

use greenroom_core::Clock;
use greenroom_models::Embedder;
use greenroom_store::{Store, StoreError, VectorSpace};

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
}

impl Memory {
    /// A memory over `store`; without an embedder nothing is recalled by meaning (BD8).
    pub fn new(store: Arc<dyn Store>, embedder: Option<Arc<dyn Embedder>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, embedder, clock }
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
