//! The scope predicate: the one place that says which memories a viewer sees (GR1, X6).
//!
//! Every read of memories is a statement with `visible!()` in it, made by [`seen_by`], which binds
//! what the predicate needs. The same rule in Rust is [`Viewer::sees`]; the suite holds both
//! against each other.

use greenroom_core::{Scope, Viewer};
use serde::{Serialize, de::DeserializeOwned, de::IntoDeserializer, de::value::StrDeserializer};
use sqlx::{
    Sqlite,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::error::Fault;

/// The memories `m` that the viewer of ?1 (persona), ?2 (channel) and ?3 (user, or null) sees.
macro_rules! visible {
    () => {
        "(m.persona = ?1 AND (m.scope = 'global' \
          OR (m.scope = 'channel' AND m.scope_of = ?2) \
          OR (m.scope = 'user' AND m.scope_of = ?3)))"
    };
}
pub(crate) use visible;

/// The messages `m` of the channel ?2: the same numbering, so that a search binds one way.
macro_rules! here {
    () => {
        "m.channel_id = (SELECT id FROM channels WHERE key = ?2)"
    };
}
pub(crate) use here;

/// A statement with the viewer bound to ?1, ?2 and ?3; the next parameter is ?4.
pub(crate) fn seen_by(viewer: &Viewer, sql: &'static str) -> Query<'static, Sqlite, SqliteArguments> {
    sqlx::query(sql)
        .bind(viewer.persona().as_str().to_owned())
        .bind(viewer.channel().as_str().to_owned())
        .bind(viewer.user().map(|user| user.as_str().to_owned()))
}

/// What a scope is of, as stored.
pub(crate) fn scope_of(scope: &Scope) -> &str {
    match scope {
        Scope::Channel(channel) => channel.as_str(),
        Scope::Global => "",
        Scope::User(user) => user.as_str(),
    }
}

/// The scope as it was stored.
pub(crate) fn scope(name: &str, of: &str) -> Result<Scope, Fault> {
    match name {
        "channel" => Ok(Scope::Channel(parsed(of)?)),
        "global" => Ok(Scope::Global),
        "user" => Ok(Scope::User(parsed(of)?)),
        other => Err(Fault::unreadable(other)),
    }
}

/// An id as it was stored.
pub(crate) fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(Fault::unreadable)
}

/// The word of a unit variant, as it is stored and as JSON shows it.
pub(crate) fn word<T: Serialize>(value: &T) -> Result<String, Fault> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Ok(word),
        Ok(other) => Err(Fault::unreadable(other)),
        Err(error) => Err(Fault::unreadable(error)),
    }
}

/// The variant of a stored word.
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
