//! Vectors by embedding model, and the texts that wait for a vector (L18).

use std::{
    borrow::Cow,
    collections::BTreeSet,
    ops::Bound::{Excluded, Unbounded},
};

use async_trait::async_trait;
use greenroom_core::{MemoryId, MessageId, PersonaName};
use greenroom_store::{
    Embedded, ItemId, NewVector, NewsWaiting, Place, Result, Unembedded, VectorSpace, VectorStore,
    rules::vectors::checked,
};
use half::{f16, vec::HalfFloatVecExt};

use crate::{
    InMemoryStore,
    rows::place_of,
    state::{ChangeRow, State, StoredVector},
};

#[async_trait]
impl VectorStore for InMemoryStore {
    async fn put_vectors(&self, space: &VectorSpace, vectors: Vec<NewVector>) -> Result<()> {
        let vectors = checked(space, vectors)?;
        let mut state = self.state()?;
        let space = state.space(space);
        for new in vectors {
            state.put(space, new.item, new.version, Some(&new.vector));
        }
        Ok(())
    }

    async fn pass_over(&self, space: &VectorSpace, items: Vec<(ItemId, u32)>) -> Result<()> {
        let mut state = self.state()?;
        let space = state.space(space);
        for (item, version) in items {
            state.put(space, item, version, None);
        }
        Ok(())
    }

    async fn unembedded(
        &self,
        space: &VectorSpace,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        let state = self.state()?;
        Ok(state.texts(&state.waiting(space), None, after, limit))
    }

    async fn unembedded_of(
        &self,
        space: &VectorSpace,
        personas: &[PersonaName],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        let state = self.state()?;
        Ok(state.texts(&state.waiting(space), Some(personas), after, limit))
    }

    async fn unembedded_since(
        &self,
        space: &VectorSpace,
        personas: Option<&[PersonaName]>,
        since: i64,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Option<NewsWaiting>> {
        let state = self.state()?;
        if !state.changes.reaches_back_to(since) {
            return Ok(None);
        }
        let waiting = state.waiting(space);
        let news = state.news(personas, since, &waiting);
        let texts = state.texts(&news, personas, after, limit);
        Ok(Some(NewsWaiting { texts, end: state.changes.end() }))
    }

    async fn spaces(&self) -> Result<Vec<VectorSpace>> {
        Ok(self.state()?.spaces.clone())
    }
}

impl State {
    /// The index of a space; adds the space if needed.
    fn space(&mut self, space: &VectorSpace) -> usize {
        let known = self.spaces.iter().position(|known| known == space);
        known.unwrap_or_else(|| {
            self.spaces.push(space.clone());
            self.waiting.push(self.all_items().collect());
            self.spaces.len() - 1
        })
    }

    /// Stores a vector of an item. Without a vector, records that the model finds no meaning in the text; an existing
    /// vector stays. Skips an item that no longer exists or whose text has changed.
    fn put(&mut self, space: usize, item: ItemId, version: u32, vector: Option<&[f32]>) {
        let current = match item {
            ItemId::Message(id) => self.message(id).map(|_| 1),
            ItemId::Memory(id) => self.memories.get(&id).map(|memory| memory.version),
        };
        if current != Some(version) {
            return;
        }
        self.waiting[space].remove(&item);
        let news = vector.is_some();
        let vector = vector.map(|vector| Vec::<f16>::from_f32_slice(vector).into_boxed_slice());
        // usually there is one space
        let stored = self.vectors.entry(item).or_insert_with(|| Vec::with_capacity(1));
        match stored.iter_mut().find(|stored| stored.space == space) {
            Some(known) => known.vector = vector.or(known.vector.take()),
            None => stored.push(StoredVector { space, vector }),
        }
        if news {
            self.changes.push(ChangeRow::Vector(item, space));
        }
    }

    /// Stores the vector that comes with a message, unless the message has one.
    pub(crate) fn put_with(&mut self, message: MessageId, new: Embedded) {
        let (item, space) = (ItemId::Message(message), self.space(&new.space));
        let known = self.vectors.get(&item).into_iter().flatten().any(|stored| stored.space == space);
        if !known {
            self.put(space, item, 1, Some(&new.vector));
        }
    }

