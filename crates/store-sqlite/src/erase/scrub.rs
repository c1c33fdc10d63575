//! What deleting leaves behind: previews in receipts, copies of rows in the gaps of pages that were split, pages as
//! they were in the log.
//!
//! SQLite zeroes what it deletes (`secure_delete`), but not what it left behind when it moved rows
//! from page to page before. Only writing the file anew does away with that.

use greenroom_store::{ItemId, StoreError};
use sqlx::SqliteConnection;

use crate::{SqliteStore, error::Fault, open::BUSY_TIMEOUT, receipts};

/// Owes the file and its log. What is owed is a number that grows with every removal, so that a process
/// does not pay for what another removed meanwhile; below zero only the log is owed.
pub(super) const OWE_ALL: &str = "UPDATE scrub SET owed = abs(owed) + 1";
/// Owes at least the log.
pub(super) const OWE_LOG: &str = "UPDATE scrub SET owed = owed + CASE WHEN owed > 0 THEN 1 ELSE -1 END";

/// How often an erasure tries a file that another process keeps busy; each try waits [`BUSY_TIMEOUT`]. A loaded
/// server seldom leaves a moment in which nobody reads, and five seconds were not enough to meet one.
const TRIES: usize = 12;

/// As [`scrub`], and tries again while another process keeps the file busy.
pub(super) async fn scrub_patiently(store: &SqliteStore) -> Result<(), StoreError> {
    for _ in 1..TRIES {
        match scrub(store).await {
            Err(StoreError::Busy { .. }) => {}
            done => return done,
        }
    }
    scrub(store).await
}

/// Does what is owed since something was erased or forgotten, by whatever process.
pub(super) async fn scrub(store: &SqliteStore) -> Result<(), StoreError> {
    let shown = store.told(receipts::gone_but_shown(&mut *store.reader().await?).await)?;
    blank(store, shown).await?;
    let mut owed = store.told(owed(&mut *store.reader().await?).await)?;
    if owed == 0 {
        return Ok(());
    }
    if owed > 0 {
        store.told(store.writer.rewrite().await)?;
        // noted, so that the file is not written anew once more while the log cannot be emptied
        pay(store, owed, -owed).await?;
        owed = -owed;
    }
    empty_log(store).await?;
    pay(store, owed, 0).await
}

/// Empties the log of what was just forgotten. False when another process's reader keeps it there:
/// that stays owed, and the next [`scrub`] does it.
pub(super) async fn scrub_log(store: &SqliteStore) -> Result<bool, StoreError> {
    let owed = store.told(owed(&mut *store.reader().await?).await)?;
    match empty_log(store).await {
        Err(StoreError::Busy { .. }) => return Ok(false),
        emptied => emptied?,
    }
    if owed < 0 {
        pay(store, owed, 0).await?;
    }
    Ok(true)
}

/// Blanks what receipts show of items that are gone, a few in a transaction, so that other writers get in between.
pub(super) async fn blank(store: &SqliteStore, gone: Vec<ItemId>) -> Result<(), StoreError> {
    for item in gone {
        while store.write(item, |conn, item| Box::pin(receipts::blank(conn, item))).await? {}
    }
    Ok(())
}

async fn owed(conn: &mut SqliteConnection) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar("SELECT owed FROM scrub").fetch_one(conn).await?)
}

/// So much is left of what was owed, unless something was removed since.
async fn pay(store: &SqliteStore, owed: i64, left: i64) -> Result<(), StoreError> {
    store.write((owed, left), |conn, (owed, left)| Box::pin(set(conn, *owed, *left))).await
}

async fn set(conn: &mut SqliteConnection, owed: i64, left: i64) -> Result<(), Fault> {
    sqlx::query("UPDATE scrub SET owed = ?2 WHERE owed = ?1").bind(owed).bind(left).execute(conn).await?;
    Ok(())
}

/// Brings the log into the file and cuts it to nothing: until then it holds the pages as they were.
/// A reader of another process that does not let go makes it fail.
async fn empty_log(store: &SqliteStore) -> Result<(), StoreError> {
    let _alone = store.emptying.lock().await;
    let emptied: Result<(i64, i64, i64), sqlx::Error> =
        sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut *store.reader().await?).await;
    match store.told(emptied.map_err(Fault::from))? {
        (0, ..) => Ok(()),
        _ => Err(StoreError::Busy { seconds: BUSY_TIMEOUT.as_secs() }),
    }
}
