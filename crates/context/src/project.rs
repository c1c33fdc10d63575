//! Finds the AGENTS.md files of a project: from the root of its git repository down to the project's directory, at
//! most one per directory.
//!
//! Reads nothing outside the project (X11) and at most [`FILE_LIMIT`] bytes of each file. Nothing here is an error: a
//! note names each unreadable file, and the conversation goes on.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use crate::ProjectDocument;

/// The limit of bytes read from a file; far beyond any sensible project budget.
pub const FILE_LIMIT: u64 = 256 * 1024;

/// In this order, before the configured fallback names.
const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// The instruction files of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// The files, root first.
    pub documents: Vec<ProjectDocument>,
    /// Which files were not read, and why; for the receipt's notes.
    pub notes: Vec<String>,
}

/// Finds the files for the project at `dir`. `fallback_names` are tried where neither `AGENTS.override.md` nor
/// `AGENTS.md` can be read; they are relative and contain no `..`.
pub fn discover_project(dir: &Path, fallback_names: &[String]) -> Project {
    let mut project = Project::default();
    let dir = match fs::canonicalize(dir) {
        Ok(dir) => dir,
        Err(error) => {
            project.notes.push(format!("the project directory {} cannot be read: {error}", dir.display()));
            return project;
        }
    };
    // In a worktree or a submodule `.git` is a file.
    let root = dir.ancestors().find(|d| d.join(".git").exists()).unwrap_or(&dir);
    let (names, refused): (Vec<&str>, Vec<&str>) = NAMES
        .into_iter()
        .chain(fallback_names.iter().map(String::as_str))
        .partition(|name| stays_inside(name));
    for name in refused {
        project.notes.push(format!(
            "the project file name `{}` is not used: write a relative path without `..`",
            one_line(name)
        ));
    }
    let mut chain: Vec<&Path> = dir.ancestors().take_while(|d| d.starts_with(root)).collect();
    chain.reverse();
    for directory in chain {
        if let Some(document) = document_in(directory, root, &names, &mut project.notes) {
            project.documents.push(document);
        }
    }
    project
}

/// The first of `names` that can be read. A blank file ends the search too, and gives no text.
fn document_in(
    directory: &Path,
    root: &Path,
    names: &[&str],
    notes: &mut Vec<String>,
) -> Option<ProjectDocument> {
    for name in names {
        let file = directory.join(name);
        let path = shown(&file, root);
        match read_inside(&file, root) {
            Ok(Some(Content { text, whole })) => {
                if !whole {
                    notes.push(format!("of {path} only the first {} KiB were read", FILE_LIMIT / 1024));
                }
                return (!text.trim().is_empty()).then_some(ProjectDocument { path, text });
            }
            Ok(None) => {}
            Err(refusal) => notes.push(format!("{path} was not read: {refusal}")),
        }
    }
    None
}

/// Why an existing file is not read.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("it is a link that leads out of the project")]
    Outside,
    #[error("it is not a file")]
    NotAFile,
    #[error(transparent)]
    Io(#[from] io::Error),
}

struct Content {
    text: String,
    /// False when the file is longer.
    whole: bool,
}

