//! A persona on disk: `NAME.md`, and beside it the folder `NAME/` with the source of an import, its picture, other
//! files and lorebooks. Only a requested update ever overwrites a file (PF2).

mod fresh;
mod learning;

use std::{
    fs,
    path::{Path, PathBuf},
};

pub use self::learning::ToLearn;
use self::{
    fresh::{Fresh, write_new, write_whole, writing},
    learning::KNOWLEDGE,
};
use crate::{
    Asset, Character, FormatError, Imported, Lorebook, Play, Source,
    archive::is_inside,
    disk::{read_file, read_text},
    free_name,
    front::{document, with_field},
    json, read,
    receipt::Ledger,
};

const SOURCE: &str = "source.json";
const PICTURE: &str = "picture.png";
const ASSETS: &str = "files";
const LOREBOOK: &str = "lorebook";
/// The most lorebooks of one persona, besides the one of its card.
const MAX_BOOKS: usize = 20;

/// The folder of a persona.
#[derive(Debug, Clone)]
pub struct Folder {
    /// The persona's file.
    pub file: PathBuf,
    path: PathBuf,
}

/// A persona or a lorebook that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The name of the persona, or of the lorebook's file.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Whether the wanted name was taken, so that the name has a number.
    pub is_numbered: bool,
    /// Whether it existed already, because the same file was imported before.
    pub was_there: bool,
    /// A note if the greeting that was chosen before an update could not be kept.
    pub note: Option<String>,
}

