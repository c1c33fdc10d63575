//! Items whole, by their ids: what a search or an index found, as far as the viewer sees it.

use std::collections::HashMap;

use greenroom_core::{Timestamp, Viewer};
use greenroom_store::{Item, ItemId, ItemKind};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    memories::{memory, memory_columns},
    messages::{message, message_columns},
    scope::{here, seen_by, visible, witnessed},
    values::list,
};

/// See [`greenroom_store::Store::items`].
pub(crate) async fn items(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    ids: &[ItemId],
    now: Timestamp,
    present: bool,
) -> Result<Vec<Item>, Fault> {
    let (mut memories, mut messages) = (Vec::new(), Vec::new());
    for id in ids {
        match id {
            ItemId::Memory(id) => memories.push(id.0),
            ItemId::Message(id) => messages.push(id.0),
        }
    }
    let mut found = HashMap::new();
    for (kind, numbers) in [(ItemKind::Memory, memories), (ItemKind::Message, messages)] {
        if !numbers.is_empty() {
            let items = read(conn, viewer, kind, &numbers, now, present).await?;
            found.extend(items.into_iter().map(|item| (item.id(), item)));
        }
    }
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// The items with these ids, of those in sight now, in no order. The predicate stands here again:
/// nothing reads a memory without it.
pub(crate) async fn read(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    kind: ItemKind,
    ids: &[i64],
    now: Timestamp,
    present: bool,
) -> Result<Vec<Item>, Fault> {
    // the joins are crossed because their order is meant: from the ids to their rows
    let sql = match kind {
        ItemKind::Memory => concat!(
            "SELECT ",
            memory_columns!(),
            " FROM json_each(?4) ids CROSS JOIN memories m ON m.id = ids.value WHERE ",
            visible!(),
            " AND (m.expires_at IS NULL OR m.expires_at > ?5)"
        ),
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
pub(crate) fn item(kind: ItemKind, row: &SqliteRow) -> Result<Item, Fault> {
    match kind {
        ItemKind::Memory => memory(row).map(Item::Memory),
        ItemKind::Message => message(row).map(Item::Message),
    }
}
