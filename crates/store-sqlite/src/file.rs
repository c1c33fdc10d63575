//! The file a store was opened in: whether it is still there, and whether writes go through (S3).
//!
//! SQLite goes on writing to a file that was deleted or moved, and what it acknowledges then is lost. So the
//! writer looks at the path before and after every transaction.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use greenroom_store::StoreError;

/// So long a write proves that the next will go through.
const PROVEN: Duration = Duration::from_secs(10);

/// The database and its log, as they were when the store was opened.
#[derive(Debug)]
pub(crate) struct File {
    path: PathBuf,
    log: PathBuf,
    opened: [Option<Identity>; 2],
    /// When a write was last on the disk; nothing after one that failed.
    written: Mutex<Option<Instant>>,
}

impl File {
    /// To be called when the store has been written to once: the log is there then.
    pub(crate) fn opened(path: &Path) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let log = PathBuf::from(log);
        let opened = [identity(path), identity(&log)];
        Self { path: path.to_owned(), log, opened, written: Mutex::new(Some(Instant::now())) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still leads to what was opened. A file that is moved back is the same again.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let now = [identity(&self.path), identity(&self.log)];
        // what had no identity when it was opened cannot be followed
        let is_same = |(then, now): (&Option<Identity>, _)| then.is_none() || *then == now;
        match self.opened.iter().zip(now).all(is_same) {
            true => Ok(()),
            false => Err(StoreError::Gone { path: self.path.display().to_string() }),
        }
    }

    /// A write went through, or failed.
    pub(crate) fn wrote(&self, through: bool) {
        let now = through.then(Instant::now);
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Whether a write went through lately, and none failed since.
    pub(crate) fn is_proven(&self) -> bool {
        let written = *self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.is_some_and(|at| at.elapsed() < PROVEN)
    }
}

/// What tells a file from another that has its name.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Where an open file can be neither deleted nor moved there is nothing to look for.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<Identity> {
    None
}
