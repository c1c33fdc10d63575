//! `greenroom doctor`: checks the installation and prints remedies.

use std::{
    collections::{BTreeSet, HashMap},
    io::Write,
    time::Duration,
};

use greenroom_adapters::{Account, problems, stored_status};
use greenroom_core::{ChannelKey, Platform, TurnId, real_time};
use greenroom_models::ModelError;
use greenroom_persona::{Diagnostic, EmbedderKind};
use greenroom_runtime::{Answering, ModelSource};
use greenroom_store::{DeadLetter, Health};
use serde::Serialize;

use crate::{
    failure::Outcome,
    model_choice::{BUILT_IN_MODEL, Target, shown},
    probe,
    term::{Style, count, harmless, print_json, size},
    wiring::{App, Embedding},
};

/// The time limit for embedding two words; an embedder in this process may have to be loaded first.
const EMBEDDER_TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit for the check of an account.
const ACCOUNT_TIMEOUT: Duration = Duration::from_secs(45);

/// The largest number of dead letters that is counted.
const DEAD_LETTERS: usize = 1_000;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CheckState {
    Ok,
    Warning,
    Failed,
}

/// One check.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    state: CheckState,
    /// What the check found.
    message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, state: CheckState::Ok, message: message.into(), remedy: None }
    }
    fn warning(check: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, state: CheckState::Warning, message: message.into(), remedy: Some(remedy.into()) }
    }
    /// A failed check whose error already contains the remedy.
    fn failed(check: &'static str, error: impl std::fmt::Display) -> Self {
        Self { check, state: CheckState::Failed, message: error.to_string(), remedy: None }
    }
}

/// Runs the command.
pub async fn run(app: &App, as_json: bool) -> anyhow::Result<Outcome> {
    let mut findings = Vec::new();
    // prints each finding at once, because an unreachable endpoint delays the next one
    let mut found = |new: Vec<Finding>| -> anyhow::Result<()> {
        if !as_json {
            new.iter().try_for_each(|finding| writeln!(std::io::stdout(), "{}", line(finding, app.out)))?;
        }
        findings.extend(new);
        Ok(())
    };
    let waiting = |what: &str, limit: Duration| {
        if !as_json {
            eprintln!(
                "{}",
                app.err.dim(harmless(&format!("asking {what}, at most {} s …", limit.as_secs())))
            );
        }
    };
    found(vec![settings(app)])?;
    found(store(app).await)?;
    if app.settings().embedder.kind == EmbedderKind::OpenAi {
        waiting("the embedder for a vector", EMBEDDER_TIMEOUT);
    }
    found(vec![embedder(app).await])?;
    found(vec![model(app, waiting).await])?;
    found(vec![personas(app)])?;
    if !app.settings().accounts.is_empty() {
        waiting("each account's platform", ACCOUNT_TIMEOUT);
    }
    found(accounts(app).await)?;
    if as_json {
        print_json(&findings)?;
    }
    let failed = findings.iter().any(|finding| finding.state == CheckState::Failed);
    Ok(if failed { Outcome::Failed } else { Outcome::Done })
}

