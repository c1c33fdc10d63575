//! Receipts of turns: their stored form, and how the text of an erased item is blanked in them.

pub(crate) mod short;

use std::collections::BTreeSet;

use greenroom_core::{MemoryId, MessageId, Receipt, Section};
use greenroom_store::{ItemId, RECEIPTS_KEPT, StoreError};
use sqlx::SqliteConnection;

use crate::{batch::Batch, error::Fault, values::column};

/// A stored receipt, and the ids of the items whose text it shows.
pub(crate) struct Stored {
    pub(crate) bytes: Vec<u8>,
    /// The memories and messages whose beginning it shows, as `,1,2,`. [`blank`] finds the receipt by these columns.
    pub(crate) memories: String,
    pub(crate) messages: String,
}

/// Converts a receipt to its stored form.
pub(crate) fn stored(receipt: &Receipt) -> Result<Stored, StoreError> {
    let (mut memories, mut messages) = (BTreeSet::new(), BTreeSet::new());
    for item in
        receipt.items.iter().filter(|item| item.section != Section::History && !item.preview.is_empty())
    {
        match (item.id.parse(), item.id.strip_prefix("msg:").map(str::parse)) {
            (Ok(MemoryId(id)), _) => memories.insert(id),
            (_, Some(Ok(id))) => messages.insert(id),
            _ => false,
        };
    }
    let bytes = short::write(receipt)
        .map_err(|error| StoreError::Other(format!("a receipt cannot be written: {error}")))?;
    Ok(Stored { bytes, memories: shown(&memories), messages: shown(&messages) })
}

/// The ids as `,1,2,`, so that a search for `,id,` finds each; empty without ids.
fn shown(ids: &BTreeSet<i64>) -> String {
    let ids: String = ids.iter().map(|id| format!("{id},")).collect();
    if ids.is_empty() { ids } else { format!(",{ids}") }
}

/// Stores the receipt of a reply, and deletes the channel's receipts except the newest [`RECEIPTS_KEPT`].
pub(crate) fn keep(batch: &mut Batch, channel: i64, reply: MessageId, receipt: &Stored) {
    batch.push("INSERT INTO receipts (reply_id, channel_id, memories, messages, receipt) VALUES (");
    batch
        .separated(", ")
        .push_bind(reply.0)
        .push_bind(channel)
        .push_bind(receipt.memories.as_str())
        .push_bind(receipt.messages.as_str())
        .push_bind(receipt.bytes.as_slice())
        .push_unseparated(");");
    batch.push("DELETE FROM receipts WHERE channel_id = ").push_bind(channel);
    batch.push(" AND reply_id <= (SELECT reply_id FROM receipts WHERE channel_id = ").push_bind(channel);
    batch.push(" ORDER BY reply_id DESC LIMIT 1 OFFSET ").push_bind(RECEIPTS_KEPT as i64).push(");");
}

/// Erased items whose text a receipt still shows.
pub(crate) async fn gone_but_shown(conn: &mut SqliteConnection) -> Result<Vec<ItemId>, Fault> {
    let items: Vec<(bool, i64)> = sqlx::query_as(
        "SELECT DISTINCT true, id.value FROM receipts r, json_each('[' || trim(r.memories, ',') || ']') id
             WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = id.value)
         UNION ALL
         SELECT DISTINCT false, id.value FROM receipts r, json_each('[' || trim(r.messages, ',') || ']') id
             WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = id.value)",
    )
    .fetch_all(conn)
    .await?;
    let item =
        |(memory, id)| if memory { ItemId::Memory(MemoryId(id)) } else { ItemId::Message(MessageId(id)) };
    Ok(items.into_iter().map(item).collect())
}

/// The number of receipts that are blanked in one transaction.
const BLANKED: usize = 50;

/// Blanks the text of an erased item in some of the receipts that show it. Returns true if more may be left.
pub(crate) async fn blank(conn: &mut SqliteConnection, item: &ItemId) -> Result<bool, Fault> {
    let (find, strike) = match item {
        ItemId::Memory(_) => (
            "SELECT reply_id, receipt FROM receipts WHERE instr(memories, ?) LIMIT ?",
            "UPDATE receipts SET receipt = ?, memories = replace(memories, ?, ',') WHERE reply_id = ?",
        ),
        ItemId::Message(_) => (
            "SELECT reply_id, receipt FROM receipts WHERE instr(messages, ?) LIMIT ?",
            "UPDATE receipts SET receipt = ?, messages = replace(messages, ?, ',') WHERE reply_id = ?",
        ),
    };
    let shown = format!(",{},", item.number());
    let rows = sqlx::query(find).bind(shown.as_str()).bind(BLANKED as i64).fetch_all(&mut *conn).await?;
    for row in &rows {
        let mut receipt = short::read(column(row, 1)?).map_err(Fault::unreadable)?;
        for shown in receipt.items.iter_mut().filter(|shown| shown.id == item.to_string()) {
            shown.preview = "(forgotten)".into();
        }
        sqlx::query(strike)
            .bind(short::write(&receipt).map_err(Fault::unreadable)?)
            .bind(shown.as_str())
            .bind(column::<i64>(row, 0)?)
            .execute(&mut *conn)
            .await?;
    }
    Ok(rows.len() == BLANKED)
}
