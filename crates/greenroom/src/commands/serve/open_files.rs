//! The system's limit of open files for a process.

use std::io;

/// The number of files that a process opens besides its connections: those of the store, the models and the log, and
/// the locks of 512 chats.
#[cfg(unix)]
const OTHER_FILES: u64 = 768;

/// Raises the limit for this many connections, as far as the system allows.
#[cfg(unix)]
pub fn raise_limit(connections: usize) {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let needed = connections as u64 + OTHER_FILES;
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
    if soft < needed && setrlimit(Resource::RLIMIT_NOFILE, needed.min(hard), hard).is_err() || hard < needed {
        tracing::info!(
            "this system allows {hard} open files and {connections} connections may need more; raise its limit \
             (ulimit -n), or lower server.connections"
        );
    }
}

/// Whether the limit is reached.
#[cfg(unix)]
pub fn is_limit(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let code = error.raw_os_error().map(Errno::from_raw);
    matches!(code, Some(Errno::EMFILE | Errno::ENFILE))
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub fn raise_limit(_connections: usize) {}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub fn is_limit(_error: &io::Error) -> bool {
    false
}