fn line(finding: &Finding, style: Style) -> String {
    let mark = match finding.state {
        CheckState::Ok => style.green("✓"),
        CheckState::Warning => style.yellow("!"),
        CheckState::Failed => style.red("✗"),
    };
    // further lines are aligned with the first line's text
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

/// Each account: its settings, its secret, and what the platform says of it (AD5).
async fn accounts(app: &App) -> Vec<Finding> {
    let accounts = &app.settings().accounts;
    let cast = app.cast.names();
    let mut findings: Vec<_> =
        problems(accounts, &cast).iter().map(|error| Finding::failed("accounts", error)).collect();
    let mut tried: Vec<Account> = Vec::new();
    let mut users: HashMap<(Platform, String), &str> = HashMap::new();
    for settings in accounts.iter().filter(|account| account.enabled) {
        let Ok(account) = Account::read(settings) else { continue };
        let Ok(adapter) = account.adapter() else { continue };
        // it is named above, and does not run
        if tried.iter().any(|tried| tried.is_same(&account, &cast)) {
            continue;
        }
        tried.push(account);
        let name = &settings.name;
        match real_time().timeout(ACCOUNT_TIMEOUT, adapter.check()).await {
            Ok(found) => {
                let user = found.iter().find_map(|finding| finding.as_user.clone());
                let same = user.and_then(|user| users.insert((settings.platform, user), name));
                findings.extend(found.into_iter().map(|finding| match finding.ok {
                    true => Finding::ok("accounts", format!("{name}: {}", finding.text)),
                    false => Finding {
                        check: "accounts",
                        state: CheckState::Failed,
                        message: format!("{name}: {}", finding.text),
                        remedy: finding.remedy,
                    },
                }));
                findings.extend(same.map(|same| Finding {
                    remedy: Some(
                        "remove one of them, and put its channels and personas into the other".into(),
                    ),
                    ..Finding::failed(
                        "accounts",
                        format!("{name} is the same account as {same} on the platform"),
                    )
                }));
            }
            Err(_) => findings.push(Finding::warning(
                "accounts",
                format!("{name}: no answer within {} s", ACCOUNT_TIMEOUT.as_secs()),
                "check the network and the platform's status page",
            )),
        }
    }
    findings.extend(hindrances(app).await);
    findings
}

/// What keeps accounts that run from their chats.
async fn hindrances(app: &App) -> Vec<Finding> {
    let settings = &app.settings().accounts;
    let status = app.with_store(async |store| Ok(stored_status(&**store, settings).await?)).await;
    // the check of the store says why it cannot be read
    let running =
        status.unwrap_or_default().into_iter().filter(|one| super::accounts::is_running(app, &one.name));
    let findings = running.flat_map(|account| {
        super::accounts::hindrances(&account, app.now()).into_iter().map(move |(what, remedy)| {
            Finding::warning("accounts", format!("{}: {what}", account.name), remedy)
        })
    });
    findings.collect()
}

/// With invalid settings no endpoint is asked, because it may be the wrong one (X5).
fn not_asked(check: &'static str) -> Finding {
    Finding::warning(check, "not asked: the settings are wrong", "put the settings right first")
}

async fn store(app: &App) -> Vec<Finding> {
    let found = app
        .with_store(async |store| {
            Ok(tokio::try_join!(store.health(), store.stray_turns(), store.dead_letters(DEAD_LETTERS))?)
        })
        .await;
    let (health, stray, dead) = match found {
        Ok(found) => found,
        Err(error) => return vec![Finding::failed("store", format!("{error:#}"))],
    };
    let message = format!(
        "{} ({}): {}, {}",
        health.location,
        health.engine,
        count(health.messages, "message", "messages"),
        count(health.memories, "memory", "memories")
    );
    let message = match health.postponed {
        0 => message,
        some => format!("{message}; {} to be captured", count(some, "exchange waits", "exchanges wait")),
    };
    let store = if !stray.is_empty() {
        stray_turns(&health, &stray)
    } else if health.writable {
        Finding::ok("store", message)
    } else {
        let finding = Finding::failed("store", format!("{message}; nothing can be written"));
        Finding { remedy: Some("check the permissions of the file and its directory".into()), ..finding }
    };
    let mut findings = vec![store];
    findings.extend(dead_letters(&dead));
    findings
}

/// Messages for which every turn crashed (S8).
fn dead_letters(dead: &[DeadLetter]) -> Option<Finding> {
    let newest = dead.first()?;
    let more = if dead.len() == DEAD_LETTERS { " or more" } else { "" };
    Some(Finding::warning(
        "messages",
        format!(
            "{}{more} broke every turn; no persona answers them any more; the newest is {} in {}, to {}: {}",
            count(dead.len() as u64, "message", "messages"),
            newest.message.id,
            newest.message.channel,
            newest.persona,
            newest.why,
        ),
        "list them with GET /api/dead-letters of the server, and retry or dismiss each of them there",
    ))
}

/// Turns stored in another channel than the message they answer (finding A1).
fn stray_turns(health: &Health, stray: &[(TurnId, ChannelKey)]) -> Finding {
    let channels: BTreeSet<&ChannelKey> = stray.iter().map(|(_, channel)| channel).collect();
    let named: Vec<String> = channels.iter().take(5).map(ToString::to_string).collect();
    let more = if channels.len() > 5 { " and others" } else { "" };
    let finding = Finding::failed(
        "store",
        format!(
            "{}: {} with a message of another channel, in {}{more}",
            health.location,
            count(stray.len() as u64, "turn", "turns"),
            named.join(", "),
        ),
    );
    let remedy = "an unreleased version wrote them; erase each of those channels with \
                  `greenroom memory forget --whole-channel --channel CHANNEL`, or restore a backup";
    Finding { remedy: Some(remedy.into()), ..finding }
}

async fn embedder(app: &App) -> Finding {
    if !app.cast.settings_problems().is_empty() && app.settings().embedder.kind == EmbedderKind::OpenAi {
        return not_asked("embedder");
    }
    let embedder = match app.embedder().await {
        Ok(Embedding::Ready(embedder)) => embedder,
        Ok(Embedding::Away { why, .. }) => {
            return Finding::failed(
                "embedder",
                format!("{why}; check embedder.base_url, or set embedder.kind = \"static\""),
            );
        }
        Ok(Embedding::None) => {
            return Finding::warning(
                "embedder",
                "none: nothing is recalled by meaning",
                "set embedder.kind = \"static\" in greenroom.toml",
            );
        }
        Err(error) => return Finding::failed("embedder", format!("{error:#}")),
    };
    let words = ["good morning".to_owned()];
    let Ok(embedded) = real_time().timeout(EMBEDDER_TIMEOUT, embedder.embed(&words)).await else {
        let what = format!("{} did not answer within {EMBEDDER_TIMEOUT:?}", embedder.model());
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

/// The model of the default persona.
async fn model(app: &App, waiting: impl Fn(&str, Duration)) -> Finding {
    if !app.cast.settings_problems().is_empty() {
        return not_asked("model");
    }
    let models = app.models();
    let persona = &app.settings().persona;
    let list = async |url: &str| {
        let key = app.settings().key_for(url).map(|key| key.expose());
        probe::models_of(url, key, probe::LIST_TIMEOUT).await
    };
    // the choice below asks the endpoint of the settings too, so both run concurrently
    let configured = match models.choice(persona).target {
        Target::Url(url) => Some(url),
        Target::BuiltIn => None,
    };
    if let Some(url) = &configured {
        waiting(&format!("{} for its models", shown(url)), probe::LIST_TIMEOUT);
    }
    let listed = async {
        match &configured {
            Some(url) => Some(list(url).await),
            None => None,
        }
    };
    let (choice, listed) = tokio::join!(models.prepare(persona), listed);
    let described = format!("{} · {}", persona, choice.describe());
    let Target::Url(url) = &choice.target else { return demonstration(app, described) };
    let described = match app.cast.get(persona).and_then(|persona| models.answering(persona)) {
        Some(Answering { window: Some(window), counter: Some(counter), exact, .. }) => {
            let how = if exact { "counted" } else { "estimated" };
            format!("{described}\nits window holds {window} tokens, {how} by {counter}")
        }
        _ => described,
    };
    let withheld = app.settings().withheld(url);
    let listed = match listed.filter(|_| configured.as_ref() == Some(url)) {
        Some(listed) => listed,
        None => list(url).await,
    };
    let model = choice.model();
    let finding = match (listed, model) {
        (Ok(_), None) => {
            let finding = Finding::failed("model", described);
            Finding {
                remedy: Some("load a model there, or name one with --model or model.name".into()),
                ..finding
            }
        }
        (Ok(listed), Some(model)) if listed.is_empty() || listed.iter().any(|known| known.id == model) => {
            Finding::ok("model", described)
        }
        (Ok(_), Some(_)) => Finding::warning(
            "model",
            format!("{described}\nthe endpoint does not list it"),
            "choose one of its models with --model or model.name",
        ),
        (
            Err(ModelError::Broken { .. } | ModelError::Rejected { .. } | ModelError::UnknownModel { .. }),
            Some(_),
        ) => Finding::warning(
            "model",
            format!("{described}\nthe endpoint does not list its models"),
            "say something to it: greenroom chat \"hello there\"",
        ),
        (Err(error), Some(_)) => Finding::failed("model", error),
        (Err(error), None) => Finding {
            remedy: Some("or name a model with --model or model.name".into()),
            ..Finding::failed("model", error)
        },
    };
    let remedies: Vec<String> = finding.remedy.into_iter().chain(withheld).collect();
    Finding { remedy: (!remedies.is_empty()).then(|| remedies.join("; ")), ..finding }
}

/// The finding for the demonstration model.
fn demonstration(app: &App, described: String) -> Finding {
    let entry = app.weights().list().into_iter().find(|(entry, _)| entry.name == BUILT_IN_MODEL);
    match entry {
        Some((entry, None)) => Finding::warning(
            "model",
            format!("{described}; not installed yet"),
            format!(
                "`greenroom models pull {BUILT_IN_MODEL}` fetches it ({}); the first chat and the server do so \
                 too",
                size(entry.bytes())
            ),
        ),
        _ => Finding::warning(
            "model",
            described,
            "it is a demonstration; for a real model set OPENAI_API_KEY, start Ollama, or set model.base_url",
        ),
    }
}

fn personas(app: &App) -> Finding {
    let known = app.names();
    let names = known.known.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(", ");
    let chosen = &app.settings().persona;
    if let Some(problems) = known.problems_of(chosen.as_str()) {
        return Finding::failed("personas", problems);
    }
    if app.cast.get(chosen).is_none() {
        let finding =
            Finding::failed("personas", format!("there is no persona `{chosen}`; there are {names}"));
        return Finding { remedy: Some("set persona in greenroom.toml to one of them".into()), ..finding };
    }
    let unlearned: Vec<&str> = app.unlearned().map(|persona| persona.name.as_str()).collect();
    match known.problems.len() {
        0 if !unlearned.is_empty() => Finding::warning(
            "personas",
            format!("an import ended before {} knew all of its file", unlearned.join(", ")),
            "the next start of `greenroom chat` or `greenroom serve` does the rest",
        ),
        0 => Finding::ok("personas", names),
        problems => {
            let problems = count(problems, "problem", "problems");
            let finding = Finding::failed("personas", format!("{names}; {problems} in files"));
            Finding { remedy: Some("`greenroom persona check` shows them".into()), ..finding }
        }
    }
}
