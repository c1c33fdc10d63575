//! The one writer: it collects waiting writes and commits them together.
//!
//! Durability costs an `fsync` per commit (`synchronous = FULL`). While one commit is written to disk, the writes of
//! other actors queue up. The next transaction takes all of them, and those that arrive while it runs. Each write is
//! answered after the commit.
//!
//! A failed write is undone alone: the transaction is rolled back and the others run again without it. That is rare,
//! whereas a savepoint for each write would copy every page that it changes. So a write must act on the connection
//! only, and may run twice.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use greenroom_core::{Instant, real_time};
use greenroom_store::{Result, StoreError};
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use crate::{
    error::{Fault, is_busy},
    file::File,
    readers::release_memory,
};

/// The number of writes that may wait; beyond it, callers wait for a place.
const QUEUE: usize = 256;
/// The number of writes in one transaction.
const BATCH: usize = 128;

/// A handle of the writer; clones share one writer.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Command>,
    commits: Arc<AtomicU64>,
}

enum Command {
    Write(Box<dyn Job>),
    Rewrite(oneshot::Sender<std::result::Result<(), sqlx::Error>>),
    ReleaseMemory,
    Close(oneshot::Sender<()>),
}

impl Writer {
    /// Starts the writer of `connection`. It ends with [`Writer::close`] or the last handle.
    pub(crate) fn start(connection: SqliteConnection, file: Arc<File>) -> Self {
        let (queue, commands) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let (rewrites, closing) = (Vec::new(), Vec::new());
        let task = Task {
            connection,
            file,
            commits: commits.clone(),
            commands,
            rewrites,
            releases: false,
            failing: None,
            closing,
        };
        tokio::spawn(task.run());
        Self { queue, commits }
    }

    /// Runs `work` on `input` in the next transaction; resolves when it is on disk. The work is done even if the
    /// caller stops waiting.
    pub(crate) async fn write<I, T, F>(&self, input: I, work: F) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        F: Work<I, T>,
    {
        let (answer, answered) = oneshot::channel();
        let job = Box::new(Write { input, work, result: None, answer });
        self.queue.send(Command::Write(job)).await.map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Rewrites the whole file, so that its pages hold only stored rows. Writes wait meanwhile, about a second for
    /// every few hundred megabytes.
    pub(crate) async fn rewrite(&self) -> std::result::Result<(), Fault> {
        let (done, rewritten) = oneshot::channel();
        self.queue.send(Command::Rewrite(done)).await.map_err(|_| StoreError::Closed)?;
        Ok(rewritten.await.map_err(|_| StoreError::Closed)??)
    }

    /// Empties the page cache between two batches.
    pub(crate) async fn release_memory(&self) {
        // a writer that has ended has no cache
        let _ = self.queue.send(Command::ReleaseMemory).await;
    }

    /// Finishes the queued writes, copies the log into the file and closes it.
    pub(crate) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(Command::Close(done)).await.is_ok() {
            // an error means that the writer has already ended
            let _ = closed.await;
        }
    }

    /// Transactions committed so far.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

/// A write: acts on the connection, within a transaction.
pub(crate) trait Work<I, T>:
    for<'c> Fn(&'c mut SqliteConnection, &'c I) -> BoxFuture<'c, std::result::Result<T, Fault>> + Send + 'static
{
}

impl<I, T, F> Work<I, T> for F where
    F: for<'c> Fn(&'c mut SqliteConnection, &'c I) -> BoxFuture<'c, std::result::Result<T, Fault>>
        + Send
        + 'static
{
}

/// A waiting write, independent of the type of its result.
trait Job: Send {
    /// Does the work; false if it failed and must be undone.
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, bool>;
    /// Answers the caller, once the result of the transaction is known.
    fn answer(self: Box<Self>, transaction: std::result::Result<(), &StoreError>, file: &File);
}

struct Write<I, T, F> {
    input: I,
    work: F,
    result: Option<std::result::Result<T, Fault>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<I, T, F> Job for Write<I, T, F>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
    F: Work<I, T>,
{
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            self.result = Some((self.work)(connection, &self.input).await);
            matches!(self.result, Some(Ok(_)))
        })
    }

    fn answer(self: Box<Self>, transaction: std::result::Result<(), &StoreError>, file: &File) {
        let result = match (self.result, transaction) {
            (_, Err(error)) => Err(error.clone()),
            (Some(result), Ok(())) => result
                .map_err(|fault| fault.into_store_error(file.path()))
                .inspect_err(|error| file.saw(error)),
            (None, Ok(())) => Err(StoreError::Closed),
        };
        // the caller may have stopped waiting
        let _ = self.answer.send(result);
    }
}

/// Why transactions currently fail. On a full disk thousands of writes fail, while a few small ones in between still
/// fit. So the reason is logged once, and the number of failed writes when none has failed for [`CALM`].
struct Failing {
    why: String,
    writes: usize,
    last: Instant,
}

/// After this time without a failure, writes count as successful again.
const CALM: Duration = Duration::from_secs(10);

struct Task {
    connection: SqliteConnection,
    file: Arc<File>,
    commits: Arc<AtomicU64>,
    commands: mpsc::Receiver<Command>,
    /// Callers that wait for a rewrite; they are answered after the writes that were queued with them.
    rewrites: Vec<oneshot::Sender<std::result::Result<(), sqlx::Error>>>,
    /// Whether the page cache is emptied after the batch.
    releases: bool,
    failing: Option<Failing>,
    closing: Vec<oneshot::Sender<()>>,
}

