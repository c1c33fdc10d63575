//! `greenroom serve`: the runtime behind HTTP, until somebody stops it.

use std::{path::PathBuf, sync::Arc};

use dashmap::DashMap;
use greenroom_core::ChannelKey;
use greenroom_persona::watch;
use greenroom_server::{ChannelGate, ServeError, Server, Services};
use tokio_util::sync::CancellationToken;

use super::chat::{Signals, Stop};
use crate::{
    cli::ServeArgs,
    failure::{Outcome, usage},
    lock::ChannelLock,
    wiring::App,
};

/// Runs the command.
pub async fn run(app: &App, args: ServeArgs) -> anyhow::Result<Outcome> {
    app.insist_on_settings()?;
    let mut signals = Signals::new()?;
    let store = app.store().await?;
    let memory = app.memory(&store).await?;
    let models = app.models();
    let runtime = app.runtime(store.clone(), memory.clone(), models.clone()).await?;
    let closing = CancellationToken::new();
    let services = Services {
        runtime: runtime.clone(),
        store: store.clone(),
        memory,
        settings: Arc::new(app.settings().clone()),
        gate: Arc::new(Locks { data: app.data.clone(), taken: DashMap::new() }),
        data: app.data.clone(),
        closing: closing.clone(),
    };
    allow_files(app.settings().server.connections);
    let server = Server::bind(args.listen, services).await.map_err(|error| match error {
        ServeError::Store(error) => error.into(),
        other => usage(other.to_string()),
    })?;
    eprintln!("Greenroom listens on {}", app.err.bold(format!("http://{}", server.address()?)));
    eprintln!("{}", who_may_come_in(server.keys()));
    let mut changes = watch(app.layers.clone(), app.cast.clone())?;
    let stopped = CancellationToken::new();
    let serving = tokio::spawn(server.run(stopped.clone().cancelled_owned()));
    let stop = loop {
        tokio::select! {
            Ok(()) = changes.changed() => {
                let cast = changes.borrow_and_update().clone();
                models.recast(cast.clone());
                runtime.set_personas(cast.personas.clone()).await;
            }
            stop = signals.next() => break stop,
        }
    };
    if stop == Stop::Interrupt {
        eprintln!("Finishing what runs; Ctrl-C again leaves at once.");
    }
    // from here on nothing new is let in and streams end; what runs has its time (S10)
    closing.cancel();
    let orderly = async {
        runtime.shutdown(args.grace).await;
        stopped.cancel();
        let served = serving.await;
        store.close().await;
        served
    };
    let mut orderly = std::pin::pin!(orderly);
    loop {
        tokio::select! {
            served = &mut orderly => {
                served?;
                return Ok(Outcome::Done);
            }
            again = signals.next() => if again == Stop::Interrupt {
                return Ok(Outcome::Interrupted);
            }
        }
    }
}

/// Who may do what here, in a line.
fn who_may_come_in(keys: Option<usize>) -> String {
    match keys {
        None => {
            "No key is needed: whoever uses this machine may do everything. For other people, make keys: \
                 greenroom key create --help"
                .to_owned()
        }
        Some(0) => {
            "Nobody is let in: every key was revoked. Make another: greenroom key create --role operator"
                .to_owned()
        }
        Some(keys) => format!(
            "Who comes in needs a key; there {}.",
            match keys {
                1 => "is 1".to_owned(),
                many => format!("are {many}"),
            }
        ),
    }
}

/// Files a process holds open beside its connections: the store's, the models', the log's.
#[cfg(unix)]
const OTHER_FILES: u64 = 256;

/// Has the system let us open as many files as the connections need, as far as it does.
#[cfg(unix)]
fn allow_files(connections: usize) {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let wanted = connections as u64 + OTHER_FILES;
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
    if soft < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted.min(hard), hard).is_err() || hard < wanted {
        tracing::info!(
            "this system allows {hard} open files and {connections} connections may need more; raise its limit \
             (ulimit -n), or lower server.connections"
        );
    }
}

/// There is no such limit to raise.
#[cfg(not(unix))]
fn allow_files(_connections: usize) {}

/// The channels this process answers in, each with its lock.
struct Locks {
    data: PathBuf,
    taken: DashMap<ChannelKey, ChannelLock>,
}

impl ChannelGate for Locks {
    fn enter(&self, channel: &ChannelKey) -> Result<bool, String> {
        if self.taken.contains_key(channel) {
            return Ok(false);
        }
        let lock = ChannelLock::take(&self.data, channel).map_err(|error| error.to_string())?;
        self.taken.insert(channel.clone(), lock);
        Ok(true)
    }
}
