//! The one writer: it gathers the writes that wait and commits them together.
//!
//! Durability costs an `fsync` a commit (`synchronous = FULL`). While one commit is on its way to the disk,
//! the writes of other actors queue up; the next transaction takes them all, and those that come while it
//! runs, and each is answered after the commit and not before. One that fails is undone alone: the transaction
//! is rolled back and the others run again without it. That is rare, while a savepoint for each would copy every
//! page that it writes.

mod jobs;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use greenroom_store::{Result, StoreError};
use sqlx::{Connection, Row, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use self::jobs::{Job, Write};
use crate::{error::Fault, file::File, held::Held};

pub(crate) use self::jobs::{Note, Work};

/// Writes that may wait; past that, callers wait for a place.
const QUEUE: usize = 256;
/// So long a look is waited for.
const LOOK: Duration = Duration::from_millis(100);
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
    Look(oneshot::Sender<()>),
    Rewrite(oneshot::Sender<std::result::Result<(), sqlx::Error>>),
    Close(oneshot::Sender<()>),
}

impl Writer {
    /// Starts the writer of `connection`. It ends with [`Writer::close`] or the last handle.
    pub(crate) fn start(connection: SqliteConnection, file: Arc<File>, held: Arc<Held>) -> Self {
        let (queue, commands) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let task = Task {
            connection,
            file,
            held,
            commits: commits.clone(),
            commands,
            looks: Vec::new(),
            rewrites: Vec::new(),
            closing: Vec::new(),
        };
        tokio::spawn(task.run());
        Self { queue, commits }
    }

