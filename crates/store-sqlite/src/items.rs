//! Items whole, by their ids: what an index found, as far as the viewer sees it.

use std::collections::{BTreeSet, HashMap};

use greenroom_core::{MemoryId, Timestamp, Viewer};
use greenroom_store::{Item, ItemId, Whole};
use sqlx::SqliteConnection;

use crate::{
    error::Fault,
    memories::{memory, memory_columns},
    messages::{message, message_columns},
    relations,
    scope::{here, seen_by, visible, witnessed},
    values::list,
};

/// See [`greenroom_store::MemoryStore::items`]. The joins are crossed because their order is meant: from the ids to the
/// rows.
pub(crate) async fn items(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    ids: &[ItemId],
    now: Timestamp,
    present: bool,
) -> Result<Whole, Fault> {
    let (mut memories, mut messages) = (BTreeSet::new(), BTreeSet::new());
    for id in ids {
        match id {
            ItemId::Memory(id) => memories.insert(id.0),
            ItemId::Message(id) => messages.insert(id.0),
        };
    }
    let mut found = HashMap::with_capacity(ids.len());
    let mut relations = Vec::new();
    if !memories.is_empty() {
        let sql = concat!(
            "SELECT ",
            memory_columns!(),
            " FROM json_each(?4) ids CROSS JOIN memories m ON m.id = ids.value WHERE ",
            visible!(),
            " AND (m.expires_at IS NULL OR m.expires_at > ?5)"
        );
        let query = seen_by(viewer, sql).bind(list(memories.iter().copied())).bind(now.0);
        for row in &query.fetch_all(&mut *conn).await? {
            let memory = memory(row)?;
            found.insert(ItemId::Memory(memory.id), Item::Memory(memory));
        }
        let asked: Vec<MemoryId> = memories.into_iter().map(MemoryId).collect();
        relations = relations::at(conn, viewer, &asked).await?;
    }
    if !messages.is_empty() {
        let sql = concat!(
            "SELECT ",
            message_columns!(),
            " FROM json_each(?4) ids CROSS JOIN messages m ON m.id = ids.value
              JOIN channels c ON c.id = m.channel_id WHERE ",
            here!(),
            " AND ",
            witnessed!("?5")
        );
        let query = seen_by(viewer, sql).bind(list(messages)).bind(present);
        for row in &query.fetch_all(conn).await? {
            let message = message(row)?;
            found.insert(ItemId::Message(message.id), Item::Message(message));
        }
    }
    Ok(Whole { items: ids.iter().filter_map(|id| found.remove(id)).collect(), relations })
}
