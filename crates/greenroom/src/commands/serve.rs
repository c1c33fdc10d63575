//! `greenroom serve`: the runtime behind HTTP, until somebody stops it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use dashmap::DashMap;
use greenroom_core::ChannelKey;
use greenroom_persona::watch;
use greenroom_server::{ChannelGate, Server, Services};
use tokio_util::sync::CancellationToken;

use super::chat::{Signals, Stop};
use crate::{cli::ServeArgs, failure::Outcome, lock::ChannelLock, wiring::App};

/// How long running turns may take when the server stops (S10).
const GRACE: Duration = Duration::from_secs(10);

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
    let server = Server::bind(args.listen, services).await?;
    eprintln!("Greenroom listens on {}", app.err.bold(format!("http://{}", server.address()?)));
    eprintln!("{}", who_may_come_in(server.keys()));
    let mut changes = watch(app.layers.clone(), app.cast.clone())?;
    let mut serving = tokio::spawn(server.run());
    loop {
        tokio::select! {
            served = &mut serving => {
                served??;
                break;
            }
            Ok(()) = changes.changed() => {
                let cast = changes.borrow_and_update().clone();
                models.recast(cast.clone());
                runtime.set_personas(cast.personas.clone()).await;
            }
            stop = signals.next() => {
                if closing.is_cancelled() {
                    return Ok(Outcome::Interrupted);
                }
                if stop == Stop::Interrupt {
                    eprintln!("Finishing what runs; Ctrl-C again leaves at once.");
                }
                closing.cancel();
            }
        }
    }
    runtime.shutdown(GRACE).await;
    store.close().await;
    Ok(Outcome::Done)
}

/// Who may do what here, in a line.
fn who_may_come_in(keys: Option<usize>) -> String {
    match keys {
        None => "No key is needed: whoever uses this machine may do everything. For other people, make keys: \
                 greenroom key create --help"
            .to_owned(),
        Some(0) => "Nobody is let in: every key was revoked. Make another: greenroom key create --role operator"
            .to_owned(),
        Some(keys) => format!("Who comes in needs a key; there {}.", match keys {
            1 => "is 1".to_owned(),
            many => format!("are {many}"),
        }),
    }
}

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