/// The text of a file, or `None` where there is none.
fn read_inside(file: &Path, root: &Path) -> Result<Option<Content>, Refusal> {
    // Resolves links first, so that the file that is opened is the file that was checked.
    let real = match fs::canonicalize(file) {
        Ok(real) => real,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !real.starts_with(root) {
        return Err(Refusal::Outside);
    }
    // Opening a pipe would wait for its writer.
    if !fs::metadata(&real)?.is_file() {
        return Err(Refusal::NotAFile);
    }
    let mut bytes = Vec::new();
    File::open(&real)?.take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
    let whole = bytes.len() as u64 <= FILE_LIMIT;
    if !whole {
        bytes.truncate(bytes.iter().rposition(|b| *b == b'\n').unwrap_or(FILE_LIMIT as usize));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(Content { text: text.trim_start_matches('\u{feff}').to_owned(), whole }))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn stays_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// The path in the prompt and the receipt: relative to the root, with `/` on every platform, on one line whatever the
/// directories are called.
fn shown(file: &Path, root: &Path) -> String {
    let relative: PathBuf = file.strip_prefix(root).unwrap_or(file).to_owned();
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    one_line(&parts.join("/"))
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with files in it, given as path and text.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    fn found(project: &Project) -> Vec<(&str, &str)> {
        project.documents.iter().map(|d| (d.path.as_str(), d.text.as_str())).collect()
    }

    #[test]
    fn wb1_the_chain_runs_from_the_git_root_to_the_project() {
        let dir = tree(&[
            ("AGENTS.md", "above the repository"),
            ("repo/.git/HEAD", ""),
            ("repo/AGENTS.md", "root"),
            ("repo/a/README.md", "no agents here"),
            ("repo/a/b/AGENTS.md", "leaf"),
            ("repo/a/b/c/AGENTS.md", "below the project"),
        ]);
        let project = discover_project(&dir.path().join("repo/a/b"), &[]);
        assert_eq!(found(&project), [("AGENTS.md", "root"), ("a/b/AGENTS.md", "leaf")]);
        assert_eq!(project.notes, [""; 0]);
    }

    #[test]
    fn wb1_one_file_a_directory_in_the_documented_order() {
        let dir = tree(&[
            (".git", "gitdir: elsewhere"),
            ("AGENTS.md", "plain"),
            ("AGENTS.override.md", "override"),
            ("sub/CLAUDE.md", "second fallback"),
            ("sub/.hints/agents.txt", "first fallback"),
        ]);
        let names = [".hints/agents.txt".to_owned(), "CLAUDE.md".to_owned()];
        let project = discover_project(&dir.path().join("sub"), &names);
        let expected = [("AGENTS.override.md", "override"), ("sub/.hints/agents.txt", "first fallback")];
        assert_eq!(found(&project), expected);
    }

    #[test]
    fn wb1_without_a_git_root_the_project_directory_stands_alone() {
        let dir = tree(&[("AGENTS.md", "above"), ("p/AGENTS.md", "here")]);
        assert_eq!(found(&discover_project(&dir.path().join("p"), &[])), [("AGENTS.md", "here")]);
    }

    #[test]
    fn wb1_what_cannot_be_read_is_a_note() {
        let dir = tree(&[("AGENTS.override.md/x", "a directory"), ("AGENTS.md", "used instead")]);
        let project = discover_project(dir.path(), &[]);
        assert_eq!(found(&project), [("AGENTS.md", "used instead")]);
        assert_eq!(project.notes, ["AGENTS.override.md was not read: it is not a file"]);
        let missing = discover_project(&dir.path().join("nowhere"), &[]);
        assert!(missing.documents.is_empty() && missing.notes[0].contains("cannot be read"), "{missing:?}");
    }

    #[test]
    fn wb1_odd_bytes_are_replaced_and_a_mark_at_the_beginning_is_dropped() {
        let dir = tree(&[]);
        fs::write(dir.path().join("AGENTS.md"), b"\xef\xbb\xbfone\xfftwo").unwrap();
        assert_eq!(found(&discover_project(dir.path(), &[])), [("AGENTS.md", "one\u{fffd}two")]);
    }

    #[test]
    fn x11_a_fallback_name_cannot_leave_the_project() {
        let dir = tree(&[("secret.md", "secret"), ("p/.git/HEAD", "")]);
        let absolute = dir.path().join("secret.md").display().to_string();
        for name in ["../secret.md", "a/../../secret.md", absolute.as_str(), "", "."] {
            let project = discover_project(&dir.path().join("p"), &[name.to_owned()]);
            assert!(project.documents.is_empty(), "{name}");
            assert!(project.notes[0].contains("is not used"), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn x11_a_link_out_of_the_project_is_refused_and_one_inside_is_followed() {
        use std::os::unix::fs::symlink;
        let dir = tree(&[("secret.md", "secret"), ("p/.git/HEAD", ""), ("p/docs/agents.md", "shared")]);
        symlink(dir.path().join("secret.md"), dir.path().join("p/AGENTS.override.md")).unwrap();
        symlink("docs/agents.md", dir.path().join("p/AGENTS.md")).unwrap();
        let project = discover_project(&dir.path().join("p"), &[]);
        assert_eq!(found(&project), [("AGENTS.md", "shared")]);
        assert_eq!(
            project.notes,
            ["AGENTS.override.md was not read: it is a link that leads out of the project"]
        );
    }

    #[test]
    fn x14_a_huge_file_is_not_read_whole() {
        let dir = tree(&[]);
        let file = File::create(dir.path().join("AGENTS.md")).unwrap();
        file.set_len(100 * 1024 * 1024).unwrap();
        let project = discover_project(dir.path(), &[]);
        assert!(project.documents[0].text.len() as u64 <= FILE_LIMIT);
        assert_eq!(project.notes, ["of AGENTS.md only the first 256 KiB were read"]);
    }
}
