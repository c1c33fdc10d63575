//! Forgetting (GR10, X15): a memory, a person, a channel, or old content. There is no log or file to scrub.

mod find;
mod quotes;

use std::collections::{BTreeSet, HashSet};

use async_trait::async_trait;
use greenroom_core::{Author, ChannelKey, Memory, MemoryId, MessageId, Scope, Timestamp, Viewer};
use greenroom_store::{
    ERASURES_TOLD, Erase, EraseStore, Erased, ErasedSince, Forgotten, ItemId, Quote, Quotes, Result, Sources,
    StoreError, rules::quotes::SHOWN,
};

use crate::{
    InMemoryStore,
    memories::is_live,
    rows::said_in,
    state::{ChangeRow, Erasure, State, chat},
};

/// The items to erase.
#[derive(Debug, Default)]
struct ItemsToErase {
    messages: BTreeSet<MessageId>,
    memories: BTreeSet<MemoryId>,
    sessions: BTreeSet<i64>,
}

#[async_trait]
impl EraseStore for InMemoryStore {
    async fn forget(&self, viewer: &Viewer, id: MemoryId) -> Result<Option<Forgotten>> {
        let mut state = self.state()?;
        let Some(memory) = state.memories.get(&id).filter(|_| state.sees(viewer, id)).cloned() else {
            return Ok(None);
        };
        let relations = state.relations.get(&id).map_or(0, Vec::len) as u64;
        let vectors = state.count_vectors(ItemId::Memory(id));
        state.remove_memory(id);
        let summaries = state.remove_summaries(&memory);
        Ok(Some(Forgotten { memory, vectors, relations, summaries, in_log: false }))
    }

    async fn sweep(&self, now: Timestamp) -> Result<u64> {
        let mut state = self.state()?;
        let expired = state.memories.values().filter(|memory| !is_live(memory, now));
        let expired: Vec<_> = expired.map(|memory| memory.id).collect();
        for id in &expired {
            state.remove_memory(*id);
        }
        state.blank_what_is_gone();
        Ok(expired.len() as u64)
    }

    async fn would_erase(&self, what: &Erase) -> Result<Erased> {
        let state = self.state()?;
        Ok(state.count(&state.doomed(what)))
    }

    async fn quoting(&self, what: &Erase) -> Result<Vec<Quote>> {
        let mut quotes = self.state()?.quoting(what);
        quotes.truncate(SHOWN);
        Ok(quotes)
    }

    async fn events_to_erase(&self, what: &Erase, since: Timestamp) -> Result<Vec<(ChannelKey, String)>> {
        let state = self.state()?;
        let doomed = state.doomed(what);
        let messages = doomed.messages.iter().filter_map(|id| state.message(*id));
        let of_people = messages.filter(|message| matches!(message.author, Author::User { .. }));
        let recent = of_people.filter(|message| message.at >= since);
        Ok(recent.map(|message| (message.channel.clone(), message.event_id.clone())).collect())
    }

    async fn erase(&self, what: &Erase, quotes: Quotes) -> Result<Erased> {
        let mut state = self.state()?;
        let mut erased = Erased::default();
        if quotes == Quotes::Go {
            // quotations are found by the quoted texts, so the quotations are erased first
            let quoting = state.quoting(what);
            let quoting = state.with_what_follows(what, ItemsToErase::of(&quoting));
            erased = state.remove(&quoting);
        }
        let doomed = state.doomed(what);
        if matches!(what, Erase::Message(_)) {
            state.retract_parts_of(&doomed.messages);
        }
        erased += state.remove(&doomed);
        if !matches!(what, Erase::Older { .. }) {
            state.forget_places();
        }
        if let Erase::Person(person) = what {
            let others = state.linked(person);
            for account in others.iter().chain([person]) {
                state.unlink(account);
            }
        }
        state.blank_what_is_gone();
        Ok(erased)
    }

    async fn erased_since(&self, after: i64) -> Result<ErasedSince> {
        let erasures = &self.state()?.erasures;
        let end = erasures.end();
        if !erasures.reaches_back_to(after) || end - after > ERASURES_TOLD {
            return Ok(ErasedSince { end, anywhere: true, ..ErasedSince::default() });
        }
        let places: BTreeSet<_> = erasures.after(after).map(|(_, erasure)| &erasure.channel).collect();
        let anywhere = places.contains(&None);
        Ok(ErasedSince { end, anywhere, channels: places.into_iter().flatten().cloned().collect() })
    }

    async fn unerased(&self, sources: &Sources) -> Result<i64> {
        let state = self.state()?;
        state.check_sources(sources)?;
        Ok(state.erasures.end())
    }
}

impl ItemsToErase {
    fn of(quotes: &[Quote]) -> Self {
        let mut doomed = Self::default();
        for quote in quotes {
            match quote.item {
                ItemId::Message(id) => doomed.messages.insert(id),
                ItemId::Memory(id) => doomed.memories.insert(id),
            };
        }
        doomed
    }
}

