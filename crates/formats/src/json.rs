//! Parses JSON with bounds (X12), and repairs common defects of real files.

mod guard;
mod order;
mod twice;

use std::{borrow::Cow, io};

use serde::Serialize;
use serde_json::Value;

use self::guard::guard;
pub use self::order::Order;
pub(crate) use self::order::Ordered;
use crate::{FormatError, error::place, literal};

/// The most bytes of JSON text in a file.
pub(crate) const MAX_BYTES: usize = 16 << 20;
/// The most bytes of JSON text in a picture or an archive, which takes memory as well.
pub(crate) const MAX_WITHIN: usize = 8 << 20;
/// The most bytes of a persona's source.
pub(crate) const MAX_SOURCE: usize = 2 * MAX_BYTES;
/// The deepest nesting.
pub(crate) const MAX_DEPTH: usize = 64;
/// The deepest nesting of a persona's source, which contains a document.
const MAX_SOURCE_DEPTH: usize = MAX_DEPTH + 4;
/// The most bytes of memory for the values of one file, as [`guard`] estimates. A lorebook of 5,000 entries with all
/// fields that SillyTavern writes takes 34 million, and 41 million with long texts.
const MAX_MEMORY: usize = 44 << 20;
/// The same in a picture or an archive.
const MAX_MEMORY_WITHIN: usize = 32 << 20;

/// The documents of one file. They share its limits.
#[derive(Debug)]
pub(crate) struct Documents {
    /// The bytes that may still be read.
    bytes: usize,
    memory: usize,
    depth: usize,
    /// The duplicate fields.
    pub twice: Vec<String>,
    /// The order of the fields of the last document.
    pub order: Order,
}

impl Default for Documents {
    fn default() -> Self {
        Self {
            bytes: MAX_BYTES,
            memory: MAX_MEMORY,
            depth: MAX_DEPTH,
            twice: Vec::new(),
            order: Order::default(),
        }
    }
}

/// Parses a document. Accepts raw control characters in strings, because some programs write them. A document that is
/// one string which contains JSON, as some Letta agents are, is decoded twice.
///
/// # Errors
/// [`FormatError`] with line and column.
pub fn parse(text: &str) -> Result<Value, FormatError> {
    Documents::default().parse(text)
}

impl Documents {
    /// The limits for a persona's source, which contains two documents, each nested some levels deeper.
    pub fn of_source() -> Self {
        Self { bytes: MAX_SOURCE, memory: 2 * MAX_MEMORY, depth: MAX_SOURCE_DEPTH, ..Self::default() }
    }

    /// The limits of a picture or an archive.
    pub fn within() -> Self {
        Self { bytes: MAX_WITHIN, memory: MAX_MEMORY_WITHIN, ..Self::default() }
    }

    /// The limits for a further text that is read after the previous one was dropped.
    pub fn apart(&mut self) -> &mut Self {
        self.bytes = MAX_WITHIN;
        self
    }

    fn take_bytes(&mut self, bytes: usize) -> Result<(), FormatError> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(|| FormatError::TooLarge {
            what: "the JSON".into(),
            limit: "16 MB, or 8 MB in a picture or an archive, or where it has to be repaired".into(),
        })?;
        Ok(())
    }

    /// Parses the next document, as [`parse`] does.
    ///
    /// # Errors
    /// [`FormatError`] with line and column.
    pub fn parse(&mut self, text: &str) -> Result<Value, FormatError> {
        match parse_once(text, self)? {
            Value::String(inner) if inner.trim_start().starts_with('{') => parse_once(&inner, self),
            value => Ok(value),
        }
    }
}

