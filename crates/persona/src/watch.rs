//! Hot reload: the cast, again and again, as its files change.

use std::{sync::Arc, time::Duration};

use greenroom_core::real_time;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::{mpsc, watch};

use crate::{Cast, Layers};

/// Editors write a file in several steps, or write another and rename it: what follows within
/// this time belongs to one change.
const QUIET: Duration = Duration::from_millis(120);

/// Why a directory is not watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch {directory} for changes: {source}; personas are read again at the next start")]
pub struct WatchError {
    /// Which directory.
    directory: String,
    /// What the system said.
    source: notify::Error,
}

/// Watches the directory `cast` was loaded from and loads it again after each change, beginning
/// with a `cast` that may already be out of date. A state in between, or a bad one, keeps the
/// persona of before and shows the problems (see [`Cast::reload`]). Ends with its last receiver;
/// without a directory there is nothing to watch, and the receiver says so at once.
///
/// To be called within a tokio runtime.
pub fn watch(layers: Layers, cast: Arc<Cast>) -> Result<watch::Receiver<Arc<Cast>>, WatchError> {
    let (sender, receiver) = watch::channel(cast.clone());
    let Some(directory) = cast.directory.clone() else { return Ok(receiver) };
    // One waiting signal is enough: a load sees whatever has changed by then.
    let (signal, signals) = mpsc::channel(1);
    let failed = |source| WatchError { directory: directory.display().to_string(), source };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Our own reading is an access too, and no reason to read again.
        if !event.is_ok_and(|e| e.kind.is_access()) {
            let _ = signal.try_send(());
        }
    })
    .map_err(failed)?;
    // a directory that is not there yet may be filled by an import
    std::fs::create_dir_all(&directory).map_err(notify::Error::io).map_err(failed)?;
    // the folders of imported personas belong to them
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
    // What changed before the watch began is seen by a first load.
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
