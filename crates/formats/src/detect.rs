//! Detects the format of a file and reads its raw data. Decides by the content, never by the file name extension (PF1).

mod folder;
mod kind;
mod markdown;

use std::borrow::Cow;

use serde_json::{Map, Value};

use self::{
    folder::folder,
    kind::{is_crew, is_toml_agent, json_format, outline},
    markdown::markdown,
};
use crate::{
    Asset, Carrier, Character, Format, FormatError, Source, archive,
    error::place,
    front,
    json::{self, Order},
    literal,
    png::{Picture, is_png},
    read::agents,
    secrets, toml_data,
    value::object,
    yaml, yaml_edit,
};

/// The largest file.
pub const MAX_FILE: usize = 16 << 20;
/// The most agents of one file.
const MAX_AGENTS: usize = 100;
/// The largest persona file.
pub const MAX_PERSONA: usize = 1 << 20;
/// The longest text of Markdown or TOML.
const MAX_TEXT: usize = MAX_PERSONA;

/// The message for modes of Roo Code.
const ROO: &str = "modes of Roo Code; save `roleDefinition` and `customInstructions` of a mode as a Markdown file to import it";

/// Reads a file. `file`: its name without directory, which is used if the content has no name.
///
/// # Errors
/// [`FormatError`] with the position and a remedy.
pub fn detect<'a>(file: &str, bytes: impl Into<Cow<'a, [u8]>>) -> Result<Source, FormatError> {
    let bytes = bytes.into();
    if bytes.len() > MAX_FILE {
        return Err(FormatError::TooLarge {
            what: "the file".into(),
            limit: format!("{} MB", MAX_FILE >> 20),
        });
    }
    let source = content(file, bytes)?;
    // each agent becomes a persona with a copy of the whole file
    let agents = agents(&source).len();
    let too_large = |what: String, limit: String| Err(FormatError::TooLarge { what, limit });
    if agents > MAX_AGENTS {
        return too_large("the file".into(), format!("{MAX_AGENTS} agents"));
    }
    // measured without the file's white space, which an export writes differently
    if agents > 1 && agents * json::length(&source.data) > MAX_FILE {
        return too_large(
            format!("the file, once for each of its {agents} agents,"),
            format!("{} MB", MAX_FILE >> 20),
        );
    }
    finished(source)
}

/// Reads the data of a file. Consumes the bytes, because bytes and data together take much memory (X12).
fn content(file: &str, bytes: Cow<'_, [u8]>) -> Result<Source, FormatError> {
    if is_png(&bytes) {
        return picture(file, &bytes);
    }
    if archive::is_zip(&bytes) {
        let (files, is_whole) = (archive::read(&bytes)?, archive::is_at_beginning(&bytes));
        drop(bytes);
        let mut source = folder(file, files)?;
        if !is_whole {
            let reason = "the picture before the archive; an export has the archive alone";
            source.changes.push(("(picture)".into(), reason.into()));
        }
        return Ok(Source { carrier: Carrier::Zip, ..source });
    }
    let text = text_of(&bytes)?;
    let mut source = with_text(text_file(file, text.strip_prefix('\u{feff}').unwrap_or(&text))?, &text);
    if matches!(text, Cow::Owned(_)) {
        source.changes.push(("(encoding)".into(), "the file is in UTF-16; an export is in UTF-8".into()));
    }
    Ok(source)
}

/// Reads the files of a folder, or of an archive.
///
/// # Errors
/// [`FormatError`] if it contains no persona.
pub fn detect_folder(name: &str, files: Vec<Asset>) -> Result<Source, FormatError> {
    finished(folder(name, files)?)
}

/// The source without secrets. Fails if a resulting persona file would be too large.
fn finished(source: Source) -> Result<Source, FormatError> {
    let mut source = without_secrets(source)?;
    // checked only near the limit; a lorebook makes no persona file
    if source.format != Format::Lorebook && texts_in(&source.data) > MAX_PERSONA / 2 {
        for agent in agents(&source) {
            source.agent = agent;
            if Character::of(&source).to_markdown().len() > MAX_PERSONA {
                return Err(FormatError::TooLarge {
                    what: "the text of the persona's prompt and first message".into(),
                    limit: format!("{} MB", MAX_PERSONA >> 20),
                });
            }
        }
        source.agent = None;
    }
    Ok(source)
}

