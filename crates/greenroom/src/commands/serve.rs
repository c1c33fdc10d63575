//! `greenroom serve`: runs the runtime with an HTTP server, until a signal stops it.

mod open_files;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use greenroom_adapters::{Accounts, AccountsOptions, problems};
use greenroom_core::ChannelKey;
use greenroom_persona::{Cast, Diagnostic, watch as watch_files};
use greenroom_runtime::{ChatLocks, HeldLock, NotLocked, OwnedChats, Recovered, Runtime};
use greenroom_server::{Chats, ServeError, Server, Services};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    chat::{Signals, Stop},
    models::fetch_demonstration,
};
use crate::{
    cli::ServeArgs,
    failure::{Outcome, usage},
    lock::{ChannelLock, LockError},
    model_choice::{Choice, Target},
    term::{Style, count, harmless, one_line},
    wiring::{App, Models},
};

/// Runs the command.
pub async fn run(app: &App, args: ServeArgs) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    let mut signals = Signals::new()?;
    let store = app.store().await?;
    let memory = app.memory(&store).await?;
    app.fetch_embedder();
    let models = app.models();
    let prepared = async {
        for persona in &app.cast.personas {
            models.prepare(&persona.name).await;
        }
        fetch_if_needed(app, &models).await;
    };
    tokio::select! {
        () = prepared => {}
        stop = signals.next() => {
            store.close().await;
            return Ok(stop.into());
        }
    }
    let choices = Arc::new(ShownChoices::default());
    choices.show(&models, app.err);
    show_problems(&app.cast, app.err);
    let runtime = app.runtime(store.clone(), memory.clone(), models.clone()).await?;
    let (closing, ended) = (CancellationToken::new(), CancellationToken::new());
    let chats = Arc::new(OwnedChats::new(LockFiles { data: app.data.clone() }));
    let running = Arc::new(OnceLock::new());
    let services = Services {
        runtime: runtime.clone(),
        store: store.clone(),
        memory,
        settings: Arc::new(app.settings().clone()),
        chats: Arc::new(Chats::new(chats.clone(), &app.settings().server)),
        accounts: running.clone(),
        data: app.data.clone(),
        personas: app.layers.persona_directory().unwrap_or_else(|| "personas".into()),
        closing: closing.clone(),
        ended: ended.clone(),
    };
    open_files::raise_limit(app.settings().server.connections);
    let server = Server::bind(args.listen, services).await.map_err(|error| match error {
        ServeError::Store(error) => error.into(),
        other => usage(other.to_string()),
    })?;
    stderr_line!("Greenroom listens on {}", app.err.bold(format!("http://{}", server.address()?)));
    stderr_line!("{}", access_line(server.keys()));
    let within = app.settings().accounts.iter().map(|account| account.stale_after).max().unwrap_or_default();
    let recovered = server.recover(within).await?;
    if let Some(line) = recovered_line(&recovered) {
        stderr_line!("{}", app.err.yellow(line));
    }
    let accounts = Accounts::start(
        AccountsOptions {
            runtime: runtime.clone(),
            store: store.clone(),
            chats,
            default_persona: app.settings().persona.clone(),
        },
        &app.settings().accounts,
    );
    accounts.answer_owed(recovered.unanswered).await;
    show_accounts(app);
    let _ = running.set(accounts.clone());
    let changes = changes(app);
    let serving = tokio::spawn(server.run(ended.clone().cancelled_owned()));
    let discovery = tokio::spawn({
        let (models, style) = (models.clone(), app.err);
        async move { models.keep_asking(|| choices.show(&models, style)).await }
    });
    let stop = follow_changes(changes, &models, &runtime, &mut signals).await;
    discovery.abort();
    if stop == Stop::Interrupt {
        stderr_line!("Finishing running turns; Ctrl-C again leaves at once.");
    }
    // from now on requests are refused and streams end, while running turns have time to finish (S10)
    closing.cancel();
    let orderly = async {
        runtime.shutdown(args.grace).await;
        accounts.shutdown().await;
        ended.cancel();
        let served = serving.await;
        store.close().await;
        served
    };
    tokio::select! {
        served = orderly => served.map(|()| Outcome::Done).map_err(Into::into),
        () = interrupted(&mut signals) => Ok(Outcome::Interrupted),
    }
}

/// Resolves at the next Ctrl-C.
async fn interrupted(signals: &mut Signals) {
    while signals.next().await != Stop::Interrupt {}
}

/// The changes of persona files. If the directory cannot be watched, prints a warning and reports no changes.
fn changes(app: &App) -> watch::Receiver<Arc<Cast>> {
    watch_files(app.layers.clone(), app.cast.clone()).unwrap_or_else(|error| {
        stderr_line!("{}", app.err.yellow(harmless(&error.to_string())));
        // the sender is dropped, so no change is ever reported
        watch::channel(app.cast.clone()).1
    })
}

/// Applies changed files until a signal asks to stop.
async fn follow_changes(
    mut changes: watch::Receiver<Arc<Cast>>,
    models: &Models,
    runtime: &Runtime,
    signals: &mut Signals,
) -> Stop {
    let mut before = changes.borrow().clone();
    loop {
        tokio::select! {
            Ok(()) = changes.changed() => {
                let cast = changes.borrow_and_update().clone();
                log_changes(&before, &cast);
                before = cast.clone();
                models.recast(cast.clone());
                runtime.set_personas(cast.personas.clone()).await;
            }
            stop = signals.next() => return stop,
        }
    }
}

