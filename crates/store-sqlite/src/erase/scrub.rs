//! What deleting leaves behind: previews in receipts, words in the inner nodes of the full-text
//! index, copies of rows in the gaps of pages that were split, pages as they were in the log.
//!
//! SQLite zeroes what it deletes (`secure_delete`), but not what it left behind when it moved rows
//! from page to page before. Only writing the file anew does away with that.

use greenroom_store::StoreError;
use sqlx::SqliteConnection;

use crate::{SqliteStore, error::Fault, open::BUSY_TIMEOUT, receipts};

/// Owes the file and its log. What is owed is a number that grows with every removal, so that whoever
/// pays does not pay for what another removed meanwhile; below zero only the log is owed.
pub(super) const OWE_ALL: &str = "UPDATE scrub SET owed = abs(owed) + 1";
/// Owes at least the log.
pub(crate) const OWE_LOG: &str = "UPDATE scrub SET owed = owed + CASE WHEN owed > 0 THEN 1 ELSE -1 END";

/// Does what is owed since something was erased or forgotten, by whatever process.
pub(crate) async fn scrub(store: &SqliteStore) -> Result<(), StoreError> {
    let shown = store.told(receipts::gone_but_shown(&mut *store.reader().await?).await)?;
    store.blank(shown).await?;
    let owed = store.told(owed(&mut *store.reader().await?).await)?;
    if owed == 0 {
        return Ok(());
    }
    if owed > 0 {
        for index in &INDEXES {
            merge(store, index).await?;
        }
        store.told(store.writer.rewrite().await)?;
    }
    empty_log(store).await?;
    paid(store, owed).await
}

/// Empties the log of what was just forgotten. False when another process's reader keeps it there:
/// that stays owed, and the next [`scrub`] does it.
pub(crate) async fn scrub_log(store: &SqliteStore) -> Result<bool, StoreError> {
    let owed = store.told(owed(&mut *store.reader().await?).await)?;
    match empty_log(store).await {
        Err(StoreError::Busy { .. }) => return Ok(false),
        emptied => emptied?,
    }
    if owed < 0 {
        paid(store, owed).await?;
    }
    Ok(true)
}

async fn owed(conn: &mut SqliteConnection) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar("SELECT owed FROM scrub").fetch_one(conn).await?)
}

/// Nothing is owed any more, unless something was removed since.
async fn paid(store: &SqliteStore, owed: i64) -> Result<(), StoreError> {
    store.write(owed, |conn, owed| Box::pin(clear(conn, *owed))).await
}

async fn clear(conn: &mut SqliteConnection, owed: i64) -> Result<(), Fault> {
    sqlx::query("UPDATE scrub SET owed = 0 WHERE owed = ?").bind(owed).execute(conn).await?;
    Ok(())
}

/// Statements that write a full-text index anew: a row that makes sure that there are two parts to
/// be merged, the beginning of the merge, a step of it, and the row's removal. A step is some
/// megabytes; other writers get in between.
struct Index {
    add: &'static str,
    begin: &'static str,
    step: &'static str,
    remove: &'static str,
}

const INDEXES: [Index; 2] = [
    Index {
        add: "INSERT INTO messages_words (rowid, text, channel_id) VALUES (0, 'x', 'x')",
        begin: "INSERT INTO messages_words (messages_words, rank) VALUES ('merge', -1000)",
        step: "INSERT INTO messages_words (messages_words, rank) VALUES ('merge', 1000)",
        remove: "INSERT INTO messages_words (messages_words, rowid, text, channel_id)
                 VALUES ('delete', 0, 'x', 'x')",
    },
    Index {
        add: "INSERT INTO memories_words (rowid, text, persona) VALUES (0, 'x', 'x')",
        begin: "INSERT INTO memories_words (memories_words, rank) VALUES ('merge', -1000)",
        step: "INSERT INTO memories_words (memories_words, rank) VALUES ('merge', 1000)",
        remove: "INSERT INTO memories_words (memories_words, rowid, text, persona)
                 VALUES ('delete', 0, 'x', 'x')",
    },
];

/// Inner nodes keep the beginnings of words that are gone until their part is merged with another.
async fn merge(store: &SqliteStore, index: &'static Index) -> Result<(), StoreError> {
    store.write(index.add, |conn, sql| Box::pin(run(conn, sql))).await?;
    let mut sql = index.begin;
    // a step that finds nothing to do makes one change, as the manual of FTS5 says
    while store.write(sql, |conn, sql| Box::pin(run(conn, sql))).await? > 1 {
        sql = index.step;
    }
    store.write(index.remove, |conn, sql| Box::pin(run(conn, sql))).await?;
    Ok(())
}

/// Runs a statement; how many changes it made, those in the tables behind an index included.
async fn run(conn: &mut SqliteConnection, sql: &'static str) -> Result<i64, Fault> {
    let changes = "SELECT total_changes()";
    let before: i64 = sqlx::query_scalar(changes).fetch_one(&mut *conn).await?;
    sqlx::query(sql).execute(&mut *conn).await?;
    let after: i64 = sqlx::query_scalar(changes).fetch_one(conn).await?;
    Ok(after - before)
}

/// Brings the log into the file and cuts it to nothing: until then it holds the pages as they were.
/// A reader of another process that does not let go makes it fail.
async fn empty_log(store: &SqliteStore) -> Result<(), StoreError> {
    let emptied: Result<(i64, i64, i64), sqlx::Error> =
        sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut *store.reader().await?).await;
    match store.told(emptied.map_err(Fault::from))? {
        (0, ..) => Ok(()),
        _ => Err(StoreError::Busy { seconds: BUSY_TIMEOUT.as_secs() }),
    }
}
