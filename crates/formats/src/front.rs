//! Front matter of Markdown files: parses its fields, and changes one field while everything else stays.

use serde_json::{Map, Value, json};

use crate::{FormatError, yaml};

/// The front matter of a Markdown file and the text below it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document<'a> {
    /// The fields.
    pub front: Value,
    /// The error because of which the front matter was parsed line by line.
    pub repaired: Option<FormatError>,
    /// The duplicate fields.
    pub twice: Vec<String>,
    /// The text.
    pub body: &'a str,
}

/// Splits a Markdown file. Front matter that is not valid YAML, such as `description: **bold**`, is parsed line by
/// line, as other programs do.
pub(crate) fn document(text: &str) -> Result<Document<'_>, FormatError> {
    let none = Document { front: Value::Object(Map::new()), repaired: None, twice: Vec::new(), body: text };
    let Some(rest) = text.trim_start().strip_prefix("---").filter(|rest| rest.starts_with(['\n', '\r']))
    else {
        return Ok(none);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" && at > 0 {
            let (front, body) = (&rest[..at], &rest[at + line.len()..]);
            return match yaml::parse_named(front) {
                Ok((Value::Null, _)) => Ok(Document { body, ..none }),
                Ok((front @ Value::Object(_), twice)) => Ok(Document { front, twice, body, ..none }),
                Ok(_) => Ok(Document { front: by_line(front), body, ..none }),
                Err(error @ FormatError::Syntax { .. }) => {
                    Ok(Document { front: by_line(front), repaired: Some(error), body, ..none })
                }
                Err(error) => Err(error),
            };
        }
        at += line.len();
    }
    Ok(none)
}

/// Parses lines of the form `key: value`. Lines that are indented or begin with `-` belong to the key above.
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

/// The text of a file with a new value of a field.
///
/// # Errors
/// [`FormatError::NotWritable`] if the front matter has an unusual form.
pub(crate) fn with_field(text: &str, key: &str, value: &str) -> Result<String, FormatError> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let field = format!("{key}: {}{end}", yaml::scalar(&value.into()));
    let before = document(text)?;
    let changed = match text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) {
        None => format!("---{end}{field}---{end}{text}"),
        Some(rest) => {
            let start = text.len() - rest.len();
            let (from, to) = place(text, start, &format!("{key}:"));
            format!("{}{field}{}", &text[..from], &text[to..])
        }
    };
    let after = document(&changed)?;
    let mut wanted = before.front.clone();
    if let Value::Object(fields) = &mut wanted {
        fields.insert(key.into(), json!(value));
    }
    let is_repaired = before.repaired.is_some() || after.repaired.is_some();
    if after.front != wanted || after.body != before.body || after.twice != before.twice || is_repaired {
        return Err(FormatError::NotWritable {
            what: format!("the {key}"),
            format: "a field of the persona's file",
            remedy: format!("write it there as `{key}`"),
        });
    }
    Ok(changed)
}

/// The range of a field in the front matter that begins at `start`, or the place to insert it: before the closing line.
fn place(text: &str, start: usize, field: &str) -> (usize, usize) {
    let mut found = None;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let goes_on = line.trim().is_empty() || line.starts_with([' ', '\t']);
        match found {
            Some(from) if !goes_on => return (from, at),
            None if line.trim_end() == "---" => return (at, at),
            None if line.starts_with(field) => found = Some(at),
            _ => {}
        }
        at += line.len();
    }
    (found.unwrap_or(at), at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pf1_front_matter_that_is_no_yaml_is_read_line_by_line() {
        let text =
            "---\nname: planner\ndescription: **Plans** work: \"first\"\ntools: Read, Write\n---\n\nBody\n";
        let Document { front, repaired, body, .. } = document(text).unwrap();
        assert_eq!(front["description"], "**Plans** work: \"first\"");
        assert_eq!((front["name"].as_str(), body), (Some("planner"), "\nBody\n"));
        assert!(repaired.unwrap().to_string().starts_with("3:14:"));
    }

    #[test]
    fn pf5_another_greeting_leaves_the_rest_of_the_file() {
        let of = |text: &str| with_field(text, "greeting", "Ahoy: {{user}}.").unwrap();
        let new = r#"greeting: "Ahoy: {{user}}.""#;
        assert_eq!(of("Be kind.\n"), format!("---\n{new}\n---\nBe kind.\n"));
        assert_eq!(
            of("---\n# who\nname: a # b\n---\nBe."),
            format!("---\n# who\nname: a # b\n{new}\n---\nBe.")
        );
        let long = "---\ngreeting: |\n  One.\n\n  Two.\nlimits:\n  turns: 3\n---\ngreeting: no field\n";
        assert_eq!(of(long), format!("---\n{new}\nlimits:\n  turns: 3\n---\ngreeting: no field\n"));
        assert_eq!(of("---\ngreeting: old\n---\n"), format!("---\n{new}\n---\n"));
        assert_eq!(of("---\r\na: 1\r\n---\r\nBe.\r\n"), format!("---\r\na: 1\r\n{new}\r\n---\r\nBe.\r\n"));
        assert!(
            with_field("---\n\"greeting\": x\n---\n", "greeting", "y").is_err(),
            "a quoted key stays as it is"
        );
    }
}
