//! Memories and how they stand to each other.

use std::collections::BTreeSet;

use greenroom_core::{Memory, MemoryId, MessageId, Relation, Scope, Source, Timestamp, Viewer};
use greenroom_store::{Forgotten, MemoryEdit, MemoryFilter, NewMemory, Newest};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    erase::OWE_LOG,
    erasures,
    error::Fault,
    scope::{scope, scope_of, seen_by, visible},
    values::{column, from_word, list, parsed, word},
};

/// The same after RETURNING, where a table has no other name.
macro_rules! returned_columns {
    () => {
        "id, persona, scope, scope_of, text, kind, tier, via, source_message, \
         source_user, trust, version, key, expires_at, created_at, updated_at"
    };
}

/// The columns of a memory `m`, in the order [`memory`] reads them.
macro_rules! memory_columns {
    () => {
        "m.id, m.persona, m.scope, m.scope_of, m.text, m.kind, m.tier, m.via, m.source_message, \
         m.source_user, m.trust, m.version, m.key, m.expires_at, m.created_at, m.updated_at"
    };
}
pub(crate) use memory_columns;

/// How many columns a memory has: what a statement adds to them begins here.
pub(crate) const MEMORY_COLUMNS: usize = 16;

/// The memory of a row that begins with `memory_columns!()`.
pub(crate) fn memory(row: &SqliteRow) -> Result<Memory, Fault> {
    let source_user: Option<&str> = column(row, 9)?;
    Ok(Memory {
        id: MemoryId(column(row, 0)?),
        persona: parsed(column(row, 1)?)?,
        scope: scope(column(row, 2)?, column(row, 3)?)?,
        text: column(row, 4)?,
        kind: from_word(column(row, 5)?)?,
        tier: from_word(column(row, 6)?)?,
        source: Source {
            via: column(row, 7)?,
            message: column::<Option<i64>>(row, 8)?.map(MessageId),
            user: source_user.map(parsed).transpose()?,
        },
        trust: from_word(column(row, 10)?)?,
        version: column(row, 11)?,
        key: column(row, 12)?,
        expires_at: column::<Option<i64>>(row, 13)?.map(Timestamp),
        created_at: Timestamp(column(row, 14)?),
        updated_at: Timestamp(column(row, 15)?),
    })
}

/// See [`greenroom_store::MemoryStore::remember`]. Triggers keep vectors and full text in step. With where
/// the journal ends; nothing where an expired memory had to go for it.
pub(crate) async fn remember(
    conn: &mut SqliteConnection,
    new: &NewMemory,
) -> Result<(Memory, Option<i64>), Fault> {
    if new.text.trim().is_empty() {
        return Err(Fault::invalid("a memory needs a text".into()));
    }
    let rows = sqlx::query(
        "SELECT $8 <= (SELECT last FROM message_ids) AND NOT EXISTS (SELECT 1 FROM messages WHERE id = $8),
             coalesce(max(seq), 0) > $14 FROM erasures;
         SELECT EXISTS (SELECT 1 FROM memories
             WHERE persona = $1 AND scope = $2 AND scope_of = $3 AND key = $11 AND expires_at <= $13);
         DELETE FROM memories
         WHERE persona = $1 AND scope = $2 AND scope_of = $3 AND key = $11 AND expires_at <= $13;
         INSERT INTO memories AS m (id, persona, scope, scope_of, text, kind, tier, via, source_message,
             source_user, trust, version, key, expires_at, created_at, updated_at)
         VALUES ((SELECT id FROM memories WHERE persona = $1 AND scope = $2 AND scope_of = $3 AND key = $11),
             $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $12, $13, $13)
         ON CONFLICT (id) DO UPDATE SET
             text = excluded.text, kind = excluded.kind, tier = excluded.tier, via = excluded.via,
             source_message = excluded.source_message, source_user = excluded.source_user,
             trust = excluded.trust, version = m.version + 1, expires_at = excluded.expires_at,
             updated_at = excluded.updated_at
         RETURNING id, version, created_at;
         SELECT max(seq) FROM changes",
    )
    .bind(new.persona.as_str())
    .bind(new.scope.name())
    .bind(scope_of(&new.scope))
    .bind(new.text.as_str())
    .bind(new.kind.as_str())
    .bind(word(&new.tier)?)
    .bind(new.source.via.as_str())
    .bind(new.source.message.map(|id| id.0))
    .bind(new.source.user.as_ref().map(|user| user.as_str()))
    .bind(word(&new.trust)?)
    .bind(new.key.as_deref())
    .bind(new.expires_at.map(|at| at.0))
    .bind(new.at.0)
    .bind(new.sources.erased)
    .fetch_all(&mut *conn)
    .await?;
    let [erased, expired, row, end] = rows.as_slice() else { return Err(sqlx::Error::RowNotFound.into()) };
    if let (Some(true), Some(source)) = (column(erased, 0)?, new.source.message) {
        // whoever learned it had read the message before it was erased
        return Err(erasures::gone(format!("{source} is gone: what was learned from it is not kept")));
    }
    if column(erased, 1)? {
        erasures::check(conn, &new.sources).await?;
    }
    let memory = Memory {
        id: MemoryId(column(row, 0)?),
        persona: new.persona.clone(),
        scope: new.scope.clone(),
        text: new.text.clone(),
        kind: new.kind.clone(),
        tier: new.tier,
        source: new.source.clone(),
        trust: new.trust,
        version: column(row, 1)?,
        key: new.key.clone(),
        expires_at: new.expires_at,
        created_at: Timestamp(column(row, 2)?),
        updated_at: new.at,
    };
    // an expired memory is as good as gone: its key begins anew
    let begins_anew: bool = column(expired, 0)?;
    Ok((memory, if begins_anew { None } else { Some(column(end, 0)?) }))
}

