//! Import of a persona file's knowledge as global memories. The key of each memory is its place in the file and a
//! digest of its text, so that a later import finds it again (PF6).

mod pairing;

use std::collections::HashSet;

use greenroom_core::{ChannelKey, Kind, Memory as Stored, PersonaName, Scope, Source, Tier, Trust, Viewer};
use greenroom_store::MemoryFilter;

use self::pairing::{Before, digest, plan};
use crate::{Edit, Memory, MemoryError, Remember, remember::clean};

/// The `via` of imported memories' source, and the prefix of their keys.
pub(crate) const VIA: &str = "import";
/// A limit above the number of memories that a persona is imported with.
const ALL: usize = 100_000;

/// The result of an import of knowledge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Learned {
    /// Statements in the file.
    pub known: usize,
    /// Statements that are new, or that changed since an earlier import.
    pub fresh: usize,
    /// Memories of an earlier import that are no longer in the file.
    pub forgotten: usize,
}

impl Memory {
    /// Imports the statements of a file, each given as its place and its text. An unchanged statement keeps its memory,
    /// a changed one becomes the memory's next version, and a memory whose statement was removed is forgotten. Memories
    /// of the documents and folders in `unread` are kept, because these files could not be read. `step` is called after
    /// each statement.
    ///
    /// The memories have the trust of the persona, not of the operator: the operator has not read every line of the
    /// file (X7).
    ///
    /// # Errors
    /// [`MemoryError`] if a statement is too long or the store fails. The caller can repeat the call; it is idempotent.
    pub async fn learn(
        &self,
        persona: &PersonaName,
        statements: &[(String, String)],
        unread: &[String],
        mut step: impl FnMut(),
    ) -> Result<Learned, MemoryError> {
        // global memories are the same from every channel
        let viewer = Viewer::new(persona.clone(), ChannelKey::nowhere(), None);
        let filter = MemoryFilter {
            now: self.clock.now(),
            scopes: vec!["global"],
            ids: Vec::new(),
            about: None,
            limit: ALL,
        };
        let mut memories = self.store.memories(&viewer, &filter).await?;
        memories.retain(|memory| memory.source.via == VIA && memory.key.is_some());
        memories.sort_by_key(|memory| memory.id);
        let mut now: Vec<(&str, String)> = Vec::new();
        for (place, text) in statements {
            match clean(text) {
                Ok(text) => now.push((place, text)),
                Err(MemoryError::Empty) => {}
                Err(error) => return Err(error),
            }
        }
        let keys: HashSet<&str> = memories.iter().filter_map(|memory| memory.key.as_deref()).collect();
        let before: Vec<Before<'_>> = memories.iter().map(|memory| earlier(memory, unread)).collect();
        let texts: Vec<&str> = now.iter().map(|(_, text)| &**text).collect();
        let plan = plan(&before, &texts);
        let fresh = plan.change.len() + plan.add.len();
        let learned = Learned { known: now.len(), fresh, forgotten: plan.forget.len() };
        (fresh..statements.len()).for_each(|_| step());
        // removed statements first, so that nothing new is compared with them
        for id in plan.forget {
            self.store.forget(&viewer, id).await?;
        }
        for (id, n) in plan.change {
            let text = Some(now[n].1.clone());
            let edit = Edit { text, kind: None, expires_at: None, private: None, trust: Trust::Persona };
            self.edit(&viewer, id, edit).await?;
            step();
        }
        for n in plan.add {
            let (place, text) = &now[n];
            let statement = Remember {
                text: text.clone(),
                kind: Kind::new("knowledge"),
                tier: Tier::Semantic,
                scope: Scope::Global,
                source: Source { via: VIA.into(), message: None, user: None },
                trust: Trust::Persona,
                key: Some(free_key(place, text, &keys)),
                expires_in: None,
            };
            self.remember(&viewer, statement).await?;
            step();
        }
        Ok(learned)
    }
}

/// An existing memory, as the pairing with the file's statements needs it.
fn earlier<'a>(memory: &'a Stored, unread: &[String]) -> Before<'a> {
    let (place, digest) = read_key(memory.key.as_deref().unwrap_or_default());
    Before {
        id: memory.id,
        text: &memory.text,
        digest,
        is_corrected: memory.trust > Trust::Persona,
        is_unread: unread.iter().any(|document| is_part(place, document)),
    }
}

/// Whether a place belongs to a document: the document itself, a part of it (`document#2`), or a document in a folder.
fn is_part(place: &str, document: &str) -> bool {
    !document.is_empty()
        && place.strip_prefix(document).is_some_and(|rest| rest.is_empty() || rest.starts_with(['#', '/']))
}

/// The key of a statement's memory: its place in the file, and a digest of its text.
fn key(place: &str, text: &str) -> String {
    format!("{VIA}:{place}~{:016x}", digest(text))
}

/// Like [`key`], but not in `taken`. A memory whose text has changed since may still have the key.
fn free_key(place: &str, text: &str, taken: &HashSet<&str>) -> String {
    let mut wanted = key(place, text);
    while taken.contains(&*wanted) {
        wanted.push('+');
    }
    wanted
}

/// The place and the digest of a key; keys of older versions have no digest.
fn read_key(key: &str) -> (&str, Option<u64>) {
    let place = key.strip_prefix(VIA).and_then(|rest| rest.strip_prefix(':')).unwrap_or_default();
    let parts = place.trim_end_matches('+').rsplit_once('~').filter(|(_, digest)| digest.len() == 16);
    match parts.and_then(|(place, digest)| Some((place, u64::from_str_radix(digest, 16).ok()?))) {
        Some((place, digest)) => (place, Some(digest)),
        None => (place, None),
    }
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
            assert_eq!(is_part(read_key(&key(place, "Tea.")).0, "docs"), is_its, "{place}");
        }
        assert!(!is_part("bio", ""), "`./` is a folder, not everything");
        assert_eq!(read_key("import:docs/a~b.md"), ("docs/a~b.md", None), "a key of an older version");
    }
}
