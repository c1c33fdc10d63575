//! What a persona has still to learn from its import. It is written together with the persona, and removed as soon as all of
//! it is in the memory: the next start finishes an import that was killed in between (PF6).

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

/// Statements for the memory, and the documents that could not be looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ToLearn {
    /// What the persona knows.
    pub knowledge: Vec<Knowledge>,
    /// The beginnings of the places of what documents say that were not read.
    pub unread: Vec<String>,
}

/// The same, without a copy.
#[derive(Serialize)]
struct Written<'a> {
    knowledge: &'a [Knowledge],
    unread: &'a [String],
}

/// Writes into a persona's folder what it has to learn.
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
    /// Whether the persona has something left to learn.
    pub fn is_learning(&self) -> bool {
        self.path.join(KNOWLEDGE).is_file()
    }

    /// What the persona has still to learn; `None` where its import came to its end.
    ///
    /// # Errors
    /// [`FormatError`] where it cannot be read.
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

    /// Notes that the persona has learned everything.
    ///
    /// # Errors
    /// [`FormatError`] where the disk refuses.
    pub fn has_learned(&self) -> Result<(), FormatError> {
        let path = self.path.join(KNOWLEDGE);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(FormatError::io(&path, &error)),
            _ => Ok(()),
        }
    }
}
