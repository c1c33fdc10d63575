//! Vectors: one for each text and embedding model, and which texts wait for theirs (L18).
//!
//! Vectors of two models are never compared (L19, BD13). Texts that are given out here go to the embedder and nowhere
//! else: these calls are no recalls.

use async_trait::async_trait;
use greenroom_core::PersonaName;

use crate::{ItemId, NewVector, NewsWaiting, Result, Unembedded, VectorSpace};

/// Vectors of messages and memories, by the model they come from.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// Stores vectors of `space`. Each must have its dimension, be finite and not zero (L18, FG2);
    /// one that is not is refused and nothing of the batch is stored. Items that are gone by now
    /// are passed over, and so are texts that changed since.
    async fn put_vectors(&self, space: &VectorSpace, vectors: Vec<NewVector>) -> Result<()>;

    /// Notes that the model of `space` finds nothing in these texts, given with their versions: they
    /// no longer wait for a vector and are found by their words alone (FG2). Holds until the text
    /// changes. Items that are gone or changed by now, and those with a vector, stay as they are.
    async fn pass_over(&self, space: &VectorSpace, items: Vec<(ItemId, u32)>) -> Result<()>;

    /// Items without a vector in `space`: what is still to be embedded (L18). Memories come first,
    /// then messages, each in the order of their ids; `after` is the last item of the page before.
    /// Items that were passed over are not among them. Not a recall: the texts go to the embedder
    /// and nowhere else.
    async fn unembedded(
        &self,
        space: &VectorSpace,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>>;

    /// The same as far as one of these personas may come to recall it: memories of theirs, and messages
    /// of channels where one of them has answered (FG17).
    async fn unembedded_of(
        &self,
        space: &VectorSpace,
        personas: &[PersonaName],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>>;

    /// The same, or with no personas the same as [`unembedded`](Self::unembedded), for a caller that knows that nothing
    /// waited when the journal ended at `since`: only texts it names after that are looked at, and those
    /// of channels where one of the personas has answered for the first time since. It costs what was
    /// written, however much is stored. `None` when the journal does not reach back so far.
    async fn unembedded_since(
        &self,
        space: &VectorSpace,
        personas: Option<&[PersonaName]>,
        since: i64,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Option<NewsWaiting>>;

    /// The spaces there were ever vectors of. Read at once, however large the store is.
    async fn spaces(&self) -> Result<Vec<VectorSpace>>;
}
