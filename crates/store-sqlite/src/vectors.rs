//! Vectors: stored with the space they belong to.

use async_trait::async_trait;
use greenroom_core::PersonaName;
use greenroom_store::{
    Embedded, ItemId, NewVector, NewsWaiting, Result, StoreError, Unembedded, VectorSpace, VectorStore,
};
use half::{f16, slice::HalfFloatSliceExt, vec::HalfFloatVecExt};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{SqliteStore, error::Fault, values::column, waiting};

#[async_trait]
impl VectorStore for SqliteStore {
    async fn put_vectors(&self, space: &VectorSpace, vectors: Vec<NewVector>) -> Result<()> {
        let checked = (space.clone(), checked(space, vectors)?);
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
        self.told(waiting::unembedded(&mut *self.reader().await?, space, None, after, limit).await)
    }

    async fn unembedded_of(
        &self,
        space: &VectorSpace,
        personas: &[PersonaName],
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.told(waiting::unembedded(&mut *self.reader().await?, space, Some(personas), after, limit).await)
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
        self.told(waiting::unembedded_since(conn, space, personas, since, after, limit).await)
    }

    async fn spaces(&self) -> Result<Vec<VectorSpace>> {
        self.told(spaces(&mut *self.reader().await?).await)
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

/// The batch as it is stored, or the first vector of it that must not be.
fn checked(space: &VectorSpace, vectors: Vec<NewVector>) -> Result<Vec<NewVector>, StoreError> {
    vectors
        .into_iter()
        .map(|new| match unit(&new.vector, space.dimension) {
            Ok(vector) => Ok(NewVector { vector, ..new }),
            Err(reason) => Err(StoreError::BadVector { item: new.item, reason }),
        })
        .collect()
}

/// See [`VectorStore::put_vectors`]; the vectors were [`checked`].
async fn put(conn: &mut SqliteConnection, space: &VectorSpace, vectors: &[NewVector]) -> Result<(), Fault> {
    let space = space_id(conn, space).await?;
    for new in vectors {
        put_one(conn, space, new.item, new.version, Some(bytes(&new.vector))).await?;
    }
    Ok(())
}

/// Stores the vector of a message that is there; it was [`checked_with`].
pub(crate) async fn put_with(conn: &mut SqliteConnection, item: ItemId, new: &Embedded) -> Result<(), Fault> {
    let space = space_id(conn, &new.space).await?;
    put_one(conn, space, item, 1, Some(bytes(&new.vector))).await
}

/// See [`VectorStore::pass_over`].
async fn pass_over(
    conn: &mut SqliteConnection,
    space: &VectorSpace,
    items: &[(ItemId, u32)],
) -> Result<(), Fault> {
    let space = space_id(conn, space).await?;
    for (item, version) in items {
        put_one(conn, space, *item, *version, None).await?;
    }
    Ok(())
}

/// The row of a space, made on first sight.
async fn space_id(conn: &mut SqliteConnection, space: &VectorSpace) -> Result<i64, Fault> {
    let known = sqlx::query_scalar("SELECT id FROM spaces WHERE model = ? AND dimension = ?")
        .bind(space.model.as_str())
        .bind(dimension(space))
        .fetch_optional(&mut *conn)
        .await?;
    if let Some(id) = known {
        return Ok(id);
    }
    // nobody came in between: the writer holds the lock
    let id = sqlx::query_scalar("INSERT INTO spaces (model, dimension) VALUES (?, ?) RETURNING id")
        .bind(space.model.as_str())
        .bind(dimension(space))
        .fetch_one(conn)
        .await?;
    Ok(id)
}

/// OR IGNORE: an item that is gone or has changed has no number here, and the row is not written.
const PUT_OF_MESSAGE: &str = "INSERT OR IGNORE INTO vectors (item, item_id, space_id, vector)
    VALUES ('message', (SELECT id FROM messages WHERE id = ?1 AND ?2 = 1), ?3, ?4)
    ON CONFLICT DO UPDATE SET vector = excluded.vector WHERE excluded.vector IS NOT NULL";
const PUT_OF_MEMORY: &str = "INSERT OR IGNORE INTO vectors (item, item_id, space_id, vector)
    VALUES ('memory', (SELECT id FROM memories WHERE id = ?1 AND version = ?2), ?3, ?4)
    ON CONFLICT DO UPDATE SET vector = excluded.vector WHERE excluded.vector IS NOT NULL";

/// Writes the vector of this version of an item, or that its model finds nothing in it.
async fn put_one(
    conn: &mut SqliteConnection,
    space: i64,
    item: ItemId,
    version: u32,
    vector: Option<Vec<u8>>,
) -> Result<(), Fault> {
    let sql = match item {
        ItemId::Message(_) => PUT_OF_MESSAGE,
        ItemId::Memory(_) => PUT_OF_MEMORY,
    };
    sqlx::query(sql).bind(item.number()).bind(version).bind(space).bind(vector).execute(conn).await?;
    Ok(())
}

/// A vector as it is stored with its text, or why it must not be.
pub(crate) fn checked_with(item: ItemId, new: Embedded) -> Result<Embedded, StoreError> {
    match unit(&new.vector, new.space.dimension) {
        Ok(vector) => Ok(Embedded { vector, ..new }),
        Err(reason) => Err(StoreError::BadVector { item, reason }),
    }
}

/// A vector as its bytes: half the precision takes half the room, and ranks the same.
fn bytes(vector: &[f32]) -> Vec<u8> {
    let halves = Vec::<f16>::from_f32_slice(vector);
    halves.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A vector of its bytes.
pub(crate) fn numbers(stored: &[u8]) -> Vec<f32> {
    let halves: Vec<f16> = stored.as_chunks().0.iter().map(|bytes| f16::from_le_bytes(*bytes)).collect();
    halves.to_f32_vec()
}

const ZERO: &str = "it is zero";

/// The vector with length 1, as precise as it is stored, so that what is held in memory is what the file says.
/// Or why it is none (L18, FG2).
fn unit(vector: &[f32], dimension: usize) -> Result<Vec<f32>, &'static str> {
    if vector.len() != dimension {
        return Err("it has another dimension than its model");
    }
    if vector.iter().any(|number| !number.is_finite()) {
        return Err("a number in it is not finite");
    }
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(ZERO);
    }
    let length = if (length - 1.0).abs() < UNIT { 1.0 } else { length };
    let unit: Vec<f32> = vector.iter().map(|number| (f64::from(*number) / length) as f32).collect();
    Ok(Vec::<f16>::from_f32_slice(&unit).to_f32_vec())
}

/// What is stored has the length 1 to within this, and stays as it is when it is stored again.
const UNIT: f64 = 1e-3;

/// The dimension as it is stored.
pub(crate) fn dimension(space: &VectorSpace) -> i64 {
    i64::try_from(space.dimension).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_vector_is_written_without_copies_of_pages() {
        for sql in [PUT_OF_MESSAGE, PUT_OF_MEMORY] {
            crate::explained::assert_cheap(sql).await;
        }
    }

    #[test]
    fn fg2_only_a_direction_can_be_stored() {
        assert_eq!(unit(&[3.0, 4.0], 2), Ok(vec![0.600_097_66, 0.799_804_7]));
        assert_eq!(unit(&[1e30, 0.0], 2), Ok(vec![1.0, 0.0]));
        assert_eq!(unit(&[0.0, 0.0], 2), Err(ZERO));
        assert!(unit(&[f32::NAN, 1.0], 2).is_err());
        assert!(unit(&[f32::INFINITY, 1.0], 2).is_err());
        assert!(unit(&[1.0], 2).is_err());
    }

    /// Half the precision must not show in a ranking: no score moves by more than a thousandth.
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
