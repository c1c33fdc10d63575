//! The statements that a persona still has to learn from its import. The file is written together with the persona, and
//! removed when all statements are in the memory. After a kill, the next start continues (PF6).

use std::{
    fs::{self, File},
    io::{self, BufWriter, ErrorKind, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::Folder;
use crate::{FormatError, Imported, Knowledge, disk::read_file};

pub(super) const KNOWLEDGE: &str = "knowledge.json";
/// The largest file: the statements of the largest import.
const MAX_KNOWLEDGE: usize = 256 << 20;

/// Statements for the memory, and the documents that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ToLearn {
    /// The persona's knowledge.
    pub knowledge: Vec<Knowledge>,
    /// Prefixes of places in documents that were not read.
    pub unread: Vec<String>,
}

/// The serialised form, without a copy.
#[derive(Serialize)]
struct Written<'a> {
    knowledge: &'a [Knowledge],
    unread: &'a [String],
}

/// Writes the statements of an import into the persona's folder.
pub(super) fn write(folder: &Path, imported: &Imported) -> Result<(), FormatError> {
    let Imported { knowledge, unread, .. } = imported;
    let (path, fresh) = (folder.join(KNOWLEDGE), folder.join(format!("{KNOWLEDGE}.new")));
    let write = || -> io::Result<()> {
        let mut file = BufWriter::new(File::create(&fresh)?);
        serde_json::to_writer(&mut file, &Written { knowledge, unread })?;
        file.flush()?;
        fs::rename(&fresh, &path)
    };
    write().map_err(|error| FormatError::io(&path, &error))
}

impl Folder {
    /// Whether the persona has statements left to learn.
    pub fn is_learning(&self) -> bool {
        self.path.join(KNOWLEDGE).is_file()
    }

    /// The statements that are left to learn. `None` if the import is complete.
    ///
    /// # Errors
    /// [`FormatError`] if they cannot be read.
    pub fn to_learn(&self) -> Result<Option<ToLearn>, FormatError> {
        let path = self.path.join(KNOWLEDGE);
        if !self.is_there()? || !path.exists() {
            return Ok(None);
        }
        let bytes = read_file(&path, MAX_KNOWLEDGE)?;
        let read = serde_json::from_slice(&bytes).map_err(|error| FormatError::Syntax {
            format: "JSON",
            line: error.line(),
            column: error.column(),
            message: format!("not the knowledge of an import: {error}"),
        });
        read.map(Some)
    }

    /// Removes the file after the persona has learned everything.
    ///
    /// # Errors
    /// [`FormatError`] if the disk refuses.
    pub fn has_learned(&self) -> Result<(), FormatError> {
        let path = self.path.join(KNOWLEDGE);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(FormatError::io(&path, &error)),
            _ => Ok(()),
        }
    }
}
