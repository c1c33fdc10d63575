//! Copies the input of a run, so that later changes of the files do not affect the run.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::{CALLS, REPLAYED, TRACE};
use crate::{error::SimError, scenario::Scenario};

/// Reads a file as text.
pub(crate) fn text_of(path: &Path) -> Result<String, SimError> {
    text(path, fs::read(path).map_err(|error| SimError::file(path, error))?)
}

/// Converts the bytes of a file to text.
///
/// # Errors
/// [`SimError::Damaged`] with line and column, if the bytes are not UTF-8.
pub fn text(path: &Path, bytes: Vec<u8>) -> Result<String, SimError> {
    String::from_utf8(bytes).map_err(|error| {
        let before =
            String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let at = format!("{}:{}:{column}", path.display(), before.matches('\n').count() + 1);
        SimError::Damaged { file: at, reason: "this is not UTF-8; save the file as UTF-8".into() }
    })
}

/// Checks that a directory contains no run and no part of one. A run takes calls that it finds for its own, and writes
/// over the other files.
///
/// # Errors
/// [`SimError::Exists`] for a run, [`SimError::Occupied`] for a part of one.
pub fn check_is_free(directory: &Path) -> Result<(), SimError> {
    let run = directory.display().to_string();
    if directory.join("run.json").exists() {
        return Err(SimError::Exists(run));
    }
    let parts = [CALLS, TRACE, REPLAYED, "input", "personas", "snapshots"];
    match parts.into_iter().find(|part| directory.join(part).exists()) {
        Some(part) => Err(SimError::Occupied { directory: run, part }),
        None => Ok(()),
    }
}

/// Copies a scenario and the files that it names, with its changes, into `input`.
pub(super) fn copy(scenario: &Path, parsed: &Scenario, input: &Path) -> Result<(), SimError> {
    let text = text_of(scenario)?;
    let from = scenario.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(input).map_err(|error| SimError::file(input, error))?;
    let personas = parsed.agents.iter().filter_map(|agent| agent.persona.clone());
    for persona in personas.clone() {
        copy_folder(&from.join(&persona).with_extension(""), &input.join(&persona).with_extension(""))?;
    }
    let templates = parsed.casts.iter().filter_map(|cast| cast.template.clone());
    let programs = parsed.world.iter().flat_map(|world| world.command.iter().map(PathBuf::from));
    let programs = programs.filter(|name| name.is_relative() && from.join(name).is_file());
    let files = parsed.world.iter().flat_map(|world| world.files.iter().cloned());
    for name in personas.chain(templates).chain(programs).chain(files) {
        if name.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(SimError::file(&name, "a scenario names files in its own directory and below"));
        }
        let to = input.join(&name);
        let made = to.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::copy(from.join(&name), &to))
            .map_err(|error| SimError::file(&from.join(&name), error))?;
    }
    let to = input.join("scenario.toml");
    fs::write(&to, text).map_err(|error| SimError::file(&to, error))
}

/// Copies the folder beside a persona file, with the lorebooks, greetings and examples of an import. Does nothing if
/// there is no folder.
fn copy_folder(from: &Path, to: &Path) -> Result<(), SimError> {
    if !from.is_dir() {
        return Ok(());
    }
    let error = |error| SimError::file(from, error);
    fs::create_dir_all(to).map_err(error)?;
    for entry in fs::read_dir(from).map_err(error)? {
        let entry = entry.map_err(error)?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().map_err(error)? {
            kind if kind.is_dir() => copy_folder(&from, &to)?,
            _ => _ = fs::copy(&from, &to).map_err(|error| SimError::file(&from, error))?,
        }
    }
    Ok(())
}
