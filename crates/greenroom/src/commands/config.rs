//! `greenroom config show`: every setting in force and who decided it. Secrets stay hidden; the
//! settings themselves see to that.

use std::io::Write;

use greenroom_persona::{Origin, env};

use crate::{
    failure::Outcome,
    term::{one_line, table},
    wiring::App,
};

/// Runs the command.
pub fn run(app: &App, as_json: bool) -> anyhow::Result<Outcome> {
    let all: Vec<Origin> = places(app).into_iter().chain(app.cast.origins.iter().cloned()).collect();
    let mut out = std::io::stdout();
    if as_json {
        writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
    } else {
        let row =
            |origin: &Origin| vec![origin.key.clone(), one_line(&origin.value, 60), origin.origin.clone()];
        let rows: Vec<_> = all.iter().map(row).collect();
        write!(out, "{}", table(&["SETTING", "VALUE", "FROM"], &rows))?;
    }
    app.insist_on_settings()?;
    Ok(Outcome::Done)
}

/// Where things are, which is no part of the settings file.
fn places(app: &App) -> Vec<Origin> {
    let from = |flag: bool, name: &str, variable: &str| {
        if flag {
            format!("flag {name}")
        } else if app.layers.environment.get(variable).is_some() {
            format!("environment {variable}")
        } else {
            "default".to_owned()
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
