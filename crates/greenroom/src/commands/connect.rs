//! `greenroom connect`: asks for the data of an account, tests it, and adds it to the settings file (AD5).

use std::{
    fs::OpenOptions,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use greenroom_adapters::{Account, AccountError, usual_variable};
use greenroom_core::{Platform, real_time};
use greenroom_persona::AccountSettings;

use crate::{
    cli::ConnectArgs,
    failure::{Outcome, usage},
    term::harmless,
    wiring::App,
};

/// The time limit for testing an account.
const TRY_TIME: Duration = Duration::from_secs(60);

/// The data that an account of a platform needs.
struct Needs {
    /// The question for the server, with an example; `None` if the platform has only one.
    server: Option<&'static str>,
    /// The question for the channels; `None` if the account is invited to channels.
    channels: Option<&'static str>,
    /// The question for the account's name on the platform.
    user: Option<&'static str>,
    /// The usual environment variable of its secret; `None` if it may have none.
    token_env: Option<&'static str>,
    /// The usual environment variable of a second secret.
    app_token_env: Option<&'static str>,
}

fn needs(platform: Platform) -> Needs {
    let nothing = Needs { server: None, channels: None, user: None, token_env: None, app_token_env: None };
    let token_env = Some(usual_variable(platform));
    match platform {
        Platform::Irc => Needs {
            server: Some("Server, as irc.libera.chat:6697"),
            channels: Some("Channels, as #tea #den"),
            ..nothing
        },
        Platform::Matrix => Needs {
            server: Some("Homeserver, as https://matrix.org"),
            user: Some("Account, as @ada:matrix.org"),
            token_env,
            ..nothing
        },
        Platform::Xmpp => Needs {
            channels: Some("Rooms, as tea@conference.example.org"),
            user: Some("Account, as my-bot@example.org"),
            token_env,
            ..nothing
        },
        Platform::Telegram | Platform::Discord => Needs { token_env, ..nothing },
        Platform::Slack => Needs { token_env, app_token_env: Some("SLACK_APP_TOKEN"), ..nothing },
        Platform::Bridge => Needs {
            server: Some("Address of the bridge, as https://bridge.example.org/greenroom"),
            token_env,
            ..nothing
        },
        // the command line does not offer these platforms
        Platform::Api | Platform::Terminal => nothing,
    }
}

/// Runs the command.
pub async fn run(app: &App, args: ConnectArgs) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    let untried = args.untried;
    let is_named = args.name.is_some();
    let mut settings = asked(app, args)?;
    let known = &app.settings().accounts;
    if is_named && known.iter().any(|known| known.name == settings.name) {
        return Err(usage(format!("there is an account {} already; choose another --name", settings.name)));
    }
    if let Some(same) = known.iter().find(|known| !is_named && is_same(known, &settings)) {
        return Err(usage(format!(
            "the account {0} is the same one; add channels and personas to its section, or give this one a --name \
             if you want to connect it twice",
            same.name
        )));
    }
    settings.name = free_name(&settings.name, known);
    if let Ok(account) = Account::read(&settings)
        && let Some(same) = known
            .iter()
            .filter_map(|known| Account::read(known).ok())
            .find(|it| it.is_same(&account, &app.cast.names()))
    {
        return Err(usage(format!(
            "{} is this account already, by its token, user or nick; add channels and personas to its section",
            same.settings.name
        )));
    }
    for persona in &settings.personas {
        app.names().find(persona.as_str()).map_err(usage)?;
    }
    // check now, because `serve` refuses an account without an adapter
    let adapter = match Account::read(&settings).and_then(|account| account.adapter()) {
        // its secret may be set only where `serve` runs
        Err(AccountError::NotSet { .. }) if untried => None,
        adapter => Some(adapter.map_err(|error| usage(error.to_string()))?),
    };
    if let Some(adapter) = adapter.filter(|_| !untried) {
        stderr_line!("{}", app.err.dim("trying the account …"));
        let tried = async {
            let mut found = adapter.check().await;
            if found.iter().all(|finding| finding.passed) {
                found.extend(adapter.enter().await);
            }
            found
        };
        let found = real_time().timeout(TRY_TIME, tried).await;
        let found = found.map_err(|_| anyhow::anyhow!("the platform did not answer within a minute"))?;
        for finding in &found {
            let mark = if finding.passed { app.err.green("✓") } else { app.err.red("✗") };
            stderr_line!("{mark} {}", harmless(&finding.text));
            if let Some(remedy) = &finding.remedy {
                stderr_line!("  → {}", harmless(remedy));
            }
        }
        if found.iter().any(|finding| !finding.passed) {
            stderr_line!("Nothing was written; --untried adds the account all the same.");
            return Ok(Outcome::Failed);
        }
    }
    let path = app.cast.config.clone().unwrap_or_else(|| PathBuf::from("greenroom.toml"));
    append(&path, &section(&settings))?;
    stderr_line!(
        "{} is in {}; start `greenroom serve`, or restart it if it runs",
        settings.name,
        path.display()
    );
    Ok(Outcome::Done)
}

