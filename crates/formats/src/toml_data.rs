//! Converts TOML to raw data and back.

use serde_json::Value;

use crate::{FormatError, error::place, literal};

/// The most separators. A small table of two separators takes two kilobytes of memory, and ordinary texts have few
/// (X12).
const MAX_MARKS: usize = 30_000;

/// Parses a document.
///
/// # Errors
/// [`FormatError`] with line and column, or with the limit.
pub(crate) fn parse(text: &str) -> Result<Value, FormatError> {
    let is_mark = |byte: &u8| matches!(byte, b',' | b'=' | b'.' | b'[');
    if text.bytes().filter(|byte| is_mark(byte)).count() > MAX_MARKS {
        let what = "the number of `,`, `=`, `.` and `[` in the TOML".to_owned();
        return Err(FormatError::TooLarge { what, limit: MAX_MARKS.to_string() });
    }
    let fail = |error: toml::de::Error| {
        let (line, column) = place(text, error.span().map_or(0, |span| span.start));
        FormatError::Syntax { format: "TOML", line, column, message: error.message().to_owned() }
    };
    let table: toml::Table = toml::from_str(text).map_err(fail)?;
    let value = to_json(toml::Value::Table(table));
    if crate::json::deeper_than(&value, crate::json::MAX_DEPTH) {
        return Err(FormatError::TooDeep { line: 1, column: 1, limit: crate::json::MAX_DEPTH });
    }
    Ok(value)
}

/// Converts TOML to JSON. Dates and numbers that JSON lacks become marked texts.
fn to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) if !number.is_finite() => {
            literal::value(&number.to_string().to_lowercase())
        }
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(time) => literal::value(&time.to_string()),
        toml::Value::Array(items) => items.into_iter().map(to_json).collect(),
        toml::Value::Table(fields) => fields.into_iter().map(|(key, value)| (key, to_json(value))).collect(),
    }
}

/// Writes a document. Nulls are left out, because TOML has none.
pub(crate) fn write(data: &Value) -> Option<String> {
    let table: toml::Table = serde_json::from_value(without_nulls(data)).ok()?;
    toml::to_string_pretty(&unmarked(toml::Value::Table(table))).ok()
}

/// Changes texts and removes fields in the text of a document. Keeps comments and order. `None` if `now` has other
/// differences.
pub(crate) fn updated(text: &str, now: &Value) -> Option<String> {
    let mut document: toml_edit::DocumentMut = text.parse().ok()?;
    update(document.as_item_mut(), &parse(text).ok()?, now)?;
    let text = document.to_string();
    (parse(&text).ok()? == *now).then_some(text)
}

fn update(item: &mut toml_edit::Item, before: &Value, now: &Value) -> Option<()> {
    match (before, now) {
        _ if before == now => Some(()),
        (Value::Object(old), Value::Object(new)) => {
            for key in old.keys().filter(|key| !new.contains_key(*key)) {
                item.as_table_like_mut()?.remove(key);
            }
            new.iter().try_for_each(|(key, value)| match old.get(key) {
                Some(before) => update(item.get_mut(key)?, before, value),
                None => {
                    item.as_table_like_mut()?.insert(key, toml_edit::value(value.as_str()?));
                    Some(())
                }
            })
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            (0..old.len()).try_for_each(|n| update(item.get_mut(n)?, &old[n], &new[n]))
        }
        (_, Value::String(text)) => {
            let old = item.as_value_mut()?;
            let mut value = toml_edit::Value::from(text);
            *value.decor_mut() = old.decor().clone();
            *old = value;
            Some(())
        }
        _ => None,
    }
}

/// Converts marked texts back to their values.
fn unmarked(value: toml::Value) -> toml::Value {
    match value {
        toml::Value::String(text) => match literal::of(&text).map(|it| (it.parse::<f64>(), it.parse())) {
            Some((Ok(number), _)) if !number.is_finite() => number.into(),
            Some((_, Ok(time))) => toml::Value::Datetime(time),
            _ => text.into(),
        },
        toml::Value::Array(items) => toml::Value::Array(items.into_iter().map(unmarked).collect()),
        toml::Value::Table(fields) => {
            toml::Value::Table(fields.into_iter().map(|(key, value)| (key, unmarked(value))).collect())
        }
        other => other,
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), without_nulls(value)))
            .collect(),
        Value::Array(items) => items.iter().filter(|item| !item.is_null()).map(without_nulls).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pf2_dates_and_infinite_numbers_keep_their_types() {
        let text = "a = inf\nb = -inf\nc = nan\nd = 1979-05-27T07:32:00Z\ne = \"1979-05-27\"\n";
        assert_eq!(write(&parse(text).unwrap()).unwrap(), text);
    }
}
