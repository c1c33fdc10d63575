//! Memories that a viewer sees, and the relations between them.
//!
//! [`Viewer::sees`] is the rule; no call here shows a memory without it (GR1, X6).

use std::{cmp::Reverse, collections::BTreeSet};

use async_trait::async_trait;
use greenroom_core::{
    Memory, MemoryId, Message, PersonaName, Relation, RelationKind, Scope, Tier, Timestamp, Viewer,
};
use greenroom_store::{
    Item, ItemId, ItemsWithRelations, MemoryEdit, MemoryFilter, MemoryStore, NewMemory, Newest, Place,
    Result, StoreError,
};

use crate::{
    InMemoryStore,
    rows::place_of,
    state::{ChangeRow, State},
};

#[async_trait]
impl MemoryStore for InMemoryStore {
    async fn remember(&self, memory: NewMemory) -> Result<Memory> {
        self.state()?.remember(memory)
    }

    async fn edit(&self, viewer: &Viewer, id: MemoryId, edit: MemoryEdit) -> Result<Option<Memory>> {
        check_text(edit.text.as_deref())?;
        Ok(self.state()?.edit(viewer, id, edit))
    }

    async fn memories(&self, viewer: &Viewer, filter: &MemoryFilter) -> Result<Vec<Memory>> {
        let state = self.state()?;
        let found = state.seen(viewer).filter(|memory| {
            is_live(memory, filter.now)
                && (filter.scopes.is_empty() || filter.scopes.contains(&memory.scope.name()))
                && (filter.ids.is_empty() || filter.ids.contains(&memory.id))
                && filter.about.as_ref().is_none_or(|user| {
                    let person = memory.scope.person();
                    let holds_for = person.and_then(|of| of.as_str().split_once(':')).map(|(_, id)| id);
                    memory.source.user.as_ref() == Some(user) || holds_for == Some(user.as_str())
                })
        });
        Ok(newest_first(found, filter.limit))
    }

    async fn count_memories(&self, viewer: &Viewer, now: Timestamp, most: usize) -> Result<usize> {
        let state = self.state()?;
        Ok(state.seen(viewer).filter(|memory| is_live(memory, now)).take(most).count())
    }

    async fn newest(&self, viewer: &Viewer, wanted: &Newest) -> Result<Vec<Memory>> {
        let state = self.state()?;
        let found = state.seen_in(viewer, &wanted.scope).filter(|memory| {
            memory.tier == wanted.tier
                && wanted.kind.as_ref().is_none_or(|kind| memory.kind == *kind)
                && wanted.between.is_none_or(|(from, until)| (from..until).contains(&memory.updated_at))
                && is_live(memory, wanted.now)
        });
        Ok(newest_first(found, wanted.limit))
    }

    async fn keyed(
        &self,
        viewer: &Viewer,
        scope: &Scope,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Memory>> {
        let state = self.state()?;
        let mut there = state.seen_in(viewer, scope);
        Ok(there.find(|memory| memory.key.as_deref() == Some(key) && is_live(memory, now)).cloned())
    }

    async fn items(
        &self,
        viewer: &Viewer,
        ids: &[ItemId],
        now: Timestamp,
        witnessed: bool,
    ) -> Result<ItemsWithRelations> {
        Ok(self.state()?.items(viewer, ids, now, witnessed))
    }

    async fn relate(&self, viewer: &Viewer, relation: Relation) -> Result<()> {
        let mut state = self.state()?;
        let Relation { from, to, .. } = relation;
        if from == to || !state.sees(viewer, from) || !state.sees(viewer, to) {
            let persona = viewer.persona();
            return Err(StoreError::Invalid(format!(
                "{from} and {to} are not two memories {persona} sees here"
            )));
        }
        state.add_relation(relation);
        Ok(())
    }

    async fn relations(&self, viewer: &Viewer, ids: &[MemoryId]) -> Result<Vec<Relation>> {
        Ok(self.state()?.relations_seen(viewer, ids.iter().copied()))
    }
}

/// A memory is invisible from the moment of its expiry on (AS9).
pub(crate) fn is_live(memory: &Memory, now: Timestamp) -> bool {
    memory.expires_at.is_none_or(|at| now < at)
}

fn newest_first<'a>(memories: impl Iterator<Item = &'a Memory>, limit: usize) -> Vec<Memory> {
    let mut memories: Vec<_> = memories.collect();
    memories.sort_unstable_by_key(|memory| Reverse((memory.updated_at, memory.id)));
    memories.into_iter().take(limit).cloned().collect()
}

fn check_text(text: Option<&str>) -> Result<()> {
    match text {
        Some(text) if text.trim().is_empty() => Err(StoreError::Invalid("a memory needs a text".into())),
        _ => Ok(()),
    }
}

