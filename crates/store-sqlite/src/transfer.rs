//! Export and import: memories with their ids and relations, unchanged.
//!
//! Only the operator uses these calls. No other code reads memories without a viewer.

use std::collections::HashMap;

use async_trait::async_trait;
use greenroom_core::{Memory, MemoryId, PersonaName};
use greenroom_store::{
    Exported, ExportedRelation, Imported, Result, TransferStore,
    rules::imports::{self, MAX_ID},
};
use sqlx::{Connection, SqliteConnection};

mod provenance;

use crate::{
    SqliteStore,
    error::Fault,
    memories::{self, memory, memory_columns},
    values::{column, from_word, list, word},
};

#[async_trait]
impl TransferStore for SqliteStore {
    async fn export(
        &self,
        persona: Option<&PersonaName>,
        after: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Exported>> {
        self.with_store_error(export(&mut *self.reader().await?, persona, after, limit).await)
    }

    async fn import(&self, memories: Vec<Exported>) -> Result<Imported> {
        self.write(memories, |conn, memories| Box::pin(import(conn, memories))).await
    }
}

/// See [`greenroom_store::TransferStore::export`].
async fn export(
    conn: &mut SqliteConnection,
    persona: Option<&PersonaName>,
    after: Option<MemoryId>,
    limit: usize,
) -> Result<Vec<Exported>, Fault> {
    let mut snapshot = conn.begin().await?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        memory_columns!(),
        " FROM memories m WHERE m.id > ?1 AND (?2 IS NULL OR m.persona = ?2) ORDER BY m.id LIMIT ?3"
    ))
    .bind(after.map_or(0, |id| id.0))
    .bind(persona.map(PersonaName::as_str))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(&mut *snapshot)
    .await?;
    let memories = rows.iter().map(memory).collect::<Result<Vec<_>, _>>()?;
    let edges = sqlx::query(
        "SELECT from_id, to_id, kind FROM relations
         WHERE from_id IN (SELECT value FROM json_each(?)) ORDER BY from_id, to_id, kind",
    )
    .bind(list(memories.iter().map(|memory| memory.id.0)))
    .fetch_all(&mut *snapshot)
    .await?;
    let mut relations: HashMap<i64, Vec<ExportedRelation>> = HashMap::new();
    for edge in &edges {
        let relation =
            ExportedRelation { to: MemoryId(column(edge, 1)?), kind: from_word(column(edge, 2)?)? };
        relations.entry(column(edge, 0)?).or_default().push(relation);
    }
    let exported = |memory: Memory| {
        let relations = relations.remove(&memory.id.0).unwrap_or_default();
        Exported { memory, relations }
    };
    Ok(memories.into_iter().map(exported).collect())
}

/// See [`greenroom_store::TransferStore::import`].
async fn import(conn: &mut SqliteConnection, imports: &[Exported]) -> Result<Imported, Fault> {
    imports::check(imports)?;
    let stored = sqlx::query(concat!(
        "SELECT ",
        memory_columns!(),
        " FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))"
    ))
    .bind(list(imports.iter().map(|import| import.memory.id.0)))
    .fetch_all(&mut *conn)
    .await?;
    let stored = stored.iter().map(memory).collect::<Result<Vec<_>, _>>()?;
    let stored: HashMap<MemoryId, &Memory> = stored.iter().map(|memory| (memory.id, memory)).collect();

    let mut imported = Imported::default();
    let mut ids = HashMap::new();
    let mut renamed = Vec::new();
    let mut came = Vec::new();
    for Exported { memory, .. } in imports {
        let ours = provenance::ours(conn, memory).await?;
        let stored = stored.get(&memory.id).copied();
        if stored == Some(memory) || stored == Some(&ours) {
            imported.known += 1;
            ids.insert(memory.id, memory.id.0);
        } else if stored.is_some() || !(1..=MAX_ID).contains(&memory.id.0) {
            renamed.push(ours);
        } else {
            ids.insert(memory.id, memory.id.0);
            came.push(ours);
        }
    }
    imported.added = (came.len() + renamed.len()) as u64;
    for memory in &came {
        insert(conn, memory, Some(memory.id.0)).await?;
    }
    // last, so that no new id is the id of another imported memory
    for memory in &renamed {
        ids.insert(memory.id, insert(conn, memory, None).await?);
    }
    provenance::reserve(conn, came.iter().chain(&renamed)).await?;
    for Exported { memory, relations } in imports {
        for edge in relations {
            let to = ids.get(&edge.to).copied().unwrap_or(edge.to.0);
            let from = ids.get(&memory.id).copied().unwrap_or(memory.id.0);
            imported.relations += u64::from(relate(conn, memory, from, to, edge).await?);
        }
    }
    Ok(imported)
}

/// Inserts an imported memory and returns its id.
async fn insert(conn: &mut SqliteConnection, memory: &Memory, id: Option<i64>) -> Result<i64, Fault> {
    match memories::insert(conn, memory, id).await {
        Err(Fault::Database(sqlx::Error::Database(error))) if error.is_unique_violation() => {
            let key = memory.key.as_deref().unwrap_or_default();
            let persona = &memory.persona;
            Err(imports::refused(
                memory,
                &format!("{persona} has another memory with the key `{key}` there; forget one"),
            )
            .into())
        }
        inserted => Ok(inserted?.0),
    }
}

/// Adds a relation of an imported memory; returns whether it is new.
async fn relate(
    conn: &mut SqliteConnection,
    memory: &Memory,
    from: i64,
    to: i64,
    edge: &ExportedRelation,
) -> Result<bool, Fault> {
    let theirs: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM memories WHERE id = ? AND persona = ?)")
            .bind(to)
            .bind(memory.persona.as_str())
            .fetch_one(&mut *conn)
            .await?;
    if from == to || !theirs {
        return Err(imports::refused(
            memory,
            &format!("it speaks of {}, which is no other memory of {}", edge.to, memory.persona),
        )
        .into());
    }
    let added =
        sqlx::query("INSERT INTO relations (from_id, to_id, kind) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
            .bind(from)
            .bind(to)
            .bind(word(&edge.kind)?)
            .execute(conn)
            .await?;
    Ok(added.rows_affected() > 0)
}
