//! Vectors, each stored with its space.

use async_trait::async_trait;
use greenroom_core::PersonaName;
use greenroom_store::{
    Embedded, ItemId, NewVector, NewsWaiting, Result, Unembedded, VectorSpace, VectorStore, rules,
};
use half::{f16, slice::HalfFloatSliceExt, vec::HalfFloatVecExt};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    batch::{self, Batch},
    error::Fault,
    values::column,
    waiting,
};

#[async_trait]
impl VectorStore for SqliteStore {
    async fn put_vectors(&self, space: &VectorSpace, vectors: Vec<NewVector>) -> Result<()> {
        let checked = (space.clone(), rules::vectors::checked(space, vectors)?);
        self.write(checked, |conn, (space, vectors)| Box::pin(put(conn, space, vectors))).await
    }

    async fn pass_over(&self, space: &VectorSpace, items: Vec<(ItemId, u32)>) -> Result<()> {
        self.write((space.clone(), items), |conn, (space, items)| Box::pin(pass_over(conn, space, items)))
            .await
    }

    async fn unembedded(
        &self,
        space: &VectorSpace,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.with_store_error(
            waiting::unembedded(&mut *self.reader().await?, space, None, after, limit).await,
        )
    }

    async fn unembedded_of(
        &self,
        space: &VectorSpace,
        personas: &[PersonaName],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.with_store_error(
            waiting::unembedded(&mut *self.reader().await?, space, Some(personas), after, limit).await,
        )
    }

