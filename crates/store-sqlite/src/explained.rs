//! Query plans and bytecode of statements, for tests that limit the cost of a statement.

use greenroom_store::prelude::*;
use sqlx::sqlite::SqliteRow;

use crate::{SqliteStore, values::column};

/// Statements on tables with dependent rows, which triggers or foreign keys maintain.
const FOLLOWED: [&str; 4] = ["INTO messages", "INTO turns", "INTO vectors", "UPDATE OR FAIL turns"];
/// The conflict mode of an operation that, when it fails, undoes what its statement has written.
const ABORT: i64 = 2;

/// The steps of the query plan, as SQLite prints them.
pub(crate) async fn plan(sql: &str) -> Vec<String> {
    let rows = explained("EXPLAIN QUERY PLAN", sql).await;
    rows.iter().map(|row| column(row, 3).unwrap()).collect()
}

/// Asserts that a statement needs no page copies and no temporary table. A statement that can fail after it has written
/// rows makes SQLite copy every page before writing to it. A statement that selects what it inserts first builds a
/// temporary table. Both cost more than the write itself.
pub(crate) async fn assert_cheap(sql: &str) {
    for statement in sql.split_terminator(';') {
        let followed = FOLLOWED.iter().any(|table| statement.contains(table));
        let operations = operations(statement).await;
        assert!(operations.len() > 3, "{statement}");
        for (operation, p1, p2) in operations {
            let costs = match operation.as_str() {
                "OpenEphemeral" | "OpenAutoindex" => true,
                "Function" | "PureFunc" | "VUpdate" => followed,
                "FkCounter" => followed && p1 == 0 && p2 > 0,
                "Halt" => followed && p1 != 0 && p2 == ABORT,
                "HaltIfNull" => followed && p2 == ABORT,
                _ => false,
            };
            assert!(!costs, "{operation} {p1} {p2} in {statement}");
        }
    }
}

/// The operations of the statement and its triggers, each with its first two parameters.
async fn operations(sql: &str) -> Vec<(String, i64, i64)> {
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
