//! Remembering: the only path by which statements become memories. It cleans a statement, checks trust and scope,
//! compares the statement with existing memories, stores the result, and embeds it at once where that is possible.
//! Tools, capture and imports call it.

pub(crate) mod alike;
mod person;

use std::{fmt, slice, time::Duration};

use greenroom_core::{
    Kind, Memory as Stored, Relation, RelationKind, Scope, Source, Tier, Trust, Viewer, composed,
};
use greenroom_lang::{contrast, tells_ending};
use greenroom_store::{ItemId, NewMemory, NewVector, Sources, StoreError};

use self::person::compared;
use crate::{
    Decision, Memory, MemoryError,
    capture::decide::{Choice, IgnoreReason, decide, decide_with_proposal, takes_the_place},
    embed::{Embedding, embed, one_line},
    memory::space_of,
    searched::searched,
};

/// The longest text of a memory, in characters.
const LONGEST: usize = 4_000;

/// How long a statement waits for its vector. After that it stays pending (L18).
pub(crate) const EMBED_WAIT: Duration = Duration::from_secs(2);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A statement to remember. The viewer that it is written with determines the persona.
#[derive(Debug, Clone)]
pub struct Remember {
    /// The statement.
    pub text: String,
    /// The kind of the statement.
    pub kind: Kind,
    /// How long the memory lives.
    pub tier: Tier,
    /// The scope in which the statement holds.
    pub scope: Scope,
    /// The source of the statement.
    pub source: Source,
    /// How far the statement is trusted.
    pub trust: Trust,
    /// A later statement with the same key replaces this one (JV9). If another person's memory, or a more trusted one,
    /// has the key, this statement gets the key with its person's id appended.
    pub key: Option<String>,
    /// How long the statement holds. `None`: as long as its tier, which is for ever for knowledge, 30 days for an
    /// event, 7 days for a conversation (JV1, JV3).
    pub expires_in: Option<Duration>,
}

/// The result of remembering a statement. Its `Display` is a message of one line for users.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The stored memory, or the existing memory if the statement was ignored.
    pub memory: Stored,
    /// The decision about the statement.
    pub decision: Decision,
}

impl Remembered {
    /// True if the statement was ignored, so nothing was written.
    pub fn known(&self) -> bool {
        matches!(self.decision, Decision::Ignore(..))
    }
}

impl fmt::Display for Remembered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stored { id, text, version, .. } = &self.memory;
        match &self.decision {
            Decision::Add => write!(f, "remembered as {id}: {text}"),
            Decision::Update(_) => write!(f, "remembered as {id} (version {version}): {text}"),
            Decision::Supersede(old) => write!(f, "remembered as {id} (supersedes {old}): {text}"),
            Decision::Ignore(_, why) => write!(f, "not remembered again, {why} ({id}): {text}"),
        }
    }
}

impl Memory {
    /// Stores and indexes a statement (AS7). Control characters and line breaks become spaces. A statement that a live
    /// memory of the same scope already contains is not added again. A correction supersedes the memory that it
    /// corrects. A stranger's statement holds in its channel or with its person (X7), and replaces nothing that is
    /// trusted more.
    ///
    /// The statement is stored even if it cannot be embedded now. It then stays pending (L18).
    pub async fn remember(&self, viewer: &Viewer, statement: Remember) -> Result<Remembered, MemoryError> {
        self.remember_of(viewer, statement, Sources::default()).await
    }

    /// Like [`Self::remember`], for a statement that the caller derived from `sources`. The statement is not stored if
    /// one of the sources was erased meanwhile (GR10).
    pub async fn remember_of(
        &self,
        viewer: &Viewer,
        statement: Remember,
        sources: Sources,
    ) -> Result<Remembered, MemoryError> {
        let new = NewMemory { sources, ..self.checked(viewer, statement)? };
        let text = searched(&new.scope, &new.text).into_owned();
        let embedding = self.embedded(slice::from_ref(&text)).await.pop();
        Ok(self.write(viewer, new, embedding, None).await?)
    }

