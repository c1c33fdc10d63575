//! `greenroom models`: lists and fetches the weights that can run in this program.

use std::{io::Write, sync::Mutex};

use anyhow::Context;
use greenroom_models::{Progress, Weights};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::{
    cli::ModelsCommand,
    failure::{Outcome, usage},
    model_choice::BUILT_IN_MODEL,
    term::{Style, print_json, size, table},
    wiring::App,
};

/// Runs the command.
pub async fn run(app: &App, command: ModelsCommand) -> anyhow::Result<Outcome> {
    let weights = app.weights();
    match command {
        ModelsCommand::List(format) => list(&weights, format.json),
        ModelsCommand::Pull { name } => {
            if !weights.list().iter().any(|(entry, _)| entry.name == name) {
                let known: Vec<_> = weights.list().iter().map(|(entry, _)| entry.name).collect();
                return Err(usage(format!(
                    "there is no model `{name}` to pull; there are {}",
                    known.join(", ")
                )));
            }
            if weights.installed(&name).is_some() {
                stderr_line!("{name} is installed already");
                return Ok(Outcome::Done);
            }
            pull(&weights, &name, app.err).await?;
            Ok(Outcome::Done)
        }
    }
}

fn list(weights: &Weights, as_json: bool) -> anyhow::Result<Outcome> {
    let mut out = std::io::stdout();
    let models = weights.list();
    if as_json {
        let rows: Vec<_> = models
            .iter()
            .map(|(entry, installed)| {
                json!({
                    "name": entry.name,
                    "about": entry.about,
                    "licence": entry.licence,
                    "download_bytes": entry.bytes(),
                    "installed": installed.is_some(),
                    "directory": installed.as_ref().map(|installed| installed.dir.display().to_string()),
                })
            })
            .collect();
        print_json(&rows)?;
        return Ok(Outcome::Done);
    }
    let rows: Vec<_> = models
        .iter()
        .map(|(entry, installed)| {
            let state = if installed.is_some() { "yes" } else { "no" };
            let size = size(entry.bytes());
            vec![entry.name.into(), size, entry.licence.into(), state.into(), entry.about.into()]
        })
        .collect();
    write!(out, "{}", table(&["NAME", "DOWNLOAD", "LICENCE", "INSTALLED", "WHAT IT IS"], &rows))?;
    Ok(Outcome::Done)
}

/// Fetches the demonstration model, which is the default without other settings, unless it is installed. Prints the
/// reason and the progress.
pub async fn fetch_demonstration(app: &App) -> anyhow::Result<()> {
    let weights = app.weights();
    if weights.installed(BUILT_IN_MODEL).is_some() {
        return Ok(());
    }
    let entry = weights.list().into_iter().find(|(entry, _)| entry.name == BUILT_IN_MODEL);
    stderr_line!(
        "The built-in demonstration model ({}) is fetched once. For a real model set OPENAI_API_KEY, start \
         Ollama, or give --base-url URL.",
        size(entry.map_or(0, |(entry, _)| entry.bytes()))
    );
    pull(&weights, BUILT_IN_MODEL, app.err).await
}

/// Fetches a model and shows the progress.
pub async fn pull(weights: &Weights, name: &str, style: Style) -> anyhow::Result<()> {
    let shown = DownloadProgress::new(style);
    let pulled = weights.pull(name, &shown).await.with_context(|| format!("could not install {name}"));
    shown.end();
    let installed = pulled?;
    stderr_line!("{name} is installed in {}", installed.dir.display());
    Ok(())
}

/// A progress bar on a terminal, one line per step elsewhere.
struct DownloadProgress {
    style: Style,
    bar: Mutex<Option<ProgressBar>>,
}

impl DownloadProgress {
    fn new(style: Style) -> Self {
        Self { style, bar: Mutex::new(None) }
    }

    fn replace(&self, bar: Option<ProgressBar>) {
        let mut now = self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(old) = std::mem::replace(&mut *now, bar) {
            old.finish_and_clear();
        }
    }

    fn end(&self) {
        self.replace(None);
    }
}

impl Progress for DownloadProgress {
    fn step(&self, what: &str) {
        if !self.style.terminal {
            stderr_line!("{what}");
            return;
        }
        let bar = ProgressBar::new(0).with_message(what.to_owned());
        if let Ok(style) = ProgressStyle::with_template(
            "{msg} {wide_bar} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta}",
        ) {
            bar.set_style(style);
        }
        self.replace(Some(bar));
    }

    fn at(&self, done: u64, total: u64) {
        let bar = self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(bar) = &*bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}
