//! The reads of a turn: answered from what is held, or from the file, and then held.

use std::time::Instant;

use greenroom_core::{MemoryId, Timestamp, Viewer};
use greenroom_store::{
    AskedPast, Changes, ErasedSince, ItemId, NewsWaiting, Past, Result, VectorSpace, Whole,
};

use crate::{
    SqliteStore, erasures,
    held::{Answer, State},
    items, journal, past,
};

/// See [`greenroom_store::ContextStore::past`].
pub(crate) async fn past(store: &SqliteStore, asked: &AskedPast) -> Result<Past> {
    if let Some(past) = held(store, Some(asked.as_of), |state| state.pasts.get(asked)).await {
        return Ok(past);
    }
    let reading = store.held.reads_past(asked);
    let past = store.told(past::past(&mut *store.reader().await?, asked).await)?;
    store.held.keep_past(reading, asked, &past);
    Ok(past)
}

/// See [`greenroom_store::MemoryStore::items`]. Messages are always read.
pub(crate) async fn items(
    store: &SqliteStore,
    viewer: &Viewer,
    ids: &[ItemId],
    now: Timestamp,
    witnessed: bool,
    as_of: Instant,
) -> Result<Whole> {
    let (memories, messages) = apart(ids);
    let whole = match memories.is_empty() {
        true => Some(Whole::default()),
        false => held(store, Some(as_of), |state| state.memories.get(viewer, &memories, now)).await,
    };
    let (mut whole, missing) = match whole {
        Some(whole) => (whole, messages),
        None => (Whole::default(), ids.to_vec()),
    };
    if !missing.is_empty() {
        let reading = store.held.reads_memories();
        let read = items::items(&mut *store.reader().await?, viewer, &missing, now, witnessed).await;
        let (read, kept) = store.told(read)?;
        store.held.keep_memories(reading, kept);
        whole.items.extend(read.items);
        whole.relations.extend(read.relations);
        whole.items.sort_by_cached_key(|item| ids.iter().position(|id| *id == item.id()));
    }
    Ok(whole)
}

/// The memories among some items, and the messages.
fn apart(ids: &[ItemId]) -> (Vec<MemoryId>, Vec<ItemId>) {
    let (mut memories, mut messages) = (Vec::new(), Vec::new());
    for id in ids {
        match id {
            ItemId::Memory(id) => memories.push(*id),
            ItemId::Message(_) => messages.push(*id),
        }
    }
    (memories, messages)
}

/// See [`greenroom_store::JournalStore::changes`].
pub(crate) async fn changes(
    store: &SqliteStore,
    space: Option<&VectorSpace>,
    after: i64,
    limit: usize,
    as_of: Instant,
) -> Result<Changes> {
    match held(store, Some(as_of), |state| state.news.changes(space, after, limit)).await {
        Some(changes) => Ok(changes),
        None => store.told(journal::changes(&mut *store.reader().await?, space, after, limit).await),
    }
}

/// See [`greenroom_store::VectorStore::unembedded_since`]: where it is known that nothing waits. What another process
/// wrote a moment ago, that process embeds.
pub(crate) async fn all_embedded(
    store: &SqliteStore,
    space: &VectorSpace,
    since: i64,
) -> Option<NewsWaiting> {
    held(store, None, |state| state.news.all_embedded(space, since)).await
}

/// See [`greenroom_store::EraseStore::erased_since`].
pub(crate) async fn erased_since(store: &SqliteStore, after: i64, as_of: Instant) -> Result<ErasedSince> {
    let known = |state: &mut State| state.erased.filter(|end| *end == after);
    if let Some(end) = held(store, Some(as_of), known).await {
        return Ok(ErasedSince { end, ..ErasedSince::default() });
    }
    let reading = store.held.reads_erased();
    let since = store.told(erasures::since(&mut *store.reader().await?, after).await)?;
    store.held.keep_erased(reading, since.end);
    Ok(since)
}

/// What is held of something, with all that others committed before this moment.
async fn held<T>(
    store: &SqliteStore,
    as_of: Option<Instant>,
    read: impl Fn(&mut State) -> Option<T>,
) -> Option<T> {
    if store.from_file {
        return None;
    }
    match store.held.read(as_of, &read) {
        Answer::Held(held) => Some(held),
        Answer::Nothing => None,
        Answer::Stale(_) if !store.writer.look().await => None,
        Answer::Stale(_) => match store.held.read(as_of, &read) {
            // it was true a moment ago
            Answer::Held(held) | Answer::Stale(held) => Some(held),
            Answer::Nothing => None,
        },
    }
}