/// The settings of the account, from the flags and the answers.
fn asked(app: &App, args: ConnectArgs) -> anyhow::Result<AccountSettings> {
    let needs = needs(args.platform);
    let ask = |question: Option<&str>, given: Option<String>, flag: &str| match (question, given) {
        (Some(question), None) => answer(app, question, flag).map(Some),
        (_, given) => Ok(given),
    };
    let server = ask(needs.server, args.server, "--server")?;
    let user = ask(needs.user, args.user, "--user")?;
    let channels = match needs.channels.filter(|_| args.channels.is_empty()) {
        Some(question) => answer(app, question, "--channel")?.split_whitespace().map(str::to_owned).collect(),
        None => args.channels,
    };
    let name = args.name.unwrap_or_else(|| usual_name(args.platform, server.as_deref()));
    let usual = |given: Option<String>, usual: Option<&str>| given.or_else(|| usual.map(str::to_owned));
    Ok(AccountSettings {
        name,
        platform: args.platform,
        server,
        user,
        channels,
        personas: args.on_it,
        tls: !args.no_tls,
        ca_file: args.ca_file.map(std::path::absolute).transpose()?,
        token_env: usual(args.token_env, needs.token_env),
        app_token_env: usual(args.app_token_env, needs.app_token_env),
        ..AccountSettings::default()
    })
}

fn answer(app: &App, question: &str, flag: &str) -> anyhow::Result<String> {
    if !io::stdin().is_terminal() {
        return Err(usage(format!("{flag} is missing ({question})")));
    }
    stderr_text!("{}: ", app.err.bold(question));
    io::stderr().flush()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    match line.trim() {
        "" => Err(usage(format!("{flag} is missing ({question})"))),
        answer => Ok(answer.to_owned()),
    }
}

/// Whether two accounts are the same account on the platform.
fn is_same(one: &AccountSettings, other: &AccountSettings) -> bool {
    let of = |account: &AccountSettings| {
        let AccountSettings { platform, server, user, token_env, token_file, .. } = account;
        (*platform, server.clone(), user.clone(), token_env.clone(), token_file.clone())
    };
    of(one) == of(other)
}

