//! The embedded store: SQLite in WAL mode with a single writer that groups commits.
//!
//! A write is on disk when its call returns (`synchronous = FULL`). Reads run in parallel on a small pool and see
//! everything that was committed before. Several processes may write the same file: each sees the others' commits at
//! once, and waits a bounded time for the lock (S4). Triggers and foreign keys delete vectors and relations with their
//! rows, so that forgetting a row forgets all of its data.
//!
#![doc = include_str!("../README.md")]

mod accounts;
mod backup;
mod batch;
mod dead_letters;
mod erase;
mod erasures;
mod error;
#[cfg(test)]
mod explained;
mod file;
mod groups;
mod health;
mod inbox;
mod items;
mod journal;
mod keys;
mod links;
mod memories;
mod messages;
mod open;
mod other_chats;
mod outbox;
mod past;
mod plans;
mod postponed;
mod presence;
mod readers;
mod receipts;
mod relations;
mod replies;
mod rooms;
mod scope;
mod sessions;
mod settled;
mod summaries;
mod transfer;
mod turns;
mod unfinished;
mod values;
mod vectors;
mod waiting;
mod writer;

use std::{path::Path, sync::Arc, time::Duration};

use greenroom_store::{Result, StoreError};
use sqlx::SqliteConnection;
use tokio::sync::Mutex;

use crate::{
    error::Fault,
    file::File,
    open::FirstWrite,
    readers::{Reader, Readers},
    writer::{Work, Writer},
};

pub use crate::{backup::backup, open::Options};

/// A store in one file. Clones share the connections.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    file: Arc<File>,
    writer: Writer,
    readers: Arc<Readers>,
    /// Held while the log is emptied: SQLite refuses a second attempt at once instead of waiting.
    emptying: Arc<Mutex<()>>,
    /// How long an erasure waits while other connections use the file.
    patience: Duration,
    /// Why nothing can be written to a store that was opened to be read.
    unwritable: Option<StoreError>,
}

impl SqliteStore {
    /// Opens the store file at `path`. Creates the file and its directory if needed, and migrates an older store to the
    /// current version.
    ///
    /// # Errors
    /// Every [`StoreError`] of opening names the file and the remedy: no permission, a
    /// directory at this path, a file of another program, a damaged file, a file of a newer Greenroom, or a lock that
    /// is not released.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, &Options::default()).await
    }

    /// Like [`open`](Self::open), with options for tests.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_with(path: &Path, options: &Options) -> Result<Self> {
        let connection = open::writer(path, options, FirstWrite::AtOnce).await?;
        Ok(Self::with(connection, path, options, None))
    }

    /// Like [`open`](Self::open), for a command that may only read. A store of the present version is not written to,
    /// so that it opens beside a long write of another process. It also opens on a read-only or full disk, unless
    /// another process uses it; then each write returns the reason.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_to_read(path: &Path) -> Result<Self> {
        let options = Options::default();
        let error = match open::writer(path, &options, FirstWrite::OnRequest).await {
            Ok(connection) => return Ok(Self::with(connection, path, &options, None)),
            Err(error) => error,
        };
        let why = match &error {
            // SQLite cannot make the log or its index
            StoreError::Open { path, .. } => StoreError::ReadOnly { path: path.clone() },
            StoreError::Full | StoreError::ReadOnly { .. } => error.clone(),
            _ => return Err(error),
        };
        match open::unwritable(path, &options).await {
            Some(connection) => Ok(Self::with(connection, path, &options, Some(why))),
            None => Err(error),
        }
    }

    fn with(
        connection: SqliteConnection,
        path: &Path,
        options: &Options,
        unwritable: Option<StoreError>,
    ) -> Self {
        let file = Arc::new(File::opened(path));
        let writer = Writer::start(connection, file.clone());
        let mut reader = open::reader(path, options);
        if unwritable.is_some() {
            reader = open::fixed(reader);
        }
        let readers = Arc::new(Readers::new(reader));
        let patience = options.busy_timeout.unwrap_or(open::BUSY_TIMEOUT) * erase::PATIENCE;
        Self { writer, readers, emptying: Arc::default(), patience, file, unwritable }
    }

    /// The number of transactions that this value has committed; fewer than writes, because concurrent writes share
    /// one.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// Changes the greatest size of the file, which simulates freeing space on a disk.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: u32) -> Result<()> {
        self.write(pages, |conn, pages| Box::pin(async { Ok(open::set_max_pages(conn, *pages).await?) }))
            .await
    }

    /// A connection for reading.
    async fn reader(&self) -> Result<Reader<'_>> {
        self.with_store_error(self.readers.acquire(&self.file).await)
    }

    /// Runs `work` on `input` in the writer's next transaction; resolves when it is on disk.
    async fn write<I, T, F>(&self, input: I, work: F) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        F: Work<I, T>,
    {
        if let Some(why) = &self.unwritable {
            return Err(why.clone());
        }
        self.writer.write(input, work).await
    }

    /// Converts the error of a read into the store's error, and records damage.
    fn with_store_error<T>(&self, read: Result<T, Fault>) -> Result<T> {
        read.map_err(|fault| fault.into_store_error(self.file.path()))
            .inspect_err(|error| self.file.saw(error))
    }
}
