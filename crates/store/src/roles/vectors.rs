//! Vectors: one for each text and embedding model, and the texts that still wait for a vector (L18).
//!
//! Vectors of two models are never compared (L19, BD13). Texts returned by these calls go only to the embedder: these
//! calls are no recalls.

use async_trait::async_trait;
use greenroom_core::PersonaName;

use crate::{ItemId, NewVector, NewsWaiting, Result, Unembedded, VectorSpace};

/// Vectors of messages and memories, by embedding model.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// Stores vectors of `space`. Each must have the dimension of `space`, be finite and not zero (L18, FG2); otherwise
    /// the whole batch is refused. Vectors of items that no longer exist, or whose text has changed, are skipped.
    async fn put_vectors(&self, space: &VectorSpace, vectors: Vec<NewVector>) -> Result<()>;

    /// Records that the model of `space` finds no meaning in these texts, given with their versions. They no longer
    /// wait for a vector and are found by their words alone (FG2). This holds until the text changes. Items that are
    /// deleted, changed, or have a vector stay unchanged.
    async fn pass_over(&self, space: &VectorSpace, items: Vec<(ItemId, u32)>) -> Result<()>;

    /// Items without a vector in `space`, which are still to be embedded (L18). Memories come first, then messages,
    /// each in the order of their ids. `after` is the last item of the previous page. Items that were passed over are
    /// excluded. Not a recall: the texts go only to the embedder.
    async fn unembedded(
        &self,
        space: &VectorSpace,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>>;

    /// Like [`unembedded`](Self::unembedded), but only items that one of these personas may recall: their memories, and
    /// messages of channels where one of them has answered (FG17).
    async fn unembedded_of(
        &self,
        space: &VectorSpace,
        personas: &[PersonaName],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>>;

    /// Like [`unembedded_of`](Self::unembedded_of), or without personas like [`unembedded`](Self::unembedded), for a
    /// caller that knows that no text waited when the journal ended at `since`. Reads only texts that the journal names
    /// after `since`, and those of channels where one of the personas has answered for the first time since. The cost
    /// depends on the new texts, not on the size of the store. `None` if the journal no longer reaches back to `since`.
    async fn unembedded_since(
        &self,
        space: &VectorSpace,
        personas: Option<&[PersonaName]>,
        since: i64,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Option<NewsWaiting>>;

    /// All spaces that ever had vectors. One fast read, independent of the size of the store.
    async fn spaces(&self) -> Result<Vec<VectorSpace>>;
}
