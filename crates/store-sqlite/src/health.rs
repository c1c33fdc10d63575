//! The state of the store.

use std::path::Path;

use async_trait::async_trait;
use greenroom_core::{ChannelKey, TurnId};
use greenroom_store::{Health, HealthStore, Result, StoreError, VectorSpace};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    error::Fault,
    postponed,
    values::{column, parsed},
};

#[async_trait]
impl HealthStore for SqliteStore {
    async fn health(&self) -> Result<Health> {
        let health = self.with_store_error(read(&mut *self.reader().await?, self.file.path()).await)?;
        let writable = match self.write((), |conn, ()| Box::pin(probe(conn))).await {
            Ok(()) => true,
            Err(
                StoreError::Busy { .. }
                | StoreError::Full
                | StoreError::ReadOnly { .. }
                | StoreError::Gone { .. },
            ) => false,
            Err(error) => return Err(error),
        };
        Ok(Health { writable, ..health })
    }

    async fn check_integrity(&self) -> Result<()> {
        // the indexes are not compared with their tables, which takes several times as long
        let check = sqlx::query_scalar("PRAGMA quick_check(1)");
        let found = check.fetch_one(&mut *self.reader().await?).await.map_err(Fault::from);
        let found: String = self.with_store_error(found)?;
        match found.as_str() {
            "ok" => Ok(()),
            _ => Err(StoreError::Damaged { path: self.file.path().display().to_string(), reason: found }),
        }
    }

    async fn ready(&self) -> Result<()> {
        self.file.check()?;
        if self.file.is_proven() {
            return Ok(());
        }
        self.write((), |conn, ()| Box::pin(probe(conn))).await
    }

    async fn stray_turns(&self) -> Result<Vec<(TurnId, ChannelKey)>> {
        self.with_store_error(stray_turns(&mut *self.reader().await?).await)
    }

    async fn release_memory(&self) {
        self.readers.release_memory().await;
        self.writer.release_memory().await;
    }

    async fn close(&self) {
        // the readers first: a connection that still reads would prevent the log from being emptied
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Counts the stored rows. [`probe`] checks whether the file can be written.
async fn read(conn: &mut SqliteConnection, path: &Path) -> Result<Health, Fault> {
    let counts = sqlx::query(
        "SELECT sqlite_version(), (SELECT count(*) FROM messages), (SELECT count(*) FROM memories)",
    )
    .fetch_one(&mut *conn)
    .await?;
    let postponed = postponed::count(&mut *conn).await?;
    let vectors = sqlx::query(
        "SELECT s.model, s.dimension, count(*) FROM vectors v JOIN spaces s ON s.id = v.space_id
         WHERE v.vector IS NOT NULL GROUP BY s.id ORDER BY s.id",
    )
    .fetch_all(conn)
    .await?;
    let vectors = vectors.iter().map(|row: &SqliteRow| {
        let dimension = usize::try_from(column::<i64>(row, 1)?).map_err(Fault::unreadable)?;
        Ok((VectorSpace { model: column(row, 0)?, dimension }, count(row, 2)?))
    });
    Ok(Health {
        location: path.display().to_string(),
        engine: format!("SQLite {}", column::<&str>(&counts, 0)?),
        writable: false,
        messages: count(&counts, 1)?,
        memories: count(&counts, 2)?,
        postponed,
        vectors: vectors.collect::<Result<_, Fault>>()?,
    })
}

/// See [`greenroom_store::HealthStore::stray_turns`].
async fn stray_turns(conn: &mut SqliteConnection) -> Result<Vec<(TurnId, ChannelKey)>, Fault> {
    let rows = sqlx::query(
        "SELECT t.id, c.key FROM turns t JOIN messages m ON m.id = t.trigger_id
         JOIN channels c ON c.id = t.channel_id WHERE m.channel_id <> t.channel_id ORDER BY c.key, t.rowid",
    );
    let turn = |row: &SqliteRow| Ok((parsed(column(row, 0)?)?, parsed(column(row, 1)?)?));
    rows.fetch_all(conn).await?.iter().map(turn).collect()
}

/// Writes two pages and deletes them again, so that a full disk causes an error.
async fn probe(conn: &mut SqliteConnection) -> Result<(), Fault> {
    sqlx::query("INSERT INTO write_probe VALUES (zeroblob(8192))").execute(&mut *conn).await?;
    sqlx::query("DELETE FROM write_probe").execute(conn).await?;
    Ok(())
}

fn count(row: &SqliteRow, index: usize) -> Result<u64, Fault> {
    Ok(column::<i64>(row, index)?.unsigned_abs())
}