/// The bytes of the texts in a value.
fn texts_in(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(texts_in).sum(),
        Value::Object(fields) => fields.values().map(texts_in).sum(),
        _ => 0,
    }
}

/// Adds the text of the file to a source whose export writes the text instead of the data.
fn with_text(mut source: Source, text: &str) -> Source {
    match source.format {
        Format::Soul => object(&mut source.data).values_mut().for_each(|only| *only = text.into()),
        Format::AgentMarkdown | Format::AgentToml | Format::CrewAi => source.text = Some(text.to_owned()),
        _ => {}
    }
    source
}

fn picture(file: &str, bytes: &[u8]) -> Result<Source, FormatError> {
    let picture = Picture::read(bytes)?;
    let (cards, changes) = picture.cards()?;
    let ((data, order), beside) = match (cards.v3, cards.v2) {
        (Some(v3), v2) => (v3, v2),
        (None, Some(v2)) => (v2, None),
        (None, None) => return lorebook(file, &picture),
    };
    let format = json_format(&data).filter(|format| format.is_card()).unwrap_or(Format::CardV1);
    let picture = Some(picture.without_cards());
    let (beside, beside_order) = beside.unzip();
    let order = Order::of_sorted([
        ("beside".to_owned(), beside_order.unwrap_or_default()),
        ("data".to_owned(), order),
    ]);
    Ok(Source { carrier: Carrier::Png, beside, picture, changes, order, ..Source::new(format, file, data) })
}

/// A picture with a lorebook of NovelAI.
fn lorebook(file: &str, picture: &Picture<'_>) -> Result<Source, FormatError> {
    let (data, order, named) = picture.lorebook()?.ok_or(FormatError::NoCard)?;
    if json_format(&data) != Some(Format::Lorebook) {
        return Err(FormatError::NoCard);
    }
    let source = Source::new(Format::Lorebook, file, data).ordered(order);
    let (changes, picture) = (twice(&named).collect(), Some(picture.without_lorebook()));
    Ok(Source { carrier: Carrier::Png, picture, changes, ..source })
}

fn text_file(file: &str, text: &str) -> Result<Source, FormatError> {
    if text.trim().is_empty() {
        return Err(unknown("an empty file"));
    }
    if let Some(found) = no_file(text) {
        return Err(unknown(found));
    }
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    let has_front = text.trim_start().starts_with("---");
    let begin = without_comments(text).trim_start();
    let is_prose = matches!(ending.as_str(), "" | "md" | "markdown" | "txt");
    let is_yaml = matches!(ending.as_str(), "yaml" | "yml");
    // a YAML map may begin like a JSON object
    let is_json =
        ending != "toml" && begins_json(begin, is_prose) && !(is_yaml && json::parse(text).is_err());
    if is_json && begin.len() < text.trim_start().len() {
        let (line, column) = place(text, text.len() - text.trim_start().len());
        let message = "a comment, which JSON does not have".to_owned();
        return Err(FormatError::Syntax { format: "JSON", line, column, message });
    }
    let is_scalar = || text.len() < 1_000 && serde_json::from_str::<Value>(text.trim()).is_ok();
    if is_json || (ending == "json" && !has_front && !is_toml(text)) || is_scalar() {
        let mut documents = json::Documents::default();
        let data = documents.parse(text)?;
        if data["customModes"].is_array() {
            return Err(unknown(ROO));
        }
        let format = json_format(&data).ok_or_else(|| unknown(&outline(&data)))?;
        let half = literal::without_half_characters(text).map(|_| {
            let reason = "halves of characters (`\\ud800`), which no text can hold, became U+FFFD";
            ("(broken characters)".to_owned(), reason.to_owned())
        });
        let changes = half.into_iter().chain(twice(&documents.twice)).collect();
        return Ok(Source { changes, ..Source::new(format, file, data) }.ordered(documents.order));
    }
    if text.contains('\0') {
        return Err(no_utf8(text.as_bytes()));
    }
    if text.len() > MAX_TEXT {
        return Err(FormatError::TooLarge {
            what: "the text".into(),
            limit: format!("{} MB", MAX_TEXT >> 20),
        });
    }
    let first = first_line(text);
    if is_yaml && front::document(text)?.front == Value::Object(Map::new()) {
        let (data, named) = yaml::parse_named(text)?;
        let found = || outline(&data).replacen("JSON", "YAML", 1);
        return match is_crew(&data) {
            _ if data["customModes"].is_array() => Err(unknown(ROO)),
            true => {
                Ok(Source { changes: twice(&named).collect(), ..Source::new(Format::CrewAi, file, data) })
            }
            false => Err(unknown(&found())),
        };
    }
    if ending == "toml" || is_assignment(first) {
        match toml_data::parse(text) {
            Ok(data) if is_toml_agent(&data) => return Ok(Source::new(Format::AgentToml, file, data)),
            Ok(data) => return Err(unknown(&outline(&data).replacen("JSON", "TOML", 1))),
            // in this case the parser's error locates the mistake
            Err(error) if ending == "toml" || !text.contains("\n# ") => return Err(error),
            Err(_) => {}
        }
    }
    if is_key(first) {
        match yaml::parse_named(text) {
            Ok((data, _)) if data["customModes"].is_array() => return Err(unknown(ROO)),
            Ok((data, named)) if is_crew(&data) => {
                return Ok(Source {
                    changes: twice(&named).collect(),
                    ..Source::new(Format::CrewAi, file, data)
                });
            }
            // the parser's error locates the mistake
            Err(error) if ["role", "goal", "backstory"].iter().all(|key| has_key(text, key)) => {
                return Err(error);
            }
            _ => {}
        }
    }
    markdown(file, text)
}

