//! The scope predicate: the one place that says which memories a viewer sees (GR1, X6).
//!
//! Every read of memories for a persona is a statement with `visible!()` in it, made by [`seen_by`], which binds
//! what the predicate needs. The same rule in Rust is [`Viewer::sees`]; the suite holds both
//! against each other.

use greenroom_core::{Scope, Viewer};
use greenroom_store::{ItemKind, Search};
use sqlx::{Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments};

use crate::{
    error::Fault,
    values::{column, parsed},
};

/// The memories `m` that the viewer of ?1 (persona), ?2 (channel) and ?3 (`provider:user`, or null) sees.
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

/// The memories `m` a search looks at, with what [`sought_by`] binds. The places stand here with
/// their floors, so that an index leads to the newest and no further.
macro_rules! sought_memories {
    () => {
        concat!(
            visible!(),
            " AND ((m.scope = 'global' AND m.scope_of = '' AND m.id >= ?9) \
               OR (m.scope = 'channel' AND m.scope_of = ?2 AND m.id >= ?10) \
               OR (m.scope = 'user' AND m.scope_of = ?3 AND m.id >= ?11)) \
              AND (m.expires_at IS NULL OR m.expires_at > ?4) \
              AND m.updated_at >= ?6 AND m.updated_at < ?7"
        )
    };
}
pub(crate) use sought_memories;

/// The messages `m` a search looks at, with what [`sought_by`] binds.
macro_rules! sought_messages {
    () => {
        concat!(here!(), " AND m.id >= ?9 AND m.id < ?5 AND m.at >= ?6 AND m.at < ?7 AND ", witnessed!("?8"))
    };
}
pub(crate) use sought_messages;

/// Where a search that looks at the newest alone begins in each place; 0 where it looks at all.
pub(crate) async fn floors(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    search: &Search,
) -> Result<[i64; 3], Fault> {
    let last = match search.newest.map(i64::try_from) {
        None | Some(Err(_)) => return Ok([0; 3]),
        Some(Ok(0)) => return Ok([i64::MAX; 3]),
        Some(Ok(newest)) => newest - 1,
    };
    let sql = match search.kind {
        ItemKind::Message => concat!(
            "SELECT coalesce((SELECT m.id FROM messages m WHERE ",
            here!(),
            " AND m.id < ?5 ORDER BY m.id DESC LIMIT 1 OFFSET ?4), 0), 0, 0"
        ),
        ItemKind::Memory => {
            "SELECT coalesce((SELECT id FROM memories WHERE persona = ?1 AND scope = 'global'
                 AND scope_of = '' ORDER BY id DESC LIMIT 1 OFFSET ?4), 0),
             coalesce((SELECT id FROM memories WHERE persona = ?1 AND scope = 'channel'
                 AND scope_of = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?4), 0),
             coalesce((SELECT id FROM memories WHERE persona = ?1 AND scope = 'user'
                 AND scope_of = ?3 ORDER BY id DESC LIMIT 1 OFFSET ?4), 0)"
        }
    };
    let row = seen_by(viewer, sql).bind(last).bind(before(search)).fetch_one(conn).await?;
    Ok([column(&row, 0)?, column(&row, 1)?, column(&row, 2)?])
}

/// A statement with the viewer and the search bound, up to ?11; the next parameter is ?12.
pub(crate) fn sought_by(
    viewer: &Viewer,
    search: &Search,
    floors: [i64; 3],
    sql: &'static str,
) -> Query<'static, Sqlite, SqliteArguments> {
    let (from, to) = search.between.map_or((i64::MIN, i64::MAX), |(from, to)| (from.0, to.0));
    let query = seen_by(viewer, sql).bind(search.now.0).bind(before(search));
    let query = query.bind(from).bind(to).bind(search.witnessed);
    floors.into_iter().fold(query, |query, floor| query.bind(floor))
}

fn before(search: &Search) -> i64 {
    search.before.map_or(i64::MAX, |id| id.0)
}

/// A statement with the viewer bound to ?1, ?2 and ?3; the next parameter is ?4.
pub(crate) fn seen_by(viewer: &Viewer, sql: &'static str) -> Query<'static, Sqlite, SqliteArguments> {
    sqlx::query(sql)
        .bind(viewer.persona().as_str().to_owned())
        .bind(viewer.channel().as_str().to_owned())
        .bind(viewer.user_ref().map(|user| user.as_str().to_owned()))
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

#[cfg(test)]
mod leaks;
