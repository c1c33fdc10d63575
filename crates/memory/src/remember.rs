//! Remembering: one statement in, cleaned, checked for trust, not twice, embedded at once where
//! that is possible.

use std::time::Duration;

use greenroom_core::{Kind, Memory as Stored, Scope, Source, Tier, Timestamp, Trust, Viewer};
use greenroom_store::{Item, ItemId, ItemKind, NewMemory, NewVector, Search, StoreError};
use tokio::time::timeout;

use crate::{
    Memory, MemoryError,
    embed::{Embedding, embed, one_line},
    memory::space_of,
};

/// Characters a memory holds at most.
const LONGEST: usize = 4_000;

/// So long a statement waits for its vector; after that it stays pending (L18).
pub(crate) const EMBED_WAIT: Duration = Duration::from_secs(2);

/// Of so many memories with the same words, one that says the same is looked for.
const CANDIDATES: usize = 20;

/// A statement to remember. Whose it is comes from the viewer it is written with.
#[derive(Debug, Clone)]
pub struct Remember {
    /// The statement.
    pub text: String,
    /// What sort.
    pub kind: Kind,
    /// Where it holds.
    pub scope: Scope,
    /// Where it came from.
    pub source: Source,
    /// Who stands behind it.
    pub trust: Trust,
    /// Under which a later one replaces it.
    pub key: Option<String>,
    /// How long it holds.
    pub expires_in: Option<Duration>,
}

/// What became of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The stored memory.
    pub memory: Stored,
    /// True when the same was known already and nothing was added.
    pub known: bool,
}

impl Memory {
    /// Stores and indexes a statement (AS7), with its control characters and line breaks made
    /// spaces. One that a live memory of the same scope already says is not added again. What a
    /// stranger said holds in its channel only (X7).
    ///
    /// The statement is stored even when it cannot be embedded now; it then stays pending (L18).
    pub async fn remember(&self, viewer: &Viewer, statement: Remember) -> Result<Remembered, MemoryError> {
        let text = clean(&statement.text)?;
        allowed(viewer, &statement)?;
        let now = self.clock.now();
        let new = NewMemory {
            persona: viewer.persona().clone(),
            scope: statement.scope,
            text,
            kind: statement.kind,
            tier: Tier::Semantic,
            source: statement.source,
            trust: statement.trust,
            key: statement.key,
            expires_at: statement.expires_in.map(|d| now.after(d)),
            at: now,
        };
        if let Some(memory) = self.known(viewer, &new).await? {
            return Ok(Remembered { memory, known: true });
        }
        let memory = self.store.remember(new).await?;
        self.embed_now(&memory).await;
        Ok(Remembered { memory, known: false })
    }

    /// A live memory that makes the new one superfluous. The same statement has the same words,
    /// so the full-text index finds it, also when neither has a vector.
    async fn known(&self, viewer: &Viewer, new: &NewMemory) -> Result<Option<Stored>, StoreError> {
        let search = Search::new(ItemKind::Memory, CANDIDATES, new.at);
        let hits = self.store.full_text(viewer, &new.text, &search).await?;
        Ok(hits.into_iter().find_map(|hit| match hit.item {
            Item::Memory(memory) if covers(&memory, new) => Some(memory),
            _ => None,
        }))
    }

    /// Gives a new memory its vector. A failure costs nothing but time: the memory is stored and
    /// the next [`Memory::index_pending`] tries again.
    async fn embed_now(&self, memory: &Stored) {
        let Some(embedder) = self.embedder.as_deref() else { return };
        let texts = [memory.text.clone()];
        let (item, version) = (ItemId::Memory(memory.id), memory.version);
        let space = space_of(embedder);
        let stored = match timeout(EMBED_WAIT, embed(embedder, &texts)).await {
            Ok(Ok(embeddings)) => match embeddings.into_iter().next() {
                Some(Embedding::Vector(vector)) => {
                    self.store.put_vectors(&space, vec![NewVector { item, version, vector }]).await
                }
                Some(Embedding::Unusable(reason)) => return pending(memory, &reason),
                Some(Embedding::Nothing) | None => self.store.pass_over(&space, vec![(item, version)]).await,
            },
            Ok(Err(error)) => return pending(memory, &one_line(&error)),
            Err(_) => return pending(memory, "the embedder takes too long"),
        };
        if let Err(error) = stored {
            pending(memory, &one_line(&error));
        }
    }
}

