//! Vectors: stored with the space they belong to, compared by cosine within it and within scope.

use std::{cmp::Reverse, collections::BinaryHeap};

use futures::TryStreamExt;
use greenroom_core::Viewer;
use greenroom_store::{Embedded, Hit, ItemId, ItemKind, NewVector, Search, StoreError, VectorSpace};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    items::{self, Found},
    journal,
    scope::{floors, here, sought_by, sought_memories, sought_messages, visible, witnessed},
    values::column,
};

/// See [`greenroom_store::Store::nearest`]. Looks at every vector the viewer sees.
pub(crate) async fn nearest(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    space: &VectorSpace,
    vector: &[f32],
    search: &Search,
) -> Result<Vec<Hit>, Fault> {
    let query = match unit(vector, space.dimension) {
        Ok(query) => query,
        // the vector of a text without content is like nothing
        Err(ZERO) => return Ok(Vec::new()),
        Err(reason) => return Err(Fault::state(format!("cannot search with this vector: {reason}"))),
    };
    let sql = match search.kind {
        ItemKind::Memory => concat!(
            "SELECT m.id, m.updated_at, v.vector FROM memories m
              JOIN vectors v ON v.item = 'memory' AND v.item_id = m.id
              JOIN spaces s ON s.id = v.space_id AND s.model = ?12 AND s.dimension = ?13
              WHERE v.vector IS NOT NULL AND ",
            sought_memories!()
        ),
        ItemKind::Message => concat!(
            "SELECT m.id, m.at, v.vector FROM messages m
              JOIN vectors v ON v.item = 'message' AND v.item_id = m.id
              JOIN spaces s ON s.id = v.space_id AND s.model = ?12 AND s.dimension = ?13
              WHERE v.vector IS NOT NULL AND ",
            sought_messages!()
        ),
    };
    // one transaction: the items that were found are the ones that are shown
    let mut snapshot = conn.begin().await?;
    let floors = floors(&mut snapshot, viewer, search).await?;
    let mut rows = sought_by(viewer, search, floors, sql)
        .bind(space.model.clone())
        .bind(dimension(space))
        .fetch(&mut *snapshot);
    let mut best = BinaryHeap::new();
    while let Some(row) = rows.try_next().await? {
        let score = dot(&query, column(&row, 2)?);
        if search.threshold.is_none_or(|threshold| score >= threshold) {
            best.push(Reverse(Found { score, at: column(&row, 1)?, id: column(&row, 0)? }));
            if best.len() > search.limit {
                best.pop();
            }
        }
    }
    drop(rows);
    let best: Vec<Found> = best.into_sorted_vec().into_iter().map(|Reverse(found)| found).collect();
    items::hits(&mut snapshot, viewer, search, &best).await
}

/// See [`greenroom_store::Store::spaces`].
pub(crate) async fn spaces(conn: &mut SqliteConnection) -> Result<Vec<VectorSpace>, Fault> {
    let rows = sqlx::query("SELECT model, dimension FROM spaces ORDER BY id").fetch_all(conn).await?;
    let space = |row: &SqliteRow| {
        let dimension = usize::try_from(column::<i64>(row, 1)?).map_err(Fault::unreadable)?;
        Ok(VectorSpace { model: column(row, 0)?, dimension })
    };
    rows.iter().map(space).collect()
}

/// The batch as it is stored, or the first vector of it that must not be.
pub(crate) fn checked(space: &VectorSpace, vectors: Vec<NewVector>) -> Result<Vec<NewVector>, StoreError> {
    vectors
        .into_iter()
        .map(|new| match unit(&new.vector, space.dimension) {
            Ok(vector) => Ok(NewVector { vector, ..new }),
            Err(reason) => Err(StoreError::BadVector { item: new.item, reason }),
        })
        .collect()
}

/// See [`greenroom_store::Store::put_vectors`]; the vectors were [`checked`]. Where the journal ends.
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

/// See [`greenroom_store::Store::pass_over`].
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

/// Stores the vector of a message that is written in the same statements, where there is one: of the model
/// `$model`, the dimension and the bytes.
macro_rules! insert_vector {
    ($message:literal, $model:literal, $dimension:literal, $vector:literal) => {
        concat!(
            "INSERT OR IGNORE INTO spaces (model, dimension) VALUES (",
            $model,
            ", ",
            $dimension,
            ");
             INSERT OR IGNORE INTO vectors (item, item_id, space_id, version, vector) VALUES ('message', ",
            $message,
            ", (SELECT id FROM spaces WHERE model = ",
            $model,
            " AND dimension = ",
            $dimension,
            "), 1, ",
            $vector,
            ");"
        )
    };
}
pub(crate) use insert_vector;

/// A vector as it is stored with its text, or why it must not be.
pub(crate) fn checked_with(item: ItemId, new: Embedded) -> Result<Embedded, StoreError> {
    match unit(&new.vector, new.space.dimension) {
        Ok(vector) => Ok(Embedded { vector, ..new }),
        Err(reason) => Err(StoreError::BadVector { item, reason }),
    }
}

/// A vector as its bytes.
pub(crate) fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

const ZERO: &str = "it is zero";

/// The vector with length 1; one that has it already stays as it is. Or why it is none (L18, FG2).
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
    if (length - 1.0).abs() < 1e-6 {
        return Ok(vector.to_vec());
    }
    Ok(vector.iter().map(|number| (f64::from(*number) / length) as f32).collect())
}

/// Cosine of a unit vector and a stored one; a stored vector of another length counts as unlike.
fn dot(query: &[f32], stored: &[u8]) -> f32 {
    let (numbers, rest) = stored.as_chunks::<4>();
    if numbers.len() != query.len() || !rest.is_empty() {
        return -1.0;
    }
    let sum: f32 = query.iter().zip(numbers).map(|(q, bytes)| q * f32::from_le_bytes(*bytes)).sum();
    sum.clamp(-1.0, 1.0)
}

/// The dimension as it is stored.
pub(crate) fn dimension(space: &VectorSpace) -> i64 {
    i64::try_from(space.dimension).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fg2_only_a_direction_can_be_stored() {
        assert_eq!(unit(&[3.0, 4.0], 2), Ok(vec![0.6, 0.8]));
        assert_eq!(unit(&[1e30, 0.0], 2), Ok(vec![1.0, 0.0]));
        assert_eq!(unit(&[0.0, 0.0], 2), Err(ZERO));
        assert!(unit(&[f32::NAN, 1.0], 2).is_err());
        assert!(unit(&[f32::INFINITY, 1.0], 2).is_err());
        assert!(unit(&[1.0], 2).is_err());
    }

    #[test]
    fn as11_of_two_equals_the_recent_one_ranks_higher() {
        let (old, new) = (Found { score: 0.5, at: 1, id: 2 }, Found { score: 0.5, at: 2, id: 1 });
        assert!(new > old);
        assert!(Found { score: 0.6, at: 0, id: 0 } > new);
    }
}
