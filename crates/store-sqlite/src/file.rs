//! The file in which a store was opened: whether it still exists, and whether writes succeed (S3).
//!
//! SQLite continues to write to a file that was deleted or moved, and loses what it acknowledges then. So the writer
//! checks the path before and after every transaction.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
    time::Duration,
};

use greenroom_core::{Instant, real_time};
use greenroom_store::StoreError;

/// For this long, a successful write is taken as proof that the next one will succeed.
const PROVEN: Duration = Duration::from_secs(10);

/// The database, its log and the index of the log, as they were when the store was opened. The index contains the locks
/// between processes: two processes with different index files of the same name overwrite each other's data.
#[derive(Debug)]
pub(crate) struct File {
    paths: [PathBuf; 3],
    opened: [Option<Identity>; 3],
    /// When a write last reached the disk; `None` after a failed write.
    written: Mutex<Option<Instant>>,
    /// The error with which SQLite reported damage, for example after another program wrote to the file. From then on
    /// nothing is written, because acknowledged writes might be lost.
    damaged: OnceLock<StoreError>,
}

impl File {
    /// Call this after the first write to the store: all three files exist then.
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

    /// Records an error of a statement.
    pub(crate) fn saw(&self, error: &StoreError) {
        if matches!(error, StoreError::Damaged { .. }) {
            let _ = self.damaged.set(error.clone());
        }
    }

    /// Checks that the paths still lead to the opened files, and that no damage was found. A file that was moved away
    /// and back counts as the same file.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if let Some(damaged) = self.damaged.get() {
            return Err(damaged.clone());
        }
        // a file without an identity when it was opened cannot be checked
        let is_same = |(path, then): (&PathBuf, &Option<Identity>)| then.is_none() || identity(path) == *then;
        match self.paths.iter().zip(&self.opened).all(is_same) {
            true => Ok(()),
            false => Err(StoreError::Gone { path: self.path().display().to_string() }),
        }
    }

    /// Records that a write succeeded or failed.
    pub(crate) fn wrote(&self, through: bool) {
        let now = through.then(|| real_time().instant());
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Whether a recent write succeeded, and none has failed since.
    pub(crate) fn is_proven(&self) -> bool {
        let written = *self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.is_some_and(|at| real_time().elapsed(at) < PROVEN)
    }
}

/// Distinguishes a file from another file with the same name: device and inode.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Where an open file can be neither deleted nor moved, no check is needed.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<Identity> {
    None
}
