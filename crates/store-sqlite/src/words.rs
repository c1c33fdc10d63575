//! The words of the newest texts are not in the full-text indexes yet: they are written a batch at a time, and
//! whoever looks for words has the rest written before.

use greenroom_core::MessageId;
use greenroom_store::{ItemKind, StoreError};
use sqlx::SqliteConnection;

use crate::{SqliteStore, error::Fault};

/// So many messages have their words written at once. A batch costs the index little more than a text. (Those
/// of memories are written by a trigger.)
const BATCH: i64 = 256;

/// Whether words are missing, and the statements that write them.
fn statements(kind: ItemKind) -> (&'static str, &'static str) {
    match kind {
        ItemKind::Message => (
            "SELECT last > indexed FROM message_ids",
            "INSERT INTO messages_words (rowid, text, channel_id) SELECT id, text, channel_id FROM messages
                 WHERE id > (SELECT indexed FROM message_ids) ORDER BY id;
             UPDATE message_ids SET indexed = last",
        ),
        ItemKind::Memory => (
            "SELECT EXISTS (SELECT 1 FROM unindexed_memories)",
            "INSERT INTO memories_words (rowid, text, persona) SELECT id, text, persona FROM memories
                 WHERE id IN (SELECT memory_id FROM unindexed_memories) ORDER BY id;
             DELETE FROM unindexed_memories",
        ),
    }
}

/// Writes the words that are missing. Where nothing can be written, those that are there are searched (S3).
pub(crate) async fn complete(store: &SqliteStore, kind: ItemKind) -> Result<(), StoreError> {
    let (missing, write) = statements(kind);
    let missing = sqlx::query_scalar(missing).fetch_one(&mut *store.reader().await?).await;
    if !store.told(missing.map_err(Fault::from))? {
        return Ok(());
    }
    match store.write_beside(write, |conn, sql| Box::pin(run(conn, sql))).await {
        Err(
            error @ (StoreError::Busy { .. }
            | StoreError::Full
            | StoreError::ReadOnly { .. }
            | StoreError::Gone { .. }),
        ) => {
            tracing::warn!(%error, "the words of the newest texts cannot be written; they are not searched");
            Ok(())
        }
        written => written,
    }
}

/// Writes the words of a batch of messages with the last of it, the message that was stored now.
pub(crate) async fn keep_up(conn: &mut SqliteConnection, stored: MessageId) -> Result<(), Fault> {
    if stored.0 % BATCH == 0 {
        run(conn, statements(ItemKind::Message).1).await?;
    }
    Ok(())
}

async fn run(conn: &mut SqliteConnection, sql: &'static str) -> Result<(), Fault> {
    sqlx::query(sql).execute(conn).await?;
    Ok(())
}
