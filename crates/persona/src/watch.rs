//! Hot reload: loads the cast again when its files change.

use std::{
    fs,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use greenroom_core::real_time;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::{mpsc, watch};

use crate::{Cast, Layers};

/// Debounce time. Editors write a file in several steps, or write another file and rename it. Events within this time
/// belong to one change.
const QUIET: Duration = Duration::from_millis(120);

/// Time between two checks whether another directory has taken the place of the watched one. The system reports no event
/// if a link to it changes.
const CHECK: Duration = Duration::from_secs(2);
/// The same while there is no directory: the person who made an import waits for its persona.
const CHECK_MISSING: Duration = Duration::from_millis(250);

/// Why a directory is not watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch {directory} for changes: {source}; personas are read again at the next start")]
pub struct WatchError {
    /// The directory.
    directory: String,
    /// The system's error.
    source: notify::Error,
}

/// Watches the directory of `cast`, else `personas`, and loads the cast again after each change, also if the directory is
/// created or replaced. The given `cast` may already be out of date. A bad file or a half-written one keeps the persona's
/// earlier version and reports the problems (see [`Cast::reload`]). Ends when the last receiver is dropped.
///
/// Call this within a tokio runtime.
///
/// # Errors
/// [`WatchError`] if the system cannot watch the directory.
pub fn watch(layers: Layers, cast: Arc<Cast>) -> Result<watch::Receiver<Arc<Cast>>, WatchError> {
    let (sender, receiver) = watch::channel(cast.clone());
    // an import may create the directory later
    let directory = cast.directory.clone().unwrap_or_else(|| layers.directory.join("personas"));
    // a capacity of one is enough: a load sees all changes up to then
    let (signal, signals) = mpsc::channel(1);
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // our own reads produce access events, which must not trigger a load
        if !event.is_ok_and(|e| e.kind.is_access()) {
            let _ = signal.try_send(());
        }
    });
    let watcher =
        watcher.map_err(|source| WatchError { directory: directory.display().to_string(), source })?;
    let mut watched = Watched { directory, watcher, identity: None };
    watched.renew()?;
    tokio::spawn(follow(watched, signals, layers, sender));
    Ok(receiver)
}

/// What distinguishes a directory from another one at the same path: its real path, device, inode and time of creation,
/// since a file system may use an inode again.
type Identity = (PathBuf, (u64, u64), Option<SystemTime>);

/// The directory with its watcher.
struct Watched {
    directory: PathBuf,
    watcher: RecommendedWatcher,
    /// The directory that is watched; none if it does not exist.
    identity: Option<Identity>,
}

impl Watched {
    fn identity(&self) -> Option<Identity> {
        let meta = fs::metadata(&self.directory).ok().filter(fs::Metadata::is_dir)?;
        #[cfg(unix)]
        let inode = (std::os::unix::fs::MetadataExt::dev(&meta), std::os::unix::fs::MetadataExt::ino(&meta));
        #[cfg(not(unix))]
        let inode = (0, 0);
        Some((self.directory.canonicalize().ok()?, inode, meta.created().ok()))
    }

    fn is_replaced(&self) -> bool {
        self.identity() != self.identity
    }

    /// Watches the directory that is now at the path. The system watches a directory and not its path.
    fn renew(&mut self) -> Result<(), WatchError> {
        let now = self.identity();
        if now == self.identity {
            return Ok(());
        }
        // fails if the directory was deleted
        let _ = self.watcher.unwatch(&self.directory);
        self.identity = now;
        if self.identity.is_none() {
            return Ok(());
        }
        // recursive, because the folders of imported personas belong to them
        self.watcher
            .watch(&self.directory, RecursiveMode::Recursive)
            .map_err(|source| WatchError { directory: self.directory.display().to_string(), source })
    }
}

async fn follow(
    mut watched: Watched,
    mut signals: mpsc::Receiver<()>,
    layers: Layers,
    sender: watch::Sender<Arc<Cast>>,
) {
    // the first load sees changes from before the watch began
    loop {
        if let Err(error) = watched.renew() {
            tracing::warn!(%error, "changes of personas are not seen");
        }
        let (old, layers) = (sender.borrow().clone(), layers.clone());
        let loaded = tokio::task::spawn_blocking(move || (old.reload(&layers), old)).await;
        if let Ok((new, old)) = loaded
            && new != *old
        {
            tracing::info!(personas = new.personas.len(), problems = new.problems.len(), "personas changed");
            sender.send_replace(Arc::new(new));
        }
        let check = if watched.identity.is_some() { CHECK } else { CHECK_MISSING };
        loop {
            let changed = tokio::select! {
                changed = real_time().timeout(check, signals.recv()) => changed,
                () = sender.closed() => return,
            };
            match changed {
                Ok(None) => return,
                Ok(Some(())) => break,
                Err(_) if watched.is_replaced() => break,
                Err(_) => {}
            }
        }
        while let Ok(Some(())) = real_time().timeout(QUIET, signals.recv()).await {}
    }
}
