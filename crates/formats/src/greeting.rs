//! Another first message in a persona's file, with everything else in the file as it is (PF5).

use serde_json::{Value, json};

use crate::{FormatError, yaml};

const FIELD: &str = "greeting:";

/// The text of a persona's file with this greeting.
///
/// # Errors
/// [`FormatError::NotWritable`] where the front matter is written in an unusual way.
pub(crate) fn with_greeting(text: &str, greeting: &str) -> Result<String, FormatError> {
    let field = format!("{FIELD} {}\n", yaml::scalar(&greeting.into()));
    let before = yaml::document(text)?;
    let changed = match text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) {
        None => format!("---\n{field}---\n{text}"),
        Some(rest) => {
            let start = text.len() - rest.len();
            let (from, to) = place(text, start);
            format!("{}{field}{}", &text[..from], &text[to..])
        }
    };
    let after = yaml::document(&changed)?;
    let mut wanted = before.front.clone();
    if let Value::Object(fields) = &mut wanted {
        fields.insert("greeting".into(), json!(greeting));
    }
    if after.front != wanted || after.body != before.body || before.repaired.is_some() {
        return Err(FormatError::NotWritable {
            what: "the greeting".into(),
            format: "a field of the persona's file",
            remedy: "write it there as `greeting`".into(),
        });
    }
    Ok(changed)
}

/// Where the field is in the front matter that begins at `start`, or where it belongs: before the closing line.
fn place(text: &str, start: usize) -> (usize, usize) {
    let mut found = None;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let goes_on = line.trim().is_empty() || line.starts_with([' ', '\t']);
        match found {
            Some(from) if !goes_on => return (from, at),
            None if line.trim_end() == "---" => return (at, at),
            None if line.starts_with(FIELD) => found = Some(at),
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
    fn pf5_another_greeting_leaves_the_rest_of_the_file() {
        let of = |text: &str| with_greeting(text, "Ahoy: {{user}}.").unwrap();
        let new = r#"greeting: "Ahoy: {{user}}.""#;
        assert_eq!(of("Be kind.\n"), format!("---\n{new}\n---\nBe kind.\n"));
        assert_eq!(
            of("---\n# who\nname: a # b\n---\nBe."),
            format!("---\n# who\nname: a # b\n{new}\n---\nBe.")
        );
        let long = "---\ngreeting: |\n  One.\n\n  Two.\nlimits:\n  turns: 3\n---\ngreeting: no field\n";
        assert_eq!(of(long), format!("---\n{new}\nlimits:\n  turns: 3\n---\ngreeting: no field\n"));
        assert_eq!(of("---\ngreeting: old\n---\n"), format!("---\n{new}\n---\n"));
        assert!(with_greeting("---\n\"greeting\": x\n---\n", "y").is_err(), "a quoted key stays as it is");
    }
}
