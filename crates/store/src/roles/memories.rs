//! Memories and the relations between them.
//!
//! Every call that shows memories takes a [`Viewer`](greenroom_core::Viewer). The scope predicate is part of the query,
//! and no call without one exists (GR1, X6). An expired memory is invisible from the moment of its expiry on (AS9).

use async_trait::async_trait;
use greenroom_core::{Memory, MemoryId, Relation, Scope, Timestamp, Viewer};

use crate::{ItemId, ItemsWithRelations, MemoryEdit, MemoryFilter, NewMemory, Newest, Result};

/// Memories that a viewer sees.
#[async_trait]
pub trait MemoryStore: Send + Sync {
    /// Writes a memory. If a live memory of the same persona and scope has its key, updates that row and raises its
    /// version (JV9). The vectors of the old text are deleted. Refuses a memory that was learned from an erased
    /// message, or of which a source was erased since it was read, and a summary with a statement that was forgotten or
    /// corrected (GR10).
    async fn remember(&self, memory: NewMemory) -> Result<Memory>;

    /// Changes a live memory that the viewer sees, and raises its version. The vectors of the old text are deleted, and
    /// the old text counts as erased. With a new text, the summaries of the sessions in which the statement was made are
    /// removed, because they may contain the old one. Its author and its sources stay, so that it is forgotten with them (GR10). `None`
    /// if this viewer sees no such memory.
    async fn edit(&self, viewer: &Viewer, id: MemoryId, edit: MemoryEdit) -> Result<Option<Memory>>;

    /// Live memories the viewer sees, newest first.
    async fn memories(&self, viewer: &Viewer, filter: &MemoryFilter) -> Result<Vec<Memory>>;

    /// The number of live memories that the viewer sees, at most `most`. Counts no further than `most`.
    async fn count_memories(&self, viewer: &Viewer, now: Timestamp, most: usize) -> Result<usize>;

    /// The most recently written live memories of one tier and one scope, newest first; none if the viewer does not see
    /// the scope (JV6). Reads no more rows than it returns.
    async fn newest(&self, viewer: &Viewer, wanted: &Newest) -> Result<Vec<Memory>>;

    /// The live memory with this key in this scope, if the viewer sees it (JV9).
    async fn keyed(
        &self,
        viewer: &Viewer,
        scope: &Scope,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Memory>>;

    /// The full items with these ids that the viewer sees now (X6), each once, in the given order. With `witnessed`,
    /// only messages for which the viewer's persona was present (GR2). Memories come with their relations, as
    /// [`relations`](Self::relations) returns them.
    async fn items(
        &self,
        viewer: &Viewer,
        ids: &[ItemId],
        now: Timestamp,
        witnessed: bool,
    ) -> Result<ItemsWithRelations>;

    /// Adds a relation. Both ends must be memories of one persona that the viewer sees. This call ignores expiry,
    /// because it has no `now`: until it is swept, an expired memory may be an end.
    async fn relate(&self, viewer: &Viewer, relation: Relation) -> Result<()>;

    /// The relations that start or end at one of `ids` and of which the viewer sees both ends. Relations of an expired
    /// memory are returned until it is swept; its text is not.
    async fn relations(&self, viewer: &Viewer, ids: &[MemoryId]) -> Result<Vec<Relation>>;
}
