//! Standing items: items that the tagged renderer shows whatever the conversation is about. These are preferences,
//! newest first, and conversations by their recency (JV6).
//!
//! There may be more preferences than the limit. An old preference that is related to the conversation therefore comes
//! before the newest. Other statements of a standing source are shown only if they are related, and at most [`FACTS`]
//! of them, so that facts displace no preferences.

use greenroom_core::{Kind, Memory, Scope, Tier};
use greenroom_persona::SourceName;
use greenroom_store::{Item, ItemId, Newest, Store, StoreError};

use super::{
    SearchRequest,
    indexed::{linked, personal},
    sources::standing,
};
use crate::RecalledItem;

/// The least relevance with which an old preference comes before newer ones.
const RELATED: f32 = 0.3;

/// How many related statements of a source that are no preferences are shown.
const FACTS: usize = 10;

/// Replaces the found items of standing sources with the standing selection.
pub(super) async fn add(
    store: &dyn Store,
    search: &SearchRequest<'_>,
    items: &mut Vec<RecalledItem>,
) -> Result<(), StoreError> {
    let shown =
        |source: &SourceName| standing(search.settings, *source) && search.settings.source(*source).limit > 0;
    let sources: Vec<_> = SourceName::ALL.into_iter().filter(shown).collect();
    if sources.is_empty() {
        return Ok(());
    }
    let personal = personal(search.viewer, &linked(store, search).await?);
    for source in sources {
        let limit = search.settings.source(source).limit;
        let newest = newest(store, search, &personal, source, limit).await?;
        let (found, others) = std::mem::take(items).into_iter().partition(|item| item.source == source);
        *items = others;
        items.extend(together(found, newest, source, limit));
    }
    Ok(())
}

/// The newest memories of a source in all its scopes: one more than the limit, since the running session's summary may
/// be dropped later.
async fn newest(
    store: &dyn Store,
    search: &SearchRequest<'_>,
    personal: &[Scope],
    source: SourceName,
    limit: usize,
) -> Result<Vec<Memory>, StoreError> {
    let limit = limit + 1;
    let channel = Scope::Channel(search.viewer.channel().clone());
    let personal = personal.iter().cloned();
    let preference = Some(Kind::preference());
    let (tier, kind, scopes) = match source {
        SourceName::Knowledge => (Tier::Semantic, preference, vec![channel, Scope::Global]),
        SourceName::Notes => (Tier::Semantic, preference, personal.collect()),
        _ => (Tier::Conversation, None, [channel, Scope::Global].into_iter().chain(personal).collect()),
    };
    let mut newest = Vec::new();
    for scope in scopes {
        let between = search.between(source);
        let wanted = Newest { scope, tier, kind: kind.clone(), now: search.now, between, limit };
        newest.extend(store.newest(search.viewer, &wanted).await?);
    }
    newest.sort_by_key(|memory| std::cmp::Reverse((memory.updated_at, memory.id)));
    newest.truncate(limit);
    Ok(newest)
}

/// Combines found items with the newest. First come older related preferences, in at most half of the limit, then the
/// newest, then related statements that are no preferences.
fn together(
    found: Vec<RecalledItem>,
    newest: Vec<Memory>,
    source: SourceName,
    limit: usize,
) -> Vec<RecalledItem> {
    let is_new =
        |item: &RecalledItem| newest.iter().any(|memory| ItemId::Memory(memory.id) == item.item.id());
    let (found, others): (Vec<_>, Vec<_>) = found.into_iter().partition(is_new);
    let related = others.into_iter().filter(|item| item.score >= RELATED);
    let (older, facts): (Vec<_>, Vec<_>) = match source {
        SourceName::Summaries => Default::default(),
        _ => related.partition(|item| is_preference(&item.item)),
    };
    let found_or_bare = |memory: Memory| {
        let item = Item::Memory(memory);
        let known = found.iter().find(|known| known.item.id() == item.id());
        known.cloned().unwrap_or_else(|| RecalledItem::new(item, source, 0.0))
    };
    let newest = newest.iter().cloned().map(found_or_bare);
    older.into_iter().take(limit / 2).chain(newest).chain(facts.into_iter().take(FACTS)).collect()
}

/// Whether an item is a preference, which is always shown.
fn is_preference(item: &Item) -> bool {
    matches!(item, Item::Memory(memory) if memory.kind == Kind::preference())
}
