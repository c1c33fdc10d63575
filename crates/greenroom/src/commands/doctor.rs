//! `greenroom doctor`: checks the installation and prints remedies.

mod model;

use std::{
    collections::{BTreeSet, HashMap},
    io::Write,
    time::Duration,
};

use greenroom_adapters::{Account, problems, stored_status};
use greenroom_core::{ChannelKey, Platform, TurnId, real_time};
use greenroom_persona::{Diagnostic, EmbedderKind};
use greenroom_store::{DeadLetter, Health};
use serde::Serialize;

use self::model::models;
use crate::{
    failure::Outcome,
    term::{Style, count, harmless, print_json},
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
            stderr_line!(
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
    found(models(app, waiting).await)?;
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

/// Each account: its settings, its secret, and the answer of the platform (AD5).
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
        // already named above as a duplicate, which does not run
        if tried.iter().any(|tried| tried.is_same(&account, &cast)) {
            continue;
        }
        tried.push(account);
        let name = &settings.name;
        match real_time().timeout(ACCOUNT_TIMEOUT, adapter.check()).await {
            Ok(found) => {
                let user = found.iter().find_map(|finding| finding.as_user.clone());
                let same = user.and_then(|user| users.insert((settings.platform, user), name));
                findings.extend(found.into_iter().map(|finding| match finding.passed {
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
    findings.extend(obstacles(app).await);
    findings
}

/// The obstacles of running accounts in their chats.
async fn obstacles(app: &App) -> Vec<Finding> {
    let settings = &app.settings().accounts;
    let status = app.with_store(async |store| Ok(stored_status(&**store, settings).await?)).await;
    // the check of the store reports why it cannot be read
    let running =
        status.unwrap_or_default().into_iter().filter(|one| super::accounts::is_running(app, &one.name));
    let findings = running.flat_map(|account| {
        super::accounts::obstacles(&account, app.now()).into_iter().map(move |(what, remedy)| {
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
            store.check_integrity().await?;
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
    let unknown: Vec<String> =
        app.cast.unknown_members().map(|(channel, member)| format!("`{member}` in {channel}")).collect();
    let unlearned: Vec<&str> = app.unlearned().map(|persona| persona.name.as_str()).collect();
    match known.problems.len() {
        0 if !unlearned.is_empty() => Finding::warning(
            "personas",
            format!("an import ended before {} knew all of its file", unlearned.join(", ")),
            "the next start of `greenroom chat` or `greenroom serve` does the rest",
        ),
        0 if !unknown.is_empty() => Finding::warning(
            "personas",
            format!("no persona has the name of these members of channels: {}", unknown.join(", ")),
            format!("correct `members` in greenroom.toml, or write their files; there are {names}"),
        ),
        0 => Finding::ok("personas", names),
        problems => {
            let problems = count(problems, "problem", "problems");
            let finding = Finding::failed("personas", format!("{names}; {problems} in files"));
            Finding { remedy: Some("`greenroom persona check` shows them".into()), ..finding }
        }
    }
}