    /// Returns the statement as it would be stored, or an error if the viewer may not write it.
    pub(crate) fn checked(&self, viewer: &Viewer, statement: Remember) -> Result<NewMemory, MemoryError> {
        let text = clean(&statement.text)?;
        allowed(viewer, &statement)?;
        let now = self.clock.now();
        Ok(NewMemory {
            persona: viewer.persona().clone(),
            scope: statement.scope,
            text,
            kind: statement.kind,
            tier: statement.tier,
            source: statement.source,
            trust: statement.trust,
            key: statement.key,
            expires_at: statement.expires_in.or_else(|| lifetime(statement.tier)).map(|d| now.after(d)),
            at: now,
            sources: Sources::default(),
        })
    }

    /// Embeds texts in one call that waits for [`EMBED_WAIT`]; returns one embedding per text, or none without an
    /// embedder.
    pub(crate) async fn embedded(&self, texts: &[String]) -> Vec<Embedding> {
        self.embedded_within(EMBED_WAIT, texts).await
    }

    /// Like [`Self::embedded`], with another timeout.
    pub(crate) async fn embedded_within(&self, wait: Duration, texts: &[String]) -> Vec<Embedding> {
        let Some(embedder) = self.embedder().filter(|_| !texts.is_empty()) else {
            return Vec::new();
        };
        let reason = match self.clock.timeout(wait, embed(embedder, texts)).await {
            Ok(Ok(embeddings)) => return embeddings,
            Ok(Err(error)) => one_line(&error),
            Err(_) => "the embedder takes too long".to_owned(),
        };
        vec![Embedding::Unusable(reason); texts.len()]
    }

    /// Decides about a statement and applies the decision. `choice` is the proposal of a model.
    pub(crate) async fn write(
        &self,
        viewer: &Viewer,
        new: NewMemory,
        embedding: Option<Embedding>,
        choice: Option<Choice>,
    ) -> Result<Remembered, StoreError> {
        let decided = self.decided(viewer, new, embedding.as_ref(), choice).await?;
        self.carry_out(viewer, decided, embedding).await
    }

    /// Like [`Self::write`], for a statement that has a meaning only as a correction, as "I'm not allergic to nuts". It
    /// is dropped if it replaces no memory. In a group it is stored in any case: it may correct what its author told in
    /// private, and the group must not see whether it does (MP1).
    pub(crate) async fn correct(
        &self,
        viewer: &Viewer,
        new: NewMemory,
    ) -> Result<Option<Remembered>, StoreError> {
        let decided = self.decided(viewer, new, None, None).await?;
        let in_group = !viewer.is_one_to_one() && matches!(decided.new.scope, Scope::User(_));
        match decided.decision {
            Decision::Add if !in_group => Ok(None),
            _ => self.carry_out(viewer, decided, None).await.map(Some),
        }
    }

    /// Compares a statement with existing memories and decides between add, update, supersede and ignore.
    async fn decided(
        &self,
        viewer: &Viewer,
        mut new: NewMemory,
        embedding: Option<&Embedding>,
        choice: Option<Choice>,
    ) -> Result<Decided, StoreError> {
        let key = new.key.clone().filter(|_| new.scope.person().is_some());
        let held = self.memory_under_key(viewer, &mut new).await?;
        if let Some(same) = held.as_ref().filter(|old| is_captured_again(old, &new)).cloned() {
            return Ok(Decided::known(new, key, same));
        }
        let mut slot = held.filter(|old| keeps_its_key(old, &mut new));
        if let Some(old) = &slot
            && self.is_corrected_elsewhere(viewer, &new, old.id).await?
        {
            (slot, new.key) = (None, None);
        }
        let candidates = match &slot {
            None if new.tier == Tier::Semantic => {
                let scopes = compared(viewer, &new);
                self.similar_memories(viewer, &new, &scopes, embedding, choice.and_then(Choice::of)).await?
            }
            _ => Vec::new(),
        };
        if let Some(same) = candidates.iter().find(|candidate| is_captured_again(&candidate.memory, &new)) {
            let same = same.memory.clone();
            return Ok(Decided::known(new, key, same));
        }
        let mut decision = match choice {
            None => decide(&new, slot.as_ref(), &candidates),
            Some(choice) => decide_with_proposal(&new, slot.as_ref(), &candidates, choice),
        };
        let mut last = None;
        if decision == Decision::Add
            && slot.is_none()
            && let Some(key) = &key
        {
            last = self.said_last(viewer, &new, key).await?.into_iter().next();
            if let Some(old) = &last {
                decision = Decision::Supersede(old.id);
            }
        }
        if let Some(old) = decision.of()
            && self.is_corrected_elsewhere(viewer, &new, old).await?
        {
            (decision, new.key) = (Decision::Supersede(old), None);
        }
        let known =
            slot.into_iter().chain(candidates.into_iter().map(|candidate| candidate.memory)).chain(last);
        let old = decision.of().and_then(|id| known.into_iter().find(|memory| memory.id == id));
        if let Some(old) = &old
            && matches!(decision, Decision::Update(_) | Decision::Supersede(_))
            && self.is_late(old, &new).await?
        {
            decision = Decision::Ignore(old.id, IgnoreReason::Late);
        }
        Ok(Decided { new, key, decision, old })
    }

