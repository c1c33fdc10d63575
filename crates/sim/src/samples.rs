//! The sample scenarios of the program (SM10). Their agents have scripts, so they need no model.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use crate::error::SimError;

/// A scenario with its files.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Its name: `tea-party`.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    files: &'static [(&'static str, &'static str)],
}

macro_rules! files {
    ($name:literal: $($file:literal),+) => {
        &[$(($file, include_str!(concat!("../samples/", $name, "/", $file)))),+]
    };
}

/// All samples.
pub fn samples() -> &'static [Sample] {
    &[
        Sample {
            name: "tea-party",
            about: "five at a table, and a piece of news that goes round",
            files: files!(
                "tea-party": "scenario.toml", "personas/iris.md", "personas/tobias.md", "personas/mina.md",
                "personas/otto.md", "personas/pearl.md"
            ),
        },
        Sample {
            name: "town",
            about: "a town of 25 in which an invitation spreads: who hears of it, and who comes",
            files: files!("town": "scenario.toml", "townsperson.md"),
        },
        Sample {
            name: "feed",
            about: "a feed of 10,000 people by rule: posts, shares, follows",
            files: files!("feed": "scenario.toml"),
        },
        Sample {
            name: "opinions",
            about: "opinions under bounded confidence, with a published result to compare with",
            files: files!("opinions": "scenario.toml"),
        },
        Sample {
            name: "weather",
            about: "a world process in Python decides the weather and who seeks shelter",
            files: files!("weather": "scenario.toml", "world.py"),
        },
        Sample {
            name: "dinner",
            about: "a game master in Python decides what comes of what four people do",
            files: files!("dinner": "scenario.toml", "world.py"),
        },
    ]
}

/// Writes a sample into a directory. Returns the path of the scenario. Overwrites nothing.
///
/// # Errors
/// [`SimError::SampleExists`] if a file exists already, [`SimError::File`] if a file cannot be written.
pub fn write_sample(sample: &Sample, directory: &Path) -> Result<PathBuf, SimError> {
    // check all files first, so that nothing is written if one exists
    if let Some((there, _)) = sample.files.iter().find(|(name, _)| directory.join(name).exists()) {
        return Err(SimError::SampleExists {
            file: directory.join(there).display().to_string(),
            sample: sample.name.into(),
        });
    }
    for (name, text) in sample.files {
        let file = directory.join(name);
        let failed = |error| SimError::file(&file, error);
        fs::create_dir_all(file.parent().unwrap_or(directory)).map_err(failed)?;
        let mut made = OpenOptions::new().write(true).create_new(true).open(&file).map_err(failed)?;
        made.write_all(text.as_bytes()).map_err(failed)?;
    }
    Ok(directory.join("scenario.toml"))
}
