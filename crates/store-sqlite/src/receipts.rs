//! Receipts of turns: what is kept of them, and what is blanked when an item they show is gone.

use greenroom_core::{MemoryId, MessageId, Receipt, Section, TurnId};
use greenroom_store::{ItemId, RECEIPTS_KEPT};
use sqlx::SqliteConnection;

use crate::{
    error::Fault,
    values::{column, list},
};

/// A receipt as it is kept: the history stands in the messages, and what else it shows is short.
pub(crate) struct Stored {
    pub(crate) json: String,
    /// The memories and the messages of which it shows the beginning, as lists for `json_each`:
    /// [`blank`] finds it by them.
    pub(crate) memories: String,
    pub(crate) messages: String,
}

/// Makes one.
pub(crate) fn stored(receipt: &Receipt) -> Result<Stored, Fault> {
    let mut receipt = receipt.clone();
    let (mut memories, mut messages) = (Vec::new(), Vec::new());
    for item in &mut receipt.items {
        if item.section == Section::History {
            item.preview.clear();
        } else if !item.preview.is_empty() {
            match (item.id.parse(), item.id.strip_prefix("msg:").map(str::parse)) {
                (Ok(MemoryId(id)), _) => memories.push(id),
                (_, Some(Ok(id))) => messages.push(id),
                _ => {}
            }
        }
    }
    let json = serde_json::to_string(&receipt).map_err(Fault::unreadable)?;
    Ok(Stored { json, memories: list(memories), messages: list(messages) })
}

/// Notes which items the stored receipt of a turn shows, for [`blank`], and takes the receipts of its
/// channel but for the newest.
pub(crate) async fn note(
    conn: &mut SqliteConnection,
    channel: i64,
    turn: TurnId,
    receipt: &Stored,
) -> Result<(), Fault> {
    let rows = sqlx::query(
        "INSERT OR IGNORE INTO shown (item, item_id, turn_id)
             SELECT 'memory', value, ?2 FROM json_each(?3)
             UNION ALL SELECT 'message', value, ?2 FROM json_each(?4);
         SELECT reply_id FROM turns WHERE channel_id = ?1 AND receipt IS NOT NULL
         ORDER BY reply_id DESC LIMIT 1 OFFSET ?5",
    )
    .bind(channel)
    .bind(turn.to_string())
    .bind(receipt.memories.as_str())
    .bind(receipt.messages.as_str())
    .bind(RECEIPTS_KEPT as i64)
    .fetch_all(&mut *conn)
    .await?;
    let Some(outdated) = rows.first() else { return Ok(()) };
    let outdated: i64 = column(outdated, 0)?;
    sqlx::query(
        "DELETE FROM shown WHERE turn_id IN
             (SELECT id FROM turns WHERE channel_id = ?1 AND receipt IS NOT NULL AND reply_id <= ?2);
         UPDATE turns SET receipt = NULL
         WHERE channel_id = ?1 AND receipt IS NOT NULL AND reply_id <= ?2",
    )
    .bind(channel)
    .bind(outdated)
    .execute(conn)
    .await?;
    Ok(())
}

/// Items that are gone but for what receipts show of them.
pub(crate) async fn gone_but_shown(conn: &mut SqliteConnection) -> Result<Vec<ItemId>, Fault> {
    let items: Vec<(bool, i64)> = sqlx::query_as(
        "SELECT DISTINCT item = 'memory', item_id FROM shown WHERE CASE item
             WHEN 'memory' THEN item_id NOT IN (SELECT id FROM memories)
             ELSE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = item_id) END",
    )
    .fetch_all(conn)
    .await?;
    let item =
        |(memory, id)| if memory { ItemId::Memory(MemoryId(id)) } else { ItemId::Message(MessageId(id)) };
    Ok(items.into_iter().map(item).collect())
}

/// Receipts that are blanked in one transaction.
const BLANKED: usize = 50;

/// Blanks the beginning of an item that is gone in some of the receipts that show it; whether there
/// may be more of them.
pub(crate) async fn blank(conn: &mut SqliteConnection, item: &ItemId) -> Result<bool, Fault> {
    let (kind, id) = match item {
        ItemId::Memory(id) => ("memory", id.0),
        ItemId::Message(id) => ("message", id.0),
    };
    let rows = sqlx::query(
        "SELECT s.turn_id, t.receipt FROM shown s LEFT JOIN turns t ON t.id = s.turn_id
         WHERE s.item = ? AND s.item_id = ? LIMIT ?",
    )
    .bind(kind)
    .bind(id)
    .bind(BLANKED as i64)
    .fetch_all(&mut *conn)
    .await?;
    for row in &rows {
        let turn: &str = column(row, 0)?;
        if let Some(receipt) = column::<Option<&str>>(row, 1)? {
            let mut receipt: Receipt = serde_json::from_str(receipt).map_err(Fault::unreadable)?;
            for shown in receipt.items.iter_mut().filter(|shown| shown.id == item.to_string()) {
                shown.preview = "(forgotten)".into();
            }
            sqlx::query("UPDATE turns SET receipt = ? WHERE id = ?")
                .bind(serde_json::to_string(&receipt).map_err(Fault::unreadable)?)
                .bind(turn)
                .execute(&mut *conn)
                .await?;
        }
        sqlx::query("DELETE FROM shown WHERE item = ? AND item_id = ? AND turn_id = ?")
            .bind(kind)
            .bind(id)
            .bind(turn)
            .execute(&mut *conn)
            .await?;
    }
    Ok(rows.len() == BLANKED)
}