    /// Whether the existing memory comes from a later message than the new statement, so that the existing one stays.
    /// This happens when an earlier message is captured late. The messages' times are compared, since message ids have
    /// no order between the channels of a simulation. If a message was erased, the answer is no. So it is if the existing
    /// memory's message is of a later time than the present: the clock was set back since (S5).
    async fn is_late(&self, old: &Stored, new: &NewMemory) -> Result<bool, StoreError> {
        let (Some(known), Some(said)) = (old.source.message, new.source.message) else { return Ok(false) };
        if known == said {
            return Ok(false);
        }
        let (known, said) = (self.store.message(known).await?, self.store.message(said).await?);
        let now = self.clock.now();
        Ok(known.zip(said).is_some_and(|(known, said)| said.at < known.at && known.at <= now))
    }

    async fn carry_out(
        &self,
        viewer: &Viewer,
        decided: Decided,
        embedding: Option<Embedding>,
    ) -> Result<Remembered, StoreError> {
        let Decided { mut new, key, decision, old } = decided;
        match (decision, old) {
            (Decision::Ignore(_, why), Some(memory)) => {
                // The person repeated a known statement. Other chats recall the memory and not the new message, so that
                // nothing of the statement remains visible there once the memory is forgotten.
                let again = new.source.message.filter(|said| Some(*said) != memory.source.message);
                if let Some(said) = again.filter(|_| why.is_known() && memory.scope.person().is_some()) {
                    self.store.take_back(said, &new.text).await?;
                }
                return Ok(Remembered { memory, decision });
            }
            (Decision::Update(_), old) => new.key = old.and_then(|old| old.key),
            _ => {}
        }
        let open = matches!(new.scope, Scope::User(_)).then(|| new.clone());
        let memory = self.store.remember(new).await?;
        if let Decision::Supersede(old) = decision {
            let relation = Relation { from: memory.id, to: old, kind: RelationKind::Supersedes };
            self.store.relate(viewer, relation).await?;
        }
        if let Some(new) = open.filter(|_| !viewer.is_one_to_one()) {
            self.correct_private(viewer, &new, key.as_deref(), (memory.id, embedding.as_ref())).await?;
        }
        if let Some(embedding) = embedding {
            self.put_vector(&memory, embedding).await;
        }
        Ok(Remembered { memory, decision })
    }

    /// Returns the memory that this statement replaces by its key (JV9), and sets the statement's key. If another
    /// person's or a more trusted memory has the key, the statement gets the key with its person's id appended. If that
    /// key is taken too, the statement has no key. A memory under the key with the person's id comes first.
    async fn memory_under_key(
        &self,
        viewer: &Viewer,
        new: &mut NewMemory,
    ) -> Result<Option<Stored>, StoreError> {
        let Some(key) = new.key.take() else { return Ok(None) };
        let own = new.source.user.as_ref().map(|user| format!("{key}_{user}"));
        if let Some(own) = &own
            && let Some(held) = self.store.keyed(viewer, &new.scope, own, new.at).await?
            && !is_anothers(&held, new)
        {
            new.key = Some(own.clone());
            return Ok(Some(held));
        }
        for key in [Some(key), own].into_iter().flatten() {
            let held = self.store.keyed(viewer, &new.scope, &key, new.at).await?;
            if !held.as_ref().is_some_and(|old| is_anothers(old, new)) {
                new.key = Some(key);
                return Ok(held);
            }
        }
        Ok(None)
    }

