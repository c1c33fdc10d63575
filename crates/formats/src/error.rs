//! The errors of the crate, with positions and remedies.

/// An error of this crate. It does not name the file; the caller does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The text is not of its format.
    #[error(
        "{line}:{column}: no valid {format}: {message}; correct this place, or export the file again where it comes from"
    )]
    Syntax {
        /// JSON, YAML or TOML.
        format: &'static str,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// An error in a file of a folder or an archive.
    #[error("{path}: {error}")]
    Within {
        /// The path in the folder or the archive.
        path: String,
        /// The error in that file.
        error: Box<FormatError>,
    },
    /// More than a persona needs (X12).
    #[error("{what} is larger than {limit}; remove what does not belong to the persona")]
    TooLarge {
        /// The part.
        what: String,
        /// The limit with its unit.
        limit: String,
    },
    /// Nested deeper than any persona needs (X12).
    #[error(
        "{line}:{column}: nested more than {limit} levels deep; a persona needs no such depth, so the file is damaged or hostile"
    )]
    TooDeep {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// Levels.
        limit: usize,
    },
    /// The format of the content is unknown.
    #[error("no known persona format: {found}; `greenroom persona import --help` lists the formats")]
    Unknown {
        /// A description of the content.
        found: String,
    },
    /// The text is another kind of document, such as a licence.
    #[error("{what}, and no persona; if it does describe a persona, name it SOUL.md")]
    NoPersona {
        /// The kind of document.
        what: &'static str,
    },
    /// A folder with an AGENTS.md about a project, and not about a persona.
    #[error(
        "the folder of a project, with {beside} beside AGENTS.md; personas read the AGENTS.md of the directory that you work \
         in without an import, and if it does describe a persona, import that file alone"
    )]
    Project {
        /// Some of the other files.
        beside: String,
    },
    /// The picture has no card in it.
    #[error(
        "the picture has no character card in it; download the original file, since many sites and messengers remove the card from a picture"
    )]
    NoCard,
    /// The container is damaged.
    #[error("the {container} is damaged: {message}; download the file again")]
    Damaged {
        /// The picture or the archive.
        container: &'static str,
        /// The problem.
        message: String,
    },
    /// A path leaves its directory (X11).
    #[error("the path {path} leaves the persona's directory; import the file that it names separately")]
    Outside {
        /// The path as it is in the file.
        path: String,
    },
    /// The persona cannot be written in this format.
    #[error("{what} cannot be written as {format}; {remedy}")]
    NotWritable {
        /// The persona or its part.
        what: String,
        /// The format.
        format: &'static str,
        /// The remedy.
        remedy: String,
    },
    /// The file that the caller named cannot be read.
    #[error("it cannot be read: {message}; check that it exists and that you may use it")]
    Unreadable {
        /// The system's error.
        message: String,
    },
    /// The file system failed.
    #[error("{path}: {message}; check that the path exists and that you may use it")]
    Io {
        /// The path.
        path: String,
        /// The system's error.
        message: String,
    },
}

impl FormatError {
    /// Adds the file of a folder or an archive to an error that has a position in it.
    pub(crate) fn within(self, path: &str) -> Self {
        match self {
            Self::Syntax { .. } | Self::TooDeep { .. } | Self::Unknown { .. } => {
                Self::Within { path: path.to_owned(), error: Box::new(self) }
            }
            other => other,
        }
    }

    /// An error of the file system at a path.
    pub fn io(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Io { path: path.display().to_string(), message: error.to_string() }
    }
}

/// Line and column of a byte position, both from 1. The column counts characters.
pub(crate) fn place(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
