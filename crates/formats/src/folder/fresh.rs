//! Writes a persona atomically: it exists completely or not at all, even if the process is killed (PF2).
//!
//! The staging directory `.importing/` inside the personas' directory contains the persona being written: `NAME/` and
//! `NAME.md`, and `NAME.old/` while a newer import replaces it. The directory is locked meanwhile. So anything that
//! [`recover`] finds belongs to a process that has ended.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::FormatError;

const STAGING: &str = ".importing";
/// The lock file of an import, in the directory of the personas.
const LOCK: &str = ".import.lock";

/// Locks a directory of personas, creates it if necessary, and cleans up after a killed import. Because of the lock,
/// two concurrent imports of the same file, for example by a server and a command, make one persona. The operating
/// system releases the lock when the process ends.
pub(super) fn writing(directory: &Path) -> Result<File, FormatError> {
    let path = directory.join(LOCK);
    fs::create_dir_all(directory).map_err(|error| FormatError::io(directory, &error))?;
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| FormatError::io(&path, &error))?;
    match file.lock() {
        // some network file systems do not support locks
        Err(error) if error.kind() != ErrorKind::Unsupported => return Err(FormatError::io(&path, &error)),
        _ => {}
    }
    recover(directory).map_err(|error| FormatError::io(&directory.join(STAGING), &error))?;
    Ok(file)
}

/// A persona in the staging directory.
pub(super) struct Fresh {
    staging: PathBuf,
    /// The folder to fill.
    pub folder: PathBuf,
    /// The persona's file.
    target: PathBuf,
}

impl Fresh {
    /// A folder for the persona with this file.
    pub fn of(file: &Path) -> Result<Self, FormatError> {
        let staging = file.with_file_name(STAGING);
        let folder = staging.join(file.with_extension("").file_name().unwrap_or_default());
        fs::create_dir_all(&folder).map_err(|error| FormatError::io(&folder, &error))?;
        Ok(Self { staging, folder, target: file.to_owned() })
    }

    /// Moves the filled folder and the persona's file to their places. Replaces an older import of the persona.
    pub fn commit(self, markdown: &str) -> Result<(), FormatError> {
        let staged = self.folder.with_extension("md");
        write_new(&staged, markdown.as_bytes())?;
        let folder = self.target.with_extension("");
        let move_all = || {
            if folder.exists() {
                fs::rename(&folder, self.folder.with_extension("old"))?;
            }
            fs::rename(&self.folder, &folder)?;
            fs::rename(&staged, &self.target)
        };
        move_all().map_err(|error| FormatError::io(&self.target, &error))
    }
}

impl Drop for Fresh {
    /// Completes or reverts a partial commit, and removes the rest.
    fn drop(&mut self) {
        // after a failure, the next import tries again
        let _ = self.staging.parent().map(recover);
    }
}

/// Completes an import whose commit had begun, and removes one whose commit had not.
fn recover(directory: &Path) -> io::Result<()> {
    let staging = directory.join(STAGING);
    match staging.symlink_metadata() {
        Err(_) => return Ok(()),
        // a link is removed and not followed, because its target may be anywhere (X11)
        Ok(meta) if !meta.is_dir() => return fs::remove_file(&staging),
        Ok(_) => {}
    }
    for entry in fs::read_dir(&staging)? {
        let file = entry?.path();
        if file.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let (folder, old) = (file.with_extension(""), file.with_extension("old"));
        let target = directory.join(file.file_name().unwrap_or_default());
        let place = target.with_extension("");
        if old.exists() && folder.exists() && !place.exists() {
            fs::rename(&folder, &place)?;
        }
        let is_moving = !folder.exists() && place.exists();
        if is_moving && (old.exists() || !target.exists()) {
            fs::rename(&file, &target)?;
        }
    }
    fs::remove_dir_all(&staging)
}

/// Writes a file that must not exist.
pub(super) fn write_new(path: &Path, content: &[u8]) -> Result<(), FormatError> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(content)).map_err(|error| FormatError::io(path, &error))
}

/// Writes a file atomically, over an existing one.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> Result<(), FormatError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!("{name}.new"));
    fs::write(&fresh, content)
        .and_then(|()| fs::rename(&fresh, path))
        .map_err(|error| FormatError::io(path, &error))
}
