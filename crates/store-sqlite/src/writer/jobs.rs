//! Writes as the writer sees them: they run in its transaction, say what their commit means for what is held,
//! and tell who waits. Those of a kind may become one.

use std::{any::Any, path::Path};

use futures::future::BoxFuture;
use greenroom_store::{Result, StoreError};
use sqlx::SqliteConnection;
use tokio::sync::oneshot;

use crate::{
    error::{Fault, translate},
    held::State,
};

/// A function that may run within a transaction, and more than once.
pub(crate) trait Work<I, T>:
    for<'c> Fn(&'c mut SqliteConnection, &'c I) -> BoxFuture<'c, std::result::Result<T, Fault>>
    + Clone
    + Send
    + 'static
{
}

impl<I, T, F> Work<I, T> for F where
    F: for<'c> Fn(&'c mut SqliteConnection, &'c I) -> BoxFuture<'c, std::result::Result<T, Fault>>
        + Clone
        + Send
        + 'static
{
}

/// What a committed write means for what is held.
pub(crate) trait Note<I, T>: Fn(&mut State, &I, &T) + Clone + Send + 'static {}

impl<I, T, N> Note<I, T> for N where N: Fn(&mut State, &I, &T) + Clone + Send + 'static {}

/// How many writes they are.
pub(super) fn writes(batch: &[Box<dyn Job>]) -> usize {
    batch.iter().map(|job| job.writes()).sum()
}

/// A write that waits for its turn, or several of a kind; what they result in is known to it alone.
pub(super) trait Job: Any + Send {
    /// How many writes it is.
    fn writes(&self) -> usize;
    /// Takes another one in, if both are of a kind; else gives it back.
    fn join(&mut self, other: Box<dyn Job>) -> Option<Box<dyn Job>>;
    /// One that failed: it is a single write, or each of its writes by itself, so that it shows which it was.
    fn apart(self: Box<Self>) -> std::result::Result<Box<dyn Job>, Vec<Box<dyn Job>>>;
    /// Does the work; false when it failed and has to be undone.
    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, bool>;
    /// Says what it means for what is held, once it is committed.
    fn note(&self, held: &mut State);
    /// Tells the caller, once the fate of the transaction is known.
    fn answer(self: Box<Self>, transaction: std::result::Result<(), &sqlx::Error>, path: &Path);
}

/// Writes of a kind that share a transaction, or one.
pub(super) struct Writes<I, T, F, N> {
    inputs: Vec<I>,
    work: F,
    note: N,
    results: Option<std::result::Result<Vec<T>, Fault>>,
    answers: Vec<oneshot::Sender<Result<T>>>,
    /// Whether it stays by itself.
    alone: bool,
}

impl<I, T, F, N> Writes<I, T, F, N> {
    pub(super) fn of(input: I, work: F, note: N, answer: oneshot::Sender<Result<T>>, alone: bool) -> Self {
        Self { inputs: vec![input], work, note, results: None, answers: vec![answer], alone }
    }
}

impl<I, T, F, N> Job for Writes<I, T, F, N>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
    F: Work<Vec<I>, Vec<T>>,
    N: Note<I, T>,
{
    fn writes(&self) -> usize {
        self.inputs.len()
    }

    fn join(&mut self, other: Box<dyn Job>) -> Option<Box<dyn Job>> {
        if self.alone || !(&*other as &dyn Any).is::<Self>() {
            return Some(other);
        }
        if let Ok(mut other) = (other as Box<dyn Any>).downcast::<Self>() {
            self.inputs.append(&mut other.inputs);
            self.answers.append(&mut other.answers);
        }
        None
    }

    fn apart(self: Box<Self>) -> std::result::Result<Box<dyn Job>, Vec<Box<dyn Job>>> {
        if self.inputs.len() == 1 {
            return Ok(self);
        }
        let Self { inputs, work, note, answers, .. } = *self;
        let each = inputs.into_iter().zip(answers).map(|(input, answer)| {
            Box::new(Self::of(input, work.clone(), note.clone(), answer, true)) as Box<dyn Job>
        });
        Err(each.collect())
    }

    fn run<'a>(&'a mut self, connection: &'a mut SqliteConnection) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            self.results = Some((self.work)(connection, &self.inputs).await);
            matches!(self.results, Some(Ok(_)))
        })
    }

    fn note(&self, held: &mut State) {
        if let Some(Ok(results)) = &self.results {
            self.inputs.iter().zip(results).for_each(|(input, result)| (self.note)(held, input, result));
        }
    }

    fn answer(self: Box<Self>, transaction: std::result::Result<(), &sqlx::Error>, path: &Path) {
        let mut results = match self.results {
            Some(Ok(results)) => results.into_iter().map(|result| Some(Ok(result))).collect(),
            Some(Err(fault)) => vec![Some(Err(fault))],
            None => Vec::new(),
        }
        .into_iter();
        for answer in self.answers {
            let result = match (results.next().flatten(), transaction) {
                (_, Err(error)) => Err(translate(error, path)),
                (Some(result), Ok(())) => result.map_err(|fault| fault.into_store_error(path)),
                (None, Ok(())) => Err(StoreError::Closed),
            };
            // the caller may have stopped waiting
            let _ = answer.send(result);
        }
    }
}
