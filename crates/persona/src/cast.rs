//! The cast: all loaded personas, and the problems of those that could not be loaded.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use greenroom_core::PersonaName;
use greenroom_formats::Folder;

use crate::{
    Diagnostic, Layers, Origin, Persona, Settings,
    base::Base,
    persona_file::{Surroundings, parse, stem},
    read::{list, read, why_unread},
    samples,
};

/// Personas, settings and problems from one load.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cast {
    /// By name.
    pub personas: Vec<Persona>,
    /// Problems of the settings first, then of persona files by file and line.
    pub problems: Vec<Diagnostic>,
    /// The settings without those of any persona.
    pub settings: Settings,
    /// Where the settings came from, for `config show`.
    pub origins: Vec<Origin>,
    /// Where each persona's settings came from.
    pub persona_origins: BTreeMap<PersonaName, Vec<Origin>>,
    /// The settings file that was read, if any.
    pub config: Option<PathBuf>,
    /// The directory of persona files, if any.
    pub directory: Option<PathBuf>,
    /// Files of the directory that look like a persona and are not read.
    pub unread: Vec<PathBuf>,
    /// How many of `problems` belong to the settings.
    settings_problems: usize,
    /// Whether the settings in use have problems.
    settings_have_problems: bool,
}

impl Cast {
    /// Loads the samples and the directory of persona files.
    ///
    /// Samples are always loaded. A file of the same name replaces a sample, even if the file is bad, because its
    /// author expects the problem and not another persona. Never fails: problems are in `problems`, and the other
    /// personas are loaded.
    pub fn load(layers: &Layers) -> Self {
        let directory = layers.persona_directory();
        let found = directory.as_deref().map(PersonaFiles::in_directory).unwrap_or_default();
        Self { directory, ..Self::of(Base::read(layers), &layers.tools, found, &samples::ALL) }
    }

    /// Loads one file or one directory alone, without the samples, for `persona check`.
    pub fn check(path: &Path, layers: &Layers) -> Self {
        CastChecker::new(layers).check(path)
    }

    /// Loads again. A persona whose file has become bad keeps its earlier version, and so do all personas while the
    /// settings are bad. The problems are the present ones.
    pub fn reload(&self, layers: &Layers) -> Self {
        let now = Self::load(layers);
        if now.settings_have_problems && !self.settings_have_problems {
            let Self { problems, settings_problems, .. } = now;
            return Self { problems, settings_problems, ..self.clone() };
        }
        self.kept_in(now)
    }

    /// The problems of the settings: file, environment and flags.
    pub fn settings_problems(&self) -> &[Diagnostic] {
        self.problems.get(..self.settings_problems).unwrap_or_default()
    }

    /// The problems of persona files.
    pub fn persona_problems(&self) -> &[Diagnostic] {
        self.problems.get(self.settings_problems..).unwrap_or_default()
    }

    /// The persona of a name.
    pub fn get(&self, name: &PersonaName) -> Option<&Persona> {
        self.personas.iter().find(|p| p.name == *name)
    }

    /// Members of channels for which no persona exists: the channel as the settings write it, and the member's name.
    pub fn unknown_members(&self) -> impl Iterator<Item = (&str, &PersonaName)> {
        let members = self
            .settings
            .channels
            .iter()
            .flat_map(|channel| channel.members.iter().map(|member| (channel.pattern.as_str(), member)));
        members.filter(|(_, member)| self.get(member).is_none())
    }

    /// Why each file that looks like a persona is not read, and the remedy, with the name of the file in lower case.
    pub fn unread_files(&self) -> impl Iterator<Item = (String, String)> {
        let named = |file: &PathBuf| {
            let stem = file.file_stem()?.to_string_lossy().to_lowercase();
            Some((stem, why_unread(file)?))
        };
        self.unread.iter().filter_map(named)
    }

    /// The names of the personas.
    pub fn names(&self) -> Vec<PersonaName> {
        self.personas.iter().map(|persona| persona.name.clone()).collect()
    }

