//! Converts YAML to raw data and back. Expands aliases within a size limit, and ignores tags (X12).

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value, json};

use crate::{FormatError, error::place, json::length, literal};

/// The longest YAML text.
const MAX_BYTES: usize = 512 << 10;
/// The deepest nesting.
const MAX_DEPTH: usize = 16;
/// The most bytes of all copies of anchored values, as JSON.
const MAX_COPIES: usize = 512 << 10;
/// The most bytes of memory for the values, estimated. An import holds them twice.
const MAX_MEMORY: usize = 20 << 20;
/// The estimated bytes of a value with its text, of a field with its name, and of a map.
const ITEM: usize = 64;
const FIELD: usize = 64;
const MAP: usize = 640;

/// Parses one document and lists the duplicate fields of maps. The last duplicate counts.
///
/// # Errors
/// [`FormatError`] with line and column.
pub(crate) fn parse_named(text: &str) -> Result<(Value, Vec<String>), FormatError> {
    if text.len() > MAX_BYTES {
        return Err(FormatError::TooLarge {
            what: "the YAML".into(),
            limit: format!("{} KB", MAX_BYTES >> 10),
        });
    }
    let mut reader = Reader {
        text,
        parser: Parser::new_from_str(text),
        twice: Vec::new(),
        anchors: HashMap::new(),
        copies: MAX_COPIES,
        memory: MAX_MEMORY,
    };
    let mut root = Value::Null;
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => return Ok((root, reader.twice)),
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
            (event, at) => root = reader.node(event, at, 0)?,
        }
    }
}

/// The estimated memory of a value.
fn memory(value: &Value) -> usize {
    let inner: usize = match value {
        Value::Array(items) => items.iter().map(memory).sum(),
        Value::Object(fields) => MAP + fields.values().map(|value| FIELD + memory(value)).sum::<usize>(),
        Value::String(text) => text.len(),
        _ => 0,
    };
    ITEM + inner
}

struct Reader<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    /// The duplicate fields.
    twice: Vec<String>,
    /// The anchored values.
    anchors: HashMap<usize, Value>,
    /// The bytes of copies that are left of the limit.
    copies: usize,
    /// The bytes of memory that are left of the limit.
    memory: usize,
}

impl<'a> Reader<'a> {
    /// The next event and its start position in characters.
    fn next(&mut self) -> Result<(Event<'a>, usize), FormatError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, span.start.index())),
            Some(Err(error)) => Err(self.fail(error.marker().index(), error.info())),
            None => Ok((Event::StreamEnd, self.text.len())),
        }
    }

    fn fail(&self, index: usize, message: &str) -> FormatError {
        let at = self.text.char_indices().nth(index).map_or(self.text.len(), |(at, _)| at);
        let (line, column) = place(self.text, at);
        if message.contains("recursion limit") {
            return FormatError::TooDeep { line, column, limit: MAX_DEPTH };
        }
        FormatError::Syntax { format: "YAML", line, column, message: message.to_owned() }
    }

    fn node(&mut self, event: Event<'a>, at: usize, depth: usize) -> Result<Value, FormatError> {
        if depth > MAX_DEPTH {
            return Err(self.fail(at, "recursion limit"));
        }
        self.take(ITEM)?;
        let (value, anchor) = match event {
            Event::Scalar(text, ScalarStyle::Plain, anchor, _) => (plain(&text), anchor),
            Event::Scalar(text, _, anchor, _) => (Value::String(text.into_owned()), anchor),
            Event::SequenceStart(anchor, _) => (self.sequence(depth)?, anchor),
            Event::MappingStart(anchor, _) => (self.mapping(depth)?, anchor),
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).cloned();
                let value = value.ok_or_else(|| self.fail(at, "an alias within its own value"))?;
                return self.copied(value);
            }
            _ => (Value::Null, 0),
        };
        if anchor > 0 {
            let copy = self.copied(value.clone())?;
            self.anchors.insert(anchor, copy);
        }
        Ok(value)
    }

    /// Copies an anchored value within the limit. Nested aliases could grow exponentially.
    fn copied(&mut self, value: Value) -> Result<Value, FormatError> {
        self.copies = self.copies.checked_sub(length(&value)).ok_or_else(|| FormatError::TooLarge {
            what: "the YAML, with its aliases filled in,".into(),
            limit: format!("{} KB", MAX_COPIES >> 10),
        })?;
        self.take(memory(&value))?;
        Ok(value)
    }

    fn take(&mut self, bytes: usize) -> Result<(), FormatError> {
        self.memory = self.memory.checked_sub(bytes).ok_or_else(|| FormatError::TooLarge {
            what: "the YAML, once it is read,".into(),
            limit: format!("{} MB", MAX_MEMORY >> 20),
        })?;
        Ok(())
    }

    fn sequence(&mut self, depth: usize) -> Result<Value, FormatError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd | Event::StreamEnd, _) => return Ok(Value::Array(items)),
                (event, at) => items.push(self.node(event, at, depth + 1)?),
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, FormatError> {
        let (mut fields, mut merged) = (Map::new(), Vec::new());
        self.take(MAP)?;
        loop {
            self.take(FIELD)?;
            let (key, is_merge) = match self.next()? {
                (Event::MappingEnd | Event::StreamEnd, _) => break,
                (Event::Scalar(key, style, ..), _) => {
                    let is_merge = key == "<<" && style == ScalarStyle::Plain;
                    (key.into_owned(), is_merge)
                }
                (_, at) => return Err(self.fail(at, "a key that is no word")),
            };
            let (event, at) = self.next()?;
            match self.node(event, at, depth + 1)? {
                Value::Object(others) if is_merge => merged.push(others),
                Value::Array(list) if is_merge && list.iter().all(Value::is_object) => {
                    merged.extend(list.into_iter().filter_map(|it| it.as_object().cloned()));
                }
                value => {
                    if fields.insert(key.clone(), value).is_some() {
                        self.twice.push(key);
                    }
                }
            }
        }
        // own fields take precedence over merged ones, and earlier merges over later ones
        for (key, value) in merged.into_iter().flatten() {
            fields.entry(key).or_insert(value);
        }
        Ok(Value::Object(fields))
    }
}

