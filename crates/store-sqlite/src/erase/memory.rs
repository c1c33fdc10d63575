//! Forgetting single memories: by id, and when they have expired.

use greenroom_core::{MemoryId, Timestamp, Viewer};
use greenroom_store::Forgotten;
use sqlx::SqliteConnection;

use super::scrub::OWE_LOG;
use crate::{
    error::Fault,
    memories::{MEMORY_COLUMNS, memory, memory_columns},
    scope::{seen_by, visible},
    values::column,
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
    let forgotten = Forgotten {
        memory: memory(&row)?,
        vectors: column::<i64>(&row, MEMORY_COLUMNS)?.unsigned_abs(),
        relations: column::<i64>(&row, MEMORY_COLUMNS + 1)?.unsigned_abs(),
        in_log: true,
    };
    sqlx::query("DELETE FROM memories WHERE id = ?").bind(id.0).execute(&mut *conn).await?;
    sqlx::query(OWE_LOG).execute(conn).await?;
    Ok(Some(forgotten))
}

/// See [`greenroom_store::EraseStore::sweep`]; [`crate::receipts::blank`] blanks the receipts.
pub(crate) async fn sweep(conn: &mut SqliteConnection, now: Timestamp) -> Result<u64, Fault> {
    let swept = sqlx::query("DELETE FROM memories WHERE expires_at <= ?").bind(now.0).execute(conn).await?;
    Ok(swept.rows_affected())
}