    /// The items that wait for a vector in a space.
    fn waiting(&self, space: &VectorSpace) -> Cow<'_, BTreeSet<ItemId>> {
        match self.spaces.iter().position(|known| known == space) {
            Some(space) => Cow::Borrowed(&self.waiting[space]),
            None => Cow::Owned(self.all_items().collect()),
        }
    }

    /// The waiting items that the journal names after `since`, and those of channels where one of the personas has
    /// answered for the first time (FG17). Iterates over the waiting items, because few wait while the journal may be
    /// long.
    fn news(
        &self,
        personas: Option<&[PersonaName]>,
        since: i64,
        waiting: &BTreeSet<ItemId>,
    ) -> BTreeSet<ItemId> {
        let mut news = BTreeSet::new();
        if waiting.is_empty() {
            return news;
        }
        let theirs = |persona| personas.is_some_and(|personas| personas.contains(persona));
        let waits = |item: &ItemId| waiting.contains(item);
        for (_, row) in self.changes.after(since) {
            match row {
                ChangeRow::Message(id, _) => news.extend(Some(ItemId::Message(*id)).filter(waits)),
                ChangeRow::Memory(id) => news.extend(Some(ItemId::Memory(*id)).filter(waits)),
                ChangeRow::FirstTurn(channel, persona) if theirs(persona) => {
                    let channel = self.channels.get(channel);
                    let said = channel.into_iter().flat_map(|channel| &channel.messages);
                    news.extend(said.map(|id| ItemId::Message(*id)).filter(waits));
                }
                _ => {}
            }
        }
        news
    }

    /// A page of the texts of these items that one of the personas may recall. Memories come first.
    fn texts(
        &self,
        items: &BTreeSet<ItemId>,
        personas: Option<&[PersonaName]>,
        after: Option<ItemId>,
        limit: usize,
    ) -> Vec<Unembedded> {
        // ids are positive, and messages sort before memories
        let (memory, message) = match after {
            None => (0, 0),
            Some(ItemId::Memory(id)) => (id.0, 0),
            Some(ItemId::Message(id)) => (i64::MAX, id.0),
        };
        let memories = items.range((Excluded(ItemId::Memory(MemoryId(memory))), Unbounded));
        let messages = (Excluded(ItemId::Message(MessageId(message))), Excluded(ItemId::Memory(MemoryId(0))));
        let messages = items.range(messages);
        memories.chain(messages).filter_map(|item| self.text_for(*item, personas)).take(limit).collect()
    }

    /// All items.
    fn all_items(&self) -> impl Iterator<Item = ItemId> {
        let messages = self.messages.keys().map(|id| ItemId::Message(*id));
        messages.chain(self.memories.keys().map(|id| ItemId::Memory(*id)))
    }

    /// Records that a new item, or one with a new text, waits for its vectors.
    pub(crate) fn await_vectors(&mut self, item: ItemId) {
        self.waiting.iter_mut().for_each(|waiting| _ = waiting.insert(item));
    }

    /// Removes the vectors of an item; it waits for none.
    pub(crate) fn drop_vectors(&mut self, item: ItemId) {
        self.vectors.remove(&item);
        self.waiting.iter_mut().for_each(|waiting| _ = waiting.remove(&item));
    }

    /// A text for the embedder, if one of these personas may recall it.
    fn text_for(&self, item: ItemId, personas: Option<&[PersonaName]>) -> Option<Unembedded> {
        match item {
            ItemId::Memory(id) => self.memory_for(id, personas),
            ItemId::Message(id) => {
                let message = self.message(id)?;
                let has_answered = |persona| {
                    self.participation(persona, &message.channel)
                        .is_some_and(|participation| participation.turns > 0)
                };
                let place = Place::Messages(message.channel.clone());
                let text = || Unembedded { item, place, text: message.text.clone(), version: 1 };
                personas.is_none_or(|personas| personas.iter().any(has_answered)).then(text)
            }
        }
    }

    fn memory_for(&self, id: MemoryId, personas: Option<&[PersonaName]>) -> Option<Unembedded> {
        let memory = self.memories.get(&id)?;
        let text = || Unembedded {
            item: ItemId::Memory(id),
            place: place_of(memory),
            text: memory.text.clone(),
            version: memory.version,
        };
        personas.is_none_or(|personas| personas.contains(&memory.persona)).then(text)
    }
}