fn parse_once(text: &str, documents: &mut Documents) -> Result<Value, FormatError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let controls = guard(text, documents)?;
    let mut repaired = repaired(text, &controls);
    if let Some(whole) = literal::without_half_characters(&repaired) {
        repaired = whole.into();
    }
    if let Cow::Owned(_) = repaired {
        // the repaired text is a second copy in memory
        documents.take_bytes(repaired.len())?;
    }
    if let Cow::Owned(marked) = literal::marked(&repaired) {
        documents.take_bytes(marked.len())?;
        if let Ok((value, order)) = twice::read(&marked, &mut documents.twice) {
            documents.order = order;
            return Ok(value);
        }
    }
    let read = twice::read(&repaired, &mut documents.twice);
    let (value, order) = read.map_err(|error| {
        let line_start =
            repaired.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
        let at = unrepaired(line_start + error.column().saturating_sub(1), &controls);
        let (line, column) = place(text, at);
        let message = error.to_string();
        let mut message = message.split(" at line ").next().unwrap_or_default().to_owned();
        let rest = repaired.get(line_start + error.column().saturating_sub(1)..).unwrap_or_default();
        if ["//", "/*"].iter().any(|mark| rest.starts_with(mark)) {
            message += " (JSON has no comments)";
        } else if ["NaN", "Infinity", "-Infinity"].iter().any(|word| rest.starts_with(word)) {
            message += " (JSON has no such number; write null)";
        } else if message.starts_with("expected `,` or") {
            message += " (a quotation mark within a text needs a `\\` before it)";
        }
        FormatError::Syntax { format: "JSON", line, column, message }
    })?;
    documents.order = order;
    Ok(value)
}

/// The additional length of an escaped control character.
const GROWTH: usize = "\\u0000".len() - 1;

/// The text with escaped control characters.
fn repaired<'a>(text: &'a str, controls: &[usize]) -> Cow<'a, str> {
    if controls.is_empty() {
        return text.into();
    }
    let mut repaired = String::with_capacity(text.len() + controls.len() * GROWTH);
    let mut from = 0;
    for at in controls.iter().copied() {
        repaired.push_str(&text[from..at]);
        repaired.push_str(&format!("\\u{:04x}", text.as_bytes()[at]));
        from = at + 1;
    }
    repaired.push_str(&text[from..]);
    repaired.into()
}

/// Converts a position in the repaired text to one in the original text.
fn unrepaired(at: usize, controls: &[usize]) -> usize {
    let before = controls.iter().enumerate().take_while(|(n, control)| *control + n * GROWTH < at).count();
    at.saturating_sub(before * GROWTH)
}

/// Writes a document in one line.
pub(crate) fn compact(value: &Value, order: &Order) -> String {
    // a value of serde_json has only text as keys, so writing it cannot fail
    literal::unmarked(serde_json::to_string(&Ordered(value, order)).unwrap_or_default())
}

/// Writes a document with indentation and a final line end. A document that would become too long for an archive is
/// written in one line.
pub(crate) fn pretty(value: &Value, order: &Order) -> String {
    // a value of serde_json has only text as keys, so writing it cannot fail
    pretty_of(&Ordered(value, order), value)
}

/// Writes any value as [`pretty`] does. `unordered`: the same value with its fields in any order, to compute the
/// length.
pub(crate) fn pretty_of(ordered: &impl Serialize, unordered: &impl Serialize) -> String {
    match pretty_length(unordered) {
        Some(length) => written(length, |text| serde_json::to_writer_pretty(text, ordered)),
        None => written(length(unordered) + 1, |text| serde_json::to_writer(text, ordered)),
    }
}

/// The length of the indented document. `None` if it would be too long for an archive and is written in one line.
fn pretty_length(document: &impl Serialize) -> Option<usize> {
    let mut length = Length(1);
    let _ = serde_json::to_writer_pretty(&mut length, document);
    (length.0 <= MAX_WITHIN).then_some(length.0)
}

/// The length of a document in one line.
pub(crate) fn length(document: &impl Serialize) -> usize {
    let mut length = Length(0);
    let _ = serde_json::to_writer(&mut length, document);
    length.0
}

/// Whether [`pretty_of`] would write this text. Compares while writing, because a second text would take much memory.
pub(crate) fn is_written(text: &str, ordered: &impl Serialize, unordered: &impl Serialize) -> bool {
    let mut rest = Rest(text.as_bytes());
    let is_same = match pretty_length(unordered) {
        Some(_) => serde_json::to_writer_pretty(&mut rest, ordered),
        None => serde_json::to_writer(&mut rest, ordered),
    };
    is_same.is_ok() && rest.0 == b"\n"
}

/// The part of the text that is still to be written. Writing anything else is an error.
struct Rest<'a>(&'a [u8]);

