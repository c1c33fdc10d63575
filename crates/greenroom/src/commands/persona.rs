//! `greenroom persona`: lists personas, checks their files, creates new ones, imports and exports them.

mod export;
mod import;
mod knowledge;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use greenroom_context::look_alikes;
use greenroom_core::PersonaName;
use greenroom_persona::{Cast, create};
use serde_json::json;

use crate::{
    cli::PersonaCommand,
    failure::{Outcome, usage},
    term::{count, one_line, print_json, table},
    wiring::App,
};

/// Runs the command.
pub async fn run(app: &App, command: PersonaCommand) -> anyhow::Result<Outcome> {
    match command {
        PersonaCommand::List(format) => list(app, format.json),
        PersonaCommand::Check { path, json } => check(app, path.as_deref(), json),
        PersonaCommand::New { name } => new(app, &name),
        PersonaCommand::Import(args) => import::run(app, &args).await,
        PersonaCommand::Export { name, output } => export::export(app, &name, &output),
        PersonaCommand::Convert { file, output } => export::convert(&file, &output),
    }
}

fn list(app: &App, as_json: bool) -> anyhow::Result<Outcome> {
    let mut out = std::io::stdout();
    let chosen = &app.settings().persona;
    if as_json {
        let rows: Vec<_> = app
            .cast
            .personas
            .iter()
            .map(|persona| {
                json!({
                    "name": persona.name,
                    "display_name": persona.display_name,
                    "description": persona.description,
                    "file": persona.file.display().to_string(),
                    "default": persona.name == *chosen,
                })
            })
            .collect();
        print_json(&rows)?;
    } else {
        let rows: Vec<_> = app
            .cast
            .personas
            .iter()
            .map(|persona| {
                let mark = if persona.name == *chosen { " (default)" } else { "" };
                vec![
                    format!("{}{mark}", persona.name),
                    one_line(&persona.display_name, 30),
                    persona.file.display().to_string(),
                    one_line(&persona.description, 80),
                ]
            })
            .collect();
        write!(out, "{}", table(&["NAME", "CALLED", "FILE", "WHO"], &rows))?;
    }
    match app.cast.problems.len() {
        0 => {}
        1 => stderr_line!("1 problem; `greenroom persona check` shows it"),
        count => stderr_line!("{count} problems; `greenroom persona check` shows them"),
    }
    Ok(Outcome::Done)
}

fn check(app: &App, path: Option<&Path>, as_json: bool) -> anyhow::Result<Outcome> {
    if let Some(path) = path.filter(|path| !path.exists()) {
        return Err(usage(format!(
            "there is no file or directory {}; `greenroom persona list` shows the files there are",
            path.display()
        )));
    }
    let checked = path.map(|path| Cast::check(path, &app.layers));
    let cast = checked.as_ref().unwrap_or(&app.cast);
    for (one, other) in look_alikes(cast.personas.iter().map(|persona| persona.display_name.as_str())) {
        let [one, other] = [one, other].map(|at| cast.personas[at].file.display());
        stderr_line!(
            "warning: readers may take the names of {one} and {other} for one another; change a display_name"
        );
    }
    for (_, reason) in cast.unread_files() {
        stderr_line!("warning: {}", one_line(&reason, 400));
    }
    let mut out = std::io::stdout();
    if as_json {
        print_json(&cast.problems)?;
    } else {
        for problem in &cast.problems {
            writeln!(out, "{}", problem.fancy(app.out.color()))?;
        }
        stderr_line!(
            "{}, {}",
            count(cast.personas.len(), "good persona", "good personas"),
            count(cast.problems.len(), "problem", "problems")
        );
    }
    Ok(if cast.problems.is_empty() { Outcome::Done } else { Outcome::Failed })
}

fn new(app: &App, name: &PersonaName) -> anyhow::Result<Outcome> {
    let directory = app.layers.persona_directory().unwrap_or_else(|| PathBuf::from("personas"));
    let file = create(&directory, name)?;
    writeln!(std::io::stdout(), "{}", file.display())?;
    stderr_line!("edit it, then: greenroom chat {name}");
    Ok(Outcome::Done)
}
