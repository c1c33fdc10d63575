//! `greenroom key`: makes, lists and revokes keys of the server. A running server reads the changes.

use std::io::Write;

use greenroom_core::UserId;
use greenroom_memory::TimeZone;
use greenroom_server::{HOST_USER, Key, Role, own_channel};
use greenroom_store::{AccessKey, NewKey, Store};
use serde_json::json;

use super::memory::day;
use crate::{
    cli::KeyCommand,
    failure::{Outcome, usage},
    term::{one_line, print_json, table},
    wiring::App,
};

/// Runs the command.
pub async fn run(app: &App, command: KeyCommand) -> anyhow::Result<Outcome> {
    app.require_valid_settings()?;
    app.with_store(async |store| match command {
        KeyCommand::Create { role, user, label, json } => {
            create(app, &**store, role, user, &label, json).await
        }
        KeyCommand::List { json } => list(&**store, json).await,
        KeyCommand::Revoke { id } => revoke(app, &**store, id).await,
    })
    .await
}

async fn create(
    app: &App,
    store: &dyn Store,
    role: Role,
    user: Option<UserId>,
    label: &str,
    json: bool,
) -> anyhow::Result<Outcome> {
    let user = user.map_or_else(|| HOST_USER.parse(), Ok)?;
    if role == Role::User {
        own_channel(&user).map_err(|error| usage(format!("--user {error}")))?;
        if user.as_str() == HOST_USER {
            return Err(usage(format!(
                "--user {HOST_USER} is the name of operators, whose channel this key would read; choose another name"
            )));
        }
    }
    let key =
        Key::new().map_err(|error| anyhow::anyhow!("the system has no randomness for a key: {error}"))?;
    let label = one_line(label, 200);
    let kept = store.add_key(NewKey { label, role, user, hash: key.hash(), at: app.now() }).await?;
    let shown = if json {
        print_json(&json!({
            "key": key.expose(), "id": kept.id, "role": role, "user": kept.user, "label": kept.label,
        }))
    } else {
        // only the key is on standard output, so that it can go into a file or a variable
        writeln!(std::io::stdout(), "{}", key.expose()).map_err(anyhow::Error::from)
    };
    // a key that no person has seen is useless
    if let Err(error) = shown {
        store.revoke_key(kept.id, app.now()).await?;
        anyhow::bail!("the key cannot be shown and is revoked: {error}");
    }
    if !json {
        stderr_line!("{}; it is shown only now", described(&kept));
    }
    Ok(Outcome::Done)
}

async fn list(store: &dyn Store, json: bool) -> anyhow::Result<Outcome> {
    let keys = store.keys().await?;
    if json {
        print_json(&keys)?;
    } else if keys.is_empty() {
        stderr_line!("there is no key yet; make one with: greenroom key create --role operator");
    } else {
        let zone = TimeZone::system();
        let row = |key: &AccessKey| {
            vec![
                key.id.to_string(),
                key.role.to_string(),
                one_line(key.user.as_str(), 40),
                day(key.created_at, &zone),
                key.revoked_at.map_or("no".into(), |at| day(at, &zone)),
                one_line(&key.label, 60),
            ]
        };
        let rows: Vec<_> = keys.iter().map(row).collect();
        write!(std::io::stdout(), "{}", table(&["ID", "ROLE", "USER", "MADE", "REVOKED", "LABEL"], &rows))?;
    }
    Ok(Outcome::Done)
}

async fn revoke(app: &App, store: &dyn Store, id: i64) -> anyhow::Result<Outcome> {
    let Some(key) = store.revoke_key(id, app.now()).await? else {
        stderr_line!("there is no key {id}; `greenroom key list` shows the keys");
        return Ok(Outcome::Failed);
    };
    writeln!(std::io::stdout(), "revoked {}", described(&key))?;
    Ok(Outcome::Done)
}

/// `key 3, for ann (user)`
fn described(key: &AccessKey) -> String {
    format!("key {}, for {} ({})", key.id, one_line(key.user.as_str(), 40), key.role)
}