/// See [`greenroom_store::MemoryStore::memories`].
pub(crate) async fn memories(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    filter: &MemoryFilter,
) -> Result<Vec<Memory>, Fault> {
    let rows = seen_by(
        viewer,
        concat!(
            "SELECT ",
            memory_columns!(),
            " FROM memories m WHERE ",
            visible!(),
            " AND (m.expires_at IS NULL OR m.expires_at > ?4)
              AND (?5 = '[]' OR m.scope IN (SELECT value FROM json_each(?5)))
              AND (?6 = '[]' OR m.id IN (SELECT value FROM json_each(?6)))
              AND (?7 IS NULL OR m.source_user = ?7
                  OR (m.scope = 'user' AND m.scope_of = substr(m.scope_of, 1, instr(m.scope_of, ':')) || ?7))
              ORDER BY m.updated_at DESC, m.id DESC LIMIT ?8"
        ),
    )
    .bind(filter.now.0)
    .bind(serde_json::to_string(&filter.scopes).map_err(Fault::unreadable)?)
    .bind(list(filter.ids.iter().map(|id| id.0)))
    .bind(filter.about.as_ref().map(|user| user.as_str()))
    .bind(i64::try_from(filter.limit).unwrap_or(i64::MAX))
    .fetch_all(conn)
    .await?;
    rows.iter().map(memory).collect()
}

