//! Relations between memories of which a viewer sees both ends.

use std::collections::BTreeSet;

use greenroom_core::{MemoryId, Relation, Viewer};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    scope::{seen_by, visible},
    values::{column, from_word, list, word},
};

/// See [`greenroom_store::MemoryStore::relate`].
pub(crate) async fn relate(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    relation: Relation,
) -> Result<(), Fault> {
    let seen =
        seen_by(viewer, concat!("SELECT count(*) FROM memories m WHERE m.id IN (?5, ?6) AND ", visible!()))
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

/// The relations `r` of which the viewer sees both ends.
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

/// The relations of the memories in the list ?5 of which the viewer sees both ends. The list names each memory once.
macro_rules! relations_at {
    () => {
        concat!(
            "SELECT r.from_id, r.to_id, r.kind FROM json_each(?5) ids
                 CROSS JOIN relations r ON r.from_id = ids.value WHERE ",
            both_visible!(),
            " UNION ALL SELECT r.from_id, r.to_id, r.kind FROM json_each(?5) ids
                 CROSS JOIN relations r ON r.to_id = ids.value
                 WHERE r.from_id NOT IN (SELECT value FROM json_each(?5)) AND ",
            both_visible!(),
            " ORDER BY 1, 2, 3"
        )
    };
}
pub(crate) use relations_at;

/// See [`greenroom_store::MemoryStore::relations`].
pub(crate) async fn at(
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
