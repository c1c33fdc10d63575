//! Exports a persona to other formats (PF7). If its source has the same format, the source is written back with the
//! edits of the persona's file. Everything else in it stays (PF2).

mod agent;
mod book;
mod card;
mod eliza;
mod left_out;
mod list;
mod others;
mod soul;

use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde_json::Value;

use self::left_out::left_out;
use crate::{
    Asset, Carrier, Character, Format, FormatError, Play, Source, archive,
    json::{self, Order},
    png::{Picture, blank},
    toml_data, yaml, yaml_edit,
};

/// The format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The format that the persona was imported from.
    Original,
    /// Character Card V2, JSON.
    CardV2,
    /// Character Card V3, JSON.
    CardV3,
    /// A PNG picture with the card in both versions.
    Png,
    /// An ElizaOS character.
    Eliza,
    /// A folder with SOUL.md.
    Soul,
    /// Markdown with front matter, as coding tools read agents.
    Agent,
}

/// An export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The file name extension without the dot, for a single file. `None` for several files, which belong in a folder.
    pub ending: Option<&'static str>,
    /// The files. A single file has an empty path.
    pub files: Vec<Asset>,
    /// What the export does not contain, one line each.
    pub notes: Vec<String>,
}

/// The persona to be exported.
#[derive(Debug, Clone, Copy)]
pub struct Exporting<'a> {
    /// The name of its file.
    pub name: &'a str,
    /// The fields of its file.
    pub character: &'a Character,
    /// What its folder adds.
    pub play: &'a Play,
    /// What it was imported from.
    pub source: Option<&'a Source>,
    /// Lorebooks that were added to it.
    pub books: &'a [Source],
}

impl Exporting<'_> {
    /// The fields as the import wrote them. `None` without a source.
    fn before(&self) -> Option<Character> {
        self.source.map(Character::of)
    }

    /// Fills names into a text, for programs that do not expand macros.
    fn plain(&self, text: &str) -> String {
        let name = self.play.nickname.as_ref().unwrap_or(&self.character.display_name);
        let seed = crate::Seed::default();
        crate::Macros { char: name, user: "the user", seed, lasting: seed }.expand(text)
    }
}

/// Writes a persona.
///
/// # Errors
/// [`FormatError::NotWritable`] if the target is the original format and the persona was not imported, and
/// [`FormatError::Damaged`] if its picture is damaged.
pub fn export(target: Target, persona: &Exporting<'_>) -> Result<Exported, FormatError> {
    let mut notes = Vec::new();
    let (ending, bytes) = match target {
        Target::CardV2 => ("json", card::pretty(persona, Format::CardV2, &mut notes).into_bytes()),
        Target::CardV3 => ("json", card::pretty(persona, Format::CardV3, &mut notes).into_bytes()),
        Target::Png => ("png", picture(persona, &mut notes)?),
        Target::Eliza => ("json", eliza::pretty(persona, &mut notes).into_bytes()),
        Target::Agent => ("md", agent::markdown(persona, &mut notes).into_bytes()),
        Target::Soul => return Ok(Exported { ending: None, files: soul::write(persona, &mut notes), notes }),
        Target::Original => return original(persona),
    };
    Ok(one_file(ending, bytes, notes))
}

/// Whether a source that is written in its format and read again has the same data (PF2). Consumes the source, because
/// two of them would take twice the memory (X12).
///
/// # Errors
/// [`FormatError`] if it cannot be written or read.
pub fn is_lossless(source: Source) -> Result<bool, FormatError> {
    let name = "persona";
    let character = Character::of(&source);
    let play = Play::default();
    let persona = Exporting { name, character: &character, play: &play, source: Some(&source), books: &[] };
    let mut exported = export(Target::Original, &persona)?;
    let (before, file) = (fingerprint(&source), source.file.clone());
    drop(source);
    let again = match exported.files.pop() {
        Some(only) if exported.ending.is_some() => crate::detect(&file, only.content)?,
        last => crate::detect_folder(&file, exported.files.into_iter().chain(last).collect())?,
    };
    Ok(fingerprint(&again) == before)
}

/// A hash of a file's data. Different data have the same hash with a probability of 1 in 2^64.
fn fingerprint(source: &Source) -> u64 {
    let mut hasher = DefaultHasher::new();
    (source.format, &source.data, &source.beside).hash(&mut hasher);
    hasher.finish()
}

/// The description for places that a model may read. The creator's notes of a card are for people only, so they are
/// left out.
fn public_description<'a>(persona: &Exporting<'a>) -> &'a str {
    let is_notes = persona.source.is_some_and(|source| source.format.is_card())
        && persona.before().is_some_and(|before| before.description == persona.character.description);
    if is_notes { "" } else { &persona.character.description }
}

