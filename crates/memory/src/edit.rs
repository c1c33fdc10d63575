//! Correcting a memory by hand: the same memory, in its next version.

use std::slice;

use greenroom_core::{Kind, Memory as Stored, MemoryId, Scope, Timestamp, Trust, Viewer};
use greenroom_store::{MemoryEdit, MemoryFilter};

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
    /// Whether it is private from now on; only of a memory that holds with a person (MP1).
    pub private: Option<bool>,
    /// Who stands behind it from now on.
    pub trust: Trust,
}

impl Memory {
    /// Changes a memory the viewer sees, with a vector for what it says now; `None` where there is no
    /// such memory for this viewer. Nothing is compared with what else is known: the person who edits has
    /// decided.
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

    /// Lets others know what a person told in private, or keeps from them from now on what the person had said openly;
    /// `None` where the viewer sees no such memory, or it holds with no person (MP1).
    ///
    /// # Errors
    /// The store's.
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