/// The reasons for omitted duplicate fields.
fn twice(fields: &[String]) -> impl Iterator<Item = (String, String)> {
    let reason = "the field is there twice; the last one counts, and the other is left out";
    fields.iter().map(|field| (field.clone(), reason.to_owned()))
}

/// A description of content that a failed download typically saves.
fn no_file(text: &str) -> Option<&'static str> {
    let begin: String = text.trim_start().chars().take(50).collect::<String>().to_lowercase();
    match () {
        () if ["<!doctype html", "<html"].iter().any(|tag| begin.starts_with(tag)) => {
            Some("a page of the web, and not the file that it shows; download the file itself")
        }
        () if begin.starts_with("version https://git-lfs") => {
            Some("a pointer of Git LFS, and not the file itself; download the file")
        }
        () => None,
    }
}

/// Whether a text begins like JSON. Prose may also begin with a bracket, of a link or a macro.
fn begins_json(text: &str, is_prose: bool) -> bool {
    let next = |rest: &str, marks: &[char]| !is_prose || rest.trim_start().starts_with(marks);
    match (text.strip_prefix('{'), text.strip_prefix('[')) {
        (Some(rest), _) => next(rest, &['"', '}']),
        (_, Some(rest)) => next(rest, &['"', '{', ']']),
        _ => text.starts_with("\"{"),
    }
}

/// The first line that is not a YAML or TOML comment.
fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default()
}

/// The text after leading comments of the form `// …` and `/* … */`.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = match () {
            () if rest.starts_with("//") => rest.find('\n').map(|at| &rest[at..]),
            () if rest.starts_with("/*") => rest.find("*/").map(|at| &rest[at + 2..]),
            () => None,
        };
        match after {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

/// Decodes the text of a file: UTF-8, or UTF-16 with a byte order mark.
fn text_of(bytes: &[u8]) -> Result<Cow<'_, str>, FormatError> {
    let from: fn([u8; 2]) -> u16 = match bytes {
        // UTF-32's byte order mark begins like that of UTF-16
        [0xff, 0xfe, 0, 0, ..] => return Err(no_utf8(bytes)),
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ if is_wide(bytes) => return Err(no_utf8(bytes)),
        _ => return std::str::from_utf8(bytes).map(Cow::from).map_err(|_| no_utf8(bytes)),
    };
    if bytes.len() % 2 == 1 {
        return Err(no_utf8(bytes));
    }
    let units = bytes.chunks_exact(2).map(|pair| from([pair[0], pair[1]]));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.map(Cow::from).map_err(|_| no_utf8(bytes))
}

/// Whether the bytes look like ASCII letters in UTF-16.
fn is_wide(bytes: &[u8]) -> bool {
    let zeros = || bytes.iter().filter(|byte| **byte == 0).count();
    bytes.iter().take(2).any(|byte| *byte == 0) && zeros() * 3 > bytes.len()
}