impl Folder {
    /// The folder of a persona's file. It need not exist.
    pub fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), path: file.with_extension("") }
    }

    /// The directory of the persona's file.
    fn directory(&self) -> &Path {
        self.file.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// The source of the persona, without the picture and other files.
    ///
    /// # Errors
    /// [`FormatError`] if it cannot be read.
    pub fn source(&self) -> Result<Option<Source>, FormatError> {
        let file = self.path.join(SOURCE);
        if !self.is_there()? || !file.exists() {
            return Ok(None);
        }
        let text = read_text(&file, json::MAX_SOURCE)?;
        Source::from_json(&text).map(Some).map_err(|error| error.within(SOURCE))
    }

    /// The source with the picture and other files, for an export.
    ///
    /// # Errors
    /// [`FormatError`] if something cannot be read.
    pub fn whole_source(&self) -> Result<Option<Source>, FormatError> {
        let Some(source) = self.source()? else { return Ok(None) };
        Ok(Some(Source { picture: self.picture()?, assets: self.assets()?, ..source }))
    }

    /// Whether the folder contains this source. Compares the texts first, because two parsed sources take much memory
    /// (X12).
    fn holds(&self, source: &Source) -> Result<bool, FormatError> {
        let file = self.path.join(SOURCE);
        if !self.is_there()? || !file.exists() {
            return Ok(false);
        }
        let text = read_text(&file, json::MAX_SOURCE)?;
        Ok(source.is_written(&text) || Source::from_json(&text)?.same_data(source))
    }

    /// The other files of an imported archive.
    fn assets(&self) -> Result<Vec<Asset>, FormatError> {
        let mut assets = Vec::new();
        let list = self.path.join(ASSETS).join("list.json");
        if list.exists() {
            let text = read_text(&list, json::MAX_BYTES)?;
            let paths = crate::value::as_texts(&json::parse(&text)?);
            for (n, path) in paths.into_iter().enumerate() {
                let content = read_file(&self.path.join(ASSETS).join(format!("{n}.bin")), crate::MAX_FILE)?;
                assets.push(Asset { path, content });
            }
        }
        Ok(assets)
    }

    /// Whether the persona has a picture.
    pub fn has_picture(&self) -> bool {
        self.path.join(PICTURE).is_file()
    }

    /// The picture of the persona, a PNG.
    ///
    /// # Errors
    /// [`FormatError`] if it cannot be read.
    pub fn picture(&self) -> Result<Option<Vec<u8>>, FormatError> {
        let file = self.path.join(PICTURE);
        if !self.is_there()? || !file.exists() {
            return Ok(None);
        }
        read_file(&file, crate::MAX_FILE).map(Some)
    }

    /// What the folder adds to the persona's contexts. `None` if it adds nothing.
    ///
    /// # Errors
    /// [`FormatError`] if a file in it is damaged.
    pub fn play(&self) -> Result<Option<Play>, FormatError> {
        let mut play = self.source()?.map(|source| read::read(&source).play);
        for book in self.each_book()? {
            let book = Lorebook::read(&book?.data, "", &mut Ledger::default());
            play.get_or_insert_default().books.extend(book);
        }
        Ok(play)
    }

    /// The lorebooks that were added to the persona.
    ///
    /// # Errors
    /// [`FormatError`] if a lorebook is damaged.
    pub fn books(&self) -> Result<Vec<Source>, FormatError> {
        self.each_book()?.collect()
    }

    /// The same as an iterator, because twenty large books take much memory.
    fn each_book(&self) -> Result<impl Iterator<Item = Result<Source, FormatError>>, FormatError> {
        let names = self.book_names()?.into_iter().take(MAX_BOOKS);
        Ok(names.map(|name| {
            let bytes = read_file(&self.path.join(&name), json::MAX_BYTES)?;
            crate::detect(&name, bytes).map_err(|error| error.within(&name))
        }))
    }

    /// The files of the lorebooks.
    fn book_names(&self) -> Result<Vec<String>, FormatError> {
        if !self.is_there()? {
            return Ok(Vec::new());
        }
        let failed = |error: std::io::Error| FormatError::io(&self.path, &error);
        let mut names: Vec<String> = fs::read_dir(&self.path)
            .map_err(failed)?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with(LOREBOOK) && name.ends_with(".json"))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Whether the folder exists. A symbolic link is refused, because its target may be anywhere (X11).
    fn is_there(&self) -> Result<bool, FormatError> {
        match self.path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                Err(FormatError::Outside { path: self.path.display().to_string() })
            }
            Ok(meta) => Ok(meta.is_dir()),
            Err(_) => Ok(false),
        }
    }

    /// Finds a persona in the directory that was imported from the same data, with the same picture and files.
    pub fn same(directory: &Path, imported: &Imported) -> Option<Written> {
        let stem = &imported.name;
        let names = std::iter::once(stem.clone()).chain((2..100).map(|number| format!("{stem}-{number}")));
        names.map(|name| (directory.join(format!("{name}.md")), name)).find_map(|(file, name)| {
            let folder = Self::of(&file);
            let has_data = file.is_file() && folder.holds(&imported.source).ok()?;
            let (before, files) =
                has_data.then(|| Some((folder.picture().ok()?, folder.assets().ok()?)))??;
            let Source { picture, assets, .. } = &imported.source;
            let is_same = (picture.is_none() || before == *picture)
                && assets.iter().all(|asset| !is_inside(&asset.path) || files.contains(asset));
            is_same.then_some(Written { name, file, is_numbered: false, was_there: true, note: None })
        })
    }

    /// The name that a new persona gets in a directory: the wanted one, with a number if it is taken. `reserved` are
    /// names of personas without a file, whose memories a card must not get.
    pub fn free_name(directory: &Path, imported: &Imported, reserved: &[&str]) -> String {
        free_name(&imported.name, |name| {
            let file = directory.join(format!("{name}.md"));
            reserved.contains(&name) || file.symlink_metadata().is_ok() || Self::of(&file).is_taken(imported)
        })
    }

    /// Writes a persona into a directory, and creates the directory if necessary. If the same file was imported before,
    /// the existing persona stays unchanged, with its edits; otherwise the name is [`free_name`](Self::free_name).
    ///
    /// # Errors
    /// [`FormatError`] if the disk refuses. Then no part of the persona remains.
    pub fn create(directory: &Path, imported: &Imported, reserved: &[&str]) -> Result<Written, FormatError> {
        let _writing = writing(directory)?;
        if let Some(before) = Self::same(directory, imported) {
            if !imported.knowledge.is_empty() {
                learning::write(&before.file.with_extension(""), imported)?;
            }
            return Ok(before);
        }
        let name = Self::free_name(directory, imported, reserved);
        let file = directory.join(format!("{name}.md"));
        let fresh = Fresh::of(&file)?;
        write_source(&fresh.folder, &imported.source)?;
        if !imported.knowledge.is_empty() {
            learning::write(&fresh.folder, imported)?;
        }
        fresh.commit(&imported.character.to_markdown())?;
        Ok(Written { is_numbered: name != imported.name, name, file, was_there: false, note: None })
    }

    /// Whether the folder exists for another reason than this import: it belongs neither to the same import without a
    /// persona file, nor to a killed import.
    fn is_taken(&self, imported: &Imported) -> bool {
        let Ok(meta) = self.path.symlink_metadata() else { return false };
        let is_ours = |entry: fs::DirEntry| {
            [SOURCE, PICTURE, ASSETS, KNOWLEDGE].iter().any(|name| entry.file_name() == *name)
        };
        let is_import = meta.is_dir()
            && fs::read_dir(&self.path).is_ok_and(|mut entries| entries.all(|it| it.is_ok_and(is_ours)));
        let source = self.source().ok().flatten();
        !is_import || source.is_some_and(|source| !source.same_data(&imported.source))
    }

    /// Replaces an imported persona by a newer version of its source. The persona's file must be unchanged since the
    /// older import, except for the choice of another greeting of the card, which is kept.
    ///
    /// # Errors
    /// [`FormatError::NotWritable`] if the persona was not imported, or its file was edited since.
    pub fn update(&self, imported: &Imported) -> Result<Written, FormatError> {
        let refused = |what: &str, remedy: &str| FormatError::NotWritable {
            what: what.to_owned(),
            format: "an update",
            remedy: remedy.to_owned(),
        };
        let _writing = writing(self.directory())?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = self.source()?.ok_or_else(|| {
            refused(
                &format!("{name}, which was not imported,"),
                "import the file without --update; it gets a name of its own",
            )
        })?;
        let text = read_text(&self.file, crate::MAX_FILE)?;
        let before = Character::of(&source);
        let is_edited = text != before.to_markdown();
        let chosen = if is_edited { chosen_greeting(&source, &before, &text) } else { None };
        if is_edited && chosen.is_none() {
            return Err(refused(
                &format!("{name}, whose file was edited after the import,"),
                "import without --update, and carry your changes over",
            ));
        }
        let fresh = Fresh::of(&self.file)?;
        write_source(&fresh.folder, &imported.source)?;
        learning::write(&fresh.folder, imported)?;
        for book in self.book_names()? {
            let (from, to) = (self.path.join(&book), fresh.folder.join(&book));
            fs::copy(&from, &to).map_err(|error| FormatError::io(&from, &error))?;
        }
        let (character, note) = carried_over(imported, chosen);
        fresh.commit(&character.to_markdown())?;
        Ok(Written { name, file: self.file.clone(), is_numbered: false, was_there: false, note })
    }

    /// Sets one of the greetings of the card as the persona's first message: writes it into the persona's file and
    /// returns it. The usual greeting is number 1.
    ///
    /// # Errors
    /// [`FormatError::NotWritable`] if there is no such greeting, or the file has an unusual form.
    pub fn choose_greeting(&self, number: usize) -> Result<String, FormatError> {
        let greetings = self.play()?.unwrap_or_default().greetings;
        let chosen = number.checked_sub(1).and_then(|n| greetings.get(n)).cloned();
        let chosen = chosen.ok_or_else(|| FormatError::NotWritable {
            what: format!("greeting {number}"),
            format: "the first message",
            remedy: match greetings.len() {
                0 => "this persona has no card with greetings".into(),
                most => format!("the greetings of its card are numbered from 1 to {most}"),
            },
        })?;
        let greeting = fitted(&chosen);
        let _writing = writing(self.directory())?;
        let text = read_text(&self.file, crate::MAX_FILE)?;
        write_whole(&self.file, with_field(&text, "greeting", &greeting)?.as_bytes())?;
        Ok(greeting)
    }

    /// Adds a lorebook to the persona, unless it has an equal one. Returns the file of the book.
    ///
    /// # Errors
    /// [`FormatError`] if the disk refuses.
    pub fn add_book(&self, book: &Source) -> Result<Written, FormatError> {
        if !self.file.is_file() {
            return Err(FormatError::NotWritable {
                what: "a lorebook".into(),
                format: "a part of a built-in persona",
                remedy: "make a file of its name with `greenroom persona new`".into(),
            });
        }
        let written = |name: String, was_there| Written {
            file: self.path.join(&name),
            is_numbered: false,
            was_there,
            name,
            note: None,
        };
        let _writing = writing(self.directory())?;
        for before in self.each_book()? {
            let before = before?;
            if before.data == book.data {
                return Ok(written(before.file, true));
            }
        }
        fs::create_dir_all(&self.path).map_err(|error| FormatError::io(&self.path, &error))?;
        let name =
            free_name(LOREBOOK, |name| self.path.join(format!("{name}.json")).symlink_metadata().is_ok());
        let written = written(format!("{name}.json"), false);
        write_whole(&written.file, book.pretty(&book.data).as_bytes())?;
        Ok(written)
    }
}

