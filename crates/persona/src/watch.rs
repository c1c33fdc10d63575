//! Hot reload: loads the cast again when its files change.

use std::{sync::Arc, time::Duration};

use greenroom_core::real_time;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::{mpsc, watch};

use crate::{Cast, Layers};

/// Debounce time. Editors write a file in several steps, or write another file and rename it. Events within this time
/// belong to one change.
const QUIET: Duration = Duration::from_millis(120);

/// Why a directory is not watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch {directory} for changes: {source}; personas are read again at the next start")]
pub struct WatchError {
    /// The directory.
    directory: String,
    /// The system's error.
    source: notify::Error,
}

/// Watches the directory of `cast` and loads it again after each change. The given `cast` may already be out of date. A
/// bad file or a half-written one keeps the persona's earlier version and reports the problems (see [`Cast::reload`]).
/// Ends when the last receiver is dropped. Without a directory there is nothing to watch, and the channel closes at
/// once.
///
/// Call this within a tokio runtime.
pub fn watch(layers: Layers, cast: Arc<Cast>) -> Result<watch::Receiver<Arc<Cast>>, WatchError> {
    let (sender, receiver) = watch::channel(cast.clone());
    let Some(directory) = cast.directory.clone() else { return Ok(receiver) };
    // a capacity of one is enough: a load sees all changes up to then
    let (signal, signals) = mpsc::channel(1);
    let failed = |source| WatchError { directory: directory.display().to_string(), source };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // our own reads produce access events, which must not trigger a load
        if !event.is_ok_and(|e| e.kind.is_access()) {
            let _ = signal.try_send(());
        }
    })
    .map_err(failed)?;
    // create the directory, because an import may fill it later
    std::fs::create_dir_all(&directory).map_err(notify::Error::io).map_err(failed)?;
    // recursive, because the folders of imported personas belong to them
    watcher.watch(&directory, RecursiveMode::Recursive).map_err(failed)?;
    tokio::spawn(follow(watcher, signals, layers, sender));
    Ok(receiver)
}

async fn follow(
    watcher: RecommendedWatcher,
    mut signals: mpsc::Receiver<()>,
    layers: Layers,
    sender: watch::Sender<Arc<Cast>>,
) {
    // the first load sees changes from before the watch began
    loop {
        let (old, layers) = (sender.borrow().clone(), layers.clone());
        let loaded = tokio::task::spawn_blocking(move || (old.reload(&layers), old)).await;
        if let Ok((new, old)) = loaded
            && new != *old
        {
            tracing::info!(personas = new.personas.len(), problems = new.problems.len(), "personas changed");
            sender.send_replace(Arc::new(new));
        }
        let changed = tokio::select! {
            changed = signals.recv() => changed.is_some(),
            () = sender.closed() => false,
        };
        if !changed {
            break;
        }
        while let Ok(Some(())) = real_time().timeout(QUIET, signals.recv()).await {}
    }
    drop(watcher);
}
