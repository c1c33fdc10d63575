//! Removes the remains of an empty channel, and of a person (GR10): the channel's row with its dependent rows, and
//! the journal, whose rows name the places of erased items. Readers of the journal then load their places again. The
//! erasures of such a channel count for every channel, because the next new channel may get its number.

use sqlx::SqliteConnection;

use crate::{error::Fault, values::list};

/// Removes these rows.
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
        "DELETE FROM rooms WHERE channel_id IN (SELECT value FROM json_each(?))",
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
