//! Batches of statements that are sent to SQLite together.
//!
//! sqlx runs SQLite on a separate thread. Sending a statement there and back costs more CPU than running it: with
//! single statements, a turn took 1.6 times the CPU. So all writes of a turn are one call. Values are bound as they are
//! pushed; sqlx counts `?` over all statements of a call.

use futures::TryStreamExt;
use sqlx::{
    Either, Executor, QueryBuilder, Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::error::Fault;

/// Statements that run in sequence, each ended with `;`.
pub(crate) type Batch = QueryBuilder<Sqlite>;

/// Runs the statements. If one fails, the writer rolls all of them back.
pub(crate) async fn run(conn: &mut SqliteConnection, mut batch: Batch) -> Result<(), Fault> {
    batch.build().execute(conn).await?;
    Ok(())
}

/// The rows of each statement of a call.
pub(crate) async fn rows_of_each(
    conn: &mut SqliteConnection,
    query: Query<'_, Sqlite, SqliteArguments>,
) -> Result<Vec<Vec<SqliteRow>>, Fault> {
    let (mut each, mut rows) = (Vec::new(), Vec::new());
    let mut results = conn.fetch_many(query);
    while let Some(result) = results.try_next().await? {
        match result {
            Either::Right(row) => rows.push(row),
            Either::Left(_) => each.push(std::mem::take(&mut rows)),
        }
    }
    Ok(each)
}
