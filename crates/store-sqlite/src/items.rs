//! Full items by their ids: the hits of an index that the viewer sees.

use std::collections::{BTreeSet, HashMap};

use greenroom_core::{Timestamp, Viewer};
use greenroom_store::{Item, ItemId, ItemsWithRelations};
use sqlx::SqliteConnection;

use crate::{
    batch::rows_of_each,
    error::Fault,
    memories::{memory, memory_columns},
    messages::{message, message_columns},
    relations::{both_visible, relation, relations_at},
    scope::{here, seen_by, visible, witnessed},
    values::list,
};

/// The memories of the list ?5, their relations, and the messages of the list ?7, in one call. The joins are CROSS
/// joins to fix their order: from the ids to the rows.
const ITEMS: &str = concat!(
    "SELECT ",
    memory_columns!(),
    " FROM json_each(?5) ids CROSS JOIN memories m ON m.id = ids.value WHERE ",
    visible!(),
    " AND (m.expires_at IS NULL OR m.expires_at > ?6); ",
    relations_at!(),
    "; SELECT ",
    message_columns!(),
    " FROM json_each(?7) ids CROSS JOIN messages m ON m.id = ids.value
      JOIN channels c ON c.id = m.channel_id WHERE ",
    here!(),
    " AND ",
    witnessed!("?8")
);

/// See [`greenroom_store::MemoryStore::items`].
pub(crate) async fn items(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    ids: &[ItemId],
    now: Timestamp,
    present: bool,
) -> Result<ItemsWithRelations, Fault> {
    let (mut memories, mut messages) = (BTreeSet::new(), BTreeSet::new());
    for id in ids {
        match id {
            ItemId::Memory(id) => memories.insert(id.0),
            ItemId::Message(id) => messages.insert(id.0),
        };
    }
    let query = seen_by(viewer, ITEMS).bind(list(memories)).bind(now.0).bind(list(messages)).bind(present);
    let mut rows = rows_of_each(conn, query).await?.into_iter();
    let mut found = HashMap::with_capacity(ids.len());
    for row in rows.next().iter().flatten() {
        let memory = memory(row)?;
        found.insert(ItemId::Memory(memory.id), Item::Memory(memory));
    }
    let relations = rows.next().iter().flatten().map(relation).collect::<Result<_, _>>()?;
    for row in rows.next().iter().flatten() {
        let message = message(row)?;
        found.insert(ItemId::Message(message.id), Item::Message(message));
    }
    Ok(ItemsWithRelations { items: ids.iter().filter_map(|id| found.remove(id)).collect(), relations })
}
