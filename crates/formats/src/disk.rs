//! Reads files and folders for an import. Bounded; reads regular files only, and never outside the folder (X11, X12).

use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    Asset, FormatError, Knowledge, Source,
    archive::{MAX_BYTES, MAX_FILES, is_inside},
    detect,
    detect::MAX_FILE,
    detect_folder,
    read::soul,
    statements,
};

/// The largest document of knowledge.
const MAX_DOCUMENT: usize = 1 << 20;
/// The most levels of folders.
const MAX_DEPTH: usize = 4;
/// The most entries of one folder.
const MAX_ENTRIES: usize = 10_000;
/// Folders with a persona's knowledge.
const MEMORIES: [&str; 2] = ["memory", "knowledge"];
/// File name extensions of documents.
const DOCUMENTS: [&str; 4] = ["md", "txt", "markdown", "text"];

/// Reads a file, or the folder of a persona. Of a folder it reads at most `MAX_FILES` files and `MAX_BYTES`; `changes`
/// lists the rest.
///
/// # Errors
/// [`FormatError`] if the format is unknown, or something cannot be read.
pub fn read_path(path: &Path) -> Result<Source, FormatError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let unreadable = |error: io::Error| FormatError::Unreadable { message: error.to_string() };
    if !path.metadata().map_err(unreadable)?.is_dir() {
        let too_large =
            || FormatError::TooLarge { what: "the file".into(), limit: format!("{} MB", MAX_FILE >> 20) };
        let bytes = bytes_of(path, MAX_FILE).map_err(unreadable)?;
        return detect(&name, bytes.ok_or_else(too_large)?);
    }
    let mut found = Collected { left: MAX_BYTES, ..Collected::default() };
    found.collect(path)?;
    // the path `.` has no file name, but the directory has a name
    let name = if name.is_empty() {
        path.canonicalize().ok().and_then(|real| Some(real.file_name()?.to_string_lossy().into_owned()))
    } else {
        Some(name)
    };
    let mut source = detect_folder(&name.unwrap_or_default(), found.files)?;
    if found.more > 0 {
        let reason = format!("the folder has more than {MAX_FILES} files; they are not copied");
        found.left_out.push((format!("({} more files)", found.more), reason));
    }
    source.changes.append(&mut found.left_out);
    Ok(source)
}

/// Whether [`read_path`] would read a folder as one persona, judged by the names in it.
pub fn is_persona_folder(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES);
    let name = |entry: fs::DirEntry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        format!("{}{}", entry.file_name().to_string_lossy(), if is_folder { "/" } else { "" })
    };
    let names: Vec<String> = entries.map(name).collect();
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    soul::is_signed(&has)
        || has("card.json")
        || has("manifest.json") && has("characters/")
        || has("AGENTS.md") && names.iter().all(|name| soul::is_of_workspace(name))
}

/// The files of a folder by their paths.
#[derive(Default)]
struct Collected {
    files: Vec<Asset>,
    /// The bytes that may still be read.
    left: u64,
    /// Paths that were not read, with the reasons.
    left_out: Vec<(String, String)>,
    /// Further paths that were not read.
    more: usize,
}

