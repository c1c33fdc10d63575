//! Export and import of memories (GR10). For the operator: no viewer is asked for.

use async_trait::async_trait;
use greenroom_core::{MemoryId, PersonaName};

use crate::{Exported, Imported, Result};

/// Memories as lines that another store takes in.
#[async_trait]
pub trait TransferStore: Send + Sync {
    /// Memories after one of them, in the order of their ids, with their edges; of one persona
    /// where one is given. For the operator.
    async fn export(
        &self,
        persona: Option<&PersonaName>,
        after: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Exported>>;

    /// Stores exported memories as they are, all or none. An id that is taken by another memory, or
    /// larger than 2^53, is replaced by a new one, in the edges too. The message a memory was learned
    /// from is kept as far as it is one of the same place or person here, or none of that number was
    /// here and none will be; the number of a session in the key of its summary likewise, or the key
    /// gets the memory's id. An edge to a memory that is neither among them nor stored is an error,
    /// and so are a text that is empty or longer than 4,000 characters, a version 0, a time out of
    /// order, a key that another memory of the same scope has, control characters in a key or a
    /// source, and a stranger's word that holds beyond a channel (X7); it names the memory.
    async fn import(&self, memories: Vec<Exported>) -> Result<Imported>;
}