    async fn unembedded_since(
        &self,
        space: &VectorSpace,
        personas: Option<&[PersonaName]>,
        since: i64,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Option<NewsWaiting>> {
        let conn = &mut *self.reader().await?;
        self.with_store_error(waiting::unembedded_since(conn, space, personas, since, after, limit).await)
    }

    async fn spaces(&self) -> Result<Vec<VectorSpace>> {
        self.with_store_error(spaces(&mut *self.reader().await?).await)
    }
}

/// See [`greenroom_store::VectorStore::spaces`].
async fn spaces(conn: &mut SqliteConnection) -> Result<Vec<VectorSpace>, Fault> {
    let rows = sqlx::query("SELECT model, dimension FROM spaces ORDER BY id").fetch_all(conn).await?;
    let space = |row: &SqliteRow| {
        let dimension = usize::try_from(column::<i64>(row, 1)?).map_err(Fault::unreadable)?;
        Ok(VectorSpace { model: column(row, 0)?, dimension })
    };
    rows.iter().map(space).collect()
}

/// See [`VectorStore::put_vectors`]; the vectors are already checked.
async fn put(conn: &mut SqliteConnection, space: &VectorSpace, vectors: &[NewVector]) -> Result<(), Fault> {
    let space = space_id(conn, space).await?;
    for new in vectors {
        if is_current(conn, new.item, new.version).await? {
            let mut batch = Batch::default();
            write(&mut batch, Old::Goes, space, new.item, Some(bytes(&new.vector)));
            batch::run(conn, batch).await?;
        }
    }
    Ok(())
}

/// See [`VectorStore::pass_over`].
async fn pass_over(
    conn: &mut SqliteConnection,
    space: &VectorSpace,
    items: &[(ItemId, u32)],
) -> Result<(), Fault> {
    let space = space_id(conn, space).await?;
    for (item, version) in items {
        if is_current(conn, *item, *version).await? {
            let mut batch = Batch::default();
            write(&mut batch, Old::Stays, space, *item, None);
            batch::run(conn, batch).await?;
        }
    }
    Ok(())
}

/// The row of a vector's space: the one found together with its text, or a new one.
pub(crate) async fn space_of(
    conn: &mut SqliteConnection,
    known: Option<i64>,
    new: Option<&Embedded>,
) -> Result<Option<i64>, Fault> {
    match (known, new) {
        (None, Some(new)) => Ok(Some(space_id(conn, &new.space).await?)),
        _ => Ok(known),
    }
}

/// The row of a space; creates the row if needed.
async fn space_id(conn: &mut SqliteConnection, space: &VectorSpace) -> Result<i64, Fault> {
    let known = sqlx::query_scalar("SELECT id FROM spaces WHERE model = ? AND dimension = ?")
        .bind(space.model.as_str())
        .bind(dimension(space))
        .fetch_optional(&mut *conn)
        .await?;
    if let Some(id) = known {
        return Ok(id);
    }
    // no other write came in between: the writer holds the lock
    let id = sqlx::query_scalar("INSERT INTO spaces (model, dimension) VALUES (?, ?) RETURNING id")
        .bind(space.model.as_str())
        .bind(dimension(space))
        .fetch_one(conn)
        .await?;
    Ok(id)
}

/// Whether an item still exists in this version. A vector of a removed or changed text is not stored.
async fn is_current(conn: &mut SqliteConnection, item: ItemId, version: u32) -> Result<bool, Fault> {
    let sql = match item {
        ItemId::Message(_) => "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?1 AND ?2 = 1)",
        ItemId::Memory(_) => "SELECT EXISTS (SELECT 1 FROM memories WHERE id = ?1 AND version = ?2)",
    };
    Ok(sqlx::query_scalar(sql).bind(item.number()).bind(version).fetch_one(conn).await?)
}

/// Whether an existing vector of the same space stays or is replaced.
#[derive(Clone, Copy)]
enum Old {
    Stays,
    Goes,
}

/// Writes the checked vector of a stored message, unless the message has one.
pub(crate) fn add(batch: &mut Batch, space: i64, item: ItemId, new: &Embedded) {
    write(batch, Old::Stays, space, item, Some(bytes(&new.vector)));
}

/// Writes the vector of a stored item; `None` records that the model finds nothing in it. OR IGNORE: see
/// `explained.rs`.
fn write(batch: &mut Batch, old: Old, space: i64, item: ItemId, vector: Option<Vec<u8>>) {
    let kind = match item {
        ItemId::Message(_) => "message",
        ItemId::Memory(_) => "memory",
    };
    batch.push(match old {
        Old::Stays => "INSERT OR IGNORE INTO vectors (item, item_id, space_id, vector) VALUES (",
        Old::Goes => "INSERT OR REPLACE INTO vectors (item, item_id, space_id, vector) VALUES (",
    });
    batch
        .separated(", ")
        .push_bind(kind)
        .push_bind(item.number())
        .push_bind(space)
        .push_bind(vector)
        .push_unseparated(");");
}

/// A vector as bytes: half precision takes half the space, and the ranking stays the same.
fn bytes(vector: &[f32]) -> Vec<u8> {
    let halves = Vec::<f16>::from_f32_slice(vector);
    halves.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The vector of stored bytes.
pub(crate) fn numbers(stored: &[u8]) -> Vec<f32> {
    let halves: Vec<f16> = stored.as_chunks().0.iter().map(|bytes| f16::from_le_bytes(*bytes)).collect();
    halves.to_f32_vec()
}

/// The dimension as SQLite stores it.
pub(crate) fn dimension(space: &VectorSpace) -> i64 {
    i64::try_from(space.dimension).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use greenroom_store::rules::vectors::unit;

    use super::*;

    #[tokio::test]
    async fn s4_a_vector_is_written_without_copies_of_pages() {
        let mut batch = Batch::default();
        write(&mut batch, Old::Stays, 1, ItemId::Memory(greenroom_core::MemoryId(1)), None);
        crate::explained::assert_cheap(batch.sql().as_str()).await;
    }

    /// Half precision must not affect a ranking: no score changes by more than a thousandth.
    #[test]
    fn as11_stored_vectors_rank_as_the_vectors_they_were_made_of() {
        let mut seed = 7u64;
        let mut number = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        let mut vector = || -> Vec<f32> {
            let drawn: Vec<f32> = (0..256).map(|_| number()).collect();
            let length = drawn.iter().map(|n| n * n).sum::<f32>().sqrt();
            drawn.iter().map(|n| n / length).collect()
        };
        let all: Vec<Vec<f32>> = (0..2_000).map(|_| vector()).collect();
        for _ in 0..20 {
            let query = vector();
            let exact = |v: &[f32]| query.iter().zip(v).map(|(a, b)| a * b).sum::<f32>();
            let stored = |v: &[f32]| exact(&numbers(&bytes(&unit(v, 256).unwrap())));
            let mut best: Vec<f32> = all.iter().map(|v| exact(v)).collect();
            let mut found: Vec<(f32, f32)> = all.iter().map(|v| (stored(v), exact(v))).collect();
            assert!(found.iter().all(|(stored, exact)| (stored - exact).abs() < 1e-3));
            best.sort_by(|a, b| b.total_cmp(a));
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (n, (_, found)) in found.iter().take(10).enumerate() {
                assert!((found - best[n]).abs() < 1e-4, "rank {n}: {found} instead of {}", best[n]);
            }
        }
        let once = unit(&all[0], 256).unwrap();
        assert_eq!(unit(&once, 256).unwrap(), once, "what was stored is stored again as it is");
    }
}