fn one_file(ending: &'static str, content: Vec<u8>, notes: Vec<String>) -> Exported {
    Exported { ending: Some(ending), files: vec![Asset { path: String::new(), content }], notes }
}

/// A card with the order of its fields.
type Ordered<'a> = (Cow<'a, Value>, Cow<'a, Order>);

/// The card for the older chunk of a picture: the second card of the file, with only the edits of the persona's file.
fn older<'a>(persona: &Exporting<'a>) -> Ordered<'a> {
    let beside = persona.source.and_then(|source| Some((source, source.beside.as_ref()?)));
    let Some((source, beside)) = beside else {
        let (card, order) = card::ordered(persona, Format::CardV2, &mut Vec::new());
        return (Cow::Owned(card), Cow::Owned(order));
    };
    let order = Cow::Borrowed(source.order.field("beside"));
    let before = Character::of(source);
    if before == *persona.character && persona.books.is_empty() {
        return (Cow::Borrowed(beside), order);
    }
    let own = Source::new(Format::CardV2, source.file.clone(), beside.clone());
    let character = persona.character.changed_since(&before, Character::of(&own));
    let mut card = card::edited(&Exporting { source: Some(&own), character: &character, ..*persona }, &own);
    let data = if card["data"].is_object() { &mut card["data"] } else { &mut card };
    // notes about the books are already added for the newer card
    book::add_books(data, persona.books, &mut Vec::new());
    (Cow::Owned(card), order)
}

fn picture(persona: &Exporting<'_>, notes: &mut Vec<String>) -> Result<Vec<u8>, FormatError> {
    let (v3, v3_order) = card::ordered(persona, Format::CardV3, notes);
    let (v2, v2_order) = older(persona);
    let pixels = match persona.source.and_then(|source| source.picture.as_ref()) {
        Some(picture) => Cow::Borrowed(picture),
        None => {
            notes.push("the persona has no picture, so the card is in a grey one".into());
            Cow::Owned(blank())
        }
    };
    Ok(Picture::read(&pixels)?.with_cards(Some((&v3, &v3_order)), Some((&v2, &v2_order))))
}

/// Exports the original format in its container.
fn original(persona: &Exporting<'_>) -> Result<Exported, FormatError> {
    let Some(source) = persona.source else {
        return Err(FormatError::NotWritable {
            what: "a persona that was not imported".into(),
            format: "its original format",
            remedy: "name a format with --as".into(),
        });
    };
    let left =
        |book: &Source| format!("the lorebook {} is no part of the original; --as card-v3 has it", book.file);
    let mut notes: Vec<String> = persona.books.iter().map(left).collect();
    if persona.character.greeting.is_some()
        && matches!(source.format, Format::Eliza | Format::AgentMarkdown | Format::AgentToml)
    {
        notes.push(format!("greeting: left out, {} has no place for it", source.format.name()));
    }
    let before = persona.before().unwrap_or_default();
    if source.format == Format::Eliza && before.description != persona.character.description {
        notes.push(
            "description: the change is left out, an ElizaOS character is described by its `bio`".into(),
        );
    }
    if let Some((ending, text)) = untouched(persona, source) {
        return Ok(one_file(ending, text.clone().into_bytes(), notes));
    }
    match source.format {
        Format::AgentMarkdown => {
            return Ok(one_file("md", agent::markdown(persona, &mut notes).into_bytes(), notes));
        }
        Format::Soul => return folder(persona, source, notes),
        _ => {}
    }
    let data = match source.format {
        // borrowed, because a copy of a large file takes much memory
        _ if before == *persona.character => Cow::Borrowed(&source.data),
        Format::CardV1 | Format::CardV2 | Format::CardV3 => Cow::Owned(card::edited(persona, source)),
        Format::Eliza => Cow::Owned(eliza::edited(persona, source, &mut notes)),
        Format::AgentToml => Cow::Owned(agent::edited_toml(persona, source)),
        _ => Cow::Owned(others::edited(persona, source, &before, &mut notes)),
    };
    let now = persona.character;
    if source.format == Format::SoulJson && (&now.prompt, &now.greeting) != (&before.prompt, &before.greeting)
    {
        notes.push(
            "soul.json has no place for the prompt and the first message, so they are in files beside it"
                .into(),
        );
        let files = soul::beside_manifest(now, source, data.into_owned(), now.prompt != before.prompt);
        return Ok(Exported { ending: None, files, notes });
    }
    in_container(persona, source, &data, notes)
}

/// Exports the files of the SOUL.md family in their original form.
fn folder(persona: &Exporting<'_>, source: &Source, mut notes: Vec<String>) -> Result<Exported, FormatError> {
    let files = soul::write(persona, &mut notes);
    match (source.carrier, files.len()) {
        (Carrier::Zip, _) => zipped(files.iter(), notes),
        (_, 1) if is_one_text(&source.file) => {
            Ok(one_file("md", files.into_iter().next().map(|file| file.content).unwrap_or_default(), notes))
        }
        _ => Ok(Exported { ending: None, files, notes }),
    }
}

