//! Forgetting single memories: by id, and when they have expired.

use greenroom_core::{Memory, MemoryId, Tier, Timestamp, Viewer};
use greenroom_store::Forgotten;
use sqlx::SqliteConnection;

use super::{find, scrub::OWE_LOG};
use crate::{
    error::Fault,
    memories::{MEMORY_COLUMNS, memory, memory_columns},
    scope::{seen_by, visible},
    values::{column, list},
};

/// See [`greenroom_store::EraseStore::forget`].
pub(crate) async fn forget(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    id: MemoryId,
) -> Result<Option<Forgotten>, Fault> {
    let row = seen_by(
        viewer,
        concat!(
            "SELECT ",
            memory_columns!(),
            ", (SELECT count(vector) FROM vectors WHERE item = 'memory' AND item_id = m.id)
             , (SELECT count(*) FROM relations WHERE from_id = m.id OR to_id = m.id)
              FROM memories m WHERE m.id = ?5 AND ",
            visible!()
        ),
    )
    .bind(id.0)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let mut forgotten = Forgotten {
        memory: memory(&row)?,
        vectors: column::<i64>(&row, MEMORY_COLUMNS)?.unsigned_abs(),
        relations: column::<i64>(&row, MEMORY_COLUMNS + 1)?.unsigned_abs(),
        summaries: Vec::new(),
        in_log: true,
    };
    sqlx::query("DELETE FROM memories WHERE id = ?").bind(id.0).execute(&mut *conn).await?;
    forgotten.summaries = remove_summaries(conn, &forgotten.memory).await?;
    sqlx::query(OWE_LOG).execute(conn).await?;
    Ok(Some(forgotten))
}

/// Removes the summaries of the sessions in which a statement was made that was forgotten or corrected by hand: they may
/// contain it (GR10). Returns them.
pub(crate) async fn remove_summaries(
    conn: &mut SqliteConnection,
    memory: &Memory,
) -> Result<Vec<MemoryId>, Fault> {
    let said = memory.source.message.filter(|_| memory.tier != Tier::Conversation);
    let Some(said) = said else { return Ok(Vec::new()) };
    let summaries = find::summaries_with(&mut *conn, said).await?;
    sqlx::query("DELETE FROM memories WHERE id IN (SELECT value FROM json_each(?))")
        .bind(list(summaries.iter().copied()))
        .execute(conn)
        .await?;
    Ok(summaries.into_iter().map(MemoryId).collect())
}

/// See [`greenroom_store::EraseStore::sweep`]; [`crate::receipts::blank`] blanks the receipts.
pub(crate) async fn sweep(conn: &mut SqliteConnection, now: Timestamp) -> Result<u64, Fault> {
    let swept = sqlx::query("DELETE FROM memories WHERE expires_at <= ?").bind(now.0).execute(conn).await?;
    Ok(swept.rows_affected())
}