/// The name; with a number appended if another account has it.
fn free_name(name: &str, known: &[AccountSettings]) -> String {
    let is_free = |name: &String| known.iter().all(|known| known.name != *name);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// `libera` for `irc.libera.chat:6697`; the platform's name if there is no server, or a local one.
fn usual_name(platform: Platform, server: Option<&str>) -> String {
    let host = server.map(|server| server.split_once("://").map_or(server, |(_, rest)| rest));
    let host = host.and_then(|host| host.split([':', '/']).next()).unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let label = match labels[..] {
        [.., name, _] if !host.bytes().all(|b| b.is_ascii_digit() || b == b'.') => name,
        [only] if !matches!(only, "" | "localhost") => only,
        _ => platform.as_str(),
    };
    let name: String =
        label.to_lowercase().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(32).collect();
    if name.is_empty() { platform.to_string() } else { name }
}

/// The section for the settings file. It contains no secrets.
fn section(settings: &AccountSettings) -> String {
    let text = |value: &str| toml_text(value);
    let list = |values: Vec<String>| {
        format!("[{}]", values.iter().map(|value| text(value)).collect::<Vec<_>>().join(", "))
    };
    let mut lines = vec![
        "[[accounts]]".to_owned(),
        format!("name = {}", text(&settings.name)),
        format!("platform = {}", text(settings.platform.as_str())),
    ];
    let mut add =
        |key: &str, value: Option<String>| lines.extend(value.map(|value| format!("{key} = {value}")));
    add("server", settings.server.as_deref().map(text));
    add("tls", (!settings.tls).then(|| "false".to_owned()));
    add("ca_file", settings.ca_file.as_ref().map(|path| text(&path.to_string_lossy())));
    add("user", settings.user.as_deref().map(text));
    add("channels", (!settings.channels.is_empty()).then(|| list(settings.channels.clone())));
    let personas: Vec<String> = settings.personas.iter().map(ToString::to_string).collect();
    add("personas", (!personas.is_empty()).then(|| list(personas)));
    add("token_env", settings.token_env.as_deref().map(text));
    add("app_token_env", settings.app_token_env.as_deref().map(text));
    lines.join("\n") + "\n"
}

/// A basic string of TOML.
fn toml_text(value: &str) -> String {
    let mut out = String::from('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn append(path: &Path, section: &str) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let mut file = OpenOptions::new().create(true).append(true).open(path).with_context(cannot)?;
    let gap = if file.metadata().with_context(cannot)?.len() > 0 { "\n" } else { "" };
    file.write_all(format!("{gap}{section}").as_bytes()).with_context(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad5_an_account_is_called_by_its_server() {
        for (server, name) in [
            (Some("irc.libera.chat:6697"), "libera"),
            (Some("localhost:6667"), "irc"),
            (Some("chat:6667"), "chat"),
            (Some("127.0.0.1:6667"), "irc"),
            (Some("https://matrix.org/"), "matrix"),
            (None, "irc"),
        ] {
            assert_eq!(usual_name(Platform::Irc, server), name);
        }
    }

    #[test]
    fn ad5_a_second_account_gets_a_name_of_its_own() {
        let named = |name: &str| AccountSettings { name: name.into(), ..AccountSettings::default() };
        assert_eq!(free_name("irc", &[]), "irc");
        assert_eq!(free_name("irc", &[named("matrix")]), "irc");
        assert_eq!(free_name("irc", &[named("irc"), named("irc-2")]), "irc-3");
        let one = AccountSettings { server: Some("localhost:6667".into()), ..named("irc") };
        assert!(is_same(&one, &AccountSettings { channels: vec!["#tea".into()], ..one.clone() }));
        assert!(!is_same(&one, &AccountSettings { server: Some("localhost:6668".into()), ..one.clone() }));
    }

    #[test]
    fn ad5_the_section_holds_what_was_asked_and_no_secret() {
        let settings = AccountSettings {
            name: "libera".into(),
            server: Some("irc.libera.chat".into()),
            channels: vec!["#tea".into(), "#a\"b".into()],
            personas: vec!["ada".parse().unwrap()],
            token_env: Some("IRC_PASSWORD".into()),
            ..AccountSettings::default()
        };
        insta::assert_snapshot!(section(&settings), @r##"
        [[accounts]]
        name = "libera"
        platform = "irc"
        server = "irc.libera.chat"
        channels = ["#tea", "#a\"b"]
        personas = ["ada"]
        token_env = "IRC_PASSWORD"
        "##);
    }
}
