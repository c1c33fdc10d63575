//! The scope predicate: the only code that decides which memories a viewer sees (GR1, X6).
//!
//! Every read of memories for a persona is a statement with `visible!()` in it, made by [`seen_by`], which binds the
//! parameters of the predicate. [`Viewer::sees`] is the same rule in Rust; the tests compare both.

use greenroom_core::{Scope, Viewer};
use sqlx::{Sqlite, query::Query, sqlite::SqliteArguments};

use crate::{error::Fault, values::parsed};

/// Whether a scope belongs to the person of a parameter, `provider:user`, or to that person's other accounts (MP1).
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

/// The memories `m` that a viewer sees. ?1 is the persona, ?2 the channel, ?3 the person (`provider:user`, or null), ?4
/// the person again if nobody else listens, else null. A channel that is known as a group shows nothing private, even
/// to a viewer that was made before it became one (MP1).
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

/// The messages `m` of the channel ?2. The parameters have the same numbers as in `visible!()`.
macro_rules! here {
    () => {
        "m.channel_id = (SELECT id FROM channels WHERE key = ?2)"
    };
}
pub(crate) use here;

/// The messages `m` for which the persona ?1 was present; all messages unless the given parameter is true (GR2).
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

/// The messages `m` that the persona ?1 heard: its own, and those for which it was present; all messages unless the
/// given parameter is true (GR2).
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

/// The column `scope_of`: the channel or the person to which a scope belongs.
pub(crate) fn scope_of(scope: &Scope) -> &str {
    match scope {
        Scope::Channel(channel) => channel.as_str(),
        Scope::Global => "",
        Scope::User(user) | Scope::Private(user) => user.as_str(),
    }
}

/// The scope of the two stored columns.
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
