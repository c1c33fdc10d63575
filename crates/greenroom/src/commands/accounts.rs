//! `greenroom accounts`: the accounts on chat platforms, and the replies that they could not deliver (AD8).

mod link;

use std::io::Write;

use greenroom_adapters::{AccountState, AccountStatus, RefusedChannel, problems, stored_status};
use greenroom_core::{ChannelKey, Timestamp};
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
            Some(AccountsCommand::Link { one, other, yes }) => {
                return link::link(app, &**store, (&one, &other), yes).await;
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
        stderr_line!("{}", app.err.dim(format!("{delivery} {text}")));
        Ok(Outcome::Done)
    })
    .await
}

fn list(app: &App, mut accounts: Vec<AccountStatus>, as_json: bool) -> anyhow::Result<Outcome> {
    for account in accounts.iter_mut().filter(|account| !is_running(app, &account.name)) {
        // this shell may not have the secrets of the process that runs the accounts
        let settings = app.settings().accounts.iter().find(|one| one.name == account.name);
        let problems = settings.map(|one| problems(std::slice::from_ref(one), &app.cast.names()));
        let error = problems.into_iter().flatten().next();
        account.state = if error.is_some() { AccountState::Invalid } else { AccountState::Off };
        account.why = error.map(|error| error.to_string());
        // these values belong to the process that ran the account
        (account.refused, account.waits_until) = (Vec::new(), None);
    }
    // a process runs the account but has not stored a status yet
    accounts
        .iter_mut()
        .filter(|account| account.state == AccountState::Off && is_running(app, &account.name))
        .for_each(|account| account.state = AccountState::Connecting);
    if as_json {
        print_json(&accounts)?;
        return Ok(Outcome::Done);
    }
    if accounts.is_empty() {
        stderr_line!("{}", app.err.dim("no accounts; `greenroom connect irc` makes one"));
    }
    let mut out = std::io::stdout();
    for account in accounts {
        let style = app.out;
        let state = match account.state {
            AccountState::Online => style.green("online"),
            AccountState::Off => style.dim("off: start greenroom serve, or restart it if it runs"),
            AccountState::Connecting => style.yellow("connecting"),
            AccountState::Waiting => style.yellow("connects again soon"),
            AccountState::Elsewhere => style.yellow("another process has it"),
            AccountState::Refused => style.red("refused"),
            AccountState::Invalid => style.red("wrong settings"),
        };
        let as_user =
            account.as_user.as_ref().map(|user| format!(" as {}", harmless(user))).unwrap_or_default();
        writeln!(out, "{} ({}) {state}{as_user}", style.bold(&account.name), account.platform)?;
        if let Some(why) = &account.why {
            writeln!(out, "  {}", harmless(why))?;
        }
        for (hindrance, _) in obstacles(&account, app.now()) {
            writeln!(out, "  {}", style.yellow(harmless(&hindrance)))?;
        }
        let lag = account.lag_ms.map(|ms| format!(", {ms} ms on their way")).unwrap_or_default();
        writeln!(out, "  {}{lag}", count(usize::try_from(account.events)?, "event", "events"))?;
        if account.stale + account.limited > 0 {
            let (stale, limited) = (account.stale, account.limited);
            let rate = app.settings().accounts.iter().find(|one| one.name == account.name);
            let limits = rate.map(|one| {
                let (people, chats) = (one.answers_per_person, one.new_chats_per_hour);
                format!(" (an hour: {people} answers to a person, {chats} new chats)")
            });
            let limits = limits.unwrap_or_default();
            writeln!(out, "  not answered: {stale} came too late, {limited} were too many{limits}")?;
        }
        match (account.caught_up, account.looked_back_to) {
            (Some(false), Some(since)) => {
                writeln!(out, "  what was said before {} may be missing", local_time(since))?;
            }
            (Some(false), None) => {
                writeln!(out, "  what was said during the last absence may be missing")?;
            }
            (Some(true), _) => writeln!(out, "  nothing was missed during the last absence")?,
            (None, _) => {}
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

/// The obstacles of a running account in some of its chats, each with the remedy.
pub(super) fn obstacles(account: &AccountStatus, now: Timestamp) -> Vec<(String, &'static str)> {
    let refused = account.refused.iter().map(|RefusedChannel { channel, persona, why }| {
        let whom = persona.as_ref().map_or_else(|| "the account".to_owned(), ToString::to_string);
        let remedy = "ask the operators of the channel to let it in, or take the channel out of `channels`";
        (format!("{channel} does not let {whom} in: {why}"), remedy)
    });
    let wait = account.waits_until.filter(|until| *until > now).map(|until| {
        let seconds = until.since(now).as_secs() + 1;
        let remedy = "it goes on by itself; fewer messages and fewer chats keep within the rate";
        (format!("it waits {seconds} s, as the platform asks (rate limit)"), remedy)
    });
    refused.chain(wait).collect()
}

/// A time in the time zone of this machine.
fn local_time(at: Timestamp) -> String {
    match jiff::Timestamp::from_microsecond(at.0) {
        Ok(at) => at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => "an unknown moment".to_owned(),
    }
}

/// Whether a process runs the account.
pub(super) fn is_running(app: &App, account: &str) -> bool {
    let key = format!("account:{account}").parse::<ChannelKey>();
    key.is_ok_and(|key| ChannelLock::take(&app.data, &key).is_err())
}
