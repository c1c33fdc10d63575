//! The readers: a few connections, each a thread with a page cache of its own, lent to one read at a time.
//!
//! Not sqlx's pool: it spawns a task to take each connection back, and that asks the connection's thread whether it is
//! there: each read would go to that thread twice. With the pool, and three calls for the items of a recall instead of
//! one, the benchmark `turns` took 0.80 ms of CPU a turn instead of 0.75.

use std::ops::{Deref, DerefMut};

use crate::{error::Fault, file::File};
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard, Semaphore, SemaphorePermit};

/// Readers of one store.
const READERS: usize = 4;

/// All of them; connected when they are first wanted.
#[derive(Debug)]
pub(crate) struct Readers {
    options: SqliteConnectOptions,
    places: [Mutex<Option<SqliteConnection>>; READERS],
    /// As many permits as there are places in which nothing is read.
    free: Semaphore,
}

/// A connection to read with.
pub(crate) struct Reader<'a> {
    // given back before the permit: who gets that finds a place
    connection: MappedMutexGuard<'a, SqliteConnection>,
    _permit: SemaphorePermit<'a>,
}

impl Readers {
    pub(crate) fn new(options: SqliteConnectOptions) -> Self {
        Self { options, places: Default::default(), free: Semaphore::new(READERS) }
    }

    /// One that is free; waits for it.
    ///
    /// # Errors
    /// [`PoolClosed`](sqlx::Error::PoolClosed) after [`close`](Self::close); that the file is another one by now.
    pub(crate) async fn acquire(&self, file: &File) -> Result<Reader<'_>, Fault> {
        let closed = || sqlx::Error::PoolClosed;
        let permit = self.free.acquire().await.map_err(|_| closed())?;
        let mut place = self.places.iter().find_map(|place| place.try_lock().ok()).ok_or_else(closed)?;
        if place.is_none() {
            // another file may have its name by now; SQLite would take our log away from beside it
            file.check()?;
            let connection = self.options.connect().await?;
            file.check()?;
            *place = Some(connection);
        }
        let connection = MutexGuard::try_map(place, Option::as_mut).map_err(|_| closed())?;
        Ok(Reader { connection, _permit: permit })
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
