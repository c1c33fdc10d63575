//! `greenroom accounts`: the accounts on chat platforms, and the replies that they could not deliver (AD8).

use std::io::Write;

use greenroom_adapters::{AccountState, AccountStatus, stored_status};
use greenroom_core::ChannelKey;
use greenroom_store::DeliveryStep;

use crate::{
    cli::{AccountsArgs, AccountsCommand},
    failure::{Outcome, usage},
    lock::ChannelLock,
    term::{count, harmless, one_line, print_json},
    wiring::App,
};

/// Runs the command.
pub async fn run(app: &App, args: AccountsArgs) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    if args.json && args.command.is_some() {
        return Err(usage("--json is of the list of accounts; leave it out here"));
    }
    app.with_store(async |store| {
        let (delivery, step, text) = match args.command {
            None => return list(app, stored_status(&**store, &app.settings().accounts).await?, args.json),
            Some(AccountsCommand::Link { one, other }) => {
                store.link(&one, &other).await?;
                let others: Vec<_> = store.linked(&one).await?.iter().map(ToString::to_string).collect();
                eprintln!("{one} is one person with {}", one_line(&others.join(", "), 200));
                return Ok(Outcome::Done);
            }
            Some(AccountsCommand::Unlink { account }) => {
                return match store.unlink(&account).await? {
                    true => Ok(Outcome::Done),
                    false => Err(usage(format!("{account} is linked with no other account"))),
                };
            }
            Some(AccountsCommand::Resend { delivery }) => {
                (delivery, DeliveryStep::Resend, "is sent again: by `greenroom serve`, within a minute")
            }
            Some(AccountsCommand::Drop { delivery }) => (delivery, DeliveryStep::Drop, "is given up"),
        };
        if !store.step_delivery(delivery, step, app.now()).await? {
            return Err(usage(format!(
                "{delivery} is neither uncertain nor given up; `greenroom accounts` lists those that are"
            )));
        }
        eprintln!("{}", app.err.dim(format!("{delivery} {text}")));
        Ok(Outcome::Done)
    })
    .await
}

fn list(app: &App, mut accounts: Vec<AccountStatus>, as_json: bool) -> anyhow::Result<Outcome> {
    for account in accounts.iter_mut().filter(|account| account.state != AccountState::Invalid) {
        if !is_running(app, &account.name) {
            account.state = AccountState::Off;
            account.why = None;
        }
    }
    if as_json {
        print_json(&accounts)?;
        return Ok(Outcome::Done);
    }
    if accounts.is_empty() {
        eprintln!("{}", app.err.dim("no accounts; `greenroom connect irc` makes one"));
    }
    let mut out = std::io::stdout();
    for account in accounts {
        let style = app.out;
        let state = match account.state {
            AccountState::Online => style.green("online"),
            AccountState::Off => style.dim("off: greenroom serve does not run"),
            AccountState::Connecting => style.yellow("connecting"),
            AccountState::Waiting => style.yellow("connects again soon"),
            AccountState::Elsewhere => style.yellow("another process has it"),
            AccountState::Refused => style.red("refused"),
            AccountState::Invalid => style.red("wrong settings"),
        };
        let as_user = account.as_user.map(|user| format!(" as {}", harmless(&user))).unwrap_or_default();
        writeln!(out, "{} ({}) {state}{as_user}", style.bold(&account.name), account.platform)?;
        if let Some(why) = account.why {
            writeln!(out, "  {}", harmless(&why))?;
        }
        let lag = account.lag_ms.map(|ms| format!(", {ms} ms on their way")).unwrap_or_default();
        writeln!(out, "  {}{lag}", count(usize::try_from(account.events)?, "event", "events"))?;
        if account.stale + account.limited > 0 {
            let (stale, limited) = (account.stale, account.limited);
            writeln!(out, "  not answered: {stale} came too late, {limited} were too many")?;
        }
        if account.caught_up == Some(false) {
            writeln!(out, "  what was said during the last absence may be missing")?;
        }
        let (waiting, uncertain, dead) = (account.waiting, account.uncertain, account.dead);
        writeln!(out, "  replies: {waiting} waiting, {uncertain} uncertain, {dead} given up")?;
        for failed in account.failed {
            let why = failed.why.as_deref().unwrap_or("it is not known why");
            writeln!(
                out,
                "  {} {} in {}: “{}”: {}",
                failed.id,
                failed.persona,
                failed.channel,
                harmless(&one_line(&failed.text, 60)),
                harmless(why)
            )?;
        }
    }
    Ok(Outcome::Done)
}

/// Whether a process has the account.
fn is_running(app: &App, account: &str) -> bool {
    let key = format!("account:{account}").parse::<ChannelKey>();
    key.is_ok_and(|key| ChannelLock::take(&app.data, &key).is_err())
}
