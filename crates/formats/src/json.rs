//! Bounded reading of JSON (X12), and the repairs that real files need.

mod order;
mod twice;

use std::{borrow::Cow, io};

use serde::Serialize;
use serde_json::Value;

pub use self::order::Order;
pub(crate) use self::order::Ordered;
use crate::{FormatError, error::place, literal};

/// The longest JSON text. The largest lorebooks have about two megabytes.
pub(crate) const MAX_BYTES: usize = 8 << 20;
/// The longest source of a persona.
pub(crate) const MAX_SOURCE: usize = 3 * MAX_BYTES;
/// Levels of nesting.
pub(crate) const MAX_DEPTH: usize = 64;
/// Values in one file. Each takes up to three hundred bytes of memory until the persona is written. An entry that SillyTavern
/// writes today has 58, so a lorebook of 2,700 of them is read.
const MAX_VALUES: usize = 160_000;
/// Objects in one file. Each takes about seven hundred bytes. The largest lorebooks have ten thousand.
const MAX_OBJECTS: usize = 20_000;

/// Raw control characters in strings. Each takes eight bytes until the document is read.
const MAX_CONTROLS: usize = 200_000;

/// The documents of one file, which share its limits.
#[derive(Debug)]
pub(crate) struct Documents {
    /// What may still be read.
    bytes: usize,
    values: usize,
    objects: usize,
    depth: usize,
    /// The fields that were there twice.
    pub twice: Vec<String>,
    /// The order of the fields of the last document.
    pub order: Order,
}

impl Default for Documents {
    fn default() -> Self {
        Self {
            bytes: MAX_BYTES,
            values: MAX_VALUES,
            objects: MAX_OBJECTS,
            depth: MAX_DEPTH,
            twice: Vec::new(),
            order: Order::default(),
        }
    }
}

/// Reads a document. Raw control characters in strings are accepted, since some hosts write them. A document that is
/// one string which contains JSON is decoded twice, as some Letta agents are.
///
/// # Errors
/// [`FormatError`] with line and column.
pub fn parse(text: &str) -> Result<Value, FormatError> {
    Documents::default().parse(text)
}

impl Documents {
    /// The limits of the source of a persona, which holds two documents of others, each deeper by a few levels.
    pub fn of_source() -> Self {
        const { assert!(MAX_SOURCE > 2 * MAX_BYTES) };
        Self {
            bytes: MAX_SOURCE,
            values: 3 * MAX_VALUES,
            objects: 3 * MAX_OBJECTS,
            depth: MAX_DEPTH + 4,
            twice: Vec::new(),
            order: Order::default(),
        }
    }

    /// Reads the next document, as [`parse`] does.
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
    let repaired = repaired(text, &controls);
    let repaired = literal::without_half_characters(&repaired).map_or(repaired, Cow::Owned);
    if let Cow::Owned(marked) = literal::marked(&repaired)
        && let Ok((value, order)) = twice::read(&marked, &mut documents.twice)
    {
        documents.order = order;
        return Ok(value);
    }
    let read = twice::read(&repaired, &mut documents.twice);
    let (value, order) = read.map_err(|error| {
        let line_start =
            repaired.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
        let at = unrepaired(line_start + error.column().saturating_sub(1), &controls);
        let (line, column) = place(text, at);
        let message = error.to_string();
        let mut message = message.split(" at line ").next().unwrap_or_default().to_owned();
        if message.starts_with("expected `,` or") {
            message += " (a quotation mark within a text needs a `\\` before it)";
        }
        FormatError::Syntax { format: "JSON", line, column, message }
    })?;
    documents.order = order;
    Ok(value)
}

/// Checks the limits, and returns the places of control characters in strings.
fn guard(text: &str, documents: &mut Documents) -> Result<Vec<usize>, FormatError> {
    let too_large = |limit: String| FormatError::TooLarge { what: "the JSON".into(), limit };
    let Documents { bytes, values, objects, depth: deepest, .. } = documents;
    let take = |left: &mut usize, number: usize, limit: &dyn Fn() -> String| {
        *left = left.checked_sub(number).ok_or_else(|| too_large(limit()))?;
        Ok(())
    };
    take(bytes, text.len(), &|| format!("{} MB", MAX_BYTES >> 20))?;
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    let mut controls = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                0..=0x1f if controls.len() == MAX_CONTROLS => {
                    return Err(FormatError::TooLarge {
                        what: "the number of raw line breaks in the JSON".into(),
                        limit: MAX_CONTROLS.to_string(),
                    });
                }
                0..=0x1f => controls.push(at),
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                take(values, 1, &|| format!("{MAX_VALUES} values"))?;
                take(objects, usize::from(byte == b'{'), &|| format!("{MAX_OBJECTS} objects"))?;
                if depth > *deepest {
                    let (line, column) = place(text, at);
                    return Err(FormatError::TooDeep { line, column, limit: MAX_DEPTH });
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => take(values, 1, &|| format!("{MAX_VALUES} values"))?,
            _ => {}
        }
    }
    Ok(controls)
}

/// The length that an escaped control character has more.
const GROWTH: usize = "\\u0000".len() - 1;

/// The text with the control characters escaped.
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

/// The place in the text of a place in the repaired text.
fn unrepaired(at: usize, controls: &[usize]) -> usize {
    let before = controls.iter().enumerate().take_while(|(n, control)| *control + n * GROWTH < at).count();
    at.saturating_sub(before * GROWTH)
}

/// Writes a document in one line.
pub(crate) fn compact(value: &Value, order: &Order) -> String {
    // a value of serde_json has only text as keys, so writing it cannot fail
    literal::unmarked(serde_json::to_string(&Ordered(value, order)).unwrap_or_default())
}

/// Writes a document for people, with a last line end. One that would be too long to be read again has no other.
pub(crate) fn pretty(value: &Value, order: &Order) -> String {
    // a value of serde_json has only text as keys, so writing it cannot fail
    pretty_of(&Ordered(value, order), value)
}

/// Writes anything as [`pretty`] does; `unordered` is the same with its fields in any order.
pub(crate) fn pretty_of(ordered: &impl Serialize, unordered: &impl Serialize) -> String {
    let mut length = Length(1);
    let _ = serde_json::to_writer_pretty(&mut length, unordered);
    if length.0 > MAX_BYTES {
        return literal::unmarked(serde_json::to_string(ordered).unwrap_or_default() + "\n");
    }
    // a text that grows takes twice its length
    let mut text = Vec::with_capacity(length.0);
    let _ = serde_json::to_writer_pretty(&mut text, ordered);
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
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
        assert!(matches!(parse(&many), Err(FormatError::TooLarge { .. })));
        let many = format!("[{}0]", "{\"a\":{}},".repeat(MAX_OBJECTS / 2 + 1));
        assert!(matches!(parse(&many), Err(FormatError::TooLarge { .. })));
    }

    #[test]
    fn pf1_raw_control_characters_in_strings_are_read() {
        let text = "{\"a\":\"one\ntwo\tthree\"}";
        assert_eq!(parse(text).unwrap()["a"], "one\ntwo\tthree");
        let many = format!("{{\"a\":\"{}\"}}", "\n".repeat(MAX_CONTROLS + 1));
        assert!(matches!(parse(&many), Err(FormatError::TooLarge { .. })), "PF8");
    }

    #[test]
    fn pf1_a_document_within_a_string_is_decoded_twice() {
        let inner = serde_json::json!({ "agents": [] }).to_string();
        assert_eq!(parse(&Value::String(inner).to_string()).unwrap()["agents"], serde_json::json!([]));
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
    }
}
