//! Memories and their relations.

use async_trait::async_trait;
use greenroom_core::{Memory, MemoryId, MessageId, Relation, Scope, Source, Tier, Timestamp, Viewer};
use greenroom_store::{
    ItemId, ItemsWithRelations, MemoryEdit, MemoryFilter, MemoryStore, NewMemory, Newest, Result,
};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    erase::remove_summaries,
    erasures::{self, newest_erasure},
    error::Fault,
    items, relations,
    scope::{scope, scope_of, seen_by, visible},
    values::{column, from_word, list, parsed, word},
};

/// The columns of a memory after RETURNING, where the table has no alias.
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

/// The number of columns of a memory; further columns of a statement begin at this index.
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

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn remember(&self, memory: NewMemory) -> Result<Memory> {
        self.write(memory, |conn, memory| Box::pin(remember(conn, memory))).await
    }

    async fn edit(&self, viewer: &Viewer, id: MemoryId, change: MemoryEdit) -> Result<Option<Memory>> {
        self.write((viewer.clone(), id, change), |conn, (viewer, id, change)| {
            Box::pin(edit(conn, viewer, *id, change))
        })
        .await
    }

    async fn memories(&self, viewer: &Viewer, filter: &MemoryFilter) -> Result<Vec<Memory>> {
        self.with_store_error(memories(&mut *self.reader().await?, viewer, filter).await)
    }

    async fn count_memories(&self, viewer: &Viewer, now: Timestamp, most: usize) -> Result<usize> {
        self.with_store_error(count(&mut *self.reader().await?, viewer, now, most).await)
    }

    async fn newest(&self, viewer: &Viewer, wanted: &Newest) -> Result<Vec<Memory>> {
        self.with_store_error(newest(&mut *self.reader().await?, viewer, wanted).await)
    }

    async fn keyed(
        &self,
        viewer: &Viewer,
        scope: &Scope,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Memory>> {
        self.with_store_error(keyed(&mut *self.reader().await?, viewer, scope, key, now).await)
    }

    async fn items(
        &self,
        viewer: &Viewer,
        ids: &[ItemId],
        now: Timestamp,
        witnessed: bool,
    ) -> Result<ItemsWithRelations> {
        self.with_store_error(items::items(&mut *self.reader().await?, viewer, ids, now, witnessed).await)
    }

    async fn relate(&self, viewer: &Viewer, relation: Relation) -> Result<()> {
        self.write((viewer.clone(), relation), |conn, (viewer, relation)| {
            Box::pin(relations::relate(conn, viewer, *relation))
        })
        .await
    }

    async fn relations(&self, viewer: &Viewer, ids: &[MemoryId]) -> Result<Vec<Relation>> {
        self.with_store_error(relations::at(&mut *self.reader().await?, viewer, ids).await)
    }
}

