//! Rewrites errors of the TOML parser in the terms of a scenario file: without Rust types, and with a remedy.

use super::suggestion;

/// By the parser's names of types: the name for people, and what to write.
const TYPES: [(&str, &str, &str); 10] = [
    ("u64", "a whole number from 0", "write digits without quotes, as 7"),
    ("u32", "a whole number from 0 to 4294967295", "write digits without quotes, as 7"),
    ("f64", "a number", "write a number without quotes, as 0.5"),
    ("f32", "a number", "write a number without quotes, as 0.5"),
    ("a string", "a text", "put it into quotes: \"…\""),
    ("path string", "the path of a file", "put it into quotes: \"…\""),
    ("a sequence", "a list", "put it into brackets: [\"…\"]"),
    ("a map", "a table", "write it as { key = \"…\" }"),
    ("struct", "a table", "write it as { key = \"…\" }"),
    ("internally tagged enum", "a table with `kind`", "write it as { kind = \"voter\", share = 0.5 }"),
];

/// The message and the remedy for a parser error at a part of the text.
pub(super) fn plain(message: &str, part: &str) -> (String, String) {
    let part = part.lines().next().unwrap_or_default().trim();
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let names: Vec<_> = rest.split('`').skip(1).step_by(2).collect();
        if let Some((wrong, known)) = names.split_first() {
            return (format!("there is no kind `{wrong}`"), suggestion(wrong, known.iter().copied()));
        }
    }
    if let Some(field) = message.strip_prefix("missing field ") {
        return (
            format!("there is no {field}"),
            "add it: kind = \"deffuant\", \"voter\" or \"feed\"".to_owned(),
        );
    }
    let expected =
        message.strip_prefix("invalid ").and_then(|rest| rest.rsplit_once("expected ")).map(|(_, it)| it);
    let known = expected.and_then(|it| TYPES.iter().find(|(name, ..)| it.starts_with(name)));
    if let Some((_, name, remedy)) = known {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let remedy = match *name {
            name if is_number && name.contains("whole number") => "write a smaller number",
            "a text" if is_number => "write it in quotes, a wait with its unit: \"60s\"",
            "a text" if part.starts_with('[') => "write one text, without brackets: \"…\"",
            _ => remedy,
        };
        let found = if part.chars().count() > 60 || part.is_empty() { "another value" } else { part };
        return (format!("expected {name}, found {found}"), remedy.to_owned());
    }
    let remedy = match message {
        "duplicate key" => "remove one of the two",
        _ if message.contains("unclosed") || message.contains("missing closing") => "close it",
        _ => {
            "write KEY = VALUE on one line: keys without spaces, texts in quotes, lists in [ ], tables in { }"
        }
    };
    (message.to_owned(), remedy.to_owned())
}
