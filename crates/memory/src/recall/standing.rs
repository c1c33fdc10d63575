//! What stands in the block whatever is talked about: with the tagged renderer preferences always,
//! newest first, and conversations by their recency (JV6).

use greenroom_persona::SourceName;
use greenroom_store::{Item, MemoryFilter, Store, StoreError};

use super::{
    Ask,
    sources::{source_of, standing},
};
use crate::RecalledItem;

/// Only so many of the newest memories are looked at.
const NEWEST: usize = 1_000;

/// Puts the standing sources in place of what was found of them.
pub(super) async fn add(
    store: &dyn Store,
    ask: &Ask<'_>,
    items: &mut Vec<RecalledItem>,
) -> Result<(), StoreError> {
    let wanted = |source| standing(ask.settings, source) && ask.settings.source(source).limit > 0;
    if !SourceName::ALL.into_iter().any(wanted) {
        return Ok(());
    }
    let filter = MemoryFilter { now: ask.now, scopes: Vec::new(), ids: Vec::new(), limit: NEWEST };
    let memories = store.memories(ask.viewer, &filter).await?;
    let scored = std::mem::take(items);
    for memory in memories {
        let item = Item::Memory(memory);
        let source = source_of(&item);
        let within = ask.between(source).is_none_or(|(from, until)| from <= item.at() && item.at() < until);
        if wanted(source) && within {
            let found = scored.iter().find(|found| found.item.id() == item.id());
            items.push(found.cloned().unwrap_or_else(|| RecalledItem::new(item, source, 0.0)));
        }
    }
    items.extend(scored.into_iter().filter(|found| !wanted(found.source)));
    Ok(())
}
