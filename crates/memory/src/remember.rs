//! Remembering: one statement in, cleaned, checked for trust, held against what is known, embedded
//! at once where that is possible.

pub(crate) mod alike;
mod person;

use std::{fmt, slice, time::Duration};

use greenroom_core::{Kind, Memory as Stored, Relation, RelationKind, Scope, Source, Tier, Trust, Viewer};
use greenroom_lang::contrast;
use greenroom_store::{ItemId, NewMemory, NewVector, Sources, StoreError};

use self::person::compared;
use crate::{
    Decision, Memory, MemoryError,
    capture::decide::{Choice, IgnoreReason, decide, settle, takes_the_place},
    embed::{Embedding, embed, one_line},
    memory::space_of,
    searched::searched,
};

/// Characters a memory holds at most.
const LONGEST: usize = 4_000;

/// So long a statement waits for its vector; after that it stays pending (L18).
pub(crate) const EMBED_WAIT: Duration = Duration::from_secs(2);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A statement to remember. Whose it is comes from the viewer it is written with.
#[derive(Debug, Clone)]
pub struct Remember {
    /// The statement.
    pub text: String,
    /// What sort.
    pub kind: Kind,
    /// How long it is meant to live.
    pub tier: Tier,
    /// Where it holds.
    pub scope: Scope,
    /// Where it came from.
    pub source: Source,
    /// Who stands behind it.
    pub trust: Trust,
    /// Under which a later one replaces it (JV9). One that another person holds, or a person who is
    /// trusted more, is left to them: the key then gets the person's id.
    pub key: Option<String>,
    /// How long it holds; without it as long as its tier does: knowledge for ever, an event 30 days,
    /// a conversation 7 (JV1, JV3).
    pub expires_in: Option<Duration>,
}

/// What became of a statement. Shown, it says so in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The stored memory; the older one when the statement was ignored.
    pub memory: Stored,
    /// What was decided.
    pub decision: Decision,
}

impl Remembered {
    /// True when the same was known already and nothing was written.
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
    /// Stores and indexes a statement (AS7), with its control characters and line breaks made
    /// spaces. What a live memory of the same scope already says is not added again; a correction is
    /// put above what it corrects. What a stranger said holds in its channel or with its person (X7) and takes the
    /// place of nothing that is trusted more.
    ///
    /// The statement is stored even when it cannot be embedded now; it then stays pending (L18).
    pub async fn remember(&self, viewer: &Viewer, statement: Remember) -> Result<Remembered, MemoryError> {
        self.remember_of(viewer, statement, Sources::default()).await
    }

    /// The same of a statement that a caller made of what it had read: not where something of that was erased
    /// meanwhile (GR10).
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

    /// The statement as it would be stored, if this viewer may.
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

    /// One embedding a text, all in one call that waits for [`EMBED_WAIT`]; none without an embedder.
    pub(crate) async fn embedded(&self, texts: &[String]) -> Vec<Embedding> {
        self.embedded_within(EMBED_WAIT, texts).await
    }

    /// The same with another wait.
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

    /// Decides about a statement and does it; `choice` is what a model would do.
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

    /// The same of a statement that says something only against what is known, as "I'm not allergic to nuts": nothing
    /// where it takes the place of nothing. In a group it is kept anyway: it may put right what its author told in private,
    /// and whether it does is not to be seen there (MP1).
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

    /// What becomes of a statement.
    async fn decided(
        &self,
        viewer: &Viewer,
        mut new: NewMemory,
        embedding: Option<&Embedding>,
        choice: Option<Choice>,
    ) -> Result<Decided, StoreError> {
        let key = new.key.clone().filter(|_| new.scope.person().is_some());
        let held = self.slot(viewer, &mut new).await?;
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
            Some(choice) => settle(&new, slot.as_ref(), &candidates, choice),
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

    /// Whether what is known was said after what is to be kept: it stands, whenever the earlier message is captured. By their
    /// times, since numbers of messages tell no order between the channels of a simulation. A message that is gone tells
    /// nothing.
    async fn is_late(&self, old: &Stored, new: &NewMemory) -> Result<bool, StoreError> {
        let (Some(known), Some(said)) = (old.source.message, new.source.message) else { return Ok(false) };
        if known == said {
            return Ok(false);
        }
        let (known, said) = (self.store.message(known).await?, self.store.message(said).await?);
        Ok(known.zip(said).is_some_and(|(known, said)| said.at < known.at))
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
                // said again: other chats hear it from the memory, and nothing of it once that is forgotten
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

    /// The memory this statement takes the place of by its key (JV9). A key that another person
    /// holds, or that is trusted more, is none for this statement: then it is its own with the
    /// person's id, and otherwise nothing. One that has the person's id already is looked at first.
    async fn slot(&self, viewer: &Viewer, new: &mut NewMemory) -> Result<Option<Stored>, StoreError> {
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

    /// Gives a memory its vector. A failure costs nothing but time: the memory is stored and the
    /// next [`Memory::index_pending`] tries again.
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

/// What was decided about a statement.
struct Decided {
    new: NewMemory,
    /// The key it was told under, of a person's statement.
    key: Option<String>,
    decision: Decision,
    /// The memory that the decision is about.
    old: Option<Stored>,
}

impl Decided {
    /// Nothing is written: this memory says it already.
    fn known(new: NewMemory, key: Option<String>, memory: Stored) -> Self {
        let decision = Decision::Ignore(memory.id, IgnoreReason::Known);
        Self { new, key, decision, old: Some(memory) }
    }
}

/// Whether a message is captured a second time, since it is answered once more: nothing new is said, also where something
/// else was said since.
pub(super) fn is_captured_again(old: &Stored, new: &NewMemory) -> bool {
    new.source.message.is_some() && old.source == new.source && old.scope == new.scope && old.text == new.text
}

/// Whether another person holds it, or a person who is trusted more.
fn is_anothers(old: &Stored, new: &NewMemory) -> bool {
    let users = (&old.source.user, &new.source.user);
    old.trust > new.trust || matches!(users, (Some(one), Some(other)) if one != other)
}

/// Two preferences that can both hold have the same key by chance: then the new one goes without.
fn keeps_its_key(old: &Stored, new: &mut NewMemory) -> bool {
    let preference = new.key.as_ref().is_some_and(|key| key.starts_with("pref_"));
    // "it's Linz now, not Graz" stands under the key of what it corrected
    let keeps = !preference || takes_the_place(&old.text, &new.text) || contrast(&old.text).is_some();
    if !keeps {
        new.key = None;
    }
    keeps
}

fn pending(memory: &Stored, reason: &str) {
    tracing::warn!(memory = %memory.id, "stored, but not found by meaning yet: {reason}");
}

/// How long a memory of a tier holds where nothing else is said (JV1, JV3, JV4).
pub(crate) fn lifetime(tier: Tier) -> Option<Duration> {
    match tier {
        Tier::Semantic => None,
        Tier::Episodic => Some(30 * DAY),
        Tier::Conversation => Some(7 * DAY),
    }
}

/// One line without control characters; not empty and not too long (BD12).
pub(crate) fn clean(text: &str) -> Result<String, MemoryError> {
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
