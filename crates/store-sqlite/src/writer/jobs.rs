//! Writes as the writer sees them: they run in its transaction, say what their commit means for what is held,
//! and tell the caller.

use std::path::Path;

use futures::future::BoxFuture;
use greenroom_store::{Result, StoreError};
use sqlx::SqliteConnection;
use tokio::sync::oneshot;

use crate::{error::Fault, held::State};

/// A function that may run within a transaction, and more than once.
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

/// What a committed write means for what is held.
pub(crate) trait Note<I, T>: Fn(&mut State, &I, &T) + Send + 'static {}

impl<I, T, N> Note<I, T> for N where N: Fn(&mut State, &I, &T) + Send + 'static {}

/// A write that waits for its turn; what it results in is known to it alone.
pub(super) trait Job: Send {
    /// Does the work; false when it failed and has to be undone.
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, bool>;
    /// Says what it means for what is held, once it is committed.
    fn note(&self, held: &mut State);
    /// Tells the caller, once the fate of the transaction is known.
    fn answer(self: Box<Self>, transaction: std::result::Result<(), &StoreError>, path: &Path);
}

/// One write.
pub(super) struct Write<I, T, F, N> {
    pub(super) input: I,
    pub(super) work: F,
    pub(super) note: N,
    pub(super) result: Option<std::result::Result<T, Fault>>,
    pub(super) answer: oneshot::Sender<Result<T>>,
}

impl<I, T, F, N> Job for Write<I, T, F, N>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
    F: Work<I, T>,
    N: Note<I, T>,
{
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            self.result = Some((self.work)(connection, &self.input).await);
            matches!(self.result, Some(Ok(_)))
        })
    }

    fn note(&self, held: &mut State) {
        if let Some(Ok(result)) = &self.result {
            (self.note)(held, &self.input, result);
        }
    }

    fn answer(self: Box<Self>, transaction: std::result::Result<(), &StoreError>, path: &Path) {
        let result = match (self.result, transaction) {
            (_, Err(error)) => Err(error.clone()),
            (Some(result), Ok(())) => result.map_err(|fault| fault.into_store_error(path)),
            (None, Ok(())) => Err(StoreError::Closed),
        };
        // the caller may have stopped waiting
        let _ = self.answer.send(result);
    }
}
