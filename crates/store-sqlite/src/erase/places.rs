//! What names a channel where nothing is left, or a person (GR10): the channel's row with what hangs on it, and the
//! journal, whose rows name the places of what is gone. Whoever follows the journal reads their places anew. What was
//! erased there may have been shown anywhere from then on: the next channel may get the number of the one that went.

use sqlx::SqliteConnection;

use crate::{error::Fault, values::list};

/// Forgets them.
pub(super) async fn forget(conn: &mut SqliteConnection) -> Result<(), Fault> {
    let empty: Vec<i64> = sqlx::query_scalar(
        "SELECT id FROM channels c WHERE NOT EXISTS (SELECT 1 FROM messages WHERE channel_id = c.id)
             AND NOT EXISTS (SELECT 1 FROM memories WHERE scope = 'channel' AND scope_of = c.key)",
    )
    .fetch_all(&mut *conn)
    .await?;
    let empty = list(empty);
    for sql in [
        "DELETE FROM presence WHERE channel_id IN (SELECT value FROM json_each(?))",
        "DELETE FROM contexts WHERE channel_id IN (SELECT value FROM json_each(?))",
        "DELETE FROM summaries WHERE channel_id IN (SELECT value FROM json_each(?))",
        "DELETE FROM speakers WHERE channel_id IN (SELECT value FROM json_each(?))",
        "UPDATE erasures SET channel_id = NULL WHERE channel_id IN (SELECT value FROM json_each(?))",
        "DELETE FROM channels WHERE id IN (SELECT value FROM json_each(?))",
    ] {
        sqlx::query(sql).bind(empty.as_str()).execute(&mut *conn).await?;
    }
    sqlx::query("INSERT INTO changes (item, item_id) VALUES ('cut', 0)").execute(&mut *conn).await?;
    sqlx::query("DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)").execute(conn).await?;
    Ok(())
}
