//! Export and import of memories (GR10). Only the operator uses these calls; they take no viewer.

use async_trait::async_trait;
use greenroom_core::{MemoryId, PersonaName};

use crate::{Exported, Imported, Result};

/// Memories as lines that another store can import.
#[async_trait]
pub trait TransferStore: Send + Sync {
    /// Memories after the id `after`, in the order of their ids, with their relations. With `persona`, only that
    /// persona's.
    async fn export(
        &self,
        persona: Option<&PersonaName>,
        after: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Exported>>;

    /// Stores exported memories unchanged, all or none.
    /// - An id that another memory has, or that is larger than 2^53, is replaced by a new one, also in relations.
    /// - The message from which a memory was learned is kept if that message belongs to the same place or person here,
    ///   or if its id was never used here and never will be. The same holds for the session number in the key of a
    ///   summary; otherwise the key gets the memory's id.
    /// - These are errors, which name the memory: a relation to a memory that is neither imported nor stored; a text
    ///   that is empty or longer than 4,000 characters; a version 0; a time out of order; a key that another memory of
    ///   the same scope has; control characters in a key or a source; a stranger's statement that holds beyond a
    ///   channel (X7).
    async fn import(&self, memories: Vec<Exported>) -> Result<Imported>;
}