/// Prints the mistakes in files, and members of channels that are not personas.
fn show_problems(cast: &Cast, style: Style) {
    for problem in &cast.problems {
        stderr_line!("{}", style.yellow(one_line(&problem.line(), 300)));
    }
    for (channel, member) in cast.unknown_members() {
        let line = format!(
            "{member}, a member of {channel} by the settings, is no persona; `greenroom doctor` says more"
        );
        stderr_line!("{}", style.yellow(one_line(&line, 300)));
    }
}

/// Logs the effects of changed files: new mistakes, added and removed personas.
fn log_changes(before: &Cast, now: &Cast) {
    let is_new = |problem: &&Diagnostic| !before.problems.contains(problem);
    for problem in now.problems.iter().filter(is_new) {
        let of_persona = now.persona_problems().contains(problem);
        let stays = if of_persona { "; a persona that played before stays as it was" } else { "" };
        tracing::warn!("{}{stays}", one_line(&problem.line(), 300));
    }
    let missing = |from: &Cast, of: &Cast| -> Vec<String> {
        let gone = from.personas.iter().filter(|persona| of.get(&persona.name).is_none());
        gone.map(|persona| persona.name.to_string()).collect()
    };
    for name in missing(now, before) {
        tracing::info!(persona = name, "a persona joins the cast");
    }
    for name in missing(before, now) {
        tracing::info!(persona = name, "a persona leaves the cast: its file is gone");
    }
}

/// Fetches the demonstration model if a persona has no other. The server starts even if this fails, because only
/// answering needs a model.
async fn fetch_if_needed(app: &App, models: &Models) {
    let needed = models.choices().iter().any(|(_, choice)| choice.target == Target::BuiltIn);
    if needed && let Err(error) = fetch_demonstration(app).await {
        stderr_line!("{}", app.err.yellow(format!("{error:#}; until then no persona answers")));
    }
}

/// The lines about the choices of models that were printed last.
#[derive(Default)]
struct ShownChoices(Mutex<Vec<String>>);

impl ShownChoices {
    /// Prints new lines, one for each model.
    fn show(&self, models: &Models, style: Style) {
        let line = |(names, choice): (String, Choice)| {
            // programs look for the first URL in the output, which must be the server's address
            let described = choice.describe().replace("http://", "").replace("https://", "");
            format!("{} · {}", style.bold(names), harmless(&described))
        };
        let lines: Vec<String> = models.choices().into_iter().map(line).collect();
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines.iter().filter(|line| !shown.contains(line)) {
            stderr_line!("{line}");
        }
        *shown = lines;
    }
}

/// A line that tells who may use the server, by the number of keys.
fn access_line(keys: Option<usize>) -> String {
    match keys {
        None => "No key is needed: every program on this machine may do everything. For other people, make keys: \
                 greenroom key create --help"
            .to_owned(),
        Some(0) => "Every key was revoked, so every request is refused. Make a key: greenroom key create --role operator"
            .to_owned(),
        Some(keys) => {
            format!("Every request needs a key; there {} {keys}.", if keys == 1 { "is" } else { "are" })
        }
    }
}

/// Prints which accounts are being connected, and the problems of others.
fn show_accounts(app: &App) {
    let (accounts, style) = (&app.settings().accounts, app.err);
    let names: Vec<_> = accounts.iter().filter(|one| one.enabled).map(|one| one.name.as_str()).collect();
    let what = if names.len() == 1 { "the account" } else { "the accounts" };
    if !names.is_empty() {
        let line = format!("Connecting {what} {}; `greenroom accounts` shows more", names.join(", "));
        stderr_line!("{}", harmless(&line));
    }
    for problem in problems(accounts, &app.cast.names()) {
        stderr_line!("{}", style.yellow(harmless(&problem.to_string())));
    }
}

/// A line about the turns that a crash left unfinished.
fn recovered_line(recovered: &Recovered) -> Option<String> {
    (recovered.turns > 0).then(|| {
        let (turns, owed) = (recovered.turns, recovered.unanswered.len());
        let mut line = format!(
            "The last run ended during {} in {}: marked as interrupted.",
            count(turns, "turn", "turns"),
            count(recovered.channels, "channel", "channels")
        );
        if owed > 0 {
            let owed = count(owed, "message", "messages");
            line.push_str(&format!(" {owed} of chat platforms left unanswered: answered now."));
        }
        if turns > owed {
            line.push_str(" Elsewhere, ask again where an answer is missing.");
        }
        line
    })
}

/// The locks of chats, as files in the data directory.
struct LockFiles {
    data: PathBuf,
}

impl ChatLocks for LockFiles {
    fn lock(&self, channel: &ChannelKey) -> Result<HeldLock, NotLocked> {
        match ChannelLock::take(&self.data, channel) {
            Ok(lock) => Ok(Box::new(lock)),
            Err(error @ LockError::Owned { .. }) => Err(NotLocked::Elsewhere(error.to_string())),
            Err(LockError::Io { source, .. }) if open_files::is_limit(&source) => Err(NotLocked::NoFiles(
                "greenroom has as many open files as this system allows; try again in a moment, or raise the limit \
                 (ulimit -n)"
                    .into(),
            )),
            Err(error) => Err(NotLocked::Broken(error.to_string())),
        }
    }
}
