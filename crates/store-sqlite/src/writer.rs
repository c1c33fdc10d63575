//! The one writer: it gathers the writes that wait and commits them together.
//!
//! Durability costs an `fsync` a commit (`synchronous = FULL`). While one commit is on its way to
//! the disk, the writes of other actors queue up; the next transaction takes them all. Each runs in
//! a savepoint of its own, so that one that fails is undone alone, and each is answered after the
//! commit and not before.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use futures::future::BoxFuture;
use greenroom_store::{Result, StoreError};
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use crate::error::{Fault, translate};

/// Writes that may wait; past that, callers wait for a place.
const QUEUE: usize = 256;
/// Writes in one transaction.
const BATCH: usize = 128;

/// The way to the writer; clones lead to the same one.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Command>,
    commits: Arc<AtomicU64>,
}

enum Command {
    Write(Box<dyn Job>),
    Close(oneshot::Sender<()>),
}

impl Writer {
    /// Starts the writer of `connection`. It ends with [`Writer::close`] or the last handle.
    pub(crate) fn start(connection: SqliteConnection, path: &Path) -> Self {
        let (queue, commands) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let task = Task { connection, path: path.into(), commits: commits.clone() };
        tokio::spawn(task.run(commands));
        Self { queue, commits }
    }

    /// Runs `work` within the next transaction; resolves when it is on the disk. The work is done
    /// even if the caller stops waiting.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, std::result::Result<T, Fault>>
            + Send
            + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job = Box::new(Write { work: Some(work), result: None, answer });
        self.queue.send(Command::Write(job)).await.map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Finishes what was queued before, empties the log into the file and closes it.
    pub(crate) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(Command::Close(done)).await.is_ok() {
            // an error means that the writer ended in the meantime, which is what we want
            let _ = closed.await;
        }
    }

    /// Transactions committed so far.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

struct Task {
    connection: SqliteConnection,
    path: Box<Path>,
    commits: Arc<AtomicU64>,
}

impl Task {
    async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        let mut closing = Vec::new();
        while let Some(first) = commands.recv().await {
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(command) = next {
                match command {
                    Command::Write(job) => batch.push(job),
                    Command::Close(done) => {
                        commands.close();
                        closing.push(done);
                    }
                }
                next = if batch.len() < BATCH { commands.try_recv().ok() } else { None };
            }
            self.write(batch).await;
        }
        if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut self.connection).await
        {
            tracing::debug!(%error, "the log was not emptied; the next start does it");
        }
        if let Err(error) = self.connection.close().await {
            tracing::debug!(%error, "the store did not close cleanly");
        }
        for done in closing {
            let _ = done.send(());
        }
    }

    /// Runs a batch and answers it.
    async fn write(&mut self, mut batch: Vec<Box<dyn Job>>) {
        if batch.is_empty() {
            return;
        }
        let outcome = self.transaction(&mut batch).await;
        match &outcome {
            Ok(()) => {
                self.commits.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                tracing::warn!(%error, writes = batch.len(), "a group of writes failed");
                // SQLite may have rolled back by itself, and then this has nothing to do
                let _ = sqlx::query("ROLLBACK").execute(&mut self.connection).await;
            }
        }
        for job in batch {
            job.answer(outcome.as_ref().copied().map_err(AsRef::as_ref), &self.path);
        }
    }

    /// All of the batch in one transaction. An error means that nothing of it was stored: on a full
    /// disk SQLite rolls back the whole transaction, not only the statement.
    async fn transaction(&mut self, batch: &mut [Box<dyn Job>]) -> std::result::Result<(), Arc<sqlx::Error>> {
        let connection = &mut self.connection;
        execute(connection, "BEGIN IMMEDIATE").await?;
        for job in batch {
            execute(connection, "SAVEPOINT job").await?;
            if !job.run(connection).await
                && let Err(error) = execute(connection, "ROLLBACK TO job").await
            {
                return Err(job.database_error().unwrap_or(error));
            }
            execute(connection, "RELEASE job").await?;
        }
        execute(connection, "COMMIT").await
    }
}

async fn execute(
    connection: &mut SqliteConnection,
    statement: &'static str,
) -> std::result::Result<(), Arc<sqlx::Error>> {
    sqlx::query(statement).execute(connection).await.map(|_| ()).map_err(Arc::new)
}

/// A write that waits for its turn; what it results in is known to itself alone.
trait Job: Send {
    /// Does the work; false when it failed and has to be undone.
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, bool>;
    /// What the database said if the work failed for it.
    fn database_error(&self) -> Option<Arc<sqlx::Error>>;
    /// Tells the caller, once the fate of the transaction is known.
    fn answer(self: Box<Self>, transaction: std::result::Result<(), &sqlx::Error>, path: &Path);
}

struct Write<T, F> {
    work: Option<F>,
    result: Option<std::result::Result<T, Fault>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<T, F> Job for Write<T, F>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, std::result::Result<T, Fault>> + Send,
{
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            if let Some(work) = self.work.take() {
                self.result = Some(work(connection).await);
            }
            matches!(self.result, Some(Ok(_)))
        })
    }

    fn database_error(&self) -> Option<Arc<sqlx::Error>> {
        match &self.result {
            Some(Err(Fault::Database(error))) => Some(error.clone()),
            _ => None,
        }
    }

    fn answer(self: Box<Self>, transaction: std::result::Result<(), &sqlx::Error>, path: &Path) {
        let result = match (self.result, transaction) {
            (Some(Err(fault)), _) => Err(fault.into_store_error(path)),
            (_, Err(error)) => Err(translate(error, path)),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(StoreError::Closed),
        };
        // the caller may have stopped waiting
        let _ = self.answer.send(result);
    }
}
