//! Receipts of turns: what is kept of them, and what is blanked when an item they show is gone.

use greenroom_core::{MemoryId, MessageId, Receipt, Section, TurnId};
use greenroom_store::{ItemId, RECEIPTS_KEPT};
use sqlx::SqliteConnection;

use crate::{error::Fault, values::column};

/// A receipt as it is kept: the history stands in the messages, and what else it shows is short.
pub(crate) fn stored(receipt: &Receipt) -> Result<String, Fault> {
    let mut receipt = receipt.clone();
    for item in receipt.items.iter_mut().filter(|item| item.section == Section::History) {
        item.preview.clear();
    }
    serde_json::to_string(&receipt).map_err(Fault::unreadable)
}

/// Notes which items a stored receipt shows, for [`blank`].
pub(crate) async fn note(
    conn: &mut SqliteConnection,
    turn: TurnId,
    receipt: Option<&str>,
) -> Result<(), Fault> {
    sqlx::query(
        "WITH items AS (SELECT value ->> 'id' AS id FROM json_each(?2, '$.items')
                        WHERE value ->> 'preview' <> '')
         INSERT OR IGNORE INTO shown (item, item_id, turn_id)
             SELECT 'memory', CAST(substr(id, 2) AS INTEGER), ?1 FROM items WHERE id GLOB 'm[1-9]*'
             UNION
             SELECT 'message', CAST(substr(id, 5) AS INTEGER), ?1 FROM items WHERE id GLOB 'msg:[1-9]*'",
    )
    .bind(turn.to_string())
    .bind(receipt)
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the receipts of a channel but for the newest.
pub(crate) async fn trim(conn: &mut SqliteConnection, channel: i64) -> Result<(), Fault> {
    let last: Option<i64> = sqlx::query_scalar(
        "SELECT reply_id FROM turns WHERE channel_id = ? AND receipt IS NOT NULL
         ORDER BY reply_id DESC LIMIT 1 OFFSET ?",
    )
    .bind(channel)
    .bind(RECEIPTS_KEPT as i64)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(last) = last else { return Ok(()) };
    sqlx::query(
        "DELETE FROM shown WHERE turn_id IN
             (SELECT id FROM turns WHERE channel_id = ?1 AND receipt IS NOT NULL AND reply_id <= ?2);
         UPDATE turns SET receipt = NULL
         WHERE channel_id = ?1 AND receipt IS NOT NULL AND reply_id <= ?2",
    )
    .bind(channel)
    .bind(last)
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
