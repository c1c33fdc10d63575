//! Formats structured data as an outline in words, for formats that describe a persona by fields, and converts it back.

use serde_json::Value;

use crate::value::{as_text, is_empty, object};

/// The most bytes of an outline.
const MAX_BYTES: usize = 256 << 10;

/// A line of an outline. Its text may span several lines.
struct Line {
    /// The indentation and the name of the field.
    label: String,
    text: String,
    /// The JSON pointer of the value.
    place: String,
}

/// The fields as Markdown lists, with `snake_case` names as words. Skips fields that begin with `@` and those in
/// `without`.
pub(super) fn outline(value: &Value, without: &[&str]) -> String {
    lines(value, without).into_iter().map(|line| format!("{}{}\n", line.label, line.text)).collect()
}

fn lines(value: &Value, without: &[&str]) -> Vec<Line> {
    let mut lines = Vec::new();
    collect(value, "", 0, without, &mut 0, &mut lines);
    lines
}

fn collect(
    value: &Value,
    above: &str,
    level: usize,
    without: &[&str],
    bytes: &mut usize,
    lines: &mut Vec<Line>,
) {
    for (key, value) in crate::value::fields(value) {
        if key.starts_with('@') || without.contains(&key.as_str()) || is_empty(value) || *bytes > MAX_BYTES {
            continue;
        }
        let indent = "  ".repeat(level);
        let place = format!("{above}/{}", key.replace('~', "~0").replace('/', "~1"));
        let mut add = |label: String, text: String, place: String| {
            *bytes += label.len() + text.len();
            lines.push(Line { label, text, place });
        };
        let name = words(key);
        match value {
            Value::Object(_) => {
                add(format!("{indent}- {name}:"), String::new(), place.clone());
                collect(value, &place, level + 1, without, bytes, lines);
            }
            Value::Array(items) if items.iter().all(|item| as_text(item).is_some()) => {
                let texts: Vec<String> = items.iter().filter_map(as_text).collect();
                add(format!("{indent}- {name}: "), texts.join(", "), place);
            }
            Value::Array(items) => {
                add(format!("{indent}- {name}:"), String::new(), place.clone());
                for (n, item) in items.iter().enumerate() {
                    let parts = crate::value::fields(item).filter_map(|(_, part)| as_text(part));
                    let line: Vec<String> = parts.chain(as_text(item)).collect();
                    add(format!("{indent}  - "), line.join(", "), format!("{place}/{n}"));
                }
            }
            other => {
                let text = as_text(other).unwrap_or_default().trim().to_owned();
                add(format!("{indent}- {name}: "), text, place);
            }
        }
    }
}

/// Writes an edited outline of `value` back into its fields, as far as the lines can be matched. The caller checks the
/// result.
pub(super) fn edit(value: &mut Value, edited: &str, without: &[&str]) {
    let lines = lines(value, without);
    let mut rest = edited;
    for (n, line) in lines.iter().enumerate() {
        let Some(after) = rest.strip_prefix(&line.label) else {
            remove(value, &line.place);
            continue;
        };
        // the edit may have deleted lines between this line and the next
        let next =
            lines[n + 1..].iter().take(MAX_DELETED).find_map(|next| after.find(&format!("\n{}", next.label)));
        let text = &after[..next.unwrap_or(after.len())];
        rest = after[text.len()..].trim_start_matches('\n');
        if text.trim_end() != line.text.trim_end() {
            set(value, &line.place, text.trim_end());
        }
    }
}

/// The most adjacent lines that an edit may delete.
const MAX_DELETED: usize = 20;

/// Sets the text of a field. A list is split at commas.
fn set(value: &mut Value, place: &str, text: &str) {
    match value.pointer_mut(place) {
        Some(Value::Array(items)) => *items = text.split(", ").map(Value::from).collect(),
        Some(Value::Object(fields)) => {
            // an item of a list has the texts of its fields in one line
            let filled = fields.values_mut().filter(|part| as_text(part).is_some());
            filled.zip(text.split(", ")).for_each(|(part, text)| replace(part, text));
        }
        Some(other) => replace(other, text),
        None => {}
    }
}

/// Replaces a value by a text, or by a number if it was one.
fn replace(value: &mut Value, text: &str) {
    if as_text(value).is_some_and(|old| old.trim() == text) {
        return;
    }
    let number = text.parse::<serde_json::Number>().ok().filter(|_| value.is_number());
    *value = number.map_or_else(|| text.into(), Value::Number);
}

/// Removes the field of a deleted line.
fn remove(value: &mut Value, place: &str) {
    let Some((above, key)) = place.rsplit_once('/') else { return };
    let key = key.replace("~1", "/").replace("~0", "~");
    if let Some(fields) = value.pointer_mut(above).filter(|above| above.is_object()) {
        object(fields).remove(&key);
    }
}

/// Converts `core_values` and `coreValues` to "core values".
pub(super) fn words(key: &str) -> String {
    let mut out = String::new();
    for c in key.chars() {
        match c {
            '_' | '-' => out.push(' '),
            c if c.is_uppercase() && !out.is_empty() && !out.ends_with(' ') => {
                out.push(' ');
                out.extend(c.to_lowercase());
            }
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}
