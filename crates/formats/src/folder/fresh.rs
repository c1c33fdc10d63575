//! A persona that is being written. It is there as a whole or not at all, also where the process is killed (PF2).
//!
//! `.importing/` in the directory of the personas has what is being written: `NAME/` and `NAME.md`, and `NAME.old/` while a
//! newer import replaces it. The directory's lock is held meanwhile, so what [`recover`] finds is of a process that ended.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::FormatError;

const STAGING: &str = ".importing";
/// The file that an import locks, in the directory of the personas.
const LOCK: &str = ".import.lock";

/// Locks a directory of personas, makes it where it is missing, and clears up after an import that was killed. Two imports
/// of one file at the same time make one persona, also a server's and a command line's. The operating system holds the
/// lock, so that it ends with the process.
pub(super) fn writing(directory: &Path) -> Result<File, FormatError> {
    let path = directory.join(LOCK);
    fs::create_dir_all(directory).map_err(|error| FormatError::io(directory, &error))?;
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| FormatError::io(&path, &error))?;
    match file.lock() {
        // some file systems of a network have no locks
        Err(error) if error.kind() != ErrorKind::Unsupported => return Err(FormatError::io(&path, &error)),
        _ => {}
    }
    recover(directory).map_err(|error| FormatError::io(&directory.join(STAGING), &error))?;
    Ok(file)
}

/// A persona that is being written.
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

    /// Puts the filled folder and the persona's file at their places, over an older import of the persona if there is one.
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
    /// Finishes or takes back what is at its place only in part, and removes the rest.
    fn drop(&mut self) {
        // the next import tries again
        let _ = self.staging.parent().map(recover);
    }
}

/// Finishes an import that had begun to move its files to their places, and removes one that had not.
fn recover(directory: &Path) -> io::Result<()> {
    let staging = directory.join(STAGING);
    match staging.symlink_metadata() {
        Err(_) => return Ok(()),
        // its target may be anywhere (X11)
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

/// Writes a file as a whole or not at all, over an older one.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> Result<(), FormatError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!("{name}.new"));
    fs::write(&fresh, content)
        .and_then(|()| fs::rename(&fresh, path))
        .map_err(|error| FormatError::io(path, &error))
}
