//! What SQLite makes of a statement, for tests that hold its cost.

use greenroom_store::Store;
use sqlx::sqlite::SqliteRow;

use crate::{SqliteStore, values::column};

/// The steps of its plan, as SQLite says them.
pub(crate) async fn plan(sql: &str) -> Vec<String> {
    let rows = explained("EXPLAIN QUERY PLAN", sql).await;
    rows.iter().map(|row| column(row, 3).unwrap()).collect()
}

/// Its operations with their first two parameters, those of triggers among them.
pub(crate) async fn operations(sql: &str) -> Vec<(String, i64, i64)> {
    let rows = explained("EXPLAIN", sql).await;
    let operation = |row| (column(row, 1).unwrap(), column(row, 2).unwrap(), column(row, 3).unwrap());
    rows.iter().map(operation).collect()
}

async fn explained(how: &str, sql: &str) -> Vec<SqliteRow> {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&directory.path().join("greenroom.db")).await.unwrap();
    let sql = sqlx::AssertSqlSafe(format!("{how} {sql}"));
    let rows = sqlx::query(sql).fetch_all(&mut *store.reader().await.unwrap()).await.unwrap();
    store.close().await;
    rows
}