/// Whether a file name of the SOUL.md family means a single text.
fn is_one_text(file: &str) -> bool {
    let file = file.to_lowercase();
    file.is_empty() || [".md", ".markdown", ".txt"].iter().any(|ending| file.ends_with(ending))
}

/// Puts the data into the container of the original file.
fn in_container(
    persona: &Exporting<'_>,
    source: &Source,
    data: &Value,
    notes: Vec<String>,
) -> Result<Exported, FormatError> {
    let plain = |mut notes: Vec<String>| {
        notes.push("the comments and the order of the file are not kept".into());
        notes
    };
    let text = source.text.as_deref().unwrap_or_default();
    match (source.format, source.carrier) {
        (Format::AgentToml, _) => Ok(match toml_data::updated(text, data) {
            Some(text) => one_file("toml", text.into_bytes(), notes),
            None => one_file("toml", toml_data::write(data).unwrap_or_default().into_bytes(), plain(notes)),
        }),
        (Format::CrewAi, _) => Ok(match yaml_edit::updated(text, data) {
            Some(text) => one_file("yaml", text.into_bytes(), notes),
            None => one_file("yaml", yaml::write_nested(data).into_bytes(), plain(notes)),
        }),
        (Format::Byaf, _) => {
            let file = |(path, value): (&String, &Value)| Asset {
                path: path.clone(),
                content: json::pretty(value, source.order.field("data").field(path)).into_bytes(),
            };
            let files: Vec<Asset> =
                crate::value::fields(data).map(file).chain(source.assets.iter().cloned()).collect();
            zipped(files.iter(), notes)
        }
        (_, Carrier::Zip) => {
            let card = Asset { path: "card.json".into(), content: source.pretty(data).into_bytes() };
            zipped([&card].into_iter().chain(&source.assets), notes)
        }
        (_, Carrier::Png) => {
            let picture = source.picture.as_ref().map_or_else(|| Cow::Owned(blank()), Cow::Borrowed);
            let picture = Picture::read(&picture)?;
            let newest = Some((data, source.order.field("data")));
            let bytes = match (&source.beside, source.format) {
                (_, Format::Lorebook) => picture.with_lorebook(data, source.order.field("data")),
                (Some(_), _) => {
                    let (v2, order) = older(&Exporting { books: &[], ..*persona });
                    picture.with_cards(newest, Some((&v2, &order)))
                }
                (None, Format::CardV3) => picture.with_cards(newest, None),
                (None, _) => picture.with_cards(None, newest),
            };
            Ok(one_file("png", bytes, notes))
        }
        (Format::Letta, _) => Ok(one_file("af", source.pretty(data).into_bytes(), notes)),
        _ => Ok(one_file("json", source.pretty(data).into_bytes(), notes)),
    }
}

/// The original text of the file and its extension, if neither the persona nor its source was edited.
fn untouched<'a>(persona: &Exporting<'_>, source: &'a Source) -> Option<(&'static str, &'a String)> {
    let ending = match source.format {
        Format::AgentMarkdown => "md",
        Format::AgentToml => "toml",
        Format::CrewAi => "yaml",
        _ => return None,
    };
    let text =
        source.text.as_ref().filter(|_| persona.before().is_some_and(|it| it == *persona.character))?;
    let again = crate::detect(&source.file, text.as_bytes()).ok()?;
    (again.data == source.data).then_some((ending, text))
}

fn zipped<'a>(files: impl Iterator<Item = &'a Asset>, notes: Vec<String>) -> Result<Exported, FormatError> {
    let bytes = archive::write(files.map(|file| (file.path.as_str(), &file.content[..])))?;
    Ok(one_file("zip", bytes, notes))
}

/// Splits an edited prompt into the text before the first of these headings, and the text below each.
pub(crate) fn sections<'a>(prompt: &'a str, headings: &[&str]) -> (&'a str, Vec<(String, &'a str)>) {
    let mut starts: Vec<(usize, usize, String)> = Vec::new();
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        let heading = line.trim_end();
        if headings.contains(&heading) && starts.iter().all(|(.., name)| name != heading) {
            starts.push((at, at + line.len(), heading.to_owned()));
        }
        at += line.len();
    }
    let head = prompt[..starts.first().map_or(prompt.len(), |(start, ..)| *start)].trim();
    let ends = starts.iter().skip(1).map(|(start, ..)| *start).chain([prompt.len()]);
    let found = starts
        .iter()
        .zip(ends)
        .map(|((_, from, name), to)| (name.clone(), prompt[*from..to].trim()))
        .collect();
    (head, found)
}
