//! The lock of a chat: one process answers in a channel and its threads.
//!
//! The operating system holds the lock, so that it ends with the process. Commands that answer no messages (`memory
//! add`, `context` …) take no lock, and run beside a running chat.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use greenroom_core::{ChannelKey, Platform};
use sha2::{Digest, Sha256};

/// Why a channel could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process answers there.
    #[error(
        "{channel} is already open in {}; {}",
        owner.map_or("another process".to_owned(), |pid| format!("process {pid}")),
        instead(channel)
    )]
    Owned {
        /// The channel.
        channel: ChannelKey,
        /// The process, if its lock file names it.
        owner: Option<u32>,
    },
    /// The lock file cannot be made.
    #[error("cannot lock {channel} with {}: {source}; check the permissions of the data directory", path.display())]
    Io {
        /// The channel.
        channel: ChannelKey,
        /// The lock file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// The remedy if another process has the channel.
fn instead(channel: &ChannelKey) -> String {
    match channel.platform() {
        Some(Platform::Terminal | Platform::Api) => {
            format!("end that one, or talk elsewhere with --channel {}:other", channel.provider())
        }
        Some(_) => "end that one, or talk there with a client of the platform".to_owned(),
        // the key `account:NAME` locks a whole account
        None => "it connects the account; end it before another one may".to_owned(),
    }
}

/// The lock of a chat; dropping it unlocks the chat.
#[derive(Debug)]
pub struct ChannelLock {
    file: File,
}

impl Drop for ChannelLock {
    /// Unlocks explicitly. A child process that is being started, such as an MCP server, has a copy of the file
    /// descriptor until it executes its program. Without the explicit unlock it would keep the lock.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl ChannelLock {
    /// Whether two channels share a lock.
    pub fn is_shared(one: &ChannelKey, other: &ChannelKey) -> bool {
        file_name(one) == file_name(other)
    }

    /// Locks the chat of a channel.
    pub fn take(data: &Path, channel: &ChannelKey) -> Result<Self, LockError> {
        let directory = data.join("locks");
        let path = directory.join(file_name(channel));
        let failed = |source| LockError::Io { channel: channel.clone(), path: path.clone(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(&directory).and_then(|()| options.open(&path)).map_err(failed)?
            }
            opened => opened.map_err(failed)?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LockError::Owned { channel: channel.clone(), owner: owner(&mut file) });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        note_owner(&mut file).map_err(failed)?;
        Ok(Self { file })
    }
}

/// Writes our process id into the file, with one write: a server does so for every chat.
fn note_owner(file: &mut File) -> io::Result<()> {
    let note = format!("{}\n", std::process::id());
    if file.metadata()?.len() > 0 {
        file.set_len(0)?;
    }
    file.write_all(note.as_bytes())
}

fn owner(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.lines().next()?.parse().ok()
}

/// The name of the lock file: a hash of the chat. The channel key itself would remain after the channel is forgotten
/// (GR10), can be too long for a file name, and some file systems do not distinguish `A` from `a`. Threads share the
/// lock of their chat: clients can invent threads, and would exhaust the open files.
fn file_name(channel: &ChannelKey) -> String {
    let chat = format!("{}:{}", channel.provider(), channel.chat_id());
    let hash: String = Sha256::digest(&chat).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{hash}.lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(key: &str) -> ChannelKey {
        key.parse().unwrap()
    }

    #[test]
    fn a_second_process_is_refused_with_the_first_and_a_remedy() {
        let data = tempfile::tempdir().unwrap();
        let first = ChannelLock::take(data.path(), &channel("terminal:default")).unwrap();
        let error = ChannelLock::take(data.path(), &channel("terminal:default")).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "terminal:default is already open in process {}; end that one, or talk elsewhere with \
                 --channel terminal:other",
                std::process::id()
            )
        );
        ChannelLock::take(data.path(), &channel("terminal:other")).unwrap();
        // a child process that is being started has such a copy
        let _inherited = first.file.try_clone().unwrap();
        drop(first);
        ChannelLock::take(data.path(), &channel("terminal:default")).unwrap();
    }

    /// The hint once suggested channels that do not exist.
    #[test]
    fn ad5_the_hint_of_a_lock_leads_somewhere() {
        let data = tempfile::tempdir().unwrap();
        for (key, hint) in [
            ("api:den", "talk elsewhere with --channel api:other"),
            ("irc:net/#tea", "talk there with a client of the platform"),
            ("account:net", "it connects the account; end it before another one may"),
        ] {
            let _first = ChannelLock::take(data.path(), &channel(key)).unwrap();
            let error = ChannelLock::take(data.path(), &channel(key)).unwrap_err().to_string();
            assert!(error.ends_with(hint), "{error}");
        }
    }

    #[test]
    fn every_channel_has_a_lock_with_its_threads_within_the_lock_directory() {
        let names = ["a:b", "A:b", "a:c", "a:../../x", "a:b/c"].map(|key| file_name(&channel(key)));
        assert_eq!(names.iter().map(|n| n.to_lowercase()).collect::<std::collections::HashSet<_>>().len(), 5);
        assert!(ChannelLock::is_shared(&channel("a:b"), &channel("a:b:c")));
        assert!(names.iter().all(|name| !name.contains('/') && !name.contains("..")));
        assert!(
            !file_name(&channel("a:secret")).contains("secret"),
            "GR10: a forgotten channel leaves no name"
        );
        assert!(file_name(&channel(&format!("a:{}", "x".repeat(250)))).len() < 80);
    }
}
