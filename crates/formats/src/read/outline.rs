//! Structured data as an outline in words, for formats that describe a persona by fields.

use serde_json::Value;

use crate::value::{as_text, is_empty};

/// Bytes of an outline.
const MAX_BYTES: usize = 256 << 10;

/// The fields as Markdown lists, `snake_case` names as words. Fields that begin with `@`, and those in `without`, are
/// left out.
pub(super) fn outline(value: &Value, without: &[&str]) -> String {
    let mut out = String::new();
    write(value, 0, without, &mut out);
    out
}

fn write(value: &Value, level: usize, without: &[&str], out: &mut String) {
    for (key, value) in crate::value::fields(value) {
        if key.starts_with('@') || without.contains(&key.as_str()) || is_empty(value) || out.len() > MAX_BYTES
        {
            continue;
        }
        let indent = "  ".repeat(level);
        let name = words(key);
        match value {
            Value::Object(_) => {
                out.push_str(&format!("{indent}- {name}:\n"));
                write(value, level + 1, without, out);
            }
            Value::Array(items) if items.iter().all(|item| as_text(item).is_some()) => {
                let texts: Vec<String> = items.iter().filter_map(as_text).collect();
                out.push_str(&format!("{indent}- {name}: {}\n", texts.join(", ")));
            }
            Value::Array(items) => {
                out.push_str(&format!("{indent}- {name}:\n"));
                for item in items {
                    let parts = crate::value::fields(item).filter_map(|(_, part)| as_text(part));
                    let line: Vec<String> = parts.chain(as_text(item)).collect();
                    out.push_str(&format!("{indent}  - {}\n", line.join(", ")));
                }
            }
            other => {
                out.push_str(&format!("{indent}- {name}: {}\n", as_text(other).unwrap_or_default().trim()))
            }
        }
    }
}

/// `core_values` and `coreValues` as "core values".
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
