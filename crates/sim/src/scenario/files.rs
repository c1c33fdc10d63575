//! Checks the files that a scenario names.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
};

use super::{Scenario, check::Step};

/// A problem of an entry of a scenario: the path of the entry, the message and the remedy.
pub(super) type WrongEntry = (Vec<Step<'static>>, String, String);

/// File name extensions of scripts that an interpreter runs, as `world.py` in `python3 world.py`.
const SCRIPTS: [&str; 8] = ["py", "js", "mjs", "ts", "rb", "sh", "pl", "lua"];

/// The problem of a file that cannot be read or is outside of the directory.
pub(super) fn wrong_file(path: &[Step<'static>], directory: &Path, file: &Path) -> Option<WrongEntry> {
    let is_inside = file.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let why = match fs::metadata(directory.join(file)) {
        Ok(_) if !is_inside => format!("`{}` is not in the scenario's directory", file.display()),
        Ok(found) if found.is_file() => return None,
        Ok(_) => format!("`{}` is a directory, and no file", file.display()),
        Err(error) => format!("`{}` cannot be read: {error}", file.display()),
    };
    let remedy = "write the path of a file from the scenario's directory";
    Some((path.to_vec(), why, remedy.into()))
}

/// The problems of the program and the files of the world process.
pub(super) fn world_entries(scenario: &Scenario, directory: &Path) -> Vec<WrongEntry> {
    let Some(world) = &scenario.world else { return Vec::new() };
    let mut entries = Vec::new();
    let command = |at| vec![Step::Key("world"), Step::Key("command"), Step::At(at)];
    if let Some(program) = world.command.first().filter(|program| !is_program(program, directory)) {
        let remedy = "write its path from the scenario's directory, or install it";
        entries.push((command(0), format!("there is no program `{program}`"), remedy.into()));
    }
    let is_script =
        |name: &&Path| name.extension().is_some_and(|ending| SCRIPTS.iter().any(|known| ending == *known));
    let script = world.command.get(1).map(Path::new).filter(is_script);
    if let Some(script) = script.filter(|script| !directory.join(script).is_file()) {
        let message = format!("there is no file `{}`", script.display());
        entries.push((command(1), message, "write its path from the scenario's directory".into()));
    }
    let of = |n| [Step::Key("world"), Step::Key("files"), Step::At(n)];
    entries
        .extend(world.files.iter().enumerate().filter_map(|(n, file)| wrong_file(&of(n), directory, file)));
    entries
}

/// Whether a program exists: a path relative to the directory, or a name in one of the directories of `PATH`.
fn is_program(program: &str, directory: &Path) -> bool {
    if Path::new(program).components().count() > 1 {
        return directory.join(program).is_file();
    }
    let found = |place: PathBuf| {
        let ending = |ending: &str| place.join(format!("{program}{ending}")).is_file();
        ending("") || ending(env::consts::EXE_SUFFIX)
    };
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(found))
}
