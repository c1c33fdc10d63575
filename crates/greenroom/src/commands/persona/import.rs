//! `greenroom persona import`: converts a file of another program to a persona, and reports the fate of each field
//! (PF1, PF3).

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use greenroom_core::PersonaName;
use greenroom_formats::{
    Fate, Folder, Format, FormatError, Imported, MAX_FILE, ReceiptLine, Source, Written, detect, is_lossless,
    is_persona_folder, read_path,
};
use greenroom_persona::SAMPLES;
use serde::Serialize;

use super::knowledge;
use crate::{
    cli::ImportArgs,
    failure::{Outcome, usage},
    term::{count, one_line, print_json, table},
    wiring::App,
};

/// The result of one file.
#[derive(Debug, Serialize)]
struct Report {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    personas: Vec<PersonaReport>,
    /// Whether the file is the same after an export and another import; with `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    lossless: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// One persona of a file.
#[derive(Debug, Serialize)]
struct PersonaReport {
    name: String,
    display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    greetings: usize,
    lorebook_entries: usize,
    knowledge: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    receipt: Vec<ReceiptLine>,
}

/// Runs the command.
pub async fn run(app: &App, args: &ImportArgs) -> anyhow::Result<Outcome> {
    let files = if args.check { all_files(&args.files)? } else { args.files.clone() };
    let mut reports = Vec::new();
    for file in &files {
        let shown = file.display().to_string();
        let done = match read(file) {
            Err(error) => Err(error.into()),
            Ok(source) if args.check => Ok(checked(&shown, source, file)),
            Ok(source) => write(app, args, file, source).await,
        };
        let report = done.unwrap_or_else(|error: anyhow::Error| Report {
            file: shown,
            format: None,
            personas: Vec::new(),
            lossless: None,
            error: Some(format!("{error:#}")),
        });
        if !args.json {
            print(&report, args.check && files.len() > 1)?;
        }
        reports.push(report);
    }
    if args.json {
        print_json(&reports)?;
    }
    let failed = reports.iter().filter(|it| it.error.is_some() || it.lossless == Some(false)).count();
    if files.len() > 1 {
        stderr_line!("{}, {failed} not imported", count(files.len(), "file", "files"));
    }
    Ok(if failed == 0 { Outcome::Done } else { Outcome::Failed })
}

/// Reads a file, a folder or standard input.
pub(super) fn read(file: &Path) -> Result<Source, FormatError> {
    if file != Path::new("-") {
        return read_path(file);
    }
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MAX_FILE as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| FormatError::Unreadable { message: error.to_string() })?;
    detect("stdin", bytes)
}

/// The files below the directories. A folder that is one persona counts as one file.
fn all_files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() || is_persona_folder(path) {
            files.push(path.clone());
            continue;
        }
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))? {
            let entry = entry?;
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !is_hidden && !entry.file_type()?.is_symlink() {
                inside.push(entry.path());
            }
        }
        inside.sort();
        let inside = all_files(&inside)?;
        // importing it will report that it is no persona
        let empty = Some(path).filter(|_| inside.is_empty()).cloned();
        files.extend(inside.into_iter().chain(empty));
    }
    Ok(files)
}

/// The result that an import of a file would have.
fn checked(shown: &str, source: Source, file: &Path) -> Report {
    let (format, mut personas, mut whole) = (source.format, Vec::new(), None);
    for mut imported in Imported::each(source) {
        let problems = imported.read_documents(folder_of(file));
        personas.push(persona_report(&imported, imported.knowledge.len(), None, problems));
        whole = Some(imported.source);
    }
    let lossless = whole.map(is_lossless).transpose();
    Report {
        file: shown.to_owned(),
        format: Some(format),
        personas,
        error: lossless.as_ref().err().map(|error| format!("it cannot be written back: {error}")),
        lossless: lossless.ok().flatten(),
    }
}

