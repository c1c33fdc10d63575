//! Why a file cannot be imported or written, where, and the remedy.

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
        /// What the parser found.
        message: String,
    },
    /// An error in a file of a folder or an archive.
    #[error("{path}: {error}")]
    Within {
        /// The path in the folder or the archive.
        path: String,
        /// What is wrong with it.
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
    /// Nested further than any persona needs (X12).
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
    /// The content is of no format that is known.
    #[error("no known persona format: {found}; `greenroom persona import --help` lists the formats")]
    Unknown {
        /// What the content looks like.
        found: String,
    },
    /// The text is another document, such as a licence.
    #[error("{what}, and no persona; if it does describe a persona, name it SOUL.md")]
    NoPersona {
        /// What it is.
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
        /// What was found.
        message: String,
    },
    /// A path that leaves its directory (X11).
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
        /// What to do.
        remedy: String,
    },
    /// The file that the caller named cannot be read.
    #[error("it cannot be read: {message}; check that it exists and that you may use it")]
    Unreadable {
        /// What the system said.
        message: String,
    },
    /// The file system failed.
    #[error("{path}: {message}; check that the path exists and that you may use it")]
    Io {
        /// The path.
        path: String,
        /// What the system said.
        message: String,
    },
}

impl FormatError {
    /// The error with the file of a folder or an archive that it is in, where it names a place.
    pub(crate) fn within(self, path: &str) -> Self {
        match self {
            Self::Syntax { .. } | Self::TooDeep { .. } | Self::Unknown { .. } => {
                Self::Within { path: path.to_owned(), error: Box::new(self) }
            }
            other => other,
        }
    }

    /// A failure of the file system at a path.
    pub fn io(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Io { path: path.display().to_string(), message: error.to_string() }
    }
}

/// Line and column of a byte, both from 1; the column counts characters.
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
