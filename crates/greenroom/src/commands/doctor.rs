//! `greenroom doctor`: is everything in order, and what to do where it is not.

use std::{io::Write, time::Duration};

use greenroom_models::ModelError;
use greenroom_persona::{Diagnostic, EmbedderKind};
use serde::Serialize;

use crate::{
    choose::Target,
    failure::Outcome,
    probe,
    term::{Style, count, harmless, size},
    wiring::App,
};

/// How long an endpoint may take to list its models.
const LIST: Duration = Duration::from_secs(5);
/// How long an embedder may take for two words; one in this process may have to be loaded first.
const EMBEDDER_PATIENCE: Duration = Duration::from_secs(10);

/// How one check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Warning,
    Failed,
}

/// One check.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    state: State,
    /// What there is.
    message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, state: State::Ok, message: message.into(), remedy: None }
    }
    fn warning(check: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, state: State::Warning, message: message.into(), remedy: Some(remedy.into()) }
    }
    /// An error whose own words say what to do.
    fn failed(check: &'static str, error: impl std::fmt::Display) -> Self {
        Self { check, state: State::Failed, message: error.to_string(), remedy: None }
    }
}

/// Runs the command.
pub async fn run(app: &App, as_json: bool) -> anyhow::Result<Outcome> {
    let mut findings = vec![settings(app), store(app).await, embedder(app).await, model(app).await];
    findings.push(personas(app));
    let mut out = std::io::stdout();
    if as_json {
        writeln!(out, "{}", serde_json::to_string_pretty(&findings)?)?;
    } else {
        for finding in &findings {
            writeln!(out, "{}", line(finding, app.out))?;
        }
    }
    let failed = findings.iter().any(|finding| finding.state == State::Failed);
    Ok(if failed { Outcome::Failed } else { Outcome::Done })
}

fn line(finding: &Finding, style: Style) -> String {
    let mark = match finding.state {
        State::Ok => style.green("✓"),
        State::Warning => style.yellow("!"),
        State::Failed => style.red("✗"),
    };
    // what follows stands below the first line's text
    let below = format!("\n{:12}", "");
    let remedy = finding.remedy.as_ref().map(|remedy| format!("\n→ {remedy}")).unwrap_or_default();
    let text = format!("{}{remedy}", finding.message);
    format!("{mark} {:9} {}", finding.check, harmless(&text).replace('\n', &below))
}

fn settings(app: &App) -> Finding {
    let problems: Vec<String> = app.cast.settings_problems().iter().map(Diagnostic::line).collect();
    match &app.cast.config {
        _ if !problems.is_empty() => Finding::failed("settings", problems.join("\n")),
        Some(file) => Finding::ok("settings", file.display().to_string()),
        None => Finding::ok("settings", "no settings file; the defaults hold"),
    }
}

/// An endpoint is asked only where it is certain which one is meant (X5).
fn not_asked(check: &'static str) -> Finding {
    Finding::warning(check, "not asked: the settings are wrong", "put the settings right first")
}

async fn store(app: &App) -> Finding {
    let opened = match app.store().await {
        Ok(store) => {
            let health = store.health().await;
            store.close().await;
            health
        }
        Err(error) => Err(error),
    };
    match opened {
        Err(error) => Finding::failed("store", error),
        Ok(health) => {
            let message = format!(
                "{} ({}): {}, {}",
                health.location,
                health.engine,
                count(health.messages, "message", "messages"),
                count(health.memories, "memory", "memories")
            );
            if health.writable {
                Finding::ok("store", message)
            } else {
                let finding = Finding::failed("store", format!("{message}; nothing can be written"));
                Finding {
                    remedy: Some("check the permissions of the file and its directory".into()),
                    ..finding
                }
            }
        }
    }
}

async fn embedder(app: &App) -> Finding {
    if !app.cast.settings_problems().is_empty() && app.settings().embedder.kind == EmbedderKind::OpenAi {
        return not_asked("embedder");
    }
    let embedder = match app.embedder().await {
        Ok(Some(embedder)) => embedder,
        Ok(None) => {
            return Finding::warning(
                "embedder",
                "none: nothing is recalled by meaning",
                "set embedder.kind = \"static\" in greenroom.toml",
            );
        }
        Err(error) => return Finding::failed("embedder", format!("{error:#}")),
    };
    let words = ["good morning".to_owned()];
    let Ok(embedded) = tokio::time::timeout(EMBEDDER_PATIENCE, embedder.embed(&words)).await else {
        let what = format!("{} did not answer within {EMBEDDER_PATIENCE:?}", embedder.model());
        return Finding::failed(
            "embedder",
            format!("{what}; check embedder.base_url, or set embedder.kind = \"static\""),
        );
    };
    match embedded {
        Ok(_) => {
            Finding::ok("embedder", format!("{}, {} dimensions", embedder.model(), embedder.dimension()))
        }
        Err(error) => Finding::failed("embedder", error),
    }
}

/// The model of the persona that answers when none is named.
async fn model(app: &App) -> Finding {
    if !app.cast.settings_problems().is_empty() {
        return not_asked("model");
    }
    let models = app.models();
    let choice = models.prepare(&app.settings().persona).await;
    let described = choice.describe();
    let Target::Url(url) = &choice.target else {
        return if models.demonstration_is_installed() {
            Finding::warning(
                "model",
                described,
                "it is a demonstration; for a real model set OPENAI_API_KEY, start Ollama, or set model.base_url",
            )
        } else {
            let bytes = app
                .weights()
                .list()
                .iter()
                .find(|(entry, _)| entry.name == choice.model)
                .map_or(0, |(entry, _)| entry.files.iter().map(|file| file.bytes).sum());
            Finding::warning(
                "model",
                format!("{described}; not installed yet"),
                format!(
                    "`greenroom models pull {}` fetches it ({}); the first chat does so too",
                    choice.model,
                    size(bytes)
                ),
            )
        };
    };
    let key = app.settings().key_for(url).map(|key| key.expose());
    let withheld = app.settings().withheld(url);
    let finding = match probe::models_of(url, key, LIST).await {
        Ok(listed) if listed.is_empty() || listed.contains(&choice.model) => Finding::ok("model", described),
        Ok(_) => Finding::warning(
            "model",
            format!("{described}; the endpoint does not list it"),
            "choose one of its models with --model or model.name",
        ),
        Err(ModelError::Broken { .. } | ModelError::Rejected { .. } | ModelError::UnknownModel { .. }) => {
            Finding::warning(
                "model",
                format!("{described}; the endpoint does not list its models"),
                "say something to it: greenroom chat \"hello there\"",
            )
        }
        Err(error) => Finding::failed("model", error),
    };
    let remedies: Vec<String> = finding.remedy.into_iter().chain(withheld).collect();
    Finding { remedy: (!remedies.is_empty()).then(|| remedies.join("; ")), ..finding }
}

fn personas(app: &App) -> Finding {
    let known = app.names();
    let names = known.there.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let chosen = &app.settings().persona;
    if let Some(problems) = known.problems_of(chosen.as_str()) {
        return Finding::failed("personas", problems);
    }
    if app.cast.get(chosen).is_none() {
        let finding =
            Finding::failed("personas", format!("there is no persona `{chosen}`; there are {names}"));
        return Finding { remedy: Some("set persona in greenroom.toml to one of them".into()), ..finding };
    }
    match known.problems.len() {
        0 => Finding::ok("personas", names),
        problems => {
            let problems = count(problems, "problem", "problems");
            let finding = Finding::failed("personas", format!("{names}; {problems} in files"));
            Finding { remedy: Some("`greenroom persona check` shows them".into()), ..finding }
        }
    }
}
