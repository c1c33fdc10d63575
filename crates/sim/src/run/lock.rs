//! One process at a time has a run: two would ask every open call twice.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

use crate::error::SimError;

/// Keeps other processes from the run until it is dropped; the system drops it with the process.
pub(super) fn lock(directory: &Path) -> Result<File, SimError> {
    let path = directory.join("run.lock");
    let file = File::create(&path).map_err(|error| SimError::file(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
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
        drop(held);
        assert!(lock(directory.path()).is_ok());
    }
}
