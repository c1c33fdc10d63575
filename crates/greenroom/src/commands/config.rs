//! `greenroom config show`: every effective setting and its origin. The serialisation of settings hides secrets.

use std::io::Write;

use greenroom_persona::{Origin, env};
use serde_json::json;

use crate::{
    failure::{Outcome, usage},
    model_choice::shown,
    term::{one_line, print_json, table},
    wiring::App,
};

/// Runs the command: for one persona, or for the defaults of every persona.
pub fn run(app: &App, persona: Option<&str>, as_json: bool) -> anyhow::Result<Outcome> {
    let all = match persona {
        Some(name) => {
            let name = app.names().find(name).map_err(usage)?;
            app.cast.persona_origins.get(&name).cloned().unwrap_or_default()
        }
        None => places(app).into_iter().chain(app.cast.origins.iter().cloned()).collect(),
    };
    let all: Vec<Origin> = all.into_iter().map(without_queries).collect();
    let mut out = std::io::stdout();
    if as_json {
        print_json(&all)?;
    } else {
        let row =
            |origin: &Origin| vec![origin.key.clone(), one_line(&origin.value, 60), origin.origin.clone()];
        let rows: Vec<_> = all.iter().map(row).collect();
        write!(out, "{}", table(&["SETTING", "VALUE", "FROM"], &rows))?;
    }
    app.require_valid_settings()?;
    Ok(Outcome::Done)
}

/// Removes the queries of URLs, which may contain keys.
fn without_queries(origin: Origin) -> Origin {
    if !origin.value.contains("://") {
        return origin;
    }
    let value = match serde_json::from_str::<Vec<String>>(&origin.value) {
        Ok(urls) => json!(urls.iter().map(|url| shown(url)).collect::<Vec<_>>()).to_string(),
        Err(_) => shown(&origin.value),
    };
    Origin { value, ..origin }
}

/// Paths that are not part of the settings file.
fn places(app: &App) -> Vec<Origin> {
    let from = |flag: bool, name: &str, variable: &str| {
        if flag {
            Origin::of_flag(name)
        } else if app.layers.environment.get(variable).is_some() {
            Origin::of_environment(variable)
        } else {
            Origin::of_default()
        }
    };
    let shown =
        |path: Option<std::path::PathBuf>| path.map_or("none".into(), |path| path.display().to_string());
    let place = |key: &str, value: String, origin: String| Origin { key: key.into(), value, origin };
    vec![
        place("(data directory)", app.data.display().to_string(), from(app.data_flag, "--data", env::DATA)),
        place(
            "(settings file)",
            shown(app.cast.config.clone()),
            from(app.layers.config.is_some(), "--config", env::CONFIG),
        ),
        place(
            "(personas)",
            shown(app.cast.directory.clone()),
            from(app.layers.personas.is_some(), "--personas", env::PERSONAS),
        ),
    ]
}