/// The order of relations: by both ends, then by the name of the kind.
pub(crate) fn order(relation: &Relation) -> (MemoryId, MemoryId, &'static str) {
    let kind = match relation.kind {
        RelationKind::Contradicts => "contradicts",
        RelationKind::Refines => "refines",
        RelationKind::RelatesTo => "relates-to",
        RelationKind::Supersedes => "supersedes",
    };
    (relation.from, relation.to, kind)
}

impl State {
    /// Whether a viewer sees a stored memory, expired or not.
    pub(crate) fn sees(&self, viewer: &Viewer, id: MemoryId) -> bool {
        self.memories.get(&id).is_some_and(|memory| self.shows(viewer, memory))
    }

    /// Whether a memory may be shown to a viewer. A channel that is known as a group shows nothing private, even to a
    /// viewer that was made before it became one (MP1).
    fn shows(&self, viewer: &Viewer, memory: &Memory) -> bool {
        let private = matches!(memory.scope, Scope::Private(_));
        let is_linked = || {
            let (Some(own), Some(of)) = (viewer.user_ref(), memory.scope.person()) else { return false };
            let permitted = viewer.is_one_to_one() || !private;
            permitted && memory.persona == *viewer.persona() && self.linked(&own).contains(of)
        };
        (viewer.sees(&memory.persona, &memory.scope) || is_linked())
            && !(private && self.channels.get(viewer.channel()).is_some_and(|it| it.group_since.is_some()))
    }

    /// All memories that a viewer sees, including expired ones: those of this channel, global ones, and those of the
    /// person's accounts.
    fn seen<'a>(&'a self, viewer: &'a Viewer) -> impl Iterator<Item = &'a Memory> {
        let here = Scope::Channel(viewer.channel().clone());
        let own = viewer.user_ref();
        let accounts = own.iter().flat_map(|own| self.linked(own)).chain(own.clone());
        let personal = accounts.flat_map(|account| [Scope::User(account.clone()), Scope::Private(account)]);
        let scopes: Vec<_> = [Scope::Global, here].into_iter().chain(personal).collect();
        scopes.into_iter().flat_map(move |scope| self.seen_in(viewer, &scope))
    }

