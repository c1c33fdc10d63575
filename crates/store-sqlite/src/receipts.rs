//! Receipts of turns: what is kept of them, and what is blanked when an item they show is gone.

pub(crate) mod short;

use std::collections::BTreeSet;

use greenroom_core::{MemoryId, MessageId, Receipt, Section};
use greenroom_store::{ItemId, RECEIPTS_KEPT, StoreError};
use sqlx::{Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments};

use crate::{error::Fault, values::column};

/// A receipt as it is kept, and what it shows.
pub(crate) struct Stored {
    pub(crate) bytes: Vec<u8>,
    /// The memories and the messages of which it shows the beginning, as `,1,2,`: [`blank`] finds it
    /// by them.
    pub(crate) memories: String,
    pub(crate) messages: String,
}

impl Stored {
    /// Whether it shows anything that may have to be blanked.
    pub(crate) fn shows(&self) -> bool {
        !(self.memories.is_empty() && self.messages.is_empty())
    }
}

/// Makes one.
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

/// Ids so that each can be found as `,id,`; nothing where there are none.
fn shown(ids: &BTreeSet<i64>) -> String {
    let ids: String = ids.iter().map(|id| format!("{id},")).collect();
    if ids.is_empty() { ids } else { format!(",{ids}") }
}

/// Keeps the receipt of the reply $2 in the channel $1, and which items it shows, unless that is nothing. One row:
/// the newest reply in the channel whose receipt is one too many.
macro_rules! keep {
    ($receipt:literal, $kept:literal, $turn:literal, $memories:literal, $messages:literal) => {
        concat!(
            "INSERT OR FAIL INTO receipts (reply_id, channel_id, receipt) VALUES ($2, $1, ",
            $receipt,
            "); INSERT OR IGNORE INTO receipt_items (turn_id, memories, messages) VALUES (",
            $turn,
            ", ",
            $memories,
            ", ",
            $messages,
            "); SELECT (SELECT reply_id FROM receipts WHERE channel_id = $1 ORDER BY reply_id DESC LIMIT 1 OFFSET ",
            $kept,
            ")"
        )
    };
}
pub(crate) use keep;

/// Binds what `keep!()` needs beside the channel, the reply and the turn.
pub(crate) fn keeping<'a>(
    query: Query<'a, Sqlite, SqliteArguments>,
    receipt: &'a Stored,
) -> Query<'a, Sqlite, SqliteArguments> {
    let shows = Some(receipt).filter(|receipt| receipt.shows());
    query
        .bind(receipt.bytes.as_slice())
        .bind(RECEIPTS_KEPT as i64)
        .bind(shows.map(|receipt| receipt.memories.as_str()))
        .bind(shows.map(|receipt| receipt.messages.as_str()))
}

/// Takes the receipts of a channel up to that of a reply.
pub(crate) async fn outdate(
    conn: &mut SqliteConnection,
    channel: i64,
    reply: MessageId,
) -> Result<(), Fault> {
    sqlx::query(
        "DELETE FROM receipt_items WHERE turn_id IN
             (SELECT t.id FROM receipts r JOIN turns t ON t.reply_id = r.reply_id
              WHERE r.channel_id = ?1 AND r.reply_id <= ?2);
         DELETE FROM receipts WHERE channel_id = ?1 AND reply_id <= ?2",
    )
    .bind(channel)
    .bind(reply.0)
    .execute(conn)
    .await?;
    Ok(())
}

/// Items that are gone but for what receipts show of them.
pub(crate) async fn gone_but_shown(conn: &mut SqliteConnection) -> Result<Vec<ItemId>, Fault> {
    let items: Vec<(bool, i64)> = sqlx::query_as(
        "SELECT DISTINCT true, id.value FROM receipt_items s, json_each('[' || trim(s.memories, ',') || ']') id
             WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = id.value)
         UNION ALL
         SELECT DISTINCT false, id.value FROM receipt_items s, json_each('[' || trim(s.messages, ',') || ']') id
             WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = id.value)",
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
    let (find, strike, id) = match item {
        ItemId::Memory(MemoryId(id)) => (
            "SELECT s.turn_id, r.reply_id, r.receipt FROM receipt_items s LEFT JOIN turns t ON t.id = s.turn_id
             LEFT JOIN receipts r ON r.reply_id = t.reply_id WHERE instr(s.memories, ?) LIMIT ?",
            "UPDATE receipt_items SET memories = replace(memories, ?, ',') WHERE turn_id = ?",
            id,
        ),
        ItemId::Message(MessageId(id)) => (
            "SELECT s.turn_id, r.reply_id, r.receipt FROM receipt_items s LEFT JOIN turns t ON t.id = s.turn_id
             LEFT JOIN receipts r ON r.reply_id = t.reply_id WHERE instr(s.messages, ?) LIMIT ?",
            "UPDATE receipt_items SET messages = replace(messages, ?, ',') WHERE turn_id = ?",
            id,
        ),
    };
    let shown = format!(",{id},");
    let rows = sqlx::query(find).bind(shown.as_str()).bind(BLANKED as i64).fetch_all(&mut *conn).await?;
    for row in &rows {
        let turn: &str = column(row, 0)?;
        if let Some(receipt) = column::<Option<&[u8]>>(row, 2)? {
            let mut receipt = short::read(receipt).map_err(Fault::unreadable)?;
            for shown in receipt.items.iter_mut().filter(|shown| shown.id == item.to_string()) {
                shown.preview = "(forgotten)".into();
            }
            sqlx::query("UPDATE receipts SET receipt = ? WHERE reply_id = ?")
                .bind(short::write(&receipt).map_err(Fault::unreadable)?)
                .bind(column::<i64>(row, 1)?)
                .execute(&mut *conn)
                .await?;
        }
        sqlx::query(strike).bind(shown.as_str()).bind(turn).execute(&mut *conn).await?;
    }
    Ok(rows.len() == BLANKED)
}
