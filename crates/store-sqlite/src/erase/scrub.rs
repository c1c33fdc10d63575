//! Removes the remains of deleted rows: previews in receipts, copies of rows in the gaps of split pages, and old
//! pages in the log.
//!
//! SQLite zeroes deleted rows (`secure_delete`), but not the copies it left earlier when it moved rows between pages.
//! Only rewriting the file removes those.

use std::time::Duration;

use greenroom_core::real_time;
use greenroom_store::{ItemId, StoreError};
use sqlx::SqliteConnection;

use crate::{SqliteStore, error::Fault, open::BUSY_TIMEOUT, receipts};

/// Records that file and log are due for a scrub. `owed` grows with every removal, so that a process clears only the
/// removals it has scrubbed. A negative value means that only the log is due.
pub(super) const OWE_ALL: &str = "UPDATE scrub SET owed = abs(owed) + 1";
/// Records that at least the log is due for a scrub.
pub(super) const OWE_LOG: &str = "UPDATE scrub SET owed = owed + CASE WHEN owed > 0 THEN 1 ELSE -1 END";

/// The factor by which an erasure waits longer than a write while other connections keep the file busy. On a loaded
/// server some reader is nearly always active.
pub(crate) const PATIENCE: u32 = 12;
/// The wait before the next attempt. SQLite waits for readers itself, but while another connection copies the log it
/// refuses at once.
const PAUSE: Duration = Duration::from_millis(100);

/// As [`scrub`], but retries while others keep the file busy.
pub(super) async fn scrub_patiently(store: &SqliteStore) -> Result<(), StoreError> {
    let time = real_time();
    let begun = time.instant();
    loop {
        match scrub(store).await {
            Err(StoreError::Busy { .. }) if time.elapsed(begun) < store.patience => time.sleep(PAUSE).await,
            Err(StoreError::Busy { .. }) => {
                return Err(StoreError::Busy { seconds: store.patience.as_secs() });
            }
            done => return done,
        }
    }
}

/// Performs the scrub that is due since the last erasure, in any process.
pub(super) async fn scrub(store: &SqliteStore) -> Result<(), StoreError> {
    let shown = store.with_store_error(receipts::gone_but_shown(&mut *store.reader().await?).await)?;
    blank(store, shown).await?;
    let mut owed = store.with_store_error(owed(&mut *store.reader().await?).await)?;
    if owed == 0 {
        return Ok(());
    }
    if owed > 0 {
        store.with_store_error(store.writer.rewrite().await)?;
        // recorded, so that a busy log does not cause the file to be rewritten again
        set_owed(store, owed, -owed).await?;
        owed = -owed;
    }
    empty_log(store).await?;
    set_owed(store, owed, 0).await
}

/// Empties the log of the rows just forgotten. False when a reader of another process prevents it: then the scrub
/// stays due, and the next [`scrub`] does it.
pub(super) async fn scrub_log(store: &SqliteStore) -> Result<bool, StoreError> {
    let owed = store.with_store_error(owed(&mut *store.reader().await?).await)?;
    match empty_log(store).await {
        Err(StoreError::Busy { .. }) => return Ok(false),
        emptied => emptied?,
    }
    if owed < 0 {
        set_owed(store, owed, 0).await?;
    }
    Ok(true)
}

/// Blanks the receipts' previews of erased items, a few in each transaction, so that other writes run in between.
pub(super) async fn blank(store: &SqliteStore, gone: Vec<ItemId>) -> Result<(), StoreError> {
    for item in gone {
        while store.write(item, |conn, item| Box::pin(receipts::blank(conn, item))).await? {}
    }
    Ok(())
}

async fn owed(conn: &mut SqliteConnection) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar("SELECT owed FROM scrub").fetch_one(conn).await?)
}

/// Sets `owed` to `left`, unless another removal has changed it since.
async fn set_owed(store: &SqliteStore, owed: i64, left: i64) -> Result<(), StoreError> {
    store.write((owed, left), |conn, (owed, left)| Box::pin(set(conn, *owed, *left))).await
}

async fn set(conn: &mut SqliteConnection, owed: i64, left: i64) -> Result<(), Fault> {
    sqlx::query("UPDATE scrub SET owed = ?2 WHERE owed = ?1").bind(owed).bind(left).execute(conn).await?;
    Ok(())
}

/// Copies the log into the file and truncates it, because the log contains old versions of pages. Fails while a reader
/// of another process uses the log.
async fn empty_log(store: &SqliteStore) -> Result<(), StoreError> {
    let _alone = store.emptying.lock().await;
    let emptied: Result<(i64, i64, i64), sqlx::Error> =
        sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut *store.reader().await?).await;
    match store.with_store_error(emptied.map_err(Fault::from))? {
        (0, ..) => Ok(()),
        _ => Err(StoreError::Busy { seconds: BUSY_TIMEOUT.as_secs() }),
    }
}
