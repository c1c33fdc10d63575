//! A separate home for a run of the program, so that the machine's settings do not affect a test.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

/// An empty home directory, deleted on drop.
pub struct Home(tempfile::TempDir);

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Home {
    /// A new one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory"))
    }

    /// The home's directory, which is also the working directory of commands.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program's data directory (`GREENROOM_DATA`).
    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Writes a file below the home, and creates its directories.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        let directory = path.parent().expect("a file in a directory");
        std::fs::create_dir_all(directory).expect("a directory");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// A command that runs `program` in this home: with its data there, and without the machine's `OPENAI_*`,
    /// `GREENROOM_*`, `OLLAMA_*`, `XDG_*`, user or proxy. For tokio, use `tokio::process::Command::from`.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let upper = name.to_string_lossy().to_uppercase();
            let ours =
                ["OPENAI_", "GREENROOM_", "OLLAMA_", "XDG_"].iter().any(|prefix| upper.starts_with(prefix));
            if ours || upper.ends_with("_PROXY") || ["RUST_LOG", "USER", "USERNAME"].contains(&&*upper) {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.path())
            .env("HOME", self.path())
            .env("USERPROFILE", self.path())
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("XDG_DATA_HOME", self.path().join("share"))
            .env("XDG_CACHE_HOME", self.path().join("cache"))
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("GREENROOM_DATA", self.data())
            .env("GREENROOM_EMBEDDER__OFFLINE", "true")
            .env("NO_COLOR", "1");
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_runs_in_its_own_home_with_nothing_of_the_machine() {
        let home = Home::new();
        let file = home.write("personas/ada.md", "You are Ada.");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "You are Ada.");
        let command = home.command("greenroom");
        let env =
            |name: &str| command.get_envs().find(|(known, _)| *known == name).and_then(|(_, value)| value);
        assert_eq!(env("HOME"), Some(home.path().as_os_str()));
        assert_eq!(env("GREENROOM_DATA"), Some(home.data().as_os_str()));
        let kept = command.get_envs().filter(|(name, _)| name.to_string_lossy().starts_with("OPENAI_"));
        assert!(kept.into_iter().all(|(_, value)| value.is_none()));
    }
}
