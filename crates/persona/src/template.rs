//! The file that `persona new NAME` writes.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use greenroom_core::PersonaName;

/// Why no file was written.
#[derive(Debug, thiserror::Error)]
pub enum NewError {
    /// The file exists already. Files are never overwritten.
    #[error("{0} is there already; choose another name, or edit it")]
    Exists(PathBuf),
    /// The system refused the write.
    #[error("cannot write {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Writes the template as `NAME.md` into a directory, and creates the directory if necessary. Never overwrites a file
/// and never writes through an existing link.
pub fn create(directory: &Path, name: &PersonaName) -> Result<PathBuf, NewError> {
    let path = directory.join(format!("{name}.md"));
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => NewError::Exists(path.clone()),
        _ => NewError::Io { path: path.clone(), source },
    };
    fs::create_dir_all(directory).map_err(failed)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(failed)?;
    file.write_all(template(name).as_bytes()).map_err(failed)?;
    Ok(path)
}

/// A valid persona file with all common settings, most of them as comments.
pub fn template(name: &PersonaName) -> String {
    format!(
        "---
name: {name}                  # the name of this file, without .md
# display_name: {name}
description: A new persona, not yet described
# greeting: What it says when a chat opens. Shown, not sent to the model.

# Leave any of these out to take them from greenroom.toml or the built-in defaults.
model:
  # name: gpt-4o-mini         # without one, whatever model is there
  # base_url: http://localhost:11434/v1
  temperature: 0.7            # 0 sober, 1 lively
  # max_output_tokens: 4096
memory:
  profile: default            # default, recall-visible, assembler, knowledge, hyde, tiers
  # budget_tokens: 1200       # the most that recalled memories may take
room:
  answer: mentioned           # mentioned, always, never
  cooldown: 30s               # after a reply, so long only a mention makes it answer
limits:
  tokens_per_hour: 100000     # 0 is unlimited
  cost_per_day: 0             # in the currency of the prices in greenroom.toml; 0 is unlimited
tools: [remember, recall]
---
You are {name}.

Say who you are in a sentence or two: what you do, how you talk, what you care about. Short and
concrete works best. Then say how to behave: how long your answers are, what you never do, and
how you use what you remember.
"
    )
}
