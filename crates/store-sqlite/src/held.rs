//! What is held in memory of what was read and written lately, so that a turn reads nothing from the file:
//! the pasts of live channels, memories that are recalled, the newest part of the journal.
//!
//! The writer tells of every write after its commit and before its answer, in the order of the commits. A
//! write that is known in full changes what is held; every other takes all of it away. What another process
//! committed shows in `PRAGMA data_version`, at which the writer looks with every transaction: that takes
//! all of it away, too. What is held is used only shortly after such a look. Somebody who reads without
//! having written before reads from the file, as does whoever asks for something that is not held.
//!
//! Who fills a place says so before reading the file. What was written meanwhile makes that void.

mod memories;
mod news;
mod pasts;

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use greenroom_core::{MemoryId, Timestamp, Viewer};
use greenroom_store::{AskedPast, Changes, NewsWaiting, Past, VectorSpace, Whole};

use self::{memories::Memories, news::News, pasts::Pasts};

pub(crate) use self::{memories::Kept, pasts::Reading};

/// So long after a look nothing of another process's is missed that matters: about the time in which a
/// turn that began with a write reads what it needs.
const FRESH: Duration = Duration::from_millis(10);

/// What is held.
#[derive(Debug, Default)]
pub(crate) struct Held(Mutex<State>);

/// The same, for the writer's notes.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// `data_version` of the writer at the last look: it grows with what others commit.
    version: Option<i64>,
    looked: Option<Instant>,
    pub(crate) pasts: Pasts,
    pub(crate) memories: Memories,
    pub(crate) news: News,
}

impl State {
    /// Lets go of everything.
    pub(crate) fn forget(&mut self) {
        self.pasts.forget();
        self.memories.forget();
        self.news.forget();
    }

    /// The writer has committed and looked: whether nobody else committed since the last time. Where
    /// somebody did, what was noted of the transaction itself does not hold.
    fn looked(&mut self, version: i64) -> bool {
        let alone = self.version == Some(version);
        if !alone {
            self.forget();
        }
        (self.version, self.looked) = (Some(version), Some(Instant::now()));
        alone
    }

    fn is_fresh(&self) -> bool {
        self.looked.is_some_and(|at| at.elapsed() < FRESH)
    }
}

impl Held {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A transaction was committed and `data_version` read after it: the notes of its writes, in order.
    pub(crate) fn note(&self, version: Option<i64>, notes: impl FnOnce(&mut State)) {
        let mut state = self.state();
        match version {
            Some(version) if state.looked(version) => notes(&mut state),
            Some(_) => {}
            None => state.forget(),
        }
    }

    /// Lets go of everything: nobody knows what became of the file.
    pub(crate) fn forget(&self) {
        self.state().forget();
    }

    /// What is held of something, if it may be used now.
    fn fresh<T>(&self, read: impl FnOnce(&mut State) -> Option<T>) -> Option<T> {
        let mut state = self.state();
        if state.is_fresh() { read(&mut state) } else { None }
    }

    /// See [`greenroom_store::Store::past`].
    pub(crate) fn past(&self, asked: &AskedPast) -> Option<Past> {
        self.fresh(|state| state.pasts.get(asked))
    }

    /// Somebody is about to read a past from the file.
    pub(crate) fn reads_past(&self, asked: &AskedPast) -> Reading {
        self.state().pasts.reads(asked)
    }

    /// What they read.
    pub(crate) fn keep_past(&self, reading: Reading, asked: &AskedPast, past: &Past) {
        self.state().pasts.keep(reading, asked, past);
    }

    /// The memories among the items of [`greenroom_store::Store::items`].
    pub(crate) fn memories(&self, viewer: &Viewer, ids: &[MemoryId], now: Timestamp) -> Option<Whole> {
        self.fresh(|state| state.memories.get(viewer, ids, now))
    }

    /// Somebody is about to read memories from the file.
    pub(crate) fn reads_memories(&self) -> u64 {
        self.state().memories.reads()
    }

    /// What they read.
    pub(crate) fn keep_memories(&self, reading: u64, kept: Kept) {
        self.state().memories.keep(reading, kept);
    }

    /// See [`greenroom_store::Store::changes`].
    pub(crate) fn changes(&self, space: Option<&VectorSpace>, after: i64, limit: usize) -> Option<Changes> {
        self.fresh(|state| state.news.changes(space, after, limit))
    }

    /// See [`greenroom_store::Store::unembedded_since`]; where it is known that nothing waits.
    pub(crate) fn all_embedded(&self, space: &VectorSpace, since: i64) -> Option<NewsWaiting> {
        self.fresh(|state| state.news.all_embedded(space, since))
    }
}
