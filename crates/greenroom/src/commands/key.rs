//! `greenroom key`: who may call the server. It works beside a running one, which follows the store.

use std::io::Write;

use greenroom_core::UserId;
use greenroom_server::{Key, Role, own_channel};
use greenroom_store::{AccessKey, NewKey, Store};
use serde_json::json;

use super::memory::day;
use crate::{
    cli::KeyCommand,
    failure::{Outcome, usage},
    term::{one_line, table},
    wiring::App,
};

/// Whom an operator speaks as where nobody says.
const OPERATOR: &str = "operator";

/// Runs the command.
pub async fn run(app: &App, command: KeyCommand) -> anyhow::Result<Outcome> {
    app.insist_on_settings()?;
    let store = app.store().await?;
    let outcome = match command {
        KeyCommand::Create { role, user, label, json } => {
            create(app, &*store, role.into(), user, &label, json).await
        }
        KeyCommand::List { json } => list(&*store, json).await,
        KeyCommand::Revoke { id } => revoke(app, &*store, id).await,
    };
    store.close().await;
    outcome
}

async fn create(
    app: &App,
    store: &dyn Store,
    role: Role,
    user: Option<UserId>,
    label: &str,
    json: bool,
) -> anyhow::Result<Outcome> {
    let user = user.map_or_else(|| OPERATOR.parse(), Ok)?;
    if role == Role::User {
        own_channel(&user).map_err(|error| usage(format!("--user {error}")))?;
        if user.as_str() == OPERATOR {
            return Err(usage(format!(
                "--user {OPERATOR} is whom operators speak as, and this key would read their channel; name somebody else"
            )));
        }
    }
    let key =
        Key::new().map_err(|error| anyhow::anyhow!("the system has no randomness for a key: {error}"))?;
    let label = one_line(label, 200);
    let kept = store.add_key(NewKey { label, role, user, hash: key.hash(), at: app.now() }).await?;
    let mut out = std::io::stdout();
    if json {
        let line = json!({ "key": key.expose(), "id": kept.id, "role": role, "user": kept.user, "label": kept.label });
        writeln!(out, "{}", serde_json::to_string_pretty(&line)?)?;
    } else {
        // the key alone on standard output, for whoever keeps it in a file or a variable
        writeln!(out, "{}", key.expose())?;
        eprintln!("{}; it is shown this once", named(&kept));
    }
    Ok(Outcome::Done)
}

async fn list(store: &dyn Store, json: bool) -> anyhow::Result<Outcome> {
    let keys = store.keys().await?;
    let mut out = std::io::stdout();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&keys)?)?;
    } else if keys.is_empty() {
        eprintln!("there is no key yet; make one with: greenroom key create --role operator");
    } else {
        let row = |key: &AccessKey| {
            vec![
                key.id.to_string(),
                key.role.to_string(),
                one_line(key.user.as_str(), 40),
                day(key.created_at),
                key.revoked_at.map_or("no".into(), day),
                one_line(&key.label, 60),
            ]
        };
        let rows: Vec<_> = keys.iter().map(row).collect();
        write!(out, "{}", table(&["ID", "ROLE", "USER", "MADE", "REVOKED", "LABEL"], &rows))?;
    }
    Ok(Outcome::Done)
}

async fn revoke(app: &App, store: &dyn Store, id: i64) -> anyhow::Result<Outcome> {
    let Some(key) = store.revoke_key(id, app.now()).await? else {
        eprintln!("there is no key {id}; `greenroom key list` shows which there are");
        return Ok(Outcome::Failed);
    };
    writeln!(std::io::stdout(), "revoked {}", named(&key))?;
    Ok(Outcome::Done)
}

/// `key 3, for ann (user)`
fn named(key: &AccessKey) -> String {
    format!("key {}, for {} ({})", key.id, one_line(key.user.as_str(), 40), key.role)
}
