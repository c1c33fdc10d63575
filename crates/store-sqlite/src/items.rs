//! Items whole, by their ids: what a search or an index found, as far as the viewer sees it.

use std::collections::{BTreeSet, HashMap};

use greenroom_core::{Timestamp, Viewer};
use greenroom_store::{Item, ItemId, ItemKind, Whole};
use sqlx::{Row, SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    held::MemoriesRead,
    memories::{memory, memory_columns, relation, relations_of},
    messages::{message, message_columns},
    scope::{here, seen_by, visible, witnessed},
    values::{column, list},
};

/// The memories with the ids of the list ?4 that are in sight at ?5. The join is crossed because its order is
/// meant: from the ids to their rows.
macro_rules! memories_with {
    () => {
        concat!(
            "SELECT ",
            memory_columns!(),
            " FROM json_each(?4) ids CROSS JOIN memories m ON m.id = ids.value WHERE ",
            visible!(),
            " AND (m.expires_at IS NULL OR m.expires_at > ?5)"
        )
    };
}

/// See [`greenroom_store::MemoryStore::items`]. With what of it may be held.
pub(crate) async fn items(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    ids: &[ItemId],
    now: Timestamp,
    present: bool,
) -> Result<(Whole, MemoriesRead), Fault> {
    let mut kept = MemoriesRead::default();
    let (mut memories, mut messages) = (BTreeSet::new(), Vec::new());
    for id in ids {
        match id {
            ItemId::Memory(id) => drop(memories.insert(id.0)),
            ItemId::Message(id) => messages.push(id.0),
        }
    }
    let (mut found, mut relations) = (HashMap::with_capacity(ids.len()), Vec::new());
    if !memories.is_empty() {
        let query = seen_by(viewer, concat!(memories_with!(), ";", relations_of!()));
        for row in &query.bind(list(memories)).bind(now.0).fetch_all(&mut *conn).await? {
            if row.len() == RELATION_COLUMNS {
                let relation = relation(row)?;
                kept.relations.push(relation);
                if column(row, RELATION_COLUMNS - 1)? {
                    relations.push(relation);
                }
            } else {
                let memory = memory(row)?;
                kept.memories.push(memory.clone());
                found.insert(ItemId::Memory(memory.id), Item::Memory(memory));
            }
        }
    }
    if !messages.is_empty() {
        let messages = read(conn, viewer, ItemKind::Message, &messages, now, present).await?;
        found.extend(messages.into_iter().map(|item| (item.id(), item)));
    }
    Ok((Whole { items: ids.iter().filter_map(|id| found.remove(id)).collect(), relations }, kept))
}

/// A relation, and whether it is in sight, is shorter than a memory.
const RELATION_COLUMNS: usize = 4;

/// The items with these ids, of those in sight now, in no order. The predicate stands here again:
/// nothing reads a memory without it.
async fn read(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    kind: ItemKind,
    ids: &[i64],
    now: Timestamp,
    present: bool,
) -> Result<Vec<Item>, Fault> {
    let sql = match kind {
        ItemKind::Memory => memories_with!(),
        ItemKind::Message => concat!(
            "SELECT ",
            message_columns!(),
            " FROM json_each(?4) ids CROSS JOIN messages m ON m.id = ids.value
              JOIN channels c ON c.id = m.channel_id WHERE ",
            here!(),
            " AND ",
            witnessed!("?6")
        ),
    };
    let query = seen_by(viewer, sql).bind(list(ids.iter().copied())).bind(now.0).bind(present);
    let rows = query.fetch_all(conn).await?;
    rows.iter().map(|row| item(kind, row)).collect()
}

/// The item of a row that begins with the columns of its kind.
fn item(kind: ItemKind, row: &SqliteRow) -> Result<Item, Fault> {
    match kind {
        ItemKind::Memory => memory(row).map(Item::Memory),
        ItemKind::Message => message(row).map(Item::Message),
    }
}
