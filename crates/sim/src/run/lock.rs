//! The lock of a run. One process at a time may execute a run, because two would make every open call twice.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

use crate::error::SimError;

/// The lock of a run.
#[derive(Debug)]
pub(super) struct RunLock(File);

impl Drop for RunLock {
    /// Unlocks explicitly and does not rely on closing the file. A process that is being started holds a copy of the
    /// file until it executes its program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Locks the run against other processes until the lock is dropped. The system releases it when the process ends.
pub(super) fn lock(directory: &Path) -> Result<RunLock, SimError> {
    let path = directory.join("run.lock");
    let file = File::create(&path).map_err(|error| SimError::file(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(RunLock(file)),
        Err(TryLockError::WouldBlock) => Err(SimError::Busy(directory.display().to_string())),
        Err(TryLockError::Error(error)) => Err(SimError::file(&path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sm5_one_process_at_a_time_has_a_run() {
        let directory = tempfile::tempdir().unwrap();
        let held = lock(directory.path()).unwrap();
        assert!(matches!(lock(directory.path()), Err(SimError::Busy(_))));
        let inherited = held.0.try_clone().unwrap();
        drop(held);
        assert!(lock(directory.path()).is_ok(), "whatever holds a copy of the file");
        drop(inherited);
    }
}