/// A greeting in the form in which a persona's file contains it.
fn fitted(greeting: &str) -> String {
    let mut character = Character { greeting: Some(greeting.to_owned()), ..Character::default() };
    character.cut(&mut Ledger::default());
    character.greeting.unwrap_or_default()
}

/// The greeting of the card that a person chose in the persona's file, and its index. `None` if the file has any other
/// edit. `before`: the character as the import wrote it.
fn chosen_greeting(source: &Source, before: &Character, text: &str) -> Option<(usize, String)> {
    let front = document(text).ok()?.front;
    let greeting = front.get("greeting")?.as_str()?;
    let greetings = read::read(source).play.greetings;
    let index = greetings.iter().position(|it| it == greeting || fitted(it) == greeting)?;
    let chosen = Character { greeting: Some(greeting.to_owned()), ..before.clone() };
    (chosen.to_markdown() == text).then(|| (index, greeting.to_owned()))
}

/// The character of an update with the previously chosen greeting, and a note if the new source has another one or
/// none. A greeting that is chosen together with the update takes precedence.
fn carried_over(imported: &Imported, chosen: Option<(usize, String)>) -> (Character, Option<String>) {
    let mut character = imported.character.clone();
    let usual = Character::of(&imported.source).greeting;
    let Some((index, before)) = chosen.filter(|_| character.greeting == usual) else {
        return (character, None);
    };
    let mut greetings: Vec<String> = imported.play.greetings.iter().map(|it| fitted(it)).collect();
    let before = fitted(&before);
    let number = index + 1;
    let note = match greetings.contains(&before) {
        true => {
            character.greeting = Some(before);
            None
        }
        false if index < greetings.len() => {
            character.greeting = Some(greetings.swap_remove(index));
            Some(format!("greeting {number}, which was chosen before, has another text in this file"))
        }
        false => Some(format!(
            "greeting {number}, which was chosen before, is not in this file; the usual one counts"
        )),
    };
    (character, note)
}

/// Writes the source of a persona into its folder. The folder must not contain a source.
fn write_source(folder: &Path, source: &Source) -> Result<(), FormatError> {
    write_new(&folder.join(SOURCE), source.to_json().as_bytes())?;
    if let Some(picture) = &source.picture {
        write_new(&folder.join(PICTURE), picture)?;
    }
    if source.assets.is_empty() {
        return Ok(());
    }
    // the files get our own names; their paths are only stored in the list
    let assets = folder.join(ASSETS);
    fs::create_dir(&assets).map_err(|error| FormatError::io(&assets, &error))?;
    let paths: Vec<&str> =
        source.assets.iter().map(|asset| asset.path.as_str()).filter(|path| is_inside(path)).collect();
    write_new(&assets.join("list.json"), json::pretty(&paths.into(), &json::Order::default()).as_bytes())?;
    for (n, asset) in source.assets.iter().filter(|asset| is_inside(&asset.path)).enumerate() {
        write_new(&assets.join(format!("{n}.bin")), &asset.content)?;
    }
    Ok(())
}