impl io::Write for Rest<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or_else(|| io::Error::other("another text"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a text of known length. A growing buffer would take twice the memory.
fn written(length: usize, write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>) -> String {
    let mut text = Vec::with_capacity(length);
    let _ = write(&mut text);
    text.push(b'\n');
    literal::unmarked(String::from_utf8(text).unwrap_or_default())
}

/// Counts the bytes that are written.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a value nests deeper than this many levels.
pub(crate) fn deeper_than(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else { return true };
    match value {
        Value::Array(items) => items.iter().any(|item| deeper_than(item, left)),
        Value::Object(fields) => fields.values().any(|field| deeper_than(field, left)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pf8_a_deeply_nested_document_is_refused_before_it_is_parsed() {
        let bomb = "[".repeat(1_000_000);
        assert_eq!(parse(&bomb), Err(FormatError::TooDeep { line: 1, column: 65, limit: 64 }));
        for (value, count) in
            [("0,", 800_000), ("{\"a\":{}},", 60_000), ("[[]],", 300_000), ("\"\",", 700_000)]
        {
            let many = format!("[{}0]", value.repeat(count));
            assert!(matches!(parse(&many), Err(FormatError::TooLarge { .. })), "{value}");
        }
        let fields: String = (0..300_000).map(|n| format!("\"{n}\":0,")).collect();
        assert!(matches!(parse(&format!("{{{fields}\"a\":0}}")), Err(FormatError::TooLarge { .. })));
    }

    #[test]
    fn pf1_raw_control_characters_in_strings_are_read() {
        let text = "{\"a\":\"one\ntwo\tthree\"}";
        assert_eq!(parse(text).unwrap()["a"], "one\ntwo\tthree");
        let many = format!("{{\"a\":\"{}\"}}", "\n".repeat(guard::MAX_CONTROLS + 1));
        assert!(matches!(parse(&many), Err(FormatError::TooLarge { .. })), "PF8");
    }

    #[test]
    fn pf1_a_document_within_a_string_is_decoded_twice() {
        let inner = serde_json::json!({ "agents": [] }).to_string();
        assert_eq!(parse(&Value::String(inner).to_string()).unwrap()["agents"], serde_json::json!([]));
    }

    #[test]
    fn pf2_a_text_is_compared_as_it_is_written() {
        let mut documents = Documents::default();
        let value = documents.parse(r#"{"b":1,"a":["ü\n"]}"#).unwrap();
        let ordered = Ordered(&value, &documents.order);
        let text = pretty(&value, &documents.order);
        assert!(is_written(&text, &ordered, &value));
        assert!(
            !is_written(text.trim_end(), &ordered, &value) && !is_written(&(text + " "), &ordered, &value)
        );
    }

    #[test]
    fn pf3_fields_that_are_there_twice_are_named() {
        let mut documents = Documents::default();
        let text = r#"{"a":1,"b":[{"c":1,"c":{"d":2,"\u0064":3}}],"a":2,"n":123456789012345678901234567890}"#;
        assert_eq!(documents.parse(text).unwrap()["a"], 2);
        assert_eq!(documents.twice, ["b.[].c.d", "b.[].c", "a"]);
    }

    #[test]
    fn pf1_an_error_says_where_it_is_in_the_file_as_it_is() {
        let error = parse("{\"a\": \"one\ntwo\",\n \"b\": x}").unwrap_err();
        assert!(matches!(error, FormatError::Syntax { line: 3, column: 7, .. }), "{error:?}");
        let error = parse("{\"a\": 1,\n \"b\": \"say \"no\"\"}").unwrap_err();
        assert!(matches!(error, FormatError::Syntax { format: "JSON", line: 2, .. }), "{error}");
        for (text, hint) in [
            ("{ // a\n\"a\":1}", "comments"),
            ("{\"a\":1 /* x */}", "comments"),
            ("{\"a\":1,\n/* x */\"b\":1}", "comments"),
            ("[1, NaN]", "null"),
            ("{\"a\": -Infinity}", "null"),
        ] {
            assert!(parse(text).unwrap_err().to_string().contains(hint), "{text}");
        }
    }
}
