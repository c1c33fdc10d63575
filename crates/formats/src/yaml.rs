//! YAML into raw data, and front matter. Aliases and tags are refused, so nothing expands (X12).

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

use crate::{FormatError, error::place};

/// The longest YAML text.
const MAX_BYTES: usize = 512 << 10;
/// Levels of nesting.
const MAX_DEPTH: usize = 16;

/// Reads one document.
///
/// # Errors
/// [`FormatError`] with line and column.
pub(crate) fn parse(text: &str) -> Result<Value, FormatError> {
    if text.len() > MAX_BYTES {
        return Err(FormatError::TooLarge {
            what: "the YAML".into(),
            limit: format!("{} KB", MAX_BYTES >> 10),
        });
    }
    let mut reader = Reader { text, parser: Parser::new_from_str(text) };
    let mut root = Value::Null;
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => return Ok(root),
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
            (event, at) => root = reader.node(event, at, 0)?,
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    /// The next event, and where it begins, in characters.
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
        match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) => Ok(plain(&text)),
            Event::Scalar(text, ..) => Ok(Value::String(text.into_owned())),
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd | Event::StreamEnd, _) => return Ok(Value::Array(items)),
                        (event, at) => items.push(self.node(event, at, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => self.mapping(depth),
            Event::Alias(_) => Err(self.fail(at, "an alias; write the value out, or quote the text")),
            _ => Ok(Value::Null),
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, FormatError> {
        let mut fields = Map::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd | Event::StreamEnd, _) => return Ok(Value::Object(fields)),
                (Event::Scalar(key, ..), _) => key.into_owned(),
                (_, at) => return Err(self.fail(at, "a key that is no word")),
            };
            let (event, at) = self.next()?;
            let value = self.node(event, at, depth + 1)?;
            fields.entry(key).or_insert(value);
        }
    }
}

/// The core schema of YAML 1.2.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => text.into(),
        _ => match (text.parse::<i64>(), text.parse::<f64>()) {
            // a number that would be written differently stays a text
            (Ok(number), _) if number.to_string() == text => number.into(),
            (_, Ok(number)) if shown(number) == text => number.into(),
            _ => text.into(),
        },
    }
}

fn shown(number: f64) -> String {
    Value::from(number).to_string()
}

/// The front matter of a Markdown file and the text below it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document<'a> {
    /// The fields.
    pub front: Value,
    /// Why the front matter was read line by line, if it was.
    pub repaired: Option<FormatError>,
    /// The text.
    pub body: &'a str,
}

/// Splits a Markdown file. Front matter that is no YAML, such as `description: **bold**`, is read line by line, as the
/// hosts of these files do.
pub(crate) fn document(text: &str) -> Result<Document<'_>, FormatError> {
    let none = Document { front: Value::Object(Map::new()), repaired: None, body: text };
    let Some(rest) = text.strip_prefix("---").filter(|rest| rest.starts_with(['\n', '\r'])) else {
        return Ok(none);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" && at > 0 {
            let (front, body) = (&rest[..at], &rest[at + line.len()..]);
            return match parse(front) {
                Ok(Value::Null) => Ok(Document { body, ..none }),
                Ok(front @ Value::Object(_)) => Ok(Document { front, repaired: None, body }),
                Ok(_) => Ok(Document { front: by_line(front), repaired: None, body }),
                Err(error @ FormatError::Syntax { .. }) => {
                    Ok(Document { front: by_line(front), repaired: Some(error), body })
                }
                Err(error) => Err(error),
            };
        }
        at += line.len();
    }
    Ok(none)
}

/// `key: rest of the line`; lines that are indented or begin with `-` belong to the key above them.
fn by_line(front: &str) -> Value {
    let mut fields: Vec<(&str, String)> = Vec::new();
    for line in front.lines() {
        let key = line.split_once(':').filter(|(key, _)| {
            !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        });
        match (key, fields.last_mut()) {
            (Some((key, rest)), _) => fields.push((key, rest.trim().to_owned())),
            (None, Some((_, value))) if !line.trim().is_empty() => {
                value.push('\n');
                value.push_str(line.trim());
            }
            _ => {}
        }
    }
    let unquoted = |text: String| match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) if !inner.contains('"') => inner.to_owned(),
        _ => text.trim().to_owned(),
    };
    fields.into_iter().map(|(key, value)| (key.to_owned(), Value::String(unquoted(value)))).collect()
}

/// The fields as YAML lines. Values are written as JSON, which is YAML too; plain words are not quoted.
pub(crate) fn write_fields<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    fields.map(|(key, value)| format!("{}: {}\n", word(key), scalar(value))).collect()
}

/// An object of objects, each with its fields on lines of their own.
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
        Value::String(text) => word(text),
        other => escaped(&other.to_string()),
    }
}

fn word(text: &str) -> String {
    let first = text.chars().next().is_some_and(char::is_alphabetic);
    let simple =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | '(' | ')' | '\'' | '/');
    let is_plain = first && !text.ends_with(' ') && text.chars().all(simple) && plain(text).is_string();
    // YAML 1.1 readers take these for truth values
    let reserved = ["yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str());
    if is_plain && !reserved { text.to_owned() } else { escaped(&Value::from(text).to_string()) }
}

/// JSON leaves some line breaks and controls as they are, which YAML does not accept.
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

    #[test]
    fn pf1_front_matter_that_is_no_yaml_is_read_line_by_line() {
        let text =
            "---\nname: planner\ndescription: **Plans** work: \"first\"\ntools: Read, Write\n---\n\nBody\n";
        let Document { front, repaired, body } = document(text).unwrap();
        assert_eq!(front["description"], "**Plans** work: \"first\"");
        assert_eq!((front["name"].as_str(), body), (Some("planner"), "\nBody\n"));
        assert!(repaired.unwrap().to_string().starts_with("3:14:"));
    }

    #[test]
    fn pf8_aliases_and_deep_nesting_are_refused() {
        let bomb = "a: &a [x]\nb: [*a, *a]\n";
        assert!(matches!(parse(bomb), Err(FormatError::Syntax { line: 2, .. })));
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
