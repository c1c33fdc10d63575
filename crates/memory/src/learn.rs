//! Knowledge of a persona's file becomes memories that hold everywhere. Each has its place in the file as its key, so that
//! another import updates it (PF6).

use std::collections::HashSet;

use greenroom_core::{ChannelKey, Kind, PersonaName, Scope, Source, Tier, Trust, Viewer};
use greenroom_store::MemoryFilter;

use crate::{Memory, MemoryError, Remember};

/// The way these memories came, and the beginning of their keys.
const VIA: &str = "import";
/// More memories than a persona is imported with.
const ALL: usize = 100_000;

/// The result of an import of knowledge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Learned {
    /// Statements of the file.
    pub written: usize,
    /// Memories of an earlier import that the file no longer has.
    pub forgotten: usize,
}

impl Memory {
    /// Writes the statements of a file, each as its place and its text, and forgets those of an earlier import that are
    /// not among them; but for those of documents and folders in `unread`, which could not be looked at. `step` is called after
    /// each statement.
    ///
    /// They have the trust of the persona, not of the operator: the operator has not read every line of the file (X7).
    ///
    /// # Errors
    /// [`MemoryError`] where a statement is too long or the store fails; the statements before it are written.
    pub async fn learn(
        &self,
        persona: &PersonaName,
        statements: &[(String, String)],
        unread: &[String],
        mut step: impl FnMut(),
    ) -> Result<Learned, MemoryError> {
        // memories that hold everywhere are the same from every channel
        let viewer = Viewer::new(persona.clone(), ChannelKey::nowhere(), None);
        let mut learned = Learned::default();
        for (place, text) in statements {
            let statement = Remember {
                text: text.clone(),
                kind: Kind::new("knowledge"),
                tier: Tier::Semantic,
                scope: Scope::Global,
                source: Source { via: VIA.into(), message: None, user: None },
                trust: Trust::Persona,
                key: Some(key(place)),
                expires_in: None,
            };
            match self.remember(&viewer, statement).await {
                Ok(_) => learned.written += 1,
                Err(MemoryError::Empty) => {}
                Err(error) => return Err(error),
            }
            step();
        }
        let wanted: HashSet<String> = statements.iter().map(|(place, _)| key(place)).collect();
        let filter = MemoryFilter {
            now: self.clock.now(),
            scopes: vec!["global"],
            ids: Vec::new(),
            about: None,
            limit: ALL,
        };
        let unread: Vec<String> = unread.iter().map(|place| key(place)).collect();
        let stays = |key: &String| wanted.contains(key) || unread.iter().any(|place| is_part(key, place));
        for old in self.store.memories(&viewer, &filter).await? {
            if old.source.via == VIA && old.key.as_ref().is_some_and(|key| !stays(key)) {
                self.store.forget(&viewer, old.id).await?;
                learned.forgotten += 1;
            }
        }
        Ok(learned)
    }
}

/// Whether a place is that of a document, of a part of it (`document#2`), or of a document in a folder.
fn is_part(place: &str, document: &str) -> bool {
    place.strip_prefix(document).is_some_and(|rest| rest.is_empty() || rest.starts_with(['#', '/']))
}

/// The key of the memory of a place.
fn key(place: &str) -> String {
    format!("{VIA}:{place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pf6_an_unread_document_keeps_its_own_statements_alone() {
        for (place, is_its) in [
            ("docs", true),
            ("docs#3", true),
            ("docs/map.md#1", true),
            ("docs2/map.md", false),
            ("docs.md", false),
            ("bio", false),
        ] {
            assert_eq!(is_part(&key(place), &key("docs")), is_its, "{place}");
        }
        assert!(!is_part(&key("bio"), &key("")), "`./` is a folder, not everything");
    }
}
