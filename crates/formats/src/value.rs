//! Typed access to raw JSON. All access is lenient: a value of the wrong type is converted if its meaning is clear, and
//! is otherwise treated as missing. So an unneeded field never fails an import (PF1).

use serde_json::{Map, Value};

/// A text. Numbers and Booleans are converted to text. Blank text is `None`.
pub(crate) fn text(value: &Value, key: &str) -> Option<String> {
    as_text(value.get(key)?)
}

/// The value as a text that is not blank, without a byte order mark.
pub(crate) fn as_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => {
            let text = crate::literal::of(text).unwrap_or(text);
            text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()
        }
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// The texts of a list. A single text counts as a list of one.
pub(crate) fn texts(value: &Value, key: &str) -> Vec<String> {
    value.get(key).map(as_texts).unwrap_or_default()
}

/// The value as a list of non-blank texts.
pub(crate) fn as_texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(as_text).collect(),
        other => as_text(other).into_iter().collect(),
    }
}

/// A number, or a text that contains one.
pub(crate) fn number(value: &Value, key: &str) -> Option<f64> {
    let number = match value.get(key)? {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => crate::literal::of(text).unwrap_or(text).trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// A whole number.
pub(crate) fn integer(value: &Value, key: &str) -> Option<i64> {
    // the conversion saturates
    number(value, key).map(|number| number as i64)
}

/// A count. A negative number is `None`.
pub(crate) fn count(value: &Value, key: &str) -> Option<usize> {
    integer(value, key).and_then(|number| usize::try_from(number).ok())
}

/// A Boolean, also from a number or a word.
pub(crate) fn truth(value: &Value, key: &str) -> Option<bool> {
    match value.get(key)? {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) => number.as_f64().map(|number| number != 0.0),
        Value::String(text) => {
            match crate::literal::of(text).unwrap_or(text).trim().to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Some(true),
                "false" | "0" | "no" | "off" => Some(false),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The fields of an object; empty for other values.
pub(crate) fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The items of a list; empty for other values.
pub(crate) fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The value as an object. Replaces any other value by an empty object.
pub(crate) fn object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("it was made an object"),
    }
}

/// Whether a value contains nothing.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
