//! What is held in memory of what was read and written lately, so that a turn reads nothing from the file:
//! the pasts of live channels, memories that are recalled, the newest part of the journal.
//!
//! The writer tells of every write after its commit and before its answer, in the order of the commits. A
//! write that is known in full changes what is held; every other takes all of it away. What another process
//! committed shows in `PRAGMA data_version`, at which the writer looks when it begins one: that takes
//! all of it away, too. What is held is used only shortly after a commit; at any other time the writer looks
//! before. What is not held is read from the file.
//!
//! Who fills a place says so before reading the file. What was written meanwhile makes that void.

mod memories;
mod news;
mod notes;
mod pasts;

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use greenroom_store::{AskedPast, Past};

use self::{memories::Memories, news::News, pasts::Pasts};

pub(crate) use self::{memories::Kept, pasts::Reading};

/// So long after a look nothing is missed that matters: about the time in which a turn, which begins with a
/// write, reads what it needs.
const FRESH: Duration = Duration::from_millis(10);

/// What is held.
#[derive(Debug, Default)]
pub(crate) struct Held(Mutex<State>);

/// The same, for the writer's notes.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// `data_version` of the writer at the last look: another one when others have committed since.
    version: i64,
    /// When nothing but what is held had been committed.
    true_at: Option<Instant>,
    pub(crate) pasts: Pasts,
    pub(crate) memories: Memories,
    pub(crate) news: News,
}

/// What there is in answer to a question.
pub(crate) enum Answer<T> {
    /// This.
    Held(T),
    /// This, but others may have changed it since: the writer is to look first.
    Stale(T),
    /// Nothing: the file is to be read.
    Nothing,
}

impl State {
    /// Lets go of everything.
    pub(crate) fn forget(&mut self) {
        self.pasts.forget();
        self.memories.forget();
        self.news.forget();
    }

    fn is_fresh(&self) -> bool {
        self.true_at.is_some_and(|at| at.elapsed() < FRESH)
    }
}

impl Held {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The writer has looked, within a transaction or outside: what others have committed shows by then.
    pub(crate) fn looked(&self, version: i64) {
        let mut state = self.state();
        if state.version != version {
            state.version = version;
            state.forget();
        }
        state.true_at = Some(Instant::now());
    }

    /// A transaction was committed: the notes of its writes, in order. While it ran nobody else committed.
    pub(crate) fn committed(&self, notes: impl FnOnce(&mut State)) {
        let mut state = self.state();
        notes(&mut state);
        state.true_at = Some(Instant::now());
    }

    /// Lets go of everything: nobody knows what became of the file.
    pub(crate) fn forget(&self) {
        self.state().forget();
    }

    /// What is held of something.
    pub(crate) fn read<T>(&self, read: impl Fn(&mut State) -> Option<T>) -> Answer<T> {
        let mut state = self.state();
        match read(&mut state) {
            Some(held) if state.is_fresh() => Answer::Held(held),
            Some(held) => Answer::Stale(held),
            None => Answer::Nothing,
        }
    }

    /// Somebody is about to read a past from the file.
    pub(crate) fn reads_past(&self, asked: &AskedPast) -> Reading {
        self.state().pasts.reads(asked)
    }

    /// What they read.
    pub(crate) fn keep_past(&self, reading: Reading, asked: &AskedPast, past: &Past) {
        self.state().pasts.keep(reading, asked, past);
    }

    /// Somebody is about to read memories from the file.
    pub(crate) fn reads_memories(&self) -> u64 {
        self.state().memories.reads()
    }

    /// What they read.
    pub(crate) fn keep_memories(&self, reading: u64, kept: Kept) {
        self.state().memories.keep(reading, kept);
    }
}