/// The error for bytes that are not UTF-8.
fn no_utf8(bytes: &[u8]) -> FormatError {
    unknown(match () {
        () if is_picture(bytes) => {
            "a picture that is no PNG; a card is within a PNG, so download the original"
        }
        () if is_packed(bytes) => "a packed file; unpack it, and import what is in it",
        () if bytes.starts_with(&[0xff, 0xfe, 0, 0]) => {
            "bytes that are no text in UTF-8, but perhaps in UTF-32; save it as UTF-8"
        }
        () if is_wide(bytes) => "bytes that are no text in UTF-8, but perhaps in UTF-16; save it as UTF-8",
        () if !bytes.contains(&0) => "bytes that are no text in UTF-8, perhaps in Latin-1; save it as UTF-8",
        () => "bytes that are no text",
    })
}

/// Whether the bytes are a picture in JPEG, GIF, WebP or AVIF.
fn is_picture(bytes: &[u8]) -> bool {
    let has = |at: usize, mark: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(mark));
    has(0, b"\xff\xd8\xff") || has(0, b"GIF8") || has(8, b"WEBP") || has(4, b"ftypavif")
}

/// Whether the bytes are packed with gzip, bzip2, xz, Zstandard, 7-Zip, RAR or tar.
fn is_packed(bytes: &[u8]) -> bool {
    let marks: [&[u8]; 6] =
        [b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07"];
    marks.iter().any(|mark| bytes.starts_with(mark))
        || bytes.get(257..).is_some_and(|rest| rest.starts_with(b"ustar"))
}

/// `key = value`, as a TOML file begins.
fn is_assignment(line: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    line.split_once('=').is_some_and(|(key, _)| !key.trim().is_empty() && key.trim().chars().all(word))
}

fn is_toml(text: &str) -> bool {
    is_assignment(first_line(text))
}

/// `key:`, as YAML of nested fields begins, perhaps with an anchor or a mark of a block.
fn is_key(line: &str) -> bool {
    let is_mark = |rest: &str| {
        let rest = rest.trim();
        rest.is_empty() || rest.starts_with(['&', '#', '>', '|'])
    };
    line.split_once(':').is_some_and(|(_, rest)| is_mark(rest))
}

/// Whether a line of the text begins with this key, within a mapping.
fn has_key(text: &str, key: &str) -> bool {
    let is_it = |line: &str| {
        line.starts_with(' ') && line.trim().strip_prefix(key).is_some_and(|it| it.starts_with(':'))
    };
    text.lines().any(is_it)
}

fn unknown(found: &str) -> FormatError {
    FormatError::Unknown { found: found.to_owned() }
}

/// Removes what may not be kept: fields that are for secrets, and values that look like one (PF3).
fn without_secrets(mut source: Source) -> Result<Source, FormatError> {
    let data = &mut source.data;
    let mut removed = Vec::new();
    match source.format {
        Format::Eliza => {
            removed.extend(secrets::remove_field(data, &["settings", "secrets"]));
            removed.extend(secrets::remove_field(data, &["secrets"]));
        }
        Format::Letta => {
            let agents = data.get_mut("agents").and_then(Value::as_array_mut);
            for agent in agents.into_iter().flatten() {
                for field in ["secrets", "tool_exec_environment_variables"] {
                    removed.extend(
                        secrets::remove_field(agent, &[field]).map(|field| format!("agents.{field}")),
                    );
                }
            }
            removed.extend(secrets::remove_field(data, &["tool_exec_environment_variables"]));
        }
        _ => {}
    }
    source.removed = removed;
    let known = secrets::remove_all(&mut source)?;
    if !source.removed.is_empty() {
        source.text = source.text.take().and_then(|text| text_without(&source, &text, known.as_ref()));
    }
    Ok(source)
}

/// The text of a file without its secrets, also in its comments; `None` where it is not known which text that is.
fn text_without(source: &Source, text: &str, known: Option<&secrets::Search>) -> Option<String> {
    let updated = match source.format {
        Format::AgentToml => toml_data::updated,
        Format::CrewAi => yaml_edit::updated,
        _ => return None,
    };
    let text = updated(text, &source.data)?;
    match secrets::without(text.as_bytes(), true, known) {
        Some((clean, _)) => updated(&String::from_utf8(clean).ok()?, &source.data),
        None => Some(text),
    }
}
