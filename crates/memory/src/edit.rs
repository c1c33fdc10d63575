//! Correcting a memory by hand: the same memory, in its next version.

use std::slice;

use greenroom_core::{Kind, Memory as Stored, MemoryId, Timestamp, Trust, Viewer};
use greenroom_store::MemoryEdit;

use crate::{Memory, MemoryError, remember::clean};

/// What is to change about a memory; the rest stays.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Another text.
    pub text: Option<String>,
    /// Another sort.
    pub kind: Option<Kind>,
    /// Another end, or none at all.
    pub expires_at: Option<Option<Timestamp>>,
    /// Who stands behind it from now on.
    pub trust: Trust,
}

impl Memory {
    /// Changes a memory the viewer sees, with a vector for what it says now; `None` where there is no
    /// such memory for this viewer. Nothing is held against what else is known: whoever edits has
    /// decided.
    pub async fn edit(
        &self,
        viewer: &Viewer,
        id: MemoryId,
        edit: Edit,
    ) -> Result<Option<Stored>, MemoryError> {
        let Edit { text, kind, expires_at, trust } = edit;
        let text = text.as_deref().map(clean).transpose()?;
        let edit = MemoryEdit { text, kind, expires_at, trust, at: self.clock.now() };
        let Some(memory) = self.store.edit(viewer, id, edit).await? else { return Ok(None) };
        if let Some(embedding) = self.embedded(slice::from_ref(&memory.text)).await.pop() {
            self.put_vector(&memory, embedding).await;
        }
        Ok(Some(memory))
    }
}