    /// The memories of one scope that a viewer sees.
    fn seen_in<'a>(
        &'a self,
        viewer: &'a Viewer,
        scope: &Scope,
    ) -> impl Iterator<Item = &'a Memory> + use<'a> {
        let place = Place::Memories(viewer.persona().clone(), scope.clone());
        self.memories_of(&place).filter(|memory| self.shows(viewer, memory))
    }

    /// The memory with a key in a place, expired or not.
    pub(crate) fn with_key(&self, persona: &PersonaName, scope: &Scope, key: &str) -> Option<&Memory> {
        let place = Place::Memories(persona.clone(), scope.clone());
        self.memories_of(&place).find(|memory| memory.key.as_deref() == Some(key))
    }

    fn remember(&mut self, new: NewMemory) -> Result<Memory> {
        check_text(Some(&new.text))?;
        if let Some(source) = new.source.message
            && source.0 <= self.last.message
            && self.message(source).is_none()
        {
            // the message was read before it was erased
            return Err(StoreError::Erased(format!(
                "{source} is gone: what was learned from it is not kept"
            )));
        }
        self.check_sources(&new.sources)?;
        let gone = new.source.message.filter(|_| new.tier == Tier::Conversation);
        let mut gone = gone.and_then(|said| self.taken_back.get(&said)).into_iter().flatten();
        if gone.any(|part| new.text.contains(part)) {
            let why = "what this summary tells has been forgotten or corrected meanwhile";
            return Err(StoreError::Erased(why.into()));
        }
        let key = new.key.as_deref();
        let known = key.and_then(|key| self.with_key(&new.persona, &new.scope, key)).cloned();
        let (id, version, created_at) = match known {
            Some(known) if is_live(&known, new.at) => (known.id, known.version + 1, known.created_at),
            expired => {
                // an expired memory counts as deleted: its key starts again with version 1
                if let Some(expired) = expired {
                    self.remove_memory(expired.id);
                }
                (self.new_memory_id(&new.persona), 1, new.at)
            }
        };
        let memory = Memory {
            id,
            persona: new.persona,
            scope: new.scope,
            text: new.text,
            kind: new.kind,
            tier: new.tier,
            source: new.source,
            trust: new.trust,
            version,
            key: new.key,
            expires_at: new.expires_at,
            created_at,
            updated_at: new.at,
        };
        if version == 1 {
            self.add_memory(memory.clone());
        } else {
            let old = self.memories.insert(id, memory.clone()).filter(|old| old.text != memory.text);
            if let Some(old) = old {
                self.take_back_statement(&old);
            }
            self.memory_changed(id);
        }
        Ok(memory)
    }

    /// The id of a new memory. The series of the personas, and the one of all others, interleave.
    fn new_memory_id(&mut self, persona: &PersonaName) -> MemoryId {
        let step = self.memory_series.len() as i64 + 1;
        let Some(next) = self.memory_series.get_mut(persona) else {
            return MemoryId((self.last.memory / step + 1) * step);
        };
        // an imported memory may have this id
        while self.memories.contains_key(&MemoryId(*next)) {
            *next += step;
        }
        let id = MemoryId(*next);
        *next += step;
        id
    }

    /// Makes a memory that holds with a person private, or visible where others listen. If its key is taken in the new
    /// place, it loses the key.
    fn move_memory(&mut self, id: MemoryId, private: bool) {
        let Some(memory) = self.memories.get(&id) else { return };
        let (Some(person), old) = (memory.scope.person().cloned(), place_of(memory)) else { return };
        let scope = if private { Scope::Private(person) } else { Scope::User(person) };
        if scope == memory.scope {
            return;
        }
        let held =
            memory.key.as_deref().and_then(|key| self.with_key(&memory.persona, &scope, key)).is_some();
        let Some(memory) = self.memories.get_mut(&id) else { return };
        memory.scope = scope;
        memory.key = memory.key.take().filter(|_| !held);
        let new = place_of(memory);
        if let Some(there) = self.places.get_mut(&old) {
            there.remove(&id);
            if there.is_empty() {
                self.places.remove(&old);
            }
        }
        self.places.entry(new).or_default().insert(id);
        self.changes.push(ChangeRow::Gone(id, old));
        self.changes.push(ChangeRow::Memory(id));
    }

    fn edit(&mut self, viewer: &Viewer, id: MemoryId, edit: MemoryEdit) -> Option<Memory> {
        if !self.sees(viewer, id) {
            return None;
        }
        self.memories.get(&id).filter(|memory| is_live(memory, edit.at))?;
        if let Some(private) = edit.private {
            self.move_memory(id, private);
        }
        let memory = self.memories.get_mut(&id)?;
        // the old text counts as erased, and so does a text that is now private
        let says_anew = edit.text.is_some();
        let erased = says_anew || edit.private == Some(true);
        let mut corrected = None;
        if let Some(text) = edit.text
            && text != memory.text
        {
            corrected = Some(memory.clone());
            memory.text = text;
        }
        if let Some(kind) = edit.kind {
            memory.kind = kind;
        }
        if let Some(expires_at) = edit.expires_at {
            memory.expires_at = expires_at;
        }
        memory.trust = edit.trust;
        memory.version += 1;
        memory.updated_at = edit.at.max(memory.created_at);
        let memory = memory.clone();
        if let Some(old) = corrected {
            self.take_back_statement(&old);
        }
        self.memory_changed(id);
        if erased {
            self.memory_erased(&memory);
        }
        if says_anew {
            self.remove_summaries(&memory);
        }
        Some(memory)
    }

    fn items(&self, viewer: &Viewer, ids: &[ItemId], now: Timestamp, witnessed: bool) -> ItemsWithRelations {
        let mut once = BTreeSet::new();
        let item = |id: &ItemId| match *id {
            ItemId::Memory(id) => {
                let memory = self.memories.get(&id).filter(|memory| is_live(memory, now))?;
                self.shows(viewer, memory).then(|| Item::Memory(memory.clone()))
            }
            ItemId::Message(id) => {
                let message = self.message(id).filter(|message| message.channel == *viewer.channel())?;
                let shown = !witnessed || self.witnessed(viewer.persona(), message);
                shown.then(|| Item::Message(Message::clone(message)))
            }
        };
        let items = ids.iter().filter(|id| once.insert(**id)).filter_map(item).collect();
        let memories = ids.iter().filter_map(|id| match id {
            ItemId::Memory(id) => Some(*id),
            ItemId::Message(_) => None,
        });
        ItemsWithRelations { items, relations: self.relations_seen(viewer, memories) }
    }

    /// The relations of some memories of which the viewer sees both ends, each once.
    fn relations_seen(&self, viewer: &Viewer, ids: impl Iterator<Item = MemoryId>) -> Vec<Relation> {
        let at = ids.filter_map(|id| self.relations.get(&id)).flatten();
        let mut relations: Vec<_> =
            at.filter(|edge| self.sees(viewer, edge.from) && self.sees(viewer, edge.to)).copied().collect();
        relations.sort_unstable_by_key(order);
        relations.dedup();
        relations
    }
}
