//! The source of an index: whole places, and the journal of later changes.

use std::collections::HashMap;

use async_trait::async_trait;
use greenroom_core::{Memory, Message, Timestamp};
use greenroom_store::{
    Change, Changes, Entry, ItemId, JournalStore, Place, Result, VectorSpace, WantedPlaces,
};
use half::slice::HalfFloatSliceExt;

use crate::{
    InMemoryStore,
    memories::is_live,
    rows::place_of,
    state::{ChangeRow, State},
};

#[async_trait]
impl JournalStore for InMemoryStore {
    async fn journal_end(&self) -> Result<i64> {
        Ok(self.state()?.changes.end())
    }

    async fn changes(
        &self,
        space: Option<&VectorSpace>,
        after: i64,
        wanted: WantedPlaces<'_>,
        limit: usize,
    ) -> Result<Changes> {
        let state = self.state()?;
        if !state.changes.reaches_back_to(after) {
            return Ok(Changes::Lost);
        }
        let mut rows = state.changed(space, after, wanted, limit.saturating_add(1));
        let more = rows.len() > limit;
        rows.truncate(limit);
        let end = rows.last().filter(|_| more).map_or(state.changes.end(), |last| last.seq);
        Ok(Changes::Rows { rows, end, more })
    }

    async fn load(
        &self,
        place: &Place,
        space: Option<&VectorSpace>,
        after: Option<ItemId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>> {
        let state = self.state()?;
        let after = after.map_or(0, ItemId::number);
        Ok(match place {
            Place::Messages(channel) => {
                let messages = state.channels.get(channel).into_iter().flat_map(|channel| &channel.messages);
                let later = messages.filter(|id| id.0 > after).filter_map(|id| state.message(*id));
                later.take(limit).map(|message| state.message_entry(message, space)).collect()
            }
            Place::Memories(..) => {
                let later = state.memories_of(place).filter(|memory| memory.id.0 > after);
                let live = later.filter(|memory| is_live(memory, now)).take(limit);
                live.map(|memory| state.memory_entry(memory, space)).collect()
            }
        })
    }

    async fn before_newest(&self, place: &Place, count: usize) -> Result<Option<ItemId>> {
        let state = self.state()?;
        Ok(match place {
            Place::Messages(channel) => {
                let messages = state.channels.get(channel).map(|channel| &channel.messages);
                messages.and_then(|ids| ids.iter().nth_back(count)).map(|id| ItemId::Message(*id))
            }
            Place::Memories(..) => {
                let memories = state.places.get(place);
                memories.and_then(|ids| ids.iter().nth_back(count)).map(|id| ItemId::Memory(*id))
            }
        })
    }
}

impl State {
    /// The changes after a row: each item in its current state, with the number of the last row that names it, and once
    /// more for each place it left.
    fn changed(
        &self,
        space: Option<&VectorSpace>,
        after: i64,
        wanted: WantedPlaces<'_>,
        limit: usize,
    ) -> Vec<Change> {
        let space_number = space.and_then(|space| self.spaces.iter().position(|known| known == space));
        let mut last: HashMap<(ItemId, Option<&Place>), i64> = HashMap::new();
        let mut channels = HashMap::new();
        for (seq, row) in self.changes.after(after) {
            let named = match row {
                ChangeRow::Message(id, channel) => {
                    channels.insert(*id, channel);
                    (ItemId::Message(*id), None)
                }
                ChangeRow::Memory(id) => (ItemId::Memory(*id), None),
                ChangeRow::Gone(id, place) => (ItemId::Memory(*id), Some(place)),
                ChangeRow::Vector(item, of) if Some(*of) == space_number => (*item, None),
                ChangeRow::Vector(..) | ChangeRow::FirstTurn(..) | ChangeRow::Cut => continue,
            };
            last.insert(named, seq);
        }
        let change = |(item, left): (ItemId, Option<&Place>), seq| match item {
            ItemId::Message(id) => {
                let message = self.message(id);
                let channel =
                    message.map_or_else(|| channels.get(&id).copied(), |known| Some(&known.channel));
                let place = Place::Messages(channel?.clone());
                wanted(&place).then(|| {
                    let now = message.map(|message| self.message_entry(message, space));
                    Change { seq, place, item, now }
                })
            }
            ItemId::Memory(id) => {
                let memory = self.memories.get(&id);
                let place = left.cloned().or_else(|| memory.map(place_of))?;
                let here = memory.filter(|memory| place_of(memory) == place);
                wanted(&place).then(|| {
                    let now = here.map(|memory| self.memory_entry(memory, space));
                    Change { seq, place, item, now }
                })
            }
        };
        let mut last: Vec<_> = last.into_iter().collect();
        last.sort_unstable_by_key(|(_, seq)| *seq);
        last.into_iter().filter_map(|(named, seq)| change(named, seq)).take(limit).collect()
    }

    fn message_entry(&self, message: &Message, space: Option<&VectorSpace>) -> Entry {
        let item = ItemId::Message(message.id);
        Entry {
            item,
            version: 1,
            text: message.text.clone(),
            author: Some(message.author.name().to_owned()),
            at: message.at,
            expires_at: None,
            tier: None,
            vector: self.numbers(item, space),
        }
    }

    fn memory_entry(&self, memory: &Memory, space: Option<&VectorSpace>) -> Entry {
        let item = ItemId::Memory(memory.id);
        Entry {
            item,
            version: memory.version,
            text: memory.text.clone(),
            author: None,
            at: memory.updated_at,
            expires_at: memory.expires_at,
            tier: Some(memory.tier),
            vector: self.numbers(item, space),
        }
    }

    fn numbers(&self, item: ItemId, space: Option<&VectorSpace>) -> Option<Vec<f32>> {
        self.vector(item, space?)?.vector.as_deref().map(|vector| vector.to_f32_vec())
    }
}