    /// Stores the vector of a memory. A failure only delays it: the memory is stored, and the next
    /// [`Memory::index_pending`] tries again.
    pub(crate) async fn put_vector(&self, memory: &Stored, embedding: Embedding) {
        let Some(embedder) = self.embedder() else { return };
        let (item, version) = (ItemId::Memory(memory.id), memory.version);
        let space = space_of(embedder);
        let stored = match embedding {
            Embedding::Vector(vector) => {
                self.store.put_vectors(&space, vec![NewVector { item, version, vector }]).await
            }
            Embedding::Nothing => self.store.pass_over(&space, vec![(item, version)]).await,
            Embedding::Unusable(reason) => return pending(memory, &reason),
        };
        if let Err(error) = stored {
            pending(memory, &one_line(&error));
        }
    }
}

/// The decision about a statement.
struct Decided {
    new: NewMemory,
    /// The key with which the statement was written, if its scope is a person's.
    key: Option<String>,
    decision: Decision,
    /// The existing memory that the decision refers to.
    old: Option<Stored>,
}

impl Decided {
    /// The statement is ignored because `memory` already contains it.
    fn known(new: NewMemory, key: Option<String>, memory: Stored) -> Self {
        let decision = Decision::Ignore(memory.id, IgnoreReason::Known);
        Self { new, key, decision, old: Some(memory) }
    }
}

/// Whether the same message is captured a second time, because it is answered once more. The statement is then not new,
/// even if the person said something else since.
pub(super) fn is_captured_again(old: &Stored, new: &NewMemory) -> bool {
    new.source.message.is_some() && old.source == new.source && old.scope == new.scope && old.text == new.text
}

/// Whether the old memory belongs to another person, or is trusted more.
fn is_anothers(old: &Stored, new: &NewMemory) -> bool {
    let users = (&old.source.user, &new.source.user);
    old.trust > new.trust || matches!(users, (Some(one), Some(other)) if one != other)
}

/// Removes the key of a preference that does not replace the old one. Two preferences that can both hold may have the
/// same key by chance.
fn keeps_its_key(old: &Stored, new: &mut NewMemory) -> bool {
    let preference = new.key.as_ref().is_some_and(|key| key.starts_with("pref_"));
    // a correction as "it's Linz now, not Graz" has the key of the memory that it corrected
    let is_correction = || contrast(&old.text).is_some() || tells_ending(&old.text);
    let keeps = !preference || takes_the_place(&old.text, &new.text) || is_correction();
    if !keeps {
        new.key = None;
    }
    keeps
}

fn pending(memory: &Stored, reason: &str) {
    tracing::warn!(memory = %memory.id, "stored, but not found by meaning yet: {reason}");
}

/// How long a memory of a tier lives if the statement does not say so (JV1, JV3, JV4).
pub(crate) fn lifetime(tier: Tier) -> Option<Duration> {
    match tier {
        Tier::Semantic => None,
        Tier::Episodic => Some(30 * DAY),
        Tier::Conversation => Some(7 * DAY),
    }
}

/// Returns the text as one line without control characters. An empty or too long text is an error (BD12).
pub(crate) fn clean(text: &str) -> Result<String, MemoryError> {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let clean = composed(spaced.split_whitespace().collect::<Vec<_>>().join(" "));
    match clean.chars().count() {
        0 => Err(MemoryError::Empty),
        length if length > LONGEST => Err(MemoryError::TooLong { length, limit: LONGEST }),
        _ => Ok(clean),
    }
}

/// Whether this viewer may write this statement to its scope (X6, X7).
fn allowed(viewer: &Viewer, statement: &Remember) -> Result<(), MemoryError> {
    let scope = statement.scope.name();
    if !viewer.sees(viewer.persona(), &statement.scope) {
        return Err(MemoryError::OutOfSight { scope });
    }
    if statement.trust == Trust::Stranger && statement.scope == Scope::Global {
        return Err(MemoryError::Untrusted { scope });
    }
    Ok(())
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
