//! The source of an index: whole places, and the journal of later changes.
//!
//! Triggers write the journal in the transaction of the write. It names items and contains no text. A read joins each
//! entry with the item's present state, so that an item that changed often is returned once. An item that was removed
//! and stored again elsewhere is returned for both places.

use async_trait::async_trait;
use greenroom_core::{MemoryId, MessageId, Timestamp};
use greenroom_store::{
    Change, Changes, Entry, ItemId, JournalStore, Place, Result, VectorSpace, WantedPlaces,
};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    error::Fault,
    scope::{scope, scope_of},
    values::{column, from_word, parsed},
    vectors::numbers,
};

#[async_trait]
impl JournalStore for SqliteStore {
    async fn journal_end(&self) -> Result<i64> {
        self.with_store_error(end(&mut *self.reader().await?).await)
    }

    async fn changes(
        &self,
        space: Option<&VectorSpace>,
        after: i64,
        wanted: WantedPlaces<'_>,
        limit: usize,
    ) -> Result<Changes> {
        self.with_store_error(changes(&mut *self.reader().await?, space, after, wanted, limit).await)
    }

    async fn load(
        &self,
        place: &Place,
        space: Option<&VectorSpace>,
        after: Option<ItemId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>> {
        self.with_store_error(load(&mut *self.reader().await?, place, space, after, limit, now).await)
    }

    async fn before_newest(&self, place: &Place, count: usize) -> Result<Option<ItemId>> {
        self.with_store_error(before_newest(&mut *self.reader().await?, place, count).await)
    }
}

/// See [`JournalStore::journal_end`].
async fn end(conn: &mut SqliteConnection) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM changes").fetch_one(conn).await?)
}

/// The newest change of each item with the item's present state, and in every row the beginning and the end of the
/// journal. One statement is one snapshot. Without changes it returns one row that names no item.
const CHANGES: &str = "
    WITH latest AS (
        SELECT max(seq) AS seq, item, item_id, channel_id, persona, scope, scope_of FROM changes
        WHERE seq > ?3 AND item IN ('message', 'memory')
            AND (space_id IS NULL OR space_id = (SELECT id FROM spaces WHERE model = ?1 AND dimension = ?2))
            -- a memory that is gone is told by its removal, which knows the place
            AND (item = 'message' OR persona IS NOT NULL
                OR EXISTS (SELECT 1 FROM memories m WHERE m.id = item_id))
        GROUP BY item, item_id, persona, scope, scope_of ORDER BY 1 LIMIT ?4)
    SELECT coalesce(m.version, 1), coalesce(m.text, g.text), g.author_name,
        coalesce(m.updated_at, g.at), m.expires_at, m.tier, v.vector,
        l.seq, l.item = 'memory', l.item_id, coalesce(l.persona, m.persona),
        coalesce(l.scope, m.scope), coalesce(l.scope_of, m.scope_of),
        (SELECT key FROM channels WHERE id = coalesce(g.channel_id, l.channel_id)),
        journal.first, journal.last
    FROM (SELECT coalesce((SELECT min(seq) FROM changes), 1) AS first,
        coalesce((SELECT max(seq) FROM changes), 0) AS last) journal
    LEFT JOIN latest l ON true
    LEFT JOIN memories m ON l.item = 'memory' AND m.id = l.item_id AND (l.persona IS NULL
        OR (m.persona = l.persona AND m.scope = l.scope AND m.scope_of = l.scope_of))
    LEFT JOIN messages g ON l.item = 'message' AND g.id = l.item_id
    LEFT JOIN vectors v ON v.item = l.item AND v.item_id = l.item_id
        AND v.space_id = (SELECT id FROM spaces WHERE model = ?1 AND dimension = ?2)
    ORDER BY l.seq";

/// See [`JournalStore::changes`].
async fn changes(
    conn: &mut SqliteConnection,
    space: Option<&VectorSpace>,
    after: i64,
    wanted: WantedPlaces<'_>,
    limit: usize,
) -> Result<Changes, Fault> {
    let rows = sqlx::query(CHANGES)
        .bind(space.map(|space| space.model.as_str()))
        .bind(dimension(space))
        .bind(after)
        .bind(i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX))
        .fetch_all(conn)
        .await?;
    let Some(row) = rows.first() else { return Ok(Changes::Lost) };
    let (first, end): (i64, i64) = (column(row, 14)?, column(row, 15)?);
    // beyond the end: the file was replaced, for example by a backup
    if after < first - 1 || after > end {
        return Ok(Changes::Lost);
    }
    let more = rows.len() > limit;
    let mut changes = Vec::with_capacity(rows.len());
    let mut last = None;
    for row in rows.iter().take(limit) {
        last = column::<Option<i64>>(row, 7)?;
        if last.is_some() {
            changes.extend(change(row, wanted)?);
        }
    }
    Ok(Changes::Rows { rows: changes, end: last.filter(|_| more).unwrap_or(end), more })
}