/// Parses a plain scalar by the core schema of YAML 1.2. Some scalars are a number, a date or a Boolean in YAML 1.1 or
/// 1.2, but JSON would write them differently: `1.10`, `0x1F`, `2024-01-01`, `no`. They become marked texts.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(number), _) if number.to_string() == text => number.into(),
        (_, Ok(number)) if number.is_finite() && shown(number) == text => number.into(),
        _ if is_typed(text) => literal::value(text),
        _ => text.into(),
    }
}

/// Whether YAML 1.1 or 1.2 interprets a plain scalar as anything but a text.
fn is_typed(text: &str) -> bool {
    if ["yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str()) {
        return true;
    }
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if [".inf", ".nan"].contains(&rest.to_lowercase().as_str()) {
        return true;
    }
    let begins = rest.strip_prefix('.').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit());
    let is_of = |c: char| {
        c.is_ascii_hexdigit()
            || matches!(c, '_' | '+' | '-' | '.' | ':' | 'x' | 'o' | 'O' | 't' | 'T' | 'Z' | ' ')
    };
    begins && rest.chars().all(is_of) && !rest.contains(": ") && !rest.ends_with([':', ' '])
}

fn shown(number: f64) -> String {
    Value::from(number).to_string()
}

/// Writes the fields as YAML lines. Values are written as JSON, which is valid YAML; plain words are not quoted.
pub(crate) fn write_fields<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    fields.map(|(key, value)| format!("{}: {}\n", word(key), scalar(value))).collect()
}

/// Writes an object of objects, with one line per field.
pub(crate) fn write_nested(data: &Value) -> String {
    let section = |(key, value): (&String, &Value)| {
        let fields = write_fields(crate::value::fields(value));
        let lines: String = fields.lines().map(|line| format!("  {line}\n")).collect();
        format!("{}:\n{lines}", word(key))
    };
    crate::value::fields(data).map(section).collect()
}

/// A value in one line.
pub(crate) fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => scalar_of(value).unwrap_or_else(|| word(text)),
        other => flow(other),
    }
}

/// A value within a list or a map in one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                format!("{}: {}", escaped(&json!(key).to_string()), flow(value))
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        other => scalar_of(other).unwrap_or_else(|| escaped(&other.to_string())),
    }
}

