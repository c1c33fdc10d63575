//! The scope predicate: the one place that says which memories a viewer sees (GR1, X6).
//!
//! Every read of memories for a persona is a statement with `visible!()` in it, made by [`seen_by`], which binds
//! what the predicate needs. The same rule in Rust is [`Viewer::sees`]; the suite holds both
//! against each other.

use greenroom_core::{Scope, Viewer};
use sqlx::{Sqlite, query::Query, sqlite::SqliteArguments};

use crate::{error::Fault, values::parsed};

/// The person of a parameter, `provider:user`, and that person's other accounts (MP1).
macro_rules! accounts_of {
    ($who:literal) => {
        concat!(
            "(m.scope_of = ",
            $who,
            " OR m.scope_of IN (SELECT o.account FROM links s JOIN links o ON o.person = s.person WHERE s.account = ",
            $who,
            "))"
        )
    };
}
pub(crate) use accounts_of;

/// The memories `m` that the viewer of ?1 (persona), ?2 (channel), ?3 (`provider:user`, or null) and ?4 (the same
/// where nobody else listens, or null) sees. A channel that is known as a group shows nothing private, whatever a viewer
/// that was made before believes (MP1).
macro_rules! visible {
    () => {
        concat!(
            "(m.persona = ?1 AND (m.scope = 'global' OR (m.scope = 'channel' AND m.scope_of = ?2) \
              OR (m.scope = 'user' AND ",
            $crate::scope::accounts_of!("?3"),
            ") OR (m.scope = 'private' AND ",
            $crate::scope::accounts_of!("?4"),
            " AND NOT EXISTS (SELECT 1 FROM channels WHERE key = ?2 AND group_since IS NOT NULL))))"
        )
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

/// The messages `m` that the persona ?1 was present for; all of them unless the given parameter is true (GR2).
macro_rules! witnessed {
    ($asked:literal) => {
        concat!(
            "(NOT ",
            $asked,
            " OR EXISTS (SELECT 1 FROM presence p WHERE p.persona = ?1 AND p.channel_id = m.channel_id \
              AND p.from_id <= m.id AND (p.until_id IS NULL OR m.id < p.until_id)))"
        )
    };
}
pub(crate) use witnessed;

/// The messages `m` that the persona ?1 knows of: its own, and what it was present for if the given
/// parameter is true (GR2).
macro_rules! heard {
    ($asked:literal) => {
        concat!("((m.author = 'persona' AND m.author_id = ?1) OR ", witnessed!($asked), ")")
    };
}
pub(crate) use heard;

/// A statement with the viewer bound to ?1 to ?4; the next parameter is ?5.
pub(crate) fn seen_by(viewer: &Viewer, sql: &'static str) -> Query<'static, Sqlite, SqliteArguments> {
    sqlx::query(sql)
        .bind(viewer.persona().as_str().to_owned())
        .bind(viewer.channel().as_str().to_owned())
        .bind(viewer.user_ref().map(|user| user.as_str().to_owned()))
        .bind(viewer.user_ref().filter(|_| viewer.is_one_to_one()).map(|user| user.as_str().to_owned()))
}

/// What a scope is of, as stored.
pub(crate) fn scope_of(scope: &Scope) -> &str {
    match scope {
        Scope::Channel(channel) => channel.as_str(),
        Scope::Global => "",
        Scope::User(user) | Scope::Private(user) => user.as_str(),
    }
}

/// The scope as it was stored.
pub(crate) fn scope(name: &str, of: &str) -> Result<Scope, Fault> {
    match name {
        "channel" => Ok(Scope::Channel(parsed(of)?)),
        "global" => Ok(Scope::Global),
        "user" => Ok(Scope::User(parsed(of)?)),
        "private" => Ok(Scope::Private(parsed(of)?)),
        other => Err(Fault::unreadable(other)),
    }
}

#[cfg(test)]
mod leaks;