/// See [`greenroom_store::MemoryStore::count_memories`].
pub(crate) async fn count(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    now: Timestamp,
    most: usize,
) -> Result<usize, Fault> {
    let sql = concat!(
        "SELECT count(*) FROM (SELECT 1 FROM memories m WHERE ",
        visible!(),
        " AND (m.expires_at IS NULL OR m.expires_at > ?4) LIMIT ?5)"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let row = seen_by(viewer, sql).bind(now.0).bind(most).fetch_one(conn).await?;
    usize::try_from(column::<i64>(&row, 0)?).map_err(Fault::unreadable)
}

/// The newest memories of a tier, with one more condition.
macro_rules! newest_of {
    ($and:literal) => {
        concat!(
            "SELECT ",
            memory_columns!(),
            " FROM memories m
              WHERE m.persona = ?1 AND m.scope = ?4 AND m.scope_of = ?5 AND m.tier = ?6
              AND m.updated_at >= ?7 AND m.updated_at < ?8
              AND (m.expires_at IS NULL OR m.expires_at > ?9) AND ",
            visible!(),
            $and,
            " ORDER BY m.updated_at DESC, m.id DESC LIMIT ?10"
        )
    };
}

/// See [`greenroom_store::MemoryStore::newest`]. The indexes `memories_by_tier` and `memories_by_kind` give them
/// in order.
pub(crate) async fn newest(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    wanted: &Newest,
) -> Result<Vec<Memory>, Fault> {
    let (from, until) = wanted.between.map_or((i64::MIN, i64::MAX), |(from, until)| (from.0, until.0));
    let kind = wanted.kind.as_ref().map(|kind| kind.as_str().to_owned());
    let sql = if kind.is_some() { newest_of!(" AND m.kind = ?11") } else { newest_of!("") };
    let mut query = seen_by(viewer, sql)
        .bind(wanted.scope.name())
        .bind(scope_of(&wanted.scope).to_owned())
        .bind(word(&wanted.tier)?)
        .bind(from)
        .bind(until)
        .bind(wanted.now.0)
        .bind(i64::try_from(wanted.limit).unwrap_or(i64::MAX));
    if let Some(kind) = kind {
        query = query.bind(kind);
    }
    let rows = query.fetch_all(conn).await?;
    rows.iter().map(memory).collect()
}

/// See [`greenroom_store::MemoryStore::keyed`].
pub(crate) async fn keyed(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    scope: &Scope,
    key: &str,
    now: Timestamp,
) -> Result<Option<Memory>, Fault> {
    let row = seen_by(
        viewer,
        concat!(
            "SELECT ",
            memory_columns!(),
            " FROM memories m WHERE m.scope = ?4 AND m.scope_of = ?5 AND m.key = ?6
              AND (m.expires_at IS NULL OR m.expires_at > ?7) AND ",
            visible!()
        ),
    )
    .bind(scope.name())
    .bind(scope_of(scope).to_owned())
    .bind(key.to_owned())
    .bind(now.0)
    .fetch_optional(conn)
    .await?;
    row.as_ref().map(memory).transpose()
}

/// See [`greenroom_store::MemoryStore::edit`]. Triggers keep vectors and full text in step.
pub(crate) async fn edit(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    id: MemoryId,
    edit: &MemoryEdit,
) -> Result<Option<Memory>, Fault> {
    if edit.text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(Fault::invalid("a memory needs a text".into()));
    }
    let row = seen_by(
        viewer,
        concat!(
            "UPDATE memories AS m SET text = coalesce(?6, text), kind = coalesce(?7, kind), trust = ?8,
                 expires_at = CASE WHEN ?9 THEN ?10 ELSE expires_at END,
                 version = version + 1, updated_at = max(?5, created_at)
             WHERE m.id = ?4 AND (m.expires_at IS NULL OR m.expires_at > ?5) AND ",
            visible!(),
            " RETURNING ",
            returned_columns!()
        ),
    )
    .bind(id.0)
    .bind(edit.at.0)
    .bind(edit.text.clone())
    .bind(edit.kind.as_ref().map(|kind| kind.as_str().to_owned()))
    .bind(word(&edit.trust)?)
    .bind(edit.expires_at.is_some())
    .bind(edit.expires_at.flatten().map(|at| at.0))
    .fetch_optional(&mut *conn)
    .await?;
    let edited = row.as_ref().map(memory).transpose()?;
    if let Some(edited) = &edited
        && edit.text.is_some()
    {
        sqlx::query(
            "INSERT INTO erasures (item, item_id, channel_id)
             VALUES ('memory', ?1, (SELECT id FROM channels WHERE ?2 = 'channel' AND key = ?3))",
        )
        .bind(edited.id.0)
        .bind(edited.scope.name())
        .bind(scope_of(&edited.scope))
        .execute(conn)
        .await?;
    }
    Ok(edited)
}

/// See [`greenroom_store::EraseStore::forget`].
pub(crate) async fn forget(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    id: MemoryId,
) -> Result<Option<Forgotten>, Fault> {
    let row = seen_by(
        viewer,
        concat!(
            "SELECT ",
            memory_columns!(),
            ", (SELECT count(vector) FROM vectors WHERE item = 'memory' AND item_id = m.id)
             , (SELECT count(*) FROM relations WHERE from_id = m.id OR to_id = m.id)
              FROM memories m WHERE m.id = ?4 AND ",
            visible!()
        ),
    )
    .bind(id.0)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let forgotten = Forgotten {
        memory: memory(&row)?,
        vectors: column::<i64>(&row, MEMORY_COLUMNS)?.unsigned_abs(),
        relations: column::<i64>(&row, MEMORY_COLUMNS + 1)?.unsigned_abs(),
        in_log: true,
    };
    sqlx::query("DELETE FROM memories WHERE id = ?").bind(id.0).execute(&mut *conn).await?;
    sqlx::query(OWE_LOG).execute(conn).await?;
    Ok(Some(forgotten))
}

