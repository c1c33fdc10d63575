//! Vectors: stored with the space they belong to.

use greenroom_core::MessageId;
use greenroom_store::{Embedded, ItemId, NewVector, VectorSpace};
use half::{f16, slice::HalfFloatSliceExt, vec::HalfFloatVecExt};
use sqlx::{
    Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{error::Fault, journal, values::column};

/// See [`greenroom_store::VectorStore::spaces`].
pub(crate) async fn spaces(conn: &mut SqliteConnection) -> Result<Vec<VectorSpace>, Fault> {
    let rows = sqlx::query("SELECT model, dimension FROM spaces ORDER BY id").fetch_all(conn).await?;
    let space = |row: &SqliteRow| {
        let dimension = usize::try_from(column::<i64>(row, 1)?).map_err(Fault::unreadable)?;
        Ok(VectorSpace { model: column(row, 0)?, dimension })
    };
    rows.iter().map(space).collect()
}

/// See [`greenroom_store::VectorStore::put_vectors`]; the vectors were checked. Where the journal ends.
pub(crate) async fn put(
    conn: &mut SqliteConnection,
    space: &VectorSpace,
    vectors: &[NewVector],
) -> Result<i64, Fault> {
    let space = space_id(conn, space).await?;
    for new in vectors {
        put_one(conn, space, new.item, new.version, Some(bytes(&new.vector))).await?;
    }
    journal::end(conn).await
}

/// See [`greenroom_store::VectorStore::pass_over`].
pub(crate) async fn pass_over(
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

/// Writes a vector, or nothing where none is known; not for an item that is gone or has changed: it has no
/// id here, and the row is ignored.
async fn put_one(
    conn: &mut SqliteConnection,
    space: i64,
    item: ItemId,
    version: u32,
    vector: Option<Vec<u8>>,
) -> Result<(), Fault> {
    let (sql, id) = match item {
        ItemId::Message(id) => (
            "INSERT OR IGNORE INTO vectors (item, item_id, space_id, version, vector)
             VALUES ('message', (SELECT id FROM messages WHERE id = ?1 AND ?2 = 1), ?3, ?2, ?4)
             ON CONFLICT DO UPDATE SET vector = coalesce(excluded.vector, vector)",
            id.0,
        ),
        ItemId::Memory(id) => (
            "INSERT OR IGNORE INTO vectors (item, item_id, space_id, version, vector)
             VALUES ('memory', (SELECT id FROM memories WHERE id = ?1 AND version = ?2), ?3, ?2, ?4)
             ON CONFLICT DO UPDATE SET
                 vector = coalesce(excluded.vector, vector), version = excluded.version",
            id.0,
        ),
    };
    sqlx::query(sql).bind(id).bind(version).bind(space).bind(vector).execute(conn).await?;
    Ok(())
}

/// Stores the vector of a message, unless it has one. One row: where the journal ends.
macro_rules! put_vector {
    ($message:literal, $model:literal, $dimension:literal, $vector:literal) => {
        concat!(
            "INSERT OR IGNORE INTO spaces (model, dimension) VALUES (",
            $model,
            ", ",
            $dimension,
            "); INSERT OR IGNORE INTO vectors (item, item_id, space_id, version, vector) VALUES ('message', ",
            $message,
            ", (SELECT id FROM spaces WHERE model = ",
            $model,
            " AND dimension = ",
            $dimension,
            "), 1, ",
            $vector,
            "); SELECT max(seq) FROM changes"
        )
    };
}
pub(crate) use put_vector;

const PUT_WITH: &str = put_vector!("$1", "$2", "$3", "$4");

/// Binds what `put_vector!()` needs beside the message.
pub(crate) fn putting<'a>(
    query: Query<'a, Sqlite, SqliteArguments>,
    new: &'a Embedded,
) -> Query<'a, Sqlite, SqliteArguments> {
    query.bind(new.space.model.as_str()).bind(dimension(&new.space)).bind(bytes(&new.vector))
}

/// Stores the vector of a message that is there; it was checked. Where the journal ends.
pub(crate) async fn put_with(
    conn: &mut SqliteConnection,
    message: MessageId,
    new: &Embedded,
) -> Result<i64, Fault> {
    let row = putting(sqlx::query(PUT_WITH).bind(message.0), new).fetch_one(conn).await?;
    column(&row, 0)
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

/// The dimension as it is stored.
pub(crate) fn dimension(space: &VectorSpace) -> i64 {
    i64::try_from(space.dimension).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use greenroom_store::rules::vectors::unit;

    use super::*;

    #[tokio::test]
    async fn s4_a_vector_is_written_without_copies_of_pages() {
        crate::explained::assert_cheap(PUT_WITH).await;
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
