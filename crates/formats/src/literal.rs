//! Literals that a JSON value cannot represent: integers over 64 bits, numbers such as `1e400`, TOML dates and `inf`.
//! They are stored as texts with a mark, and written back unchanged (PF2).

use std::borrow::Cow;

use serde_json::Value;

/// The mark before a literal: a private-use character.
const MARK: char = '\u{f8ff}';

/// The literal as a value.
pub(crate) fn value(literal: &str) -> Value {
    format!("{MARK}{literal}").into()
}

/// The literal in a value's text. `None` if the text has no mark.
pub(crate) fn of(text: &str) -> Option<&str> {
    text.strip_prefix(MARK)
}

/// JSON text in which numbers that a value cannot represent are marked texts.
pub(crate) fn marked(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut from, mut in_string, mut escaped, mut start) = (0, false, false, None);
    for (at, byte) in json.bytes().chain([b' ']).enumerate() {
        if in_string {
            (in_string, escaped) = (escaped || byte != b'"', !escaped && byte == b'\\');
            continue;
        }
        in_string = byte == b'"';
        let is_part = byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        match start {
            None if byte.is_ascii_digit() || byte == b'-' => start = Some(at),
            Some(first) if !is_part => {
                start = None;
                let literal = &json[first..at];
                if !fits(literal) && is_number(literal) {
                    out.push_str(&json[from..first]);
                    out.push_str(&format!("\"{MARK}{literal}\""));
                    from = at;
                }
            }
            _ => {}
        }
    }
    if from == 0 {
        return json.into();
    }
    (out + &json[from..]).into()
}

/// JSON text in which marked texts are numbers again. YAML scalars such as `1.10` stay marked.
pub(crate) fn unmarked(json: String) -> String {
    let begin = format!("\"{MARK}");
    if !json.contains(&begin) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find(&begin) {
        let after = &rest[at + begin.len()..];
        let end = after.find('"').unwrap_or(after.len());
        let is_key = after[end..].starts_with("\":");
        let is_text = rest[..at].ends_with('\\');
        if is_number(&after[..end]) && !fits(&after[..end]) && !is_key && !is_text && end < after.len() {
            out.push_str(&rest[..at]);
            out.push_str(&after[..end]);
            rest = &after[end + 1..];
        } else {
            out.push_str(&rest[..at + begin.len()]);
            rest = after;
        }
    }
    out + rest
}

/// Whether a value can represent the number exactly.
fn fits(literal: &str) -> bool {
    let is_whole = !literal.contains(['.', 'e', 'E']);
    match is_whole {
        true => literal.len() < 19 || literal.parse::<i64>().is_ok() || literal.parse::<u64>().is_ok(),
        false => literal.parse::<f64>().is_ok_and(f64::is_finite),
    }
}

/// Whether it is a JSON number.
fn is_number(literal: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, exponent) = match literal.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (literal, None),
    };
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}

/// Replaces lone surrogates (`\ud800`) in JSON text by `\ufffd`, because no text can contain them. `None` if there are
/// none. The length stays the same.
pub(crate) fn without_half_characters(json: &str) -> Option<String> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return None;
    }
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut out = json.as_bytes().to_vec();
    let (mut at, mut is_changed) = (0, false);
    while let Some(found) = json[at..].find('\\') {
        at += found;
        match (unit(at), unit(at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => at += 12,
            (Some(0xd800..0xe000), _) => {
                out[at + 2..at + 6].copy_from_slice(b"fffd");
                is_changed = true;
                at += 6;
            }
            (Some(_), _) => at += 6,
            // an escape of one character, which may have several bytes in a damaged file
            (None, _) => at += 1 + json[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    is_changed.then(|| String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::json::{Order, parse};

    fn pretty(value: &Value) -> String {
        crate::json::pretty(value, &Order::default())
    }

    #[test]
    fn pf2_numbers_that_no_value_holds_are_written_as_they_were() {
        let text = "{\n  \"a\": 123456789012345678901234567890,\n  \"b\": [\n    1e400,\n    -99999999999999999999\n  ],\n  \
                    \"c\": \"1e400 \\\" 99999999999999999999\",\n  \"d\": 18446744073709551615,\n  \"e\": 0.5\n}\n";
        let value = parse(text).unwrap();
        assert_eq!(pretty(&value), text);
        assert_eq!(crate::value::text(&value, "a").unwrap(), "123456789012345678901234567890");
        assert!(parse("{\"a\": 1e400,\n \"b\": x}").unwrap_err().to_string().contains("no valid JSON"));
        let hostile = "{\n  \"\u{f8ff}1\": \"\u{f8ff}1}\"\n}\n";
        assert_eq!(pretty(&parse(hostile).unwrap()), hostile);
    }

    #[test]
    fn pf1_half_a_character_fails_no_import() {
        let value = parse(r#"{"a":"x\ud800y \ud83d\ude00 \\ud800 \udc00"}"#).unwrap();
        assert_eq!(value["a"], "x\u{fffd}y 😀 \\ud800 \u{fffd}");
    }
}
