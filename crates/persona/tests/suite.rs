//! Persona files and settings through the public interface: accepted files and reported problems.

#[cfg(test)]
mod suite {
    mod bombs;
    mod diagnostics;
    mod loading;
    mod mcp;
    mod samples;
    mod settings;
    mod watching;

    use std::path::Path;

    use greenroom_persona::{Cast, Diagnostic, Layers};

    /// A directory that contains these persona files.
    pub fn files(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    /// The cast of a directory, without other settings.
    pub fn check(dir: &Path) -> Cast {
        Cast::check(dir, &Layers::default())
    }

    /// The plain lines of problems, with the directory's path removed.
    pub fn lines(problems: &[Diagnostic], dir: &Path) -> String {
        let prefix = format!("{}{}", dir.display(), std::path::MAIN_SEPARATOR);
        problems.iter().map(|p| p.line().replace(&prefix, "") + "\n").collect()
    }

    /// The plain lines of one file's problems.
    pub fn problems_of(name: &str, text: &str) -> String {
        let dir = files(&[(name, text)]);
        lines(&check(dir.path()).problems, dir.path())
    }
}