    fn of(base: Base, tools: &[String], found: PersonaFiles, samples: &[(&str, &str)]) -> Self {
        let stems: BTreeSet<String> = found.files.iter().map(|f| stem(f)).collect();
        let around = Surroundings { base: &base, tools, stems: &stems };
        let mut problems = found.problems;
        let mut cast = Self { unread: found.unread, ..Self::default() };
        for file in &found.files {
            let parsed = read(file).map_err(|e| vec![*e]).and_then(|text| parse(file, &text, &around));
            let parsed = parsed.and_then(|(persona, origins)| Ok((with_folder(persona)?, origins)));
            cast.take(parsed, &mut problems);
        }
        for (name, text) in samples.iter().filter(|(name, _)| !stems.contains(*name)) {
            let file = Path::new(samples::PLACE).join(format!("{name}.md"));
            if !problems.iter().any(|p| stem(Path::new(&p.file)) == *name) {
                cast.take(parse(&file, text, &around), &mut problems);
            }
        }
        cast.personas.sort_by(|a, b| a.name.cmp(&b.name));
        cast.settings_problems = base.problems.len();
        cast.settings_have_problems = !base.problems.is_empty();
        cast.problems = base.problems;
        cast.problems.append(&mut problems);
        cast.settings = base.settings;
        cast.origins = base.origins;
        cast.config = base.config;
        cast
    }

    fn take(
        &mut self,
        parsed: Result<(Persona, Vec<Origin>), Vec<Diagnostic>>,
        problems: &mut Vec<Diagnostic>,
    ) {
        match parsed {
            Ok((persona, origins)) => {
                self.persona_origins.insert(persona.name.clone(), origins);
                self.personas.push(persona);
            }
            Err(mut wrong) => problems.append(&mut wrong),
        }
    }

    /// Returns `now`, with the personas of this cast that are missing there because their file, their folder or the
    /// directory is bad.
    fn kept_in(&self, mut now: Self) -> Self {
        let bad: BTreeSet<&Path> = now.problems.iter().map(|p| Path::new(&p.file)).collect();
        let lost = |p: &&Persona| {
            now.get(&p.name).is_none()
                && (bad.contains(p.file.as_path())
                    || bad.contains(&*p.file.with_extension(""))
                    || p.file.parent().is_some_and(|dir| bad.contains(dir)))
        };
        let kept: Vec<Persona> = self.personas.iter().filter(lost).cloned().collect();
        for persona in kept {
            if let Some(origins) = self.persona_origins.get(&persona.name) {
                now.persona_origins.insert(persona.name.clone(), origins.clone());
            }
            now.personas.push(persona);
        }
        now.personas.sort_by(|a, b| a.name.cmp(&b.name));
        now
    }
}

/// Adds the content of the folder beside the persona's file (PF4, PF5).
fn with_folder(persona: Persona) -> Result<Persona, Vec<Diagnostic>> {
    let play = Folder::of(&persona.file).play().map_err(|error| {
        let folder = persona.file.with_extension("").display().to_string();
        vec![Diagnostic::without_place(
            folder,
            "bad_folder",
            "",
            error.to_string(),
            "the folder of an import",
        )]
    })?;
    Ok(Persona { play: play.map(Arc::new), ..persona })
}

/// Loads single files. The settings are read once.
#[derive(Debug)]
pub struct CastChecker {
    base: Base,
    tools: Vec<String>,
}

impl CastChecker {
    /// Reads the settings.
    pub fn new(layers: &Layers) -> Self {
        Self { base: Base::read(layers), tools: layers.tools.clone() }
    }

    /// Loads one file or one directory alone, without the samples.
    pub fn check(&self, path: &Path) -> Cast {
        let found = if path.is_dir() {
            PersonaFiles::in_directory(path)
        } else {
            PersonaFiles { files: vec![path.to_owned()], ..PersonaFiles::default() }
        };
        Cast::of(self.base.clone(), &self.tools, found, &[])
    }
}

/// The persona files of a directory.
#[derive(Default)]
struct PersonaFiles {
    files: Vec<PathBuf>,
    unread: Vec<PathBuf>,
    problems: Vec<Diagnostic>,
}

impl PersonaFiles {
    fn in_directory(directory: &Path) -> Self {
        let mut found = Self::default();
        match list(directory) {
            Ok(listed) => {
                found.unread = listed.unread;
                for entry in listed.files {
                    match entry {
                        Ok(file) => found.files.push(file),
                        Err(problem) => found.problems.push(*problem),
                    }
                }
            }
            Err(problem) => found.problems.push(*problem),
        }
        found
    }
}
