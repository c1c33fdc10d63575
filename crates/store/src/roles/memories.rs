//! Memories and the relations between them.
//!
//! Every call that shows memories takes a [`Viewer`](greenroom_core::Viewer): the scope predicate is part of the query, and
//! no call without one exists (GR1, X6). At the moment it expires a memory is invisible (AS9).

use async_trait::async_trait;
use greenroom_core::{Memory, MemoryId, Relation, Scope, Timestamp, Viewer};

use crate::{ItemId, ItemsWithRelations, MemoryEdit, MemoryFilter, NewMemory, Newest, Result};

/// Memories, as far as a viewer sees them.
#[async_trait]
pub trait MemoryStore: Send + Sync {
    /// Writes a memory. One with the key of a live one of the same persona and scope updates that
    /// row and raises its version (JV9); its old vectors go with the old text. One learned from a
    /// message that was erased meanwhile is refused, and so is one of whose sources something was erased
    /// since they were read (GR10).
    async fn remember(&self, memory: NewMemory) -> Result<Memory>;

    /// Changes a live memory the viewer sees and raises its version; old vectors go with the old text,
    /// and it counts as erased what it said before.
    /// Whose word it is and what it was learned from stay, so that it is forgotten with them (GR10).
    /// `None` when there is no such memory for this viewer.
    async fn edit(&self, viewer: &Viewer, id: MemoryId, edit: MemoryEdit) -> Result<Option<Memory>>;

    /// Live memories the viewer sees, newest first.
    async fn memories(&self, viewer: &Viewer, filter: &MemoryFilter) -> Result<Vec<Memory>>;

    /// How many live memories the viewer sees; of more than `most`, `most`. No more than those are
    /// looked at.
    async fn count_memories(&self, viewer: &Viewer, now: Timestamp, most: usize) -> Result<usize>;

    /// The live memories of one tier and one scope that were written last, newest first; none where
    /// the viewer does not see the scope (JV6). However many there are, no more than those are read.
    async fn newest(&self, viewer: &Viewer, wanted: &Newest) -> Result<Vec<Memory>>;

    /// The live memory of this scope under this key, if the viewer sees it (JV9).
    async fn keyed(
        &self,
        viewer: &Viewer,
        scope: &Scope,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Memory>>;

    /// These items whole, as far as the viewer sees them now (X6): each once, in the order asked for. Messages
    /// only as far as the viewer's persona was present, if `witnessed` (GR2). With the memories come the
    /// relations at them, as [`relations`](Self::relations) gives them.
    async fn items(
        &self,
        viewer: &Viewer,
        ids: &[ItemId],
        now: Timestamp,
        witnessed: bool,
    ) -> Result<ItemsWithRelations>;

    /// Adds an edge. Both ends must be memories of one persona the viewer sees. Without a `now`
    /// this does not look at expiry: until it is swept, an expired memory may be an end.
    async fn relate(&self, viewer: &Viewer, relation: Relation) -> Result<()>;

    /// The edges that start or end at one of `ids`, as far as the viewer sees both ends.
    /// Edges of an expired memory are among them until it is swept; its text is not.
    async fn relations(&self, viewer: &Viewer, ids: &[MemoryId]) -> Result<Vec<Relation>>;
}
