//! The cases every backend passes, on SQLite.

use greenroom_store_sqlite::SqliteStore;
use tempfile::TempDir;

async fn fresh() -> (SqliteStore, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&directory.path().join("greenroom.db")).await.unwrap();
    (store, directory)
}

greenroom_store::store_suite!(fresh);
