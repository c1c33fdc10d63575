//! Correction of a memory by a user or operator: writes the next version of the same memory.

use std::slice;

use greenroom_core::{Kind, Memory as Stored, MemoryId, Scope, Timestamp, Trust, Viewer};
use greenroom_store::{MemoryEdit, MemoryFilter};

use crate::{Memory, MemoryError, remember::clean};

/// The changes of a memory; `None` leaves a field as it is.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The new text.
    pub text: Option<String>,
    /// The new kind.
    pub kind: Option<Kind>,
    /// The new expiry; `Some(None)` removes it.
    pub expires_at: Option<Option<Timestamp>>,
    /// Whether the memory becomes private; only for a memory that holds with a person (MP1).
    pub private: Option<bool>,
    /// The new trust.
    pub trust: Trust,
}

impl Memory {
    /// Changes a memory that the viewer sees, and embeds its new text. Returns `None` if the viewer sees no such
    /// memory. The new text is not compared with other memories: the person who edits has decided.
    pub async fn edit(
        &self,
        viewer: &Viewer,
        id: MemoryId,
        edit: Edit,
    ) -> Result<Option<Stored>, MemoryError> {
        let Edit { text, kind, expires_at, private, trust } = edit;
        let text = text.as_deref().map(clean).transpose()?;
        let says_something_else = text.is_some();
        let edit = MemoryEdit { text, kind, expires_at, private, trust, at: self.clock.now() };
        let Some(memory) = self.store.edit(viewer, id, edit).await? else { return Ok(None) };
        if says_something_else
            && let Some(embedding) = self.embedded(slice::from_ref(&memory.text)).await.pop()
        {
            self.put_vector(&memory, embedding).await;
        }
        Ok(Some(memory))
    }

    /// Makes a person's memory private, or lets others know it. Returns `None` if the viewer sees no such memory, or if
    /// it holds with no person (MP1).
    ///
    /// # Errors
    /// Only a failing store is an error.
    pub async fn set_private(
        &self,
        viewer: &Viewer,
        id: MemoryId,
        private: bool,
    ) -> Result<Option<Stored>, MemoryError> {
        let now = self.clock.now();
        let filter = MemoryFilter { now, scopes: Vec::new(), ids: vec![id], about: None, limit: 1 };
        let Some(known) = self.store.memories(viewer, &filter).await?.pop() else { return Ok(None) };
        if known.scope.person().is_none() || matches!(known.scope, Scope::Private(_)) == private {
            return Ok(Some(known).filter(|known| known.scope.person().is_some()));
        }
        let (text, kind, expires_at, trust) = (None, None, None, known.trust);
        self.edit(viewer, id, Edit { text, kind, expires_at, private: Some(private), trust }).await
    }
}