/// The plain scalar of a marked text.
fn scalar_of(value: &Value) -> Option<String> {
    let scalar = literal::of(value.as_str()?)?;
    (plain(scalar) == *value).then(|| scalar.to_owned())
}

fn word(text: &str) -> String {
    let first = text.chars().next().is_some_and(char::is_alphabetic);
    let simple =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | '(' | ')' | '\'' | '/');
    let is_plain = first && !text.ends_with(' ') && text.chars().all(simple) && plain(text) == *text;
    if is_plain { text.to_owned() } else { escaped(&json!(text).to_string()) }
}

/// Escapes line breaks and control characters that JSON permits but YAML does not.
fn escaped(json: &str) -> String {
    json.chars()
        .map(|c| match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                format!("\\u{:04x}", c as u32)
            }
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Value, FormatError> {
        parse_named(text).map(|(data, _)| data)
    }

    /// Values that YAML 1.1 (as in CrewAI) or 1.2 interprets as something other than a text.
    #[test]
    fn pf2_scalars_keep_their_types() {
        for scalar in [
            "1.10",
            "12345678901234567890123",
            "0x1F",
            "0o17",
            "010",
            "1_000",
            "+7",
            ".5",
            "1e3",
            "1E400",
            "-.inf",
            ".NaN",
            "2024-01-01",
            "2001-12-14 21:59:43.10 -5",
            "12:30",
            "no",
            "On",
            "y",
            "1.0",
            "7",
            "true",
        ] {
            let text = format!("a: {scalar}\nb: \"{scalar}\"\nc: [{scalar}, {{\"d\": {scalar}}}]\n");
            let value = parse(&text).unwrap();
            assert_eq!(crate::value::text(&value, "a").as_deref(), Some(scalar));
            assert!(value["b"] == scalar && value["b"] != value["a"], "{scalar}");
            assert_eq!(write_fields(value.as_object().unwrap().iter()), text);
        }
        // a text that only looks marked is quoted
        for hostile in ["\u{f8ff}x: y", "\u{f8ff}- 1", "\u{f8ff}1\nb: 2", "\u{f8ff}---", "\u{f8ff}12: 3"] {
            let value = json!({ "a": hostile });
            assert_eq!(parse(&write_fields(value.as_object().unwrap().iter())).unwrap(), value);
        }
        for text in ["3 wise men", "1.2.3-rc", "-x", "12: 30"] {
            assert!(!is_typed(text), "{text}");
        }
    }

    #[test]
    fn pf1_aliases_and_merged_fields_are_filled_in() {
        let text = "d: &d {llm: one, verbose: true}\na: &a [1]\nb: [*a, *a]\nc:\n  <<: *d\n  llm: two\ne: {<<: [{llm: three}, *d], \"<<\": 1}\n";
        let value = parse(text).unwrap();
        assert_eq!(value["b"], json!([[1], [1]]));
        assert_eq!(value["c"], json!({ "llm": "two", "verbose": true }));
        assert_eq!(value["e"], json!({ "<<": 1, "llm": "three", "verbose": true }));
        assert!(matches!(parse("a: *b\n"), Err(FormatError::Syntax { line: 1, .. })));
        assert!(matches!(parse("a: &a [*a]\n"), Err(FormatError::Syntax { line: 1, .. })));
    }

    #[test]
    fn pf8_aliases_of_aliases_and_deep_nesting_are_refused() {
        let first = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        let more = (1..30).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(", ")));
        let bomb: String = std::iter::once(first).chain(more).collect();
        assert!(matches!(parse(&bomb), Err(FormatError::TooLarge { .. })));
        assert!(matches!(parse(&"[".repeat(100_000)), Err(FormatError::TooDeep { .. })));
        let deep: String = (0..100).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        assert!(matches!(parse(&deep), Err(FormatError::TooDeep { .. })));
    }

    proptest::proptest! {
        #[test]
        fn pf2_what_is_written_as_yaml_is_read_back(text in "\\PC{0,40}", other in "[ -~\\n\\t\u{80}\u{2028}]{0,40}") {
            let value = serde_json::json!({ "a": text, "b": [other, 1, null], "yes": { "c": text } });
            let written = write_fields(value.as_object().unwrap().iter());
            proptest::prop_assert_eq!(parse(&written).unwrap(), value, "{}", written);
        }
    }
}
