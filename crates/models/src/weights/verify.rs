//! Partial downloads: resumes files, and verifies the complete file.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::WeightsFile;

/// The path of a download until it is installed.
pub(super) fn part_path(dir: &Path, file: &WeightsFile) -> PathBuf {
    dir.join(format!("{}.part", file.name))
}

/// A download in progress, with its length and hash so far. It can be resumed.
pub(super) struct Part {
    path: PathBuf,
    file: File,
    hash: Sha256,
    /// The number of bytes so far.
    pub(super) len: u64,
}

impl Part {
    /// Opens a partial file, or creates it. Discards a file that is longer than expected.
    pub(super) fn resume(dir: &Path, expected: &WeightsFile) -> io::Result<Self> {
        let path = part_path(dir, expected);
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
        if file.metadata()?.len() > expected.bytes {
            file.set_len(0)?;
        }
        let (mut hash, mut len) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(Self { path, file, hash, len }),
                n => {
                    hash.update(&buffer[..n]);
                    len += n as u64;
                }
            }
        }
    }

    /// Discards the bytes so far.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        (self.hash, self.len) = (Sha256::new(), 0);
        Ok(())
    }

    /// Appends bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Verifies size and hash. A wrong file is removed, a short one is kept for the next attempt.
    pub(super) fn finish(self, expected: &WeightsFile) -> Result<(), String> {
        if self.len < expected.bytes {
            return Err(format!("{} ended after {} of {} bytes", expected.name, self.len, expected.bytes));
        }
        let found = format!("{:x}", self.hash.finalize());
        if found != expected.sha256 {
            let _ = fs::remove_file(&self.path);
            return Err(format!(
                "{} has the wrong sha256 ({found} instead of {}) and was removed",
                expected.name, expected.sha256
            ));
        }
        self.file.sync_all().map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}
