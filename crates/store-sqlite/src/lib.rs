//! The embedded store: SQLite in WAL mode behind one grouping writer.
//!
//! Writes go to one writer and are on the disk when they are answered (`synchronous = FULL`); reads
//! run beside it on a small pool and see everything that was answered before. Another process may
//! write the same file at the same time: each sees what the other committed at once, and waits a
//! bounded time for its lock (S4). Vectors and relations follow their rows by triggers
//! and foreign keys, so that forgetting a row forgets all of it.

mod access;
mod calls;
mod dead_letters;
mod erase;
mod erasures;
mod error;
#[cfg(test)]
mod explained;
mod file;
mod from_memory;
mod health;
mod held;
mod inbox;
mod items;
mod journal;
mod memories;
mod messages;
mod open;
mod past;
mod plans;
mod postponed;
mod presence;
mod readers;
mod receipts;
mod replies;
mod scope;
mod sessions;
mod summaries;
mod transfer;
mod turns;
mod unfinished;
mod values;
mod vectors;
mod waiting;
mod writer;

use std::{path::Path, sync::Arc};

use greenroom_store::{ItemId, Result};

use crate::{
    error::Fault,
    file::File,
    held::{Held, State},
    readers::{Reader, Readers},
    writer::{Note, Work, Writer},
};

pub use crate::open::Options;

/// A store in one file. Clones share it.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    file: Arc<File>,
    writer: Writer,
    readers: Arc<Readers>,
    held: Arc<Held>,
    from_file: bool,
    /// Held by who empties the log: SQLite refuses a second one at once instead of waiting.
    emptying: Arc<tokio::sync::Mutex<()>>,
}

impl SqliteStore {
    /// Opens the store at `path`, a file; makes it and its directory when they are not there, and
    /// brings an older one to the present version.
    ///
    /// # Errors
    /// Every [`StoreError`](greenroom_store::StoreError) of opening names the file and what to do: no permission, a directory in
    /// the way, another program's or a damaged file, a newer Greenroom's, a lock that is not freed.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, &Options::default()).await
    }

    /// The same under other conditions.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_with(path: &Path, options: &Options) -> Result<Self> {
        let connection = open::writer(path, options).await?;
        let held = Arc::new(Held::new(options.held_bytes.unwrap_or(held::LIMIT)));
        let file = Arc::new(File::opened(path));
        Ok(Self {
            writer: Writer::start(connection, file.clone(), held.clone()),
            held,
            from_file: options.from_file,
            emptying: Arc::default(),
            readers: Arc::new(Readers::new(open::reader(path, options))),
            file,
        })
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

    async fn reader(&self) -> Result<Reader<'_>> {
        self.readers.acquire(&self.file).await.map_err(|fault| fault.into_store_error(self.file.path()))
    }

    /// Runs `work` on `input` in the writer's next transaction; resolves when it is on the disk. For what
    /// is written seldom: nothing is held afterwards.
    async fn write<I, T, F>(&self, input: I, work: F) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        F: Work<I, T>,
    {
        self.writer.write(input, work, |held: &mut State, _: &I, _: &T| held.forget()).await
    }

    /// The same for what concerns nothing that is held.
    async fn write_beside<I, T, F>(&self, input: I, work: F) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        F: Work<I, T>,
    {
        self.writer.write(input, work, |_: &mut State, _: &I, _: &T| {}).await
    }

    /// The same for what is written often: what it means for what is held is known.
    async fn write_noting<I, T, F, N>(&self, input: I, work: F, note: N) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        F: Work<I, T>,
        N: Note<I, T>,
    {
        self.writer.write(input, work, note).await
    }

    /// Blanks what receipts show of items that are gone, a few in a transaction, so that other
    /// writers get in between.
    async fn blank(&self, gone: Vec<ItemId>) -> Result<()> {
        for item in gone {
            while self.write_beside(item, |conn, item| Box::pin(receipts::blank(conn, item))).await? {}
        }
        Ok(())
    }

    /// What was read, or the error as callers see it.
    fn told<T>(&self, read: std::result::Result<T, Fault>) -> Result<T> {
        read.map_err(|fault| fault.into_store_error(self.file.path()))
    }
}