fn pending(memory: &Stored, reason: &str) {
    tracing::warn!(memory = %memory.id, "stored, but not found by meaning yet: {reason}");
}

/// One line without control characters; not empty and not too long (BD12).
fn clean(text: &str) -> Result<String, MemoryError> {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let clean = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    match clean.chars().count() {
        0 => Err(MemoryError::Empty),
        length if length > LONGEST => Err(MemoryError::TooLong { length, limit: LONGEST }),
        _ => Ok(clean),
    }
}

/// Whether this viewer may write this statement there (X6, X7).
fn allowed(viewer: &Viewer, statement: &Remember) -> Result<(), MemoryError> {
    let scope = statement.scope.name();
    if !viewer.sees(viewer.persona(), &statement.scope) {
        return Err(MemoryError::OutOfSight { scope });
    }
    if statement.trust == Trust::Stranger && !matches!(statement.scope, Scope::Channel(_)) {
        return Err(MemoryError::Untrusted { scope });
    }
    Ok(())
}

/// Whether `old` makes `new` superfluous: it says the same in the same place under the same key,
/// is trusted as much and lives as long.
fn covers(old: &Stored, new: &NewMemory) -> bool {
    let forever = Timestamp(i64::MAX);
    old.scope == new.scope
        && old.key == new.key
        && old.trust >= new.trust
        && old.expires_at.unwrap_or(forever) >= new.expires_at.unwrap_or(forever)
        && says_the_same(&old.text, &new.text)
}

/// Whether two statements are the same but for case, punctuation and articles.
///
/// A cosine does not decide it: "at 5" and "at 6", "Ann owes Bob" and "Bob owes Ann" lie closer
/// than 0.95, and a correction must never be taken for something known.
fn says_the_same(a: &str, b: &str) -> bool {
    let (one, other) = (words(a), words(b));
    if one.is_empty() || other.is_empty() { a == b } else { one == other }
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '"' | '\'')).to_owned())
        .filter(|w| !matches!(w.as_str(), "" | "a" | "an" | "the" | "that"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn breaks_a_line(c: char) -> bool {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
    }

    #[test]
    fn bd12_an_empty_text_is_refused() {
        for empty in ["", "  ", "\n\t", "\u{0}\u{1b}"] {
            assert!(matches!(clean(empty), Err(MemoryError::Empty)), "{empty:?}");
        }
    }

    #[test]
    fn bd12_a_text_of_4000_characters_fits_and_one_more_does_not() {
        assert_eq!(clean(&"ü".repeat(LONGEST)).unwrap().chars().count(), LONGEST);
        let error = clean(&"ü".repeat(LONGEST + 1)).unwrap_err().to_string();
        assert_eq!(error, "the text has 4001 characters and a memory holds at most 4000; say it shorter");
    }

    #[test]
    fn the_same_statement_is_recognised_through_case_articles_and_punctuation() {
        assert!(says_the_same("The user prefers concise responses.", "user prefers concise responses"));
        assert!(says_the_same("👍", "👍"));
        for (a, b) in [
            ("The meeting is at 5", "The meeting is at 6"),
            ("Ann owes Bob money", "Bob owes Ann money"),
            ("I like tea", "I don't like tea"),
            ("It costs -5", "It costs 5"),
            ("!", "?"),
        ] {
            assert!(!says_the_same(a, b), "{a} / {b}");
        }
    }

    proptest! {
        #[test]
        fn a_clean_text_is_one_line_and_stays_as_it_is(text in "\\PC{0,60}[\\x00-\\x20]{0,4}\\PC{0,60}") {
            if let Ok(once) = clean(&text) {
                prop_assert!(!once.chars().any(breaks_a_line));
                prop_assert_eq!(clean(&once).unwrap(), once);
            }
        }
    }
}
