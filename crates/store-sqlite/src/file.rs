//! The file a store was opened in: whether it is still there, and whether writes go through (S3).
//!
//! SQLite goes on writing to a file that was deleted or moved, and what it acknowledges then is lost. So the
//! writer looks at the path before and after every transaction.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
    time::Duration,
};

use greenroom_core::{Instant, real_time};
use greenroom_store::StoreError;

/// So long a write proves that the next will go through.
const PROVEN: Duration = Duration::from_secs(10);

/// The database, its log and the index of the log, as they were when the store was opened. The locks between
/// processes are in the index: two processes that have different files of that name write over each other.
#[derive(Debug)]
pub(crate) struct File {
    paths: [PathBuf; 3],
    opened: [Option<Identity>; 3],
    /// When a write was last on the disk; nothing after one that failed.
    written: Mutex<Option<Instant>>,
    /// What SQLite said when it found the file damaged, as it is where something else wrote into it. From then on nothing is
    /// written: what would be acknowledged might not be there.
    damaged: OnceLock<StoreError>,
}

impl File {
    /// To be called when the store has been written to once: all three files are there then.
    pub(crate) fn opened(path: &Path) -> Self {
        let paths = ["", "-wal", "-shm"].map(|suffix| {
            let mut path = path.as_os_str().to_owned();
            path.push(suffix);
            PathBuf::from(path)
        });
        let opened = paths.each_ref().map(|path| identity(path));
        let written = Mutex::new(Some(real_time().instant()));
        Self { paths, opened, written, damaged: OnceLock::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        let [path, ..] = &self.paths;
        path
    }

    /// Notes an error of a statement.
    pub(crate) fn saw(&self, error: &StoreError) {
        if matches!(error, StoreError::Damaged { .. }) {
            let _ = self.damaged.set(error.clone());
        }
    }

    /// Whether the path still leads to what was opened, and no damage was found in it. A file that is moved back is the
    /// same again.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if let Some(damaged) = self.damaged.get() {
            return Err(damaged.clone());
        }
        // what had no identity when it was opened cannot be followed
        let is_same = |(path, then): (&PathBuf, &Option<Identity>)| then.is_none() || identity(path) == *then;
        match self.paths.iter().zip(&self.opened).all(is_same) {
            true => Ok(()),
            false => Err(StoreError::Gone { path: self.path().display().to_string() }),
        }
    }

    /// A write went through, or failed.
    pub(crate) fn wrote(&self, through: bool) {
        let now = through.then(|| real_time().instant());
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Whether a write went through lately, and none failed since.
    pub(crate) fn is_proven(&self) -> bool {
        let written = *self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.is_some_and(|at| real_time().elapsed(at) < PROVEN)
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