impl Collected {
    /// Reads the files of a folder, then those of its subfolders. Hidden files, links and special files are left out
    /// and listed.
    fn collect(&mut self, root: &Path) -> Result<(), FormatError> {
        let mut folders = VecDeque::from([(root.to_owned(), String::new(), 0)]);
        while let Some((folder, prefix, depth)) = folders.pop_front() {
            let failed = |error: io::Error| FormatError::io(&folder, &error);
            let entries = fs::read_dir(&folder).map_err(failed)?.take(MAX_ENTRIES);
            let mut entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(failed)?;
            // a persona's memories come before the folders of other programs
            entries.sort_by_key(|entry| {
                (!MEMORIES.iter().any(|it| entry.file_name() == *it), entry.file_name())
            });
            for entry in entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                let kind = entry.file_type().map_err(failed)?;
                let path = format!("{prefix}{name}");
                if name.starts_with('.') {
                    self.leave_out(path, "hidden, so it is not read".to_owned());
                    continue;
                }
                if kind.is_symlink() {
                    let reason = "a link, which is not followed; copy its file into the folder to import it";
                    self.leave_out(path, reason.to_owned());
                } else if kind.is_dir() && depth < MAX_DEPTH && folders.len() < MAX_FILES {
                    folders.push_back((entry.path(), format!("{path}/"), depth + 1));
                } else if kind.is_file() {
                    self.read(&entry.path(), path)?;
                } else {
                    let what =
                        if kind.is_dir() { "a folder too deep" } else { "neither a file nor a folder" };
                    self.leave_out(path, format!("{what}, so it is not read"));
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, file: &Path, path: String) -> Result<(), FormatError> {
        if self.files.len() == MAX_FILES {
            self.more += 1;
            return Ok(());
        }
        let limit = usize::try_from(self.left).unwrap_or(usize::MAX);
        match bytes_of(file, limit).map_err(|error| FormatError::io(file, &error))? {
            Some(content) => {
                self.left -= content.len() as u64;
                self.files.push(Asset { path, content });
            }
            None => {
                let reason = format!(
                    "the files of the folder are larger than {} MB; it is not copied",
                    MAX_BYTES >> 20
                );
                self.leave_out(path, reason);
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, path: String, reason: String) {
        if self.left_out.len() < MAX_FILES {
            self.left_out.push((path, reason));
        } else {
            self.more += 1;
        }
    }
}

/// The bytes of a regular file. `None` if it is larger than the limit.
fn bytes_of(path: &Path, limit: usize) -> io::Result<Option<Vec<u8>>> {
    // check before opening, because opening a pipe would wait for its other end
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("is no regular file"));
    }
    let file = File::open(path)?;
    // a growing vector would take twice the memory
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX).min(limit);
    let mut bytes = Vec::with_capacity(length + 1);
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() <= limit))
}

/// The text of one of Greenroom's own files. Invalid UTF-8 becomes U+FFFD.
pub(crate) fn read_text(path: &Path, limit: usize) -> Result<String, FormatError> {
    let lossy = |error: std::string::FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
    Ok(String::from_utf8(read_file(path, limit)?).unwrap_or_else(lossy))
}

/// The bytes of one of Greenroom's own files, or of a document. Must be a regular file.
pub(crate) fn read_file(path: &Path, limit: usize) -> Result<Vec<u8>, FormatError> {
    let bytes = bytes_of(path, limit).map_err(|error| FormatError::io(path, &error))?;
    let limit = format!("{} MB", (limit >> 20).max(1));
    bytes.ok_or_else(|| FormatError::TooLarge { what: path.display().to_string(), limit })
}

/// Reads the documents that a persona's file names, as statements. Paths are relative to the file's folder and must
/// stay in it. Also returns problems, one line each.
pub fn read_documents(folder: &Path, paths: &[String]) -> (Vec<Knowledge>, Vec<String>) {
    let (mut known, mut problems) = (Vec::new(), Vec::new());
    for path in paths.iter().take(MAX_FILES) {
        match document_files(folder, path) {
            Ok(files) => {
                for (name, file) in files {
                    match read_file(&file, MAX_DOCUMENT).map(String::from_utf8) {
                        Ok(Ok(text)) => known.extend(statements(&name, &text)),
                        Ok(Err(_)) => problems.push(format!("{name}: the document is no text")),
                        Err(error) => problems.push(error.to_string()),
                    }
                }
            }
            Err(error) => problems.push(error.to_string()),
        }
    }
    (known, problems)
}

/// The path of a document without a leading `./` and a trailing `/`.
pub(crate) fn document_path(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

fn document_files(folder: &Path, path: &str) -> Result<Vec<(String, PathBuf)>, FormatError> {
    let relative = document_path(path);
    if !is_inside(relative) {
        return Err(FormatError::Outside { path: path.to_owned() });
    }
    let wanted = folder.join(relative);
    let real = |path: &Path| path.canonicalize().map_err(|error| FormatError::io(path, &error));
    if !real(&wanted)?.starts_with(real(folder)?) {
        return Err(FormatError::Outside { path: path.to_owned() });
    }
    if !wanted.is_dir() {
        return Ok(vec![(relative.to_owned(), wanted)]);
    }
    let entries = fs::read_dir(&wanted).map_err(|error| FormatError::io(&wanted, &error))?;
    let mut files: Vec<(String, PathBuf)> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| (format!("{relative}/{}", entry.file_name().to_string_lossy()), entry.path()))
        .filter(|(_, file)| {
            file.extension().is_some_and(|ending| DOCUMENTS.iter().any(|known| ending == *known))
        })
        .collect();
    files.sort();
    Ok(files)
}