/// The change of a row, unless it lies in a place that is not wanted.
fn change(row: &SqliteRow, wanted: WantedPlaces<'_>) -> Result<Option<Change>, Fault> {
    let id = column(row, 9)?;
    let (item, place) = if column(row, 8)? {
        let scope = scope(column(row, 11)?, column(row, 12)?)?;
        (ItemId::Memory(MemoryId(id)), Place::Memories(parsed(column(row, 10)?)?, scope))
    } else {
        (ItemId::Message(MessageId(id)), Place::Messages(parsed(column(row, 13)?)?))
    };
    if !wanted(&place) {
        return Ok(None);
    }
    let here = column::<Option<&str>>(row, 1)?.is_some();
    let now = if here { Some(entry(row, item)?) } else { None };
    Ok(Some(Change { seq: column(row, 7)?, place, item, now }))
}

/// The entry of a row that begins with version, text, author, time, expiry, tier and vector.
fn entry(row: &SqliteRow, item: ItemId) -> Result<Entry, Fault> {
    let tier: Option<&str> = column(row, 5)?;
    let vector: Option<&[u8]> = column(row, 6)?;
    Ok(Entry {
        item,
        version: column(row, 0)?,
        text: column(row, 1)?,
        author: column(row, 2)?,
        at: Timestamp(column(row, 3)?),
        expires_at: column::<Option<i64>>(row, 4)?.map(Timestamp),
        tier: tier.map(from_word).transpose()?,
        vector: vector.map(numbers),
    })
}

/// See [`greenroom_store::JournalStore::load`]. Rows come in the order of an index, so that every page costs the
/// same.
async fn load(
    conn: &mut SqliteConnection,
    place: &Place,
    space: Option<&VectorSpace>,
    after: Option<ItemId>,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<Entry>, Fault> {
    let query = match place {
        Place::Messages(_) => sqlx::query(
            "SELECT 1, m.text, m.author_name, m.at, NULL, NULL, v.vector, m.id
             FROM messages m LEFT JOIN vectors v ON v.item = 'message' AND v.item_id = m.id
                 AND v.space_id = (SELECT id FROM spaces WHERE model = ?1 AND dimension = ?2)
             WHERE m.channel_id = (SELECT id FROM channels WHERE key = ?6) AND m.id > ?3
             ORDER BY m.id LIMIT ?4",
        ),
        Place::Memories(..) => sqlx::query(
            "SELECT m.version, m.text, NULL, m.updated_at, m.expires_at, m.tier, v.vector, m.id
             FROM memories m LEFT JOIN vectors v ON v.item = 'memory' AND v.item_id = m.id
                 AND v.space_id = (SELECT id FROM spaces WHERE model = ?1 AND dimension = ?2)
             WHERE m.persona = ?6 AND m.scope = ?7 AND m.scope_of = ?8 AND m.id > ?3
                 AND (m.expires_at IS NULL OR m.expires_at > ?5)
             ORDER BY m.id LIMIT ?4",
        ),
    };
    let after = after.map_or(0, ItemId::number);
    let query = query
        .bind(space.map(|space| space.model.as_str()))
        .bind(dimension(space))
        .bind(after)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .bind(now.0);
    let rows = match place {
        Place::Messages(channel) => query.bind(channel.as_str()),
        Place::Memories(persona, scope) => {
            query.bind(persona.as_str()).bind(scope.name()).bind(scope_of(scope))
        }
    };
    let rows = rows.fetch_all(conn).await?;
    rows.iter().map(|row| entry(row, item_of(place, column(row, 7)?))).collect()
}

/// The item of a place with this number.
fn item_of(place: &Place, id: i64) -> ItemId {
    match place {
        Place::Messages(_) => ItemId::Message(MessageId(id)),
        Place::Memories(..) => ItemId::Memory(MemoryId(id)),
    }
}

/// See [`greenroom_store::JournalStore::before_newest`].
async fn before_newest(
    conn: &mut SqliteConnection,
    place: &Place,
    count: usize,
) -> Result<Option<ItemId>, Fault> {
    let query = match place {
        Place::Messages(channel) => sqlx::query_scalar(
            "SELECT id FROM messages WHERE channel_id = (SELECT id FROM channels WHERE key = ?2)
             ORDER BY id DESC LIMIT 1 OFFSET ?1",
        )
        .bind(i64::try_from(count).unwrap_or(i64::MAX))
        .bind(channel.as_str()),
        Place::Memories(persona, scope) => sqlx::query_scalar(
            "SELECT id FROM memories WHERE persona = ?2 AND scope = ?3 AND scope_of = ?4
             ORDER BY id DESC LIMIT 1 OFFSET ?1",
        )
        .bind(i64::try_from(count).unwrap_or(i64::MAX))
        .bind(persona.as_str())
        .bind(scope.name())
        .bind(scope_of(scope)),
    };
    Ok(query.fetch_optional(conn).await?.map(|id| item_of(place, id)))
}

fn dimension(space: Option<&VectorSpace>) -> Option<i64> {
    space.and_then(|space| i64::try_from(space.dimension).ok())
}
