//! Conversions of stored values: ids and enumerations are stored as text.

use serde::{
    Serialize,
    de::{DeserializeOwned, IntoDeserializer, value::StrDeserializer},
};
use sqlx::{Sqlite, sqlite::SqliteRow};

use crate::error::Fault;

/// Parses a stored id.
pub(crate) fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(Fault::unreadable)
}

/// The name of a unit variant, as it is stored and as JSON shows it.
pub(crate) fn word<T: Serialize>(value: &T) -> Result<String, Fault> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Ok(word),
        Ok(other) => Err(Fault::unreadable(other)),
        Err(error) => Err(Fault::unreadable(error)),
    }
}

/// The variant with a stored name.
pub(crate) fn from_word<T: DeserializeOwned>(word: &str) -> Result<T, Fault> {
    let text: StrDeserializer<'_, serde::de::value::Error> = word.into_deserializer();
    T::deserialize(text).map_err(Fault::unreadable)
}

/// One column of a row.
pub(crate) fn column<'r, T>(row: &'r SqliteRow, index: usize) -> Result<T, Fault>
where
    T: sqlx::Decode<'r, Sqlite> + sqlx::Type<Sqlite>,
{
    Ok(sqlx::Row::try_get(row, index)?)
}

/// Numbers as the JSON list that `json_each` reads.
pub(crate) fn list(numbers: impl IntoIterator<Item = i64>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    format!("[{}]", numbers.join(","))
}
