//! Reading files and folders to import. Bounded, regular files alone, never out of the folder (X11, X12).

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use crate::{
    Asset, FormatError, Knowledge, Source,
    archive::{MAX_BYTES, MAX_FILES, is_inside},
    detect,
    detect::MAX_FILE,
    detect_folder, statements,
};

/// The largest document of knowledge.
const MAX_DOCUMENT: usize = 1 << 20;
/// Levels of folders that are read.
const MAX_DEPTH: usize = 4;
/// Endings of documents.
const DOCUMENTS: [&str; 4] = ["md", "txt", "markdown", "text"];

/// Reads a file, or a folder of a persona.
///
/// # Errors
/// [`FormatError`] where it is none that is known, or cannot be read.
pub fn read_path(path: &Path) -> Result<Source, FormatError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !path.is_dir() {
        return detect(&name, &read_file(path, MAX_FILE)?);
    }
    let mut files = Vec::new();
    let mut left = MAX_BYTES;
    let mut links = Vec::new();
    collect(path, "", 0, &mut left, &mut files, &mut links)?;
    // the working directory has a name too
    let name = if name.is_empty() {
        path.canonicalize().ok().and_then(|real| Some(real.file_name()?.to_string_lossy().into_owned()))
    } else {
        Some(name)
    };
    let source = detect_folder(&name.unwrap_or_default(), files)?;
    let reason = "a link, which is not followed; copy its file into the folder to import it";
    let changes = links.into_iter().map(|path| (path, reason.to_owned())).collect();
    Ok(Source { changes, ..source })
}

/// The files of a folder by their paths. Hidden files, links and what is neither file nor folder are left out.
fn collect(
    folder: &Path,
    prefix: &str,
    depth: usize,
    left: &mut u64,
    files: &mut Vec<Asset>,
    links: &mut Vec<String>,
) -> Result<(), FormatError> {
    let failed = |error: std::io::Error| FormatError::io(folder, &error);
    let mut entries: Vec<_> =
        fs::read_dir(folder).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().map_err(failed)?;
        let path = format!("{prefix}{name}");
        if name.starts_with('.') {
            continue;
        }
        if kind.is_symlink() {
            if links.len() < MAX_FILES {
                links.push(path);
            }
            continue;
        }
        if kind.is_dir() && depth < MAX_DEPTH {
            collect(&entry.path(), &format!("{path}/"), depth + 1, left, files, links)?;
        } else if kind.is_file() {
            let content = read_file(&entry.path(), usize::try_from(*left).unwrap_or(usize::MAX))?;
            *left -= content.len() as u64;
            files.push(Asset { path, content });
        }
        if files.len() > MAX_FILES {
            let limit = format!("{MAX_FILES} files");
            return Err(FormatError::TooLarge { what: "the folder".into(), limit });
        }
    }
    Ok(())
}

/// The bytes of a regular file.
pub(crate) fn read_file(path: &Path, limit: usize) -> Result<Vec<u8>, FormatError> {
    let failed = |error: std::io::Error| FormatError::io(path, &error);
    // asked before it is opened, since opening a pipe would wait for its other end
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::other("is no regular file")));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > limit {
        let limit = format!("{} MB", (limit >> 20).max(1));
        return Err(FormatError::TooLarge { what: path.display().to_string(), limit });
    }
    Ok(bytes)
}

/// The documents that a persona's file names, as statements. Paths are relative to the file's folder and stay in it.
/// Returns problems beside them, one line each.
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

/// The path of a document without `./` before it and `/` behind it.
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