impl Task {
    async fn run(mut self) {
        while let Some(first) = self.commands.recv().await {
            let mut batch = Vec::new();
            self.take(first, &mut batch);
            self.gather(&mut batch, 0);
            self.write(batch).await;
            for done in std::mem::take(&mut self.rewrites) {
                let _ = done.send(rewrite(&mut self.connection).await);
            }
            if std::mem::take(&mut self.releases) {
                release_memory(&mut self.connection).await;
            }
        }
        if let Some(failing) = self.failing.take() {
            tracing::warn!(failed = failing.writes, why = failing.why, "writes failed; the program ends");
        }
        // a command that only read leaves the log to others, because emptying it would wait for their writes
        if self.commits.load(Ordering::Relaxed) > 0
            && let Err(error) = execute(&mut self.connection, "PRAGMA wal_checkpoint(TRUNCATE)").await
        {
            tracing::debug!(%error, "the log was not emptied; the next start does it");
        }
        if let Err(error) = self.connection.close().await {
            tracing::debug!(%error, "the store did not close cleanly");
        }
        for done in self.closing {
            let _ = done.send(());
        }
    }

    fn take(&mut self, command: Command, batch: &mut Vec<Box<dyn Job>>) {
        match command {
            Command::Write(job) => batch.push(job),
            Command::Rewrite(done) => self.rewrites.push(done),
            Command::ReleaseMemory => self.releases = true,
            Command::Close(done) => {
                self.commands.close();
                self.closing.push(done);
            }
        }
    }

    /// Takes the waiting writes, up to the limit of a batch; `before` writes are already taken.
    fn gather(&mut self, batch: &mut Vec<Box<dyn Job>>, before: usize) {
        while before + batch.len() < BATCH
            && let Ok(command) = self.commands.try_recv()
        {
            self.take(command, batch);
        }
    }

    /// Runs a batch and answers it. Every round either ends the batch or removes the write that failed.
    async fn write(&mut self, mut batch: Vec<Box<dyn Job>>) {
        while !batch.is_empty() {
            let outcome = self.transaction(&mut batch).await;
            self.file.wrote(outcome.is_ok());
            if outcome.is_err() {
                // on a full disk SQLite has rolled back itself, and this fails harmlessly
                let _ = execute(&mut self.connection, "ROLLBACK").await;
            }
            match outcome {
                Ok(()) => {
                    self.commits.fetch_add(1, Ordering::Relaxed);
                    self.log_end_of_failures();
                    return batch.into_iter().for_each(|job| job.answer(Ok(()), &self.file));
                }
                Err(Failure::Job(index)) => batch.remove(index).answer(Ok(()), &self.file),
                Err(Failure::Transaction(error)) => {
                    let error = error.into_store_error(self.file.path());
                    self.file.saw(&error);
                    self.log_failure(&error, batch.len());
                    return batch.into_iter().for_each(|job| job.answer(Err(&error), &self.file));
                }
            }
        }
    }

    /// Each caller gets the error of its write; the log gets the reason once.
    fn log_failure(&mut self, error: &StoreError, writes: usize) {
        let why = error.to_string();
        let before = match self.failing.take() {
            Some(failing) if failing.why == why => failing.writes,
            _ => {
                tracing::warn!(%error, "writes fail; a later line tells how many did");
                0
            }
        };
        self.failing = Some(Failing { why, writes: before + writes, last: real_time().instant() });
    }

    fn log_end_of_failures(&mut self) {
        if let Some(failing) = self.failing.take_if(|failing| real_time().elapsed(failing.last) >= CALM) {
            tracing::warn!(failed = failing.writes, "writes go through again");
        }
    }

    /// Runs the batch, and writes that arrive meanwhile, in one transaction; all or nothing.
    async fn transaction(&mut self, batch: &mut Vec<Box<dyn Job>>) -> std::result::Result<(), Failure> {
        self.file.check()?;
        execute(&mut self.connection, "BEGIN IMMEDIATE").await?;
        let mut run = 0;
        while let Some(job) = batch.get_mut(run) {
            if !job.run(&mut self.connection).await {
                return Err(Failure::Job(run));
            }
            run += 1;
            if run == batch.len() {
                let mut more = Vec::new();
                self.gather(&mut more, batch.len());
                batch.append(&mut more);
            }
        }
        execute(&mut self.connection, "COMMIT").await?;
        // a write to a deleted or replaced file is not acknowledged
        self.file.check()?;
        Ok(())
    }
}

/// Rewrites the file. SQLite first builds a copy in a temporary file. A copy in memory would need as much memory as the
/// whole file, so memory is used only if no temporary file can be created.
async fn rewrite(connection: &mut SqliteConnection) -> std::result::Result<(), sqlx::Error> {
    execute(connection, "PRAGMA temp_store = FILE").await?;
    let rewritten = execute(connection, "VACUUM").await;
    execute(connection, "PRAGMA temp_store = MEMORY").await?;
    match rewritten {
        Err(error) if !is_busy(&error) => {
            tracing::warn!(%error, "the store could not be rewritten through a temporary file; memory is tried");
            execute(connection, "VACUUM").await
        }
        rewritten => rewritten,
    }
}

async fn execute(
    connection: &mut SqliteConnection,
    statement: &'static str,
) -> std::result::Result<(), sqlx::Error> {
    sqlx::query(statement).execute(connection).await.map(|_| ())
}

/// Why a transaction failed.
enum Failure {
    /// The job with this index failed, and contains the reason.
    Job(usize),
    /// The transaction could not be begun or committed.
    Transaction(Fault),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Transaction(error.into())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Transaction(error.into())
    }
}
