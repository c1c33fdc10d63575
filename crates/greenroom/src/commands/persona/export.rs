//! `greenroom persona export` and `convert`: writes a persona in the formats of other programs (PF7).

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use greenroom_core::PersonaName;
use greenroom_formats::{
    Character, Exported, Exporting, Folder, Format, Imported, Target, export as write_format, free_name,
};

use super::import::read;
use crate::{
    cli::ExportArgs,
    failure::{Outcome, usage},
    term::one_line,
    wiring::App,
};

/// `greenroom persona export`
pub fn export(app: &App, name: &PersonaName, output: &ExportArgs) -> anyhow::Result<Outcome> {
    let persona = app.cast.get(name).ok_or_else(|| {
        usage(format!("there is no persona {name}; `greenroom persona list` shows the personas"))
    })?;
    let folder = Folder::of(&persona.file);
    let source = folder.whole_source()?;
    let books = folder.books()?;
    let character = Character {
        display_name: persona.display_name.clone(),
        description: persona.description.clone(),
        greeting: persona.greeting.clone(),
        prompt: persona.prompt.clone(),
    };
    let target = output.format.map(Target::from);
    let target = target.unwrap_or(if source.is_some() { Target::Original } else { Target::CardV3 });
    let play = persona.play.as_deref().cloned().unwrap_or_default();
    let exporting = Exporting {
        name: name.as_str(),
        character: &character,
        play: &play,
        source: source.as_ref(),
        books: &books,
    };
    save(write_format(target, &exporting)?, name.as_str(), output.out.as_deref())
}

/// `greenroom persona convert`
pub fn convert(file: &Path, output: &ExportArgs) -> anyhow::Result<Outcome> {
    let format = output.format.ok_or_else(|| usage("name the format with --as FORMAT"))?;
    let source = read(file).with_context(|| file.display().to_string())?;
    if source.format == Format::Lorebook {
        return Err(usage(
            "a lorebook is no persona; import it for one with `greenroom persona import FILE --to NAME`",
        ));
    }
    let mut last = Outcome::Done;
    for imported in Imported::each(source) {
        let exporting = Exporting {
            name: &imported.name,
            character: &imported.character,
            play: &imported.play,
            source: Some(&imported.source),
            books: &[],
        };
        last = save(write_format(format.into(), &exporting)?, &imported.name, output.out.as_deref())?;
    }
    Ok(last)
}

/// Writes the files and prints their path.
fn save(exported: Exported, name: &str, out: Option<&Path>) -> anyhow::Result<Outcome> {
    for note in &exported.notes {
        stderr_line!("{}", one_line(note, 300));
    }
    let place = match (exported.ending, out) {
        (None, Some(path)) if path == Path::new("-") => {
            return Err(usage("this format is a folder; name one with --out DIR"));
        }
        (Some(_), Some(path)) if path == Path::new("-") => {
            io::stdout().write_all(&exported.files[0].content)?;
            return Ok(Outcome::Done);
        }
        (Some(ending), out) => save_file(&exported.files[0].content, name, ending, out)?,
        (None, out) => {
            let folder = free(out.unwrap_or(Path::new(name)), "");
            for file in &exported.files {
                let path = folder.join(&file.path);
                let parent = path.parent().unwrap_or(&folder);
                fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
                write_new(&path, &file.content)?;
            }
            folder
        }
    };
    writeln!(io::stdout(), "{}", place.display())?;
    Ok(Outcome::Done)
}

fn save_file(content: &[u8], name: &str, ending: &str, out: Option<&Path>) -> anyhow::Result<PathBuf> {
    let wanted = match out {
        Some(path) if path.is_dir() => path.join(format!("{name}.{ending}")),
        Some(path) => path.to_owned(),
        None => PathBuf::from(format!("{name}.{ending}")),
    };
    let ending =
        wanted.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    let file = free(&wanted.with_extension(""), &ending);
    write_new(&file, content)?;
    Ok(file)
}

/// The path; with a number appended if it is taken.
fn free(path: &Path, ending: &str) -> PathBuf {
    let text = path.to_string_lossy().trim_end_matches('/').to_owned();
    let is_taken = |name: &str| {
        let path = PathBuf::from(format!("{name}{ending}"));
        match path.read_dir() {
            // an empty folder may be used
            Ok(mut entries) => entries.next().is_some(),
            Err(_) => path.symlink_metadata().is_ok(),
        }
    };
    PathBuf::from(format!("{}{ending}", free_name(&text, is_taken)))
}

fn write_new(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(content))
        .with_context(|| format!("cannot write {}", path.display()))
}