/// The folder of a file; standard input has none.
fn folder_of(file: &Path) -> Option<&Path> {
    let folder = file.parent().filter(|_| file != Path::new("-"))?;
    Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// Writes the personas of a source.
async fn write(app: &App, args: &ImportArgs, file: &Path, source: Source) -> anyhow::Result<Report> {
    let directory = app.layers.persona_directory().unwrap_or_else(|| PathBuf::from("personas"));
    let format = source.format;
    let mut personas = Vec::new();
    for mut imported in Imported::each(source) {
        if let Some(number) = args.greeting {
            let chosen = number.checked_sub(1).and_then(|n| imported.play.greetings.get(n)).cloned();
            let most = imported.play.greetings.len();
            let chosen = chosen.ok_or_else(|| {
                usage(format!("--greeting {number}: the file has {}", count(most, "greeting", "greetings")))
            })?;
            imported.character.greeting = Some(chosen);
        }
        let mut notes = imported.read_documents(folder_of(file));
        if args.no_knowledge {
            imported.knowledge.clear();
        }
        let written = match (format, &args.to, &args.update) {
            (Format::Lorebook, Some(to), _) => {
                let folder = Folder::of(&file_of(app, &directory, to)?);
                let book = folder.add_book(&imported.source)?;
                notes.push(match book.was_there {
                    true => format!("{to} has this lorebook already; nothing was written"),
                    false => format!("{to} has the lorebook from its next reply on"),
                });
                Written { name: to.to_string(), ..book }
            }
            (Format::Lorebook, None, _) => {
                return Err(usage("a lorebook belongs to a persona: name it with --to NAME"));
            }
            (_, Some(_), _) => return Err(usage("--to is for lorebooks, and this file is a persona")),
            (_, None, Some(name)) => Folder::of(&file_of(app, &directory, name)?).update(&imported)?,
            (_, None, None) => {
                let written = Folder::create(&directory, &imported, &SAMPLES)?;
                if written.was_there {
                    notes.push(format!(
                        "{} was imported from the same data before and stays as it is",
                        written.name
                    ));
                }
                written
            }
        };
        notes.extend(written.note.clone());
        if written.is_numbered {
            notes.push(format!("the name {} was taken, so the persona is {}", imported.name, written.name));
        }
        let name: PersonaName = written.name.parse()?;
        // moved out, because both copies take much memory
        let known = std::mem::take(&mut imported.knowledge);
        let number = known.len();
        if format != Format::Lorebook {
            notes.extend(knowledge::remember(app, &name, known, &imported.unread).await?);
            Folder::of(&written.file).has_learned()?;
        }
        personas.push(persona_report(&imported, number, Some(written), notes));
    }
    Ok(Report {
        file: file.display().to_string(),
        format: Some(format),
        personas,
        lossless: None,
        error: None,
    })
}

/// The file of a persona in the directory.
fn file_of(app: &App, directory: &Path, name: &PersonaName) -> anyhow::Result<PathBuf> {
    let file = directory.join(format!("{name}.md"));
    if file.exists() {
        return Ok(file);
    }
    let hint = match app.cast.get(name) {
        Some(_) => "it is built in; `greenroom persona new` makes a file of the same name".to_owned(),
        None => "`greenroom persona list` shows the personas".to_owned(),
    };
    Err(usage(format!("there is no file {}; {hint}", file.display())))
}

fn persona_report(
    imported: &Imported,
    knowledge: usize,
    written: Option<Written>,
    notes: Vec<String>,
) -> PersonaReport {
    let file = written.as_ref().map(|written| written.file.display().to_string());
    PersonaReport {
        name: written.map_or_else(|| imported.name.clone(), |written| written.name),
        display_name: imported.character.display_name.clone(),
        written: file,
        greetings: imported.play.greetings.len(),
        lorebook_entries: imported.play.books.iter().map(|book| book.entries.len()).sum(),
        knowledge,
        notes,
        receipt: imported.receipt.clone(),
    }
}

/// Prints a report: the written file on standard output, the receipt on standard error. `short` omits the receipt.
fn print(report: &Report, short: bool) -> anyhow::Result<()> {
    if let Some(error) = &report.error {
        stderr_line!("{}: {}", one_line(&report.file, 200), one_line(error, 600));
        return Ok(());
    }
    let format = report.format.map_or("", Format::name);
    for persona in &report.personas {
        let fates = |fate: Fate| persona.receipt.iter().filter(|line| line.fate == fate).count();
        let line = format!(
            "{}: {format}, {} ({} effective, {} kept, {} refused)",
            one_line(&report.file, 200),
            one_line(&persona.display_name, 80),
            fates(Fate::Effective),
            fates(Fate::Kept),
            fates(Fate::Refused),
        );
        stderr_line!("{line}");
        if !short {
            let rows: Vec<Vec<String>> = persona
                .receipt
                .iter()
                .map(|line| {
                    vec![one_line(&line.field, 50), line.fate.word().into(), one_line(&line.reason, 100)]
                })
                .collect();
            stderr_text!("{}", table(&["FIELD", "FATE", "WHERE OR WHY"], &rows));
        }
        for note in &persona.notes {
            stderr_line!("{}", one_line(note, 300));
        }
        if let Some(file) = &persona.written {
            writeln!(io::stdout(), "{file}")?;
            stderr_line!("talk to it: greenroom chat {}", persona.name);
        }
    }
    if report.lossless == Some(false) {
        stderr_line!("{}: an export would not be the same", one_line(&report.file, 200));
    }
    Ok(())
}
