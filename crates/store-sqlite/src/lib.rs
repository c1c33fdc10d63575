//! The embedded store: SQLite in WAL mode behind one grouping writer.
//!
//! Writes go to one writer and are on the disk when they are answered (`synchronous = FULL`); reads
//! run beside it on a small pool and see everything that was answered before. Another process may
//! write the same file at the same time: each sees what the other committed at once, and waits a
//! bounded time for its lock (S4). Vectors and relations follow their rows by triggers
//! and foreign keys, so that forgetting a row forgets all of it.
//!
#![doc = include_str!("../README.md")]

mod accounts;
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

use greenroom_store::Result;
use tokio::sync::Mutex;

use crate::{
    error::Fault,
    file::File,
    readers::{Reader, Readers},
    writer::{Work, Writer},
};

pub use crate::open::Options;

/// A store in one file. Clones share it.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    file: Arc<File>,
    writer: Writer,
    readers: Arc<Readers>,
    /// Held while the log is emptied: SQLite refuses a second one at once instead of waiting.
    emptying: Arc<Mutex<()>>,
    /// How long an erasure waits for others that use the file.
    patience: Duration,
}

impl SqliteStore {
    /// Opens the store at `path`, a file; makes it and its directory when they are not there, and
    /// brings an older one to the present version.
    ///
    /// # Errors
    /// Every [`StoreError`](greenroom_store::StoreError) of opening names the file and what to do: no permission, a
    /// directory in the way, another program's or a damaged file, a newer Greenroom's, a lock that is not freed.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, &Options::default()).await
    }

    /// The same under other conditions.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_with(path: &Path, options: &Options) -> Result<Self> {
        let connection = open::writer(path, options).await?;
        let file = Arc::new(File::opened(path));
        let writer = Writer::start(connection, file.clone());
        let readers = Arc::new(Readers::new(open::reader(path, options)));
        let patience = options.busy_timeout.unwrap_or(open::BUSY_TIMEOUT) * erase::PATIENCE;
        Ok(Self { writer, readers, emptying: Arc::default(), patience, file })
    }

    /// Transactions committed by this value so far; fewer than writes, since concurrent ones share.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// Changes how far the file may grow, as freeing space on a disk does.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: u32) -> Result<()> {
        self.write(pages, |conn, pages| Box::pin(async { Ok(open::set_max_pages(conn, *pages).await?) }))
            .await
    }

    /// A connection to read with.
    async fn reader(&self) -> Result<Reader<'_>> {
        self.with_store_error(self.readers.acquire(&self.file).await)
    }

    /// Runs `work` on `input` in the writer's next transaction; resolves when it is on the disk.
    async fn write<I, T, F>(&self, input: I, work: F) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        F: Work<I, T>,
    {
        self.writer.write(input, work).await
    }

    /// The result of a read with the error that callers get.
    fn with_store_error<T>(&self, read: Result<T, Fault>) -> Result<T> {
        read.map_err(|fault| fault.into_store_error(self.file.path()))
            .inspect_err(|error| self.file.saw(error))
    }
}
