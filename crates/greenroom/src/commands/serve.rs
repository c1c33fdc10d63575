//! `greenroom serve`: the runtime behind HTTP, until somebody stops it.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use greenroom_core::ChannelKey;
use greenroom_persona::watch;
use greenroom_server::{ChannelGate, Gate, NotTaken, Recovered, ServeError, Server, Services, Taken};
use tokio_util::sync::CancellationToken;

use super::{
    chat::{Signals, Stop, left},
    models::fetch_demonstration,
};
use crate::{
    choose::{Choice, Target},
    cli::ServeArgs,
    failure::{Outcome, usage},
    lock::{ChannelLock, LockError},
    term::{Style, harmless},
    wiring::{App, Models},
};

/// Runs the command.
pub async fn run(app: &App, args: ServeArgs) -> anyhow::Result<Outcome> {
    app.insist_on_settings()?;
    let mut signals = Signals::new()?;
    let store = app.store().await?;
    let memory = app.memory(&store).await?;
    let models = app.models();
    let prepared = async {
        for persona in &app.cast.personas {
            models.prepare(&persona.name).await;
        }
        fetched(app, &models).await;
    };
    tokio::select! {
        () = prepared => {}
        stop = signals.next() => {
            store.close().await;
            return Ok(left(stop));
        }
    }
    let choices = Arc::new(Choices::default());
    choices.show(&models, app.err);
    let runtime = app.runtime(store.clone(), memory.clone(), models.clone()).await?;
    let (closing, ended) = (CancellationToken::new(), CancellationToken::new());
    let services = Services {
        runtime: runtime.clone(),
        store: store.clone(),
        memory,
        settings: Arc::new(app.settings().clone()),
        gate: Arc::new(Gate::new(Locks { data: app.data.clone() })),
        data: app.data.clone(),
        closing: closing.clone(),
        ended: ended.clone(),
    };
    allow_files(app.settings().server.connections);
    let server = Server::bind(args.listen, services).await.map_err(|error| match error {
        ServeError::Store(error) => error.into(),
        other => usage(other.to_string()),
    })?;
    eprintln!("Greenroom listens on {}", app.err.bold(format!("http://{}", server.address()?)));
    eprintln!("{}", who_may_come_in(server.keys()));
    if let Some(line) = what_was_left(server.recover().await?) {
        eprintln!("{}", app.err.yellow(line));
    }
    let mut changes = watch(app.layers.clone(), app.cast.clone())?;
    let serving = tokio::spawn(server.run(ended.clone().cancelled_owned()));
    // asks again what endpoints have: until they answer, and whenever that may have changed
    let asking = tokio::spawn({
        let (models, style) = (models.clone(), app.err);
        async move { models.keep_asking(|| choices.show(&models, style)).await }
    });
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
    asking.abort();
    if stop == Stop::Interrupt {
        eprintln!("Finishing what runs; Ctrl-C again leaves at once.");
    }
    // from here on nothing new is let in and streams end; what runs has its time (S10)
    closing.cancel();
    let orderly = async {
        runtime.shutdown(args.grace).await;
        ended.cancel();
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

/// Fetches the demonstration model where somebody has no other. Without it everything else works, so a
/// server without a network starts all the same.
async fn fetched(app: &App, models: &Models) {
    let wanted = models.choices().iter().any(|(_, choice)| choice.target == Target::BuiltIn);
    if wanted && let Err(error) = fetch_demonstration(app).await {
        eprintln!("{}", app.err.yellow(format!("{error:#}; until then nobody answers")));
    }
}

/// Which model answers whom, as it was said last.
#[derive(Default)]
struct Choices(Mutex<Vec<String>>);

impl Choices {
    /// Says what is new of it, a line for all who share a model.
    fn show(&self, models: &Models, style: Style) {
        let line = |(names, choice): (String, Choice)| {
            // the only address with a scheme is where the server listens: programs look for it
            let described = choice.describe().replace("http://", "").replace("https://", "");
            format!("{} · {}", style.bold(names), harmless(&described))
        };
        let lines: Vec<String> = models.choices().into_iter().map(line).collect();
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines.iter().filter(|line| !said.contains(line)) {
            eprintln!("{line}");
        }
        *said = lines;
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

/// What a crash had left, in a line.
fn what_was_left(left: Recovered) -> Option<String> {
    let many = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    (left.turns > 0).then(|| {
        format!(
            "The last time the program ended in the middle of {} in {}: marked as interrupted; whoever asked \
             may ask again.",
            many(left.turns, "turn"),
            many(left.channels, "channel")
        )
    })
}

/// Files a process holds open beside its connections: the store's, the models', the log's, and the locks
/// of 512 chats.
#[cfg(unix)]
const OTHER_FILES: u64 = 768;

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

/// The locks of the data directory.
struct Locks {
    data: PathBuf,
}

impl ChannelGate for Locks {
    fn take(&self, channel: &ChannelKey) -> Result<Taken, NotTaken> {
        match ChannelLock::take(&self.data, channel) {
            Ok(lock) => Ok(Box::new(lock)),
            Err(error @ LockError::Owned { .. }) => Err(NotTaken::Elsewhere(error.to_string())),
            Err(LockError::Io { source, .. }) if out_of_files(&source) => Err(NotTaken::NoFiles(
                "this system opens no more files for greenroom; try again in a moment, or raise its limit \
                 (ulimit -n)"
                    .into(),
            )),
            Err(error) => Err(NotTaken::Broken(error.to_string())),
        }
    }
}

#[cfg(unix)]
fn out_of_files(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let code = error.raw_os_error().map(Errno::from_raw);
    matches!(code, Some(Errno::EMFILE | Errno::ENFILE))
}

/// There is no such limit to reach.
#[cfg(not(unix))]
fn out_of_files(_error: &io::Error) -> bool {
    false
}