/// See [`greenroom_store::EraseStore::sweep`]; the receipts are for [`crate::receipts::blank`].
pub(crate) async fn sweep(conn: &mut SqliteConnection, now: Timestamp) -> Result<u64, Fault> {
    let swept = sqlx::query("DELETE FROM memories WHERE expires_at <= ?").bind(now.0).execute(conn).await?;
    Ok(swept.rows_affected())
}

/// See [`greenroom_store::MemoryStore::relate`].
pub(crate) async fn relate(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    relation: Relation,
) -> Result<(), Fault> {
    let seen =
        seen_by(viewer, concat!("SELECT count(*) FROM memories m WHERE m.id IN (?4, ?5) AND ", visible!()))
            .bind(relation.from.0)
            .bind(relation.to.0)
            .fetch_one(&mut *conn)
            .await?;
    if relation.from == relation.to || column::<i64>(&seen, 0)? != 2 {
        return Err(Fault::invalid(format!(
            "{} and {} are not two memories {} sees here",
            relation.from,
            relation.to,
            viewer.persona()
        )));
    }
    sqlx::query("INSERT INTO relations (from_id, to_id, kind) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        .bind(relation.from.0)
        .bind(relation.to.0)
        .bind(word(&relation.kind)?)
        .execute(conn)
        .await?;
    Ok(())
}

/// The relations at the memories of the list ?4, which names each once, both ends in sight.
macro_rules! relations_at {
    () => {
        concat!(
            "SELECT r.from_id, r.to_id, r.kind FROM json_each(?4) ids
                 CROSS JOIN relations r ON r.from_id = ids.value WHERE ",
            $crate::memories::both_visible!(),
            " UNION ALL SELECT r.from_id, r.to_id, r.kind FROM json_each(?4) ids
                 CROSS JOIN relations r ON r.to_id = ids.value
                 WHERE r.from_id NOT IN (SELECT value FROM json_each(?4)) AND ",
            $crate::memories::both_visible!(),
            " ORDER BY 1, 2, 3"
        )
    };
}

/// All relations at the memories of the list ?4, each once, and whether both ends are in sight.
macro_rules! relations_of {
    () => {
        concat!(
            "SELECT r.from_id, r.to_id, r.kind, ",
            $crate::memories::both_visible!(),
            " FROM json_each(?4) ids CROSS JOIN relations r ON r.from_id = ids.value
             UNION ALL SELECT r.from_id, r.to_id, r.kind, ",
            $crate::memories::both_visible!(),
            " FROM json_each(?4) ids CROSS JOIN relations r ON r.to_id = ids.value
             WHERE r.from_id NOT IN (SELECT value FROM json_each(?4)) ORDER BY 1, 2, 3"
        )
    };
}
pub(crate) use relations_of;

/// The relations `r` with both ends in sight.
macro_rules! both_visible {
    () => {
        concat!(
            "EXISTS (SELECT 1 FROM memories m WHERE m.id = r.from_id AND ",
            visible!(),
            ") AND EXISTS (SELECT 1 FROM memories m WHERE m.id = r.to_id AND ",
            visible!(),
            ")"
        )
    };
}
pub(crate) use both_visible;

/// See [`greenroom_store::MemoryStore::relations`].
pub(crate) async fn relations(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    ids: &[MemoryId],
) -> Result<Vec<Relation>, Fault> {
    let ids: BTreeSet<i64> = ids.iter().map(|id| id.0).collect();
    let ids = list(ids);
    let rows = seen_by(viewer, relations_at!()).bind(ids).fetch_all(conn).await?;
    rows.iter().map(relation).collect()
}

/// The relation of a row of `relations_at!()`.
pub(crate) fn relation(row: &SqliteRow) -> Result<Relation, Fault> {
    Ok(Relation {
        from: MemoryId(column(row, 0)?),
        to: MemoryId(column(row, 1)?),
        kind: from_word(column(row, 2)?)?,
    })
}