impl State {
    /// Refuses a text if one of its sources was erased since it was read. Also refuses it if its author read so long
    /// ago that the log of erasures no longer reaches back.
    pub(crate) fn check_sources(&self, sources: &Sources) -> Result<()> {
        let nothing_since = self.erasures.after(sources.erased).next().is_none();
        if sources.is_empty() || nothing_since && !self.erasures.begins_after(sources.erased) {
            return Ok(());
        }
        let items: HashSet<_> = sources.items.iter().collect();
        // a summary may contain every message of its channel; an erased message whose channel is no longer known may
        // have been in any channel
        let summarised = |item, channel: &Option<ChannelKey>| {
            let of = sources.summary_of.as_ref();
            matches!(item, ItemId::Message(_))
                && of.is_some_and(|of| channel.as_ref().is_none_or(|channel| channel == of))
        };
        // messages from other chats must not reach a group (MP1)
        let of_message = |id| self.message(id).map(|message| chat(&message.channel));
        let chats: HashSet<_> = sources.messages().filter_map(of_message).collect();
        let of_several_chats = chats.len() > 1;
        let mut since = self.erasures.after(sources.erased).map(|(_, erasure)| erasure);
        let touched = |erasure: &Erasure| match erasure.item {
            Some(item) => items.contains(&item) || summarised(item, &erasure.channel),
            None => of_several_chats,
        };
        if self.erasures.begins_after(sources.erased) || since.any(touched) {
            let what = "something this was made of has been erased meanwhile, or its chat has become a group";
            return Err(StoreError::Erased(what.into()));
        }
        Ok(())
    }

    /// Removes the summaries of the sessions in which a statement was made that was forgotten or corrected by hand: they
    /// may contain it (GR10). Returns them.
    pub(crate) fn remove_summaries(&mut self, memory: &Memory) -> Vec<MemoryId> {
        let Some(said) = said_in(memory) else { return Vec::new() };
        let summaries: Vec<_> = self.of_message(said).memories.into_iter().collect();
        summaries.iter().for_each(|id| self.remove_memory(*id));
        summaries
    }

    /// Counts the items and their dependent rows.
    fn count(&self, doomed: &ItemsToErase) -> Erased {
        let ItemsToErase { messages, memories, sessions } = doomed;
        let said = || messages.iter().filter_map(|id| self.messages.get(id));
        let channels: BTreeSet<_> = said().map(|said| &said.message.channel).collect();
        let participations =
            channels.iter().filter_map(|key| self.channels.get(key)).flat_map(|c| c.personas.values());
        let turns: BTreeSet<_> = said().flat_map(|said| &said.turns).collect();
        let goes = |turn| {
            let reply = self.turns.get(turn).and_then(|turn| turn.reply);
            turns.contains(turn) || reply.is_some_and(|reply| messages.contains(&reply))
        };
        let edges = memories.iter().filter_map(|id| self.relations.get(id)).flatten();
        let items = messages.iter().map(|id| ItemId::Message(*id));
        let items = items.chain(memories.iter().map(|id| ItemId::Memory(*id)));
        Erased {
            messages: messages.len() as u64,
            memories: memories.len() as u64,
            summaries: participations.filter(|participation| participation.summary.is_some()).count() as u64,
            vectors: items.map(|item| self.count_vectors(item)).sum(),
            relations: edges.collect::<HashSet<_>>().len() as u64,
            outbox: self.outbox.values().filter(|turn| goes(turn)).count() as u64,
            turns: turns.len() as u64,
            sessions: sessions.len() as u64,
        }
    }

    fn count_vectors(&self, item: ItemId) -> u64 {
        let vectors = self.vectors.get(&item).into_iter().flatten();
        vectors.filter(|stored| stored.vector.is_some()).count() as u64
    }

    /// Removes the items with their dependent rows, and returns the counts.
    fn remove(&mut self, doomed: &ItemsToErase) -> Erased {
        let erased = self.count(doomed);
        for id in &doomed.messages {
            let channel = self.message(*id).map(|message| message.channel.clone());
            if let Some(channel) = channel.and_then(|channel| self.channels.get_mut(&channel)) {
                channel.personas.values_mut().for_each(|participation| participation.summary = None);
            }
        }
        for id in &doomed.messages {
            self.remove_message(*id);
        }
        for id in &doomed.memories {
            self.remove_memory(*id);
        }
        for people in self.chats.values_mut() {
            people.values_mut().for_each(|theirs| theirs.retain(|s| !doomed.sessions.contains(&s.id)));
            people.retain(|_, theirs| !theirs.is_empty());
        }
        self.chats.retain(|_, people| !people.is_empty());
        erased
    }

    /// Removes the names of empty channels, and the rows of the journal, which name the places of erased items.
    /// Followers of the journal load their places again.
    fn forget_places(&mut self) {
        let remembered: BTreeSet<ChannelKey> = self
            .memories
            .values()
            .filter_map(|memory| match &memory.scope {
                Scope::Channel(channel) => Some(channel.clone()),
                Scope::Global | Scope::User(_) | Scope::Private(_) => None,
            })
            .collect();
        self.channels.retain(|key, channel| !channel.messages.is_empty() || remembered.contains(key));
        for erasure in self.erasures.iter_mut() {
            if erasure.channel.as_ref().is_some_and(|channel| !self.channels.contains_key(channel)) {
                erasure.channel = None;
            }
        }
        self.changes.push(ChangeRow::Cut);
        self.changes.keep(1);
    }
}
