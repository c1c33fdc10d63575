//! What SQLite makes of a statement, for tests that hold its cost.

use greenroom_store::prelude::*;
use sqlx::sqlite::SqliteRow;

use crate::{SqliteStore, values::column};

/// Tables whose rows have others follow them.
const FOLLOWED: [&str; 4] = ["INTO messages", "INTO turns", "INTO vectors", "UPDATE OR FAIL turns"];
/// How SQLite says that a failure undoes its statement.
const ABORT: i64 = 2;

/// The steps of its plan, as SQLite says them.
pub(crate) async fn plan(sql: &str) -> Vec<String> {
    let rows = explained("EXPLAIN QUERY PLAN", sql).await;
    rows.iter().map(|row| column(row, 3).unwrap()).collect()
}

/// A statement that may fail when it has written something keeps a copy of every page it writes to, and one
/// that selects what it inserts makes a table of it first: both cost more than what they are for.
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

/// Its operations with their first two parameters, those of triggers among them.
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
