//! What is held in memory of what was read and written lately, so that a turn reads nothing from the file:
//! the pasts of live channels, memories that are recalled, the newest part of the journal.
//!
//! The writer tells of every write after its commit and before its answer, in the order of the commits. A
//! write that is known in full changes what is held; every other takes all of it away. What another process
//! committed shows in `PRAGMA data_version`, at which the writer looks when it begins one: that takes
//! all of it away, too. Who reads says when they began: where the writer has not looked since then, or not for
//! a moment, it looks before. So what another process committed before a reader began is seen, and a turn, which
//! begins with a write, need not wait. What is not held is read from the file.
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

pub(crate) use self::{memories::MemoriesRead, pasts::Reading};

/// So long one look serves those who began before it: about the time in which a turn, which begins with a write,
/// reads what it needs.
const FRESH: Duration = Duration::from_millis(10);

/// Bytes that may be held where nothing else is said.
pub(crate) const LIMIT: usize = 64 << 20;

/// What is held.
#[derive(Debug)]
pub(crate) struct Held(Mutex<State>);

/// The same, for the writer's notes.
#[derive(Debug)]
pub(crate) struct State {
    /// `data_version` of the writer at the last look: another one when others have committed since.
    version: i64,
    /// When nothing but what is held had been committed.
    true_at: Option<Instant>,
    /// When that was known: a commit takes its time.
    known_at: Option<Instant>,
    pub(crate) pasts: Pasts,
    pub(crate) memories: Memories,
    pub(crate) news: News,
    /// The number of the newest erasure. Whatever erases takes everything away, this as well.
    pub(crate) erased: Option<i64>,
    /// How often everything was taken away.
    forgotten: u64,
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
        self.erased = None;
        self.forgotten += 1;
    }

    /// Whether what is held is true for a reader: it is as new as the reader asks for, or was looked at lately.
    fn is_fresh(&self, as_of: Option<Instant>) -> bool {
        match as_of {
            Some(as_of) => self.true_at.is_some_and(|at| as_of <= at),
            None => self.known_at.is_some_and(|at| at.elapsed() < FRESH),
        }
    }
}

impl Held {
    /// Nothing yet; so many bytes may be held, most of them pasts.
    pub(crate) fn new(limit: usize) -> Self {
        Self(Mutex::new(State {
            version: 0,
            true_at: None,
            known_at: None,
            erased: None,
            forgotten: 0,
            pasts: Pasts::new(limit / 8 * 5),
            memories: Memories::new(limit / 8 * 2),
            news: News::new(limit / 8),
        }))
    }

    /// So many bytes are held, about.
    pub(crate) fn bytes(&self) -> usize {
        let state = self.state();
        state.pasts.bytes() + state.memories.bytes() + state.news.bytes()
    }

    /// Lets go of what was not asked for since the last call.
    pub(crate) fn release(&self) {
        let mut state = self.state();
        state.pasts.release();
        state.memories.release();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The writer has looked, within a transaction or outside: what others had committed at this moment shows.
    pub(crate) fn looked(&self, version: i64, at: Instant) {
        let mut state = self.state();
        if state.version != version {
            state.version = version;
            state.forget();
        }
        state.true_at = Some(at);
        state.known_at = Some(Instant::now());
    }

    /// A transaction was committed: the notes of its writes, in order. Until this moment, when it held the lock,
    /// nobody else had committed.
    pub(crate) fn committed(&self, at: Instant, notes: impl FnOnce(&mut State)) {
        let mut state = self.state();
        notes(&mut state);
        state.true_at = Some(at);
        state.known_at = Some(Instant::now());
    }

    /// Lets go of everything: nobody knows what became of the file.
    pub(crate) fn forget(&self) {
        self.state().forget();
    }

    /// What is held of something, for who began to read at this moment, or does not mind the last changes.
    pub(crate) fn read<T>(
        &self,
        as_of: Option<Instant>,
        read: impl Fn(&mut State) -> Option<T>,
    ) -> Answer<T> {
        let mut state = self.state();
        match read(&mut state) {
            Some(held) if state.is_fresh(as_of) => Answer::Held(held),
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

    /// Somebody is about to read what was erased last from the file.
    pub(crate) fn reads_erased(&self) -> u64 {
        self.state().forgotten
    }

    /// What they read.
    pub(crate) fn keep_erased(&self, reading: u64, newest: i64) {
        let mut state = self.state();
        if state.forgotten == reading {
            state.erased = Some(newest);
        }
    }

    /// Somebody is about to read memories from the file.
    pub(crate) fn reads_memories(&self) -> u64 {
        self.state().memories.reads()
    }

    /// What they read.
    pub(crate) fn keep_memories(&self, reading: u64, kept: MemoriesRead) {
        self.state().memories.keep(reading, kept);
    }
}