    /// Runs `work` on `input` within the next transaction; resolves when it is on the disk. The work
    /// is done even if the caller stops waiting, and begun again if it shares a transaction with one
    /// that fails: it acts on the connection and nothing else. `note` says once what its commit means for
    /// what is held, before it is answered.
    pub(crate) async fn write<I, T, F, N>(&self, input: I, work: F, note: N) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        F: Work<I, T>,
        N: Note<I, T>,
    {
        let (answer, answered) = oneshot::channel();
        let job = Box::new(Write { input, work, note, result: None, answer });
        self.queue.send(Command::Write(job)).await.map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Looks whether others have committed: what is held is true afterwards. Not where that takes long, as
    /// while another process holds the lock.
    pub(crate) async fn look(&self) -> bool {
        let look = async {
            let (done, looked) = oneshot::channel();
            self.queue.send(Command::Look(done)).await.is_ok() && looked.await.is_ok()
        };
        tokio::time::timeout(LOOK, look).await.unwrap_or(false)
    }

    /// Writes the whole file anew, so that its pages hold what is stored and nothing else. Writes wait
    /// meanwhile, a second or so for every few hundred megabytes.
    pub(crate) async fn rewrite(&self) -> std::result::Result<(), Fault> {
        let (done, rewritten) = oneshot::channel();
        self.queue.send(Command::Rewrite(done)).await.map_err(|_| StoreError::Closed)?;
        Ok(rewritten.await.map_err(|_| StoreError::Closed)??)
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
    file: Arc<File>,
    held: Arc<Held>,
    commits: Arc<AtomicU64>,
    commands: mpsc::Receiver<Command>,
    /// Who waits for what is no write, and is answered after those that came with it.
    looks: Vec<oneshot::Sender<()>>,
    rewrites: Vec<oneshot::Sender<std::result::Result<(), sqlx::Error>>>,
    closing: Vec<oneshot::Sender<()>>,
}

impl Task {
    async fn run(mut self) {
        while let Some(first) = self.commands.recv().await {
            let mut batch = Vec::new();
            self.take(first, &mut batch);
            self.gather(&mut batch, 0);
            if batch.is_empty() {
                self.look().await;
            }
            self.write(batch).await;
            for done in std::mem::take(&mut self.rewrites) {
                let _ = done.send(execute(&mut self.connection, "VACUUM").await);
            }
        }
        if let Err(error) = execute(&mut self.connection, "PRAGMA wal_checkpoint(TRUNCATE)").await {
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
            Command::Look(done) => self.looks.push(done),
            Command::Rewrite(done) => self.rewrites.push(done),
            Command::Close(done) => {
                self.commands.close();
                self.closing.push(done);
            }
        }
    }

    /// Takes what waits, beside so many that were taken before.
    fn gather(&mut self, batch: &mut Vec<Box<dyn Job>>, before: usize) {
        while before + batch.len() < BATCH
            && let Ok(command) = self.commands.try_recv()
        {
            self.take(command, batch);
        }
    }

    /// Looks whether others have committed.
    async fn look(&mut self) {
        if self.looks.is_empty() {
            return;
        }
        let at = Instant::now();
        let version = sqlx::query_scalar("PRAGMA data_version").fetch_one(&mut self.connection).await;
        match version {
            Ok(version) => self.looked(version, at),
            Err(_) => self.looks.clear(),
        }
    }

    /// This is how far others had got at this moment: whoever waits for a look has it.
    fn looked(&mut self, version: i64, at: Instant) {
        self.held.looked(version, at);
        for done in self.looks.drain(..) {
            let _ = done.send(());
        }
    }

    /// Runs a batch and answers it. Every round either ends it or takes out the one that failed.
    async fn write(&mut self, mut batch: Vec<Box<dyn Job>>) {
        while !batch.is_empty() {
            let outcome = self.transaction(&mut batch).await;
            self.file.wrote(outcome.is_ok());
            if outcome.is_err() {
                // on a full disk SQLite has rolled back by itself, and then there is nothing to do
                let _ = execute(&mut self.connection, "ROLLBACK").await;
            }
            match outcome {
                Ok(at) => {
                    self.commits.fetch_add(1, Ordering::Relaxed);
                    self.held.committed(at, |held| batch.iter().for_each(|job| job.note(held)));
                    return batch.into_iter().for_each(|job| job.answer(Ok(()), self.file.path()));
                }
                Err(Failure::Job(index)) => batch.remove(index).answer(Ok(()), self.file.path()),
                Err(Failure::Transaction(error)) => {
                    let error = error.into_store_error(self.file.path());
                    self.held.forget();
                    self.looks.clear();
                    tracing::warn!(%error, writes = batch.len(), "a group of writes failed");
                    return batch.into_iter().for_each(|job| job.answer(Err(&error), self.file.path()));
                }
            }
        }
    }

    /// All of the batch in one transaction, and what comes meanwhile; or nothing of it. The last moment at which
    /// it was alone.
    async fn transaction(&mut self, batch: &mut Vec<Box<dyn Job>>) -> std::result::Result<Instant, Failure> {
        self.file.check()?;
        // the look into a table: where another process has written the file anew, SQLite finds it out with that
        let begin = "BEGIN IMMEDIATE; SELECT * FROM write_probe; PRAGMA data_version";
        let rows = sqlx::query(begin).fetch_all(&mut self.connection).await?;
        let version = rows.last().ok_or(sqlx::Error::RowNotFound)?.try_get(0)?;
        self.looked(version, Instant::now());
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
                // nobody else writes while this one does: it is as it was looked
                self.looked(version, Instant::now());
            }
        }
        let at = Instant::now();
        execute(&mut self.connection, "COMMIT").await?;
        // what was written to a file that is gone is not acknowledged
        self.file.check()?;
        Ok(at)
    }
}

async fn execute(
    connection: &mut SqliteConnection,
    statement: &'static str,
) -> std::result::Result<(), sqlx::Error> {
    sqlx::query(statement).execute(connection).await.map(|_| ())
}

/// Why a transaction did not happen.
enum Failure {
    /// The job of this index failed, and knows why.
    Job(usize),
    /// It could not be begun or committed.
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
