//! The memory service: one value for the whole program, shared by actors, tools and commands.

use std::{sync::Arc, time::Duration};

use greenroom_core::{Clock, Kind, Scope, Source, Trust, Viewer};
use greenroom_models::Embedder;
use greenroom_store::{Hit, Store, StoreError};

use crate::{RecallRequest, Recalled};

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
}

/// A statement to remember. Whose it is comes from the viewer it is written with.
#[derive(Debug, Clone)]
pub struct Remember {
    /// The statement.
    pub text: String,
    /// What sort.
    pub kind: Kind,
    /// Where it holds.
    pub scope: Scope,
    /// Where it came from.
    pub source: Source,
    /// Who stands behind it.
    pub trust: Trust,
    /// Under which a later one replaces it.
    pub key: Option<String>,
    /// How long it holds.
    pub expires_in: Option<Duration>,
}

/// What became of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The stored memory.
    pub memory: greenroom_core::Memory,
    /// True when the same was known already and nothing was added.
    pub known: bool,
}

/// What an indexing run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Texts that have a vector now.
    pub embedded: u64,
    /// Texts that still wait, because the embedder failed (L18).
    pub pending: u64,
}

/// The memory service.
#[derive(Clone)]
pub struct Memory {
    store: Arc<dyn Store>,
    embedder: Option<Arc<dyn Embedder>>,
    clock: Arc<dyn Clock>,
}

impl Memory {
    /// A memory over `store`; without an embedder nothing is recalled by meaning (BD8).
    pub fn new(store: Arc<dyn Store>, embedder: Option<Arc<dyn Embedder>>, clock: Arc<dyn Clock>) -> Self {
        Self { store, embedder, clock }
    }

    /// What matters for the window of a turn, a source after the other (WB6, WB7, AS2, AS3). A
    /// failing embedder degrades the recall and says so; a failing store is an error (AS10).
    pub async fn recall(
        &self,
        viewer: &Viewer,
        request: &RecallRequest<'_>,
    ) -> Result<Recalled, MemoryError> {
        let _ = (viewer, request, &self.store, &self.embedder, &self.clock);
        todo!()
    }

    /// Stores and indexes a statement (AS7). One that says the same as a live memory of the same
    /// scope is not added again.
    pub async fn remember(&self, viewer: &Viewer, statement: Remember) -> Result<Remembered, MemoryError> {
        let _ = (viewer, statement);
        todo!()
    }

    /// An explicit search over memories and past messages (AS8, AS14), best first.
    pub async fn search(&self, viewer: &Viewer, query: &str, limit: usize) -> Result<Vec<Hit>, MemoryError> {
        let _ = (viewer, query, limit);
        todo!()
    }

    /// Embeds everything that waits for a vector. Safe to call at any time and from several
    /// places; texts whose embedding fails stay pending.
    pub async fn index_pending(&self) -> Result<IndexReport, MemoryError> {
        todo!()
    }
}
