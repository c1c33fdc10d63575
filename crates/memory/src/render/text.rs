//! Escaping of texts: keeps a text on one line, inside its quotes, and between its tags (X7). All formats use it.

use greenroom_context::{A_PERSON, plain as is_plain};
use greenroom_core::{Memory, Timestamp, Trust, is_unseen};
use greenroom_store::Item;
use jiff::tz::TimeZone;

/// The maximum length of a shown source (`via`), in characters.
const LONGEST_WAY: usize = 40;
/// The maximum length of a shown label, in characters: a name, and the suffix that distinguishes it from an equal name.
const LONGEST_LABEL: usize = 60;

/// The text as one line: line breaks become spaces, and control characters and invisible characters are removed.
pub(super) fn flat(text: &str) -> String {
    if is_plain(text.as_bytes()) && !text.starts_with(' ') && !text.ends_with(' ') {
        return text.to_owned();
    }
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    seen.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The text in quotes, escaped so that it cannot close them.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", flat(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// The text with `<` escaped, so that it cannot open or close a tag.
pub(super) fn tagless(text: &str) -> String {
    text.replace('<', "&lt;")
}

/// The text of an item, in quotes if its author is a stranger.
pub(super) fn said(item: &Item) -> String {
    match item {
        Item::Memory(memory) if memory.trust > Trust::Stranger => flat(&memory.text),
        _ => quoted(item.text()),
    }
}

/// The text of a memory. If its author is a stranger, the text is quoted and followed by `from`, the person's label
/// (RM7).
pub(super) fn statement(memory: &Memory, from: Option<&str>) -> String {
    with_source(memory, from, "")
}

/// Like [`statement`], with the day on which the person said it.
pub(super) fn dated_statement(memory: &Memory, from: Option<&str>, zone: &TimeZone) -> String {
    with_source(memory, from, &format!(", {}", date(memory.updated_at, zone)))
}

fn with_source(memory: &Memory, from: Option<&str>, day: &str) -> String {
    match memory.trust {
        Trust::Operator | Trust::Persona => flat(&memory.text),
        Trust::Stranger => {
            let from = person(memory, from).map(|label| format!(" (from {label}{day})"));
            format!("{}{}", quoted(&memory.text), from.unwrap_or_default())
        }
    }
}

/// The kind of a memory; `message` for a past message.
pub(super) fn category(item: &Item) -> &str {
    match item {
        Item::Memory(memory) => memory.kind.as_str(),
        Item::Message(_) => "message",
    }
}

/// The author of an item, or the way in which a memory was created. `from` is the label of a memory's source person.
pub(super) fn origin(item: &Item, from: Option<&str>) -> String {
    match item {
        Item::Message(message) => name(message.author.name()),
        Item::Memory(memory) => person(memory, from).unwrap_or_else(|| way(&memory.source.via)),
    }
}

/// The label of the person from whom a memory was learned. The person's id is never shown, because it could equal
/// another person's name (RM7).
fn person(memory: &Memory, label: Option<&str>) -> Option<String> {
    memory.source.user.as_ref().map(|_| name(label.unwrap_or(A_PERSON)))
}

/// A label without characters that could pass for punctuation of the format. Labels of speakers, as `Ann (2)`, keep
/// their parentheses (RM7).
pub(super) fn name(name: &str) -> String {
    plain(name, " -_.'@#()", LONGEST_LABEL)
}

/// The way in which a memory was created, as one word.
fn way(via: &str) -> String {
    const MARKS: &str = "-_.'@#:";
    let shown = |c: char| c.is_alphanumeric() && !is_unseen(c) || MARKS.contains(c);
    let word: String = via.chars().map(|c| if shown(c) { c } else { '_' }).collect();
    plain(&word, MARKS, LONGEST_WAY)
}

/// Letters, digits and `marks`, at most `longest` characters.
fn plain(text: &str, marks: &str, longest: usize) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| c.is_alphanumeric() || marks.contains(*c))
        .take(longest)
        .collect();
    let plain = plain.trim();
    if plain.is_empty() { "somebody".into() } else { plain.into() }
}

/// A relevance as it is shown: 0 to 1.
pub(super) fn shown(score: f32) -> f32 {
    score.clamp(0.0, 1.0)
}

/// The date in a time zone.
pub(super) fn date(at: Timestamp, zone: &TimeZone) -> String {
    jiff::Timestamp::from_microsecond(at.0)
        .map_or_else(|_| "an unknown day".into(), |at| zone.to_datetime(at).date().to_string())
}