/// See [`MemoryStore::remember`]. The existing row with the same key is read first and compared in Rust: the writer has
/// the lock, so the row is unchanged when the memory is written.
async fn remember(conn: &mut SqliteConnection, new: &NewMemory) -> Result<Memory, Fault> {
    if new.text.trim().is_empty() {
        return Err(Fault::invalid("a memory needs a text".into()));
    }
    let row = sqlx::query(concat!(
        "SELECT ",
        newest_erasure!(),
        ", ?5 <= (SELECT last FROM message_ids) AND NOT EXISTS (SELECT 1 FROM messages WHERE id = ?5),
             m.id, m.version, m.created_at, m.expires_at <= ?6,
             ?7 AND EXISTS (SELECT 1 FROM taken_back t
                 WHERE t.message_id = ?5 AND (t.text = '' OR instr(?8, t.text) > 0))
         FROM (SELECT 1) LEFT JOIN memories m
             ON m.persona = ?1 AND m.scope = ?2 AND m.scope_of = ?3 AND m.key = ?4"
    ))
    .bind(new.persona.as_str())
    .bind(new.scope.name())
    .bind(scope_of(&new.scope))
    .bind(new.key.as_deref())
    .bind(new.source.message.map(|id| id.0))
    .bind(new.at.0)
    .bind(new.tier == Tier::Conversation)
    .bind(new.text.as_str())
    .fetch_one(&mut *conn)
    .await?;
    if column::<Option<bool>>(&row, 6)? == Some(true) {
        return Err(erasures::gone("what this summary tells has been forgotten or corrected meanwhile"));
    }
    if let (Some(true), Some(source)) = (column(&row, 1)?, new.source.message) {
        // the message was read before it was erased
        return Err(erasures::gone(format!("{source} is gone: what was learned from it is not kept")));
    }
    if column::<i64>(&row, 0)? > new.sources.erased {
        erasures::check(conn, &new.sources).await?;
    }
    let mut memory = Memory {
        id: MemoryId(0),
        persona: new.persona.clone(),
        scope: new.scope.clone(),
        text: new.text.clone(),
        kind: new.kind.clone(),
        tier: new.tier,
        source: new.source.clone(),
        trust: new.trust,
        version: 1,
        key: new.key.clone(),
        expires_at: new.expires_at,
        created_at: new.at,
        updated_at: new.at,
    };
    let known: Option<i64> = column(&row, 2)?;
    match known {
        None => memory.id = insert(conn, &memory, None).await?,
        // an expired memory counts as deleted: its key starts again with version 1
        Some(expired) if column::<Option<bool>>(&row, 5)? == Some(true) => {
            sqlx::query("DELETE FROM memories WHERE id = ?").bind(expired).execute(&mut *conn).await?;
            memory.id = insert(conn, &memory, None).await?;
        }
        Some(id) => {
            memory.id = MemoryId(id);
            memory.version = column::<u32>(&row, 3)? + 1;
            memory.created_at = Timestamp(column(&row, 4)?);
            replace(conn, &memory).await?;
        }
    }
    Ok(memory)
}

