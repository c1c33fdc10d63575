//! The readers: a few connections, each with a thread and a page cache. One read at a time uses a connection.
//!
//! Not sqlx's pool, because every read would then call the connection's thread twice: the pool spawns a task to take
//! each connection back, and the task pings the thread. With the pool, and three calls for the items of a recall
//! instead of one, the benchmark `turns` took 0.80 ms of CPU per turn instead of 0.75.

use std::ops::{Deref, DerefMut};

use crate::{error::Fault, file::File};
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard, Semaphore, SemaphorePermit};

/// The number of connections of one store that read.
const READERS: usize = 4;

/// All readers; each connects on first use.
#[derive(Debug)]
pub(crate) struct Readers {
    options: SqliteConnectOptions,
    places: [Mutex<Option<SqliteConnection>>; READERS],
    /// One permit for each connection that is not in use.
    free: Semaphore,
}

/// A connection for reading, in use until it is dropped.
pub(crate) struct Reader<'a> {
    // dropped before the permit, so that the next holder of the permit finds a free connection
    connection: MappedMutexGuard<'a, SqliteConnection>,
    _permit: SemaphorePermit<'a>,
}

impl Readers {
    pub(crate) fn new(options: SqliteConnectOptions) -> Self {
        Self { options, places: Default::default(), free: Semaphore::new(READERS) }
    }

    /// Waits for a free connection.
    ///
    /// # Errors
    /// [`PoolClosed`](sqlx::Error::PoolClosed) after [`close`](Self::close); an error if the file has been replaced.
    pub(crate) async fn acquire(&self, file: &File) -> Result<Reader<'_>, Fault> {
        let closed = || sqlx::Error::PoolClosed;
        let permit = self.free.acquire().await.map_err(|_| closed())?;
        let mut place = self.places.iter().find_map(|place| place.try_lock().ok()).ok_or_else(closed)?;
        if place.is_none() {
            // if the file was replaced, SQLite would delete the log beside it, which belongs to our file
            file.check()?;
            let connection = self.options.connect().await?;
            file.check()?;
            *place = Some(connection);
        }
        let connection = MutexGuard::try_map(place, Option::as_mut).map_err(|_| closed())?;
        Ok(Reader { connection, _permit: permit })
    }

    /// Empties the page caches of the connections that are not in use.
    pub(crate) async fn release_memory(&self) {
        for place in &self.places {
            // takes a permit, as every reader does, so that no reader finds its connection in use
            let Ok(_permit) = self.free.try_acquire() else { return };
            if let Ok(mut place) = place.try_lock()
                && let Some(connection) = place.as_mut()
            {
                release_memory(connection).await;
            }
        }
    }

    /// Ends reading, and closes each connection when its last read has finished.
    pub(crate) async fn close(&self) {
        self.free.close();
        for place in &self.places {
            if let Some(connection) = place.lock().await.take()
                && let Err(error) = connection.close().await
            {
                tracing::debug!(%error, "a reader did not close cleanly");
            }
        }
    }
}

/// Empties a connection's page cache. A failure is only logged.
pub(crate) async fn release_memory(connection: &mut SqliteConnection) {
    if let Err(error) = sqlx::query("PRAGMA shrink_memory").execute(connection).await {
        tracing::debug!(%error, "a page cache was not emptied");
    }
}

impl Deref for Reader<'_> {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}
