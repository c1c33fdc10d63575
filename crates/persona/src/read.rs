//! Reads untrusted files: bounded in size, confined to their directory, never a device (X11, X12).

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{Diagnostic, diagnostic::SourceFile, node::Problem};

/// The largest persona or settings file.
pub(crate) const MAX_BYTES: u64 = greenroom_formats::MAX_PERSONA as u64;

/// The text of a file of at most 1 MB. Line ends become `\n`; a byte order mark is dropped.
pub(crate) fn read(path: &Path) -> Result<String, Box<Diagnostic>> {
    let name = path.display().to_string();
    let unreadable = |e: std::io::Error| {
        Box::new(
            Diagnostic::without_place(
                &name,
                "unreadable",
                "",
                format!("cannot be read: {e}"),
                "a readable file",
            )
            .with_help("check that it is there and that you may read it"),
        )
    };
    // check before opening, because opening a pipe would wait for its other end
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(Box::new(Diagnostic::without_place(
            &name,
            "unreadable",
            "",
            "is no regular file",
            "a file",
        )));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Box::new(Diagnostic::without_place(
            &name,
            "too_large",
            "",
            "is too large",
            "at most 1 MB",
        )));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n")),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let source = Arc::new(SourceFile::new(name, &String::from_utf8_lossy(e.as_bytes())));
            Err(Box::new(source.diagnose(Problem::new(
                "bad_text",
                at..at,
                "is not UTF-8 from here on",
                "UTF-8",
            ))))
        }
    }
}

/// The persona files of a directory.
#[derive(Default)]
pub(crate) struct Listed {
    /// Markdown files, sorted by name, without hidden ones and `README.md`. A file whose real path is outside the
    /// directory is a problem and is not opened (X11).
    pub(crate) files: Vec<Result<PathBuf, Box<Diagnostic>>>,
    /// Files that look like a persona and are not read, sorted by name.
    pub(crate) unread: Vec<PathBuf>,
}

/// The endings of characters of other programs.
const CARDS: [&str; 5] = ["png", "json", "charx", "byaf", "af"];

/// Why a file in the directory of personas is not read, and the remedy. `None` if it is no card and no Markdown.
pub(crate) fn why_unread(file: &Path) -> Option<String> {
    let ending = file.extension()?.to_str()?.to_lowercase();
    let shown = file.display();
    if ["md", "markdown"].contains(&ending.as_str()) {
        let name = file.file_stem()?.to_string_lossy().to_lowercase();
        return Some(format!("{shown} is not read; rename it to {name}.md"));
    }
    let is_schema = file.to_string_lossy().ends_with(".schema.json");
    let is_card = CARDS.contains(&ending.as_str()) && !is_schema;
    is_card
        .then(|| format!("{shown} is a file of another program; import it: greenroom persona import {shown}"))
}

/// The persona files of a directory.
pub(crate) fn list(directory: &Path) -> Result<Listed, Box<Diagnostic>> {
    let name = directory.display().to_string();
    let unreadable = |e: std::io::Error| {
        Box::new(
            Diagnostic::without_place(&name, "unreadable", "", format!("cannot be read: {e}"), "a directory")
                .with_help("name a directory of persona files with --personas"),
        )
    };
    // an empty path means the working directory for join(), but is invalid for the system
    let here = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let root = here.canonicalize().map_err(unreadable)?;
    let (mut paths, mut others) = (Vec::new(), Vec::new());
    for entry in here.read_dir().map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.file_name();
        let text = file.to_string_lossy();
        if text.starts_with('.') || text == "README.md" {
            continue;
        }
        let path = directory.join(&file);
        match text.ends_with(".md") {
            true => paths.push(path),
            false => others.push(path),
        }
    }
    paths.sort();
    others.sort();
    // a picture or a card beside its persona is left alone
    let is_beside = |path: &PathBuf| paths.contains(&path.with_extension("md"));
    let is_unread = |path: &PathBuf| path.is_file() && !is_beside(path) && why_unread(path).is_some();
    let unread = others.into_iter().filter(is_unread).collect();
    let confine = |path: PathBuf| match path.canonicalize() {
        Ok(real) if !real.starts_with(&root) => Err(Box::new(
            Diagnostic::without_place(
                path.display().to_string(),
                "not_followed",
                "",
                "is a link out of its directory",
                format!("a file in {name}"),
            )
            .with_help("copy the file there"),
        )),
        _ => Ok(path),
    };
    Ok(Listed { files: paths.into_iter().map(confine).collect(), unread })
}
