//! `greenroom accounts link`: links accounts to one person. An unknown person is probably a typing error, so linking
//! one needs `--yes`.

use std::collections::BTreeSet;

use greenroom_adapters::Person;
use greenroom_core::{Platform, Timestamp, UserRef};
use greenroom_persona::AccountSettings;
use greenroom_store::Store;

use crate::{
    commands::chat::slash::nearest,
    failure::{Outcome, usage},
    term::one_line,
    wiring::App,
};

/// Links two people. `sure` allows people whom no account has heard.
pub(super) async fn link(
    app: &App,
    store: &dyn Store,
    (one, other): (&UserRef, &UserRef),
    sure: bool,
) -> anyhow::Result<Outcome> {
    for person in [one, other].into_iter().filter(|_| !sure) {
        check(store, person, &app.settings().accounts).await?;
    }
    store.link(one, other).await?;
    let others: Vec<_> = store.linked(one).await?.iter().map(ToString::to_string).collect();
    stderr_line!("{one} is one person with {}", one_line(&others.join(", "), 200));
    for warning in [one, other].into_iter().filter_map(unproven) {
        stderr_line!("{}", app.err.yellow(warning));
    }
    Ok(Outcome::Done)
}

/// A warning if the platform does not prove the id. People cannot link such accounts themselves (MP1), but the operator
/// may.
fn unproven(person: &UserRef) -> Option<String> {
    let platform: Platform = person.provider().parse().ok()?;
    let (_, id) = person.as_str().split_once(':')?;
    let remedy = match platform {
        _ if Person::is_proven(platform, id) => return None,
        Platform::Irc => {
            let (account, nick) = id.split_once("/~")?;
            format!(
                "a nick alone: whoever takes it is this person here. Where the network has services, have {nick} sign on and \
                 link irc:{account}/ and the name of that account"
            )
        }
        _ if id.contains('#') => {
            "known in one room alone, which hides the address. Link the address of the person".to_owned()
        }
        _ => "a nick alone: whoever takes it is this person here. Link the address of the person".to_owned(),
    };
    Some(format!("{person} is {remedy}; `greenroom accounts unlink {person}` takes it back"))
}

/// Fails unless the person was heard, on a platform and by an account that exist.
async fn check(store: &dyn Store, person: &UserRef, accounts: &[AccountSettings]) -> anyhow::Result<()> {
    let platform: Platform = person.provider().parse().map_err(|error| {
        let near = nearest(person.provider(), Platform::ACCOUNTS.iter().map(|platform| platform.as_str()));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        usage(format!("{person}: {error}{near}"))
    })?;
    let id = person.as_str().split_once(':').map_or("", |(_, id)| id);
    // on platforms whose ids are unique only in one network, ids begin with the account's name
    if matches!(platform, Platform::Irc | Platform::Slack | Platform::Bridge) {
        let names: Vec<&str> =
            accounts.iter().filter(|one| one.platform == platform).map(|one| one.name.as_str()).collect();
        let named = id.split_once('/').map(|(account, _)| account);
        if named.is_none_or(|named| !names.contains(&named)) {
            let near = named.and_then(|named| nearest(named, names.iter().copied()));
            return Err(usage(no_account(person, platform, &names, near)));
        }
    }
    if !store.linked(person).await?.is_empty() {
        return Ok(());
    }
    let heard = store.activity_since(platform, Timestamp(0)).await?;
    let known: BTreeSet<String> =
        heard.iter().map(|one| UserRef::new(&one.channel, &one.user).to_string()).collect();
    if known.contains(person.as_str()) {
        return Ok(());
    }
    let near = nearest(person.as_str(), known.iter().map(String::as_str));
    let near = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
    Err(usage(format!(
        "{person} has said nothing to an account of this data directory; {near}--yes links the person all the same"
    )))
}

fn no_account(person: &UserRef, platform: Platform, names: &[&str], near: Option<&str>) -> String {
    let near = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
    let there = match names {
        [] => "the settings have none".to_owned(),
        names => format!("there are {}", names.join(", ")),
    };
    format!(
        "{person} names no account on {platform}: a person is {platform}:ACCOUNT/ID there; {near}{there}; --yes links the \
         person all the same"
    )
}