/// Inserts a memory unchanged and returns its id.
pub(crate) async fn insert(
    conn: &mut SqliteConnection,
    memory: &Memory,
    id: Option<i64>,
) -> Result<MemoryId, Fault> {
    let inserted = sqlx::query_scalar(
        "INSERT INTO memories (id, persona, scope, scope_of, text, kind, tier, via, source_message,
             source_user, trust, version, key, expires_at, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(id)
    .bind(memory.persona.as_str())
    .bind(memory.scope.name())
    .bind(scope_of(&memory.scope))
    .bind(memory.text.as_str())
    .bind(memory.kind.as_str())
    .bind(word(&memory.tier)?)
    .bind(memory.source.via.as_str())
    .bind(memory.source.message.map(|id| id.0))
    .bind(memory.source.user.as_ref().map(|user| user.as_str()))
    .bind(word(&memory.trust)?)
    .bind(memory.version)
    .bind(memory.key.as_deref())
    .bind(memory.expires_at.map(|at| at.0))
    .bind(memory.created_at.0)
    .bind(memory.updated_at.0)
    .fetch_one(conn)
    .await?;
    Ok(MemoryId(inserted))
}

/// Overwrites the memory that has the same id.
async fn replace(conn: &mut SqliteConnection, memory: &Memory) -> Result<(), Fault> {
    sqlx::query(
        "UPDATE memories SET text = ?, kind = ?, tier = ?, via = ?, source_message = ?, source_user = ?,
             trust = ?, version = ?, expires_at = ?, updated_at = ?
         WHERE id = ?",
    )
    .bind(memory.text.as_str())
    .bind(memory.kind.as_str())
    .bind(word(&memory.tier)?)
    .bind(memory.source.via.as_str())
    .bind(memory.source.message.map(|id| id.0))
    .bind(memory.source.user.as_ref().map(|user| user.as_str()))
    .bind(word(&memory.trust)?)
    .bind(memory.version)
    .bind(memory.expires_at.map(|at| at.0))
    .bind(memory.updated_at.0)
    .bind(memory.id.0)
    .execute(conn)
    .await?;
    Ok(())
}

/// See [`greenroom_store::MemoryStore::memories`].
async fn memories(
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
            " AND (m.expires_at IS NULL OR m.expires_at > ?5)
              AND (?6 = '[]' OR m.scope IN (SELECT value FROM json_each(?6)))
              AND (?7 = '[]' OR m.id IN (SELECT value FROM json_each(?7)))
              AND (?8 IS NULL OR m.source_user = ?8
                  OR (m.scope IN ('user', 'private') AND m.scope_of = substr(m.scope_of, 1, instr(m.scope_of, ':')) || ?8))
              ORDER BY m.updated_at DESC, m.id DESC LIMIT ?9"
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
async fn count(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    now: Timestamp,
    most: usize,
) -> Result<usize, Fault> {
    let sql = concat!(
        "SELECT count(*) FROM (SELECT 1 FROM memories m WHERE ",
        visible!(),
        " AND (m.expires_at IS NULL OR m.expires_at > ?5) LIMIT ?6)"
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
              WHERE m.persona = ?1 AND m.scope = ?5 AND m.scope_of = ?6 AND m.tier = ?7
              AND m.updated_at >= ?8 AND m.updated_at < ?9
              AND (m.expires_at IS NULL OR m.expires_at > ?10) AND ",
            visible!(),
            $and,
            " ORDER BY m.updated_at DESC, m.id DESC LIMIT ?11"
        )
    };
}

/// See [`greenroom_store::MemoryStore::newest`]. The indexes `memories_by_tier` and `memories_by_kind` return the rows
/// in order.
async fn newest(conn: &mut SqliteConnection, viewer: &Viewer, wanted: &Newest) -> Result<Vec<Memory>, Fault> {
    let (from, until) = wanted.between.map_or((i64::MIN, i64::MAX), |(from, until)| (from.0, until.0));
    let kind = wanted.kind.as_ref().map(|kind| kind.as_str().to_owned());
    let sql = if kind.is_some() { newest_of!(" AND m.kind = ?12") } else { newest_of!("") };
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
async fn keyed(
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
            " FROM memories m WHERE m.scope = ?5 AND m.scope_of = ?6 AND m.key = ?7
              AND (m.expires_at IS NULL OR m.expires_at > ?8) AND ",
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

/// The scope of a memory `m` after an edit: ?12 makes it private or not private; null leaves it unchanged.
macro_rules! edited_scope {
    () => {
        "CASE WHEN ?12 IS NULL OR m.scope NOT IN ('user', 'private') THEN m.scope
              WHEN ?12 THEN 'private' ELSE 'user' END"
    };
}

/// See [`greenroom_store::MemoryStore::edit`]. A trigger removes the vectors of the old text.
async fn edit(
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
            "UPDATE memories AS m SET text = coalesce(?7, text), kind = coalesce(?8, kind), trust = ?9,
                 expires_at = CASE WHEN ?10 THEN ?11 ELSE expires_at END,
                 version = version + 1, updated_at = max(?6, created_at),
                 scope = ",
            edited_scope!(),
            ", key = CASE WHEN EXISTS (SELECT 1 FROM memories o WHERE o.persona = m.persona AND o.id <> m.id
                     AND o.scope = ",
            edited_scope!(),
            " AND o.scope_of = m.scope_of AND o.key = m.key) THEN NULL ELSE key END
             WHERE m.id = ?5 AND (m.expires_at IS NULL OR m.expires_at > ?6) AND ",
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
    .bind(edit.private)
    .fetch_optional(&mut *conn)
    .await?;
    let edited = row.as_ref().map(memory).transpose()?;
    if let Some(edited) = &edited
        && (edit.text.is_some() || edit.private == Some(true))
    {
        sqlx::query(
            "INSERT INTO erasures (item, item_id, channel_id)
             VALUES ('memory', ?1, (SELECT id FROM channels WHERE ?2 = 'channel' AND key = ?3))",
        )
        .bind(edited.id.0)
        .bind(edited.scope.name())
        .bind(scope_of(&edited.scope))
        .execute(&mut *conn)
        .await?;
    }
    if let Some(edited) = edited.as_ref().filter(|_| edit.text.is_some()) {
        remove_summaries(conn, edited).await?;
    }
    Ok(edited)
}
