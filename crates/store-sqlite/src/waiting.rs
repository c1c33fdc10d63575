//! Texts without a vector, in the whole store or only those that the journal names.

use greenroom_core::{MemoryId, MessageId, PersonaName};
use greenroom_store::{ItemId, NewsWaiting, Place, Unembedded, VectorSpace};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    scope::scope,
    values::{column, parsed},
    vectors::dimension,
};

/// The texts `m` of this page that have no vector in the space of ?1 and ?2. A row with a NULL vector marks a text in
/// which the embedder finds no meaning.
macro_rules! without_vector {
    ($item:literal, $page:literal) => {
        concat!(
            $page,
            " AND NOT EXISTS (SELECT 1 FROM vectors WHERE item = '",
            $item,
            "' AND item_id = m.id
                 AND space_id = (SELECT id FROM spaces WHERE model = ?1 AND dimension = ?2))"
        )
    };
}

/// Memories `m` of the personas ?5, a JSON list; null means all personas.
macro_rules! theirs {
    () => {
        " AND (?5 IS NULL OR m.persona IN (SELECT value FROM json_each(?5)))"
    };
}

/// Messages `m` of channels where one of the personas ?5 has answered (FG17); null means all.
macro_rules! answered {
    () => {
        " AND (?5 IS NULL OR EXISTS (SELECT 1 FROM turns t
             WHERE t.channel_id = m.channel_id AND t.persona IN (SELECT value FROM json_each(?5))))"
    };
}

const MEMORIES: &str = concat!(
    "SELECT m.id, m.text, m.version, m.persona, m.scope, m.scope_of, NULL FROM memories m WHERE ",
    without_vector!("memory", "m.id > ?3"),
    theirs!(),
    " ORDER BY m.id LIMIT ?4"
);

const MESSAGES: &str = concat!(
    "SELECT m.id, m.text, 1, NULL, NULL, NULL, c.key FROM messages m JOIN channels c ON c.id = m.channel_id WHERE ",
    without_vector!("message", "m.id > ?3"),
    answered!(),
    " ORDER BY m.id LIMIT ?4"
);

/// Waiting texts that the journal names, with the first and the last number of the journal, in one snapshot. Returns at
/// least one row, for these numbers.
const NEWS: &str = concat!(
    "WITH news AS MATERIALIZED
         (SELECT item, item_id, persona FROM changes WHERE seq > ?7 AND space_id IS NULL),
     waiting AS (
         SELECT 0 AS kind, m.id AS id, m.text AS text, m.version AS version, m.persona AS persona,
             m.scope AS scope, m.scope_of AS scope_of, NULL AS key
         FROM memories m WHERE m.id IN (SELECT item_id FROM news WHERE item = 'memory') AND ",
    without_vector!("memory", "+m.id > ?3"),
    theirs!(),
    "    UNION ALL
         SELECT 1, m.id, m.text, 1, NULL, NULL, NULL, c.key
         FROM messages m CROSS JOIN channels c ON c.id = m.channel_id
         WHERE m.id IN (SELECT item_id FROM news WHERE item = 'message'
             UNION SELECT said.id FROM news CROSS JOIN messages said ON said.channel_id = news.item_id
                 WHERE news.item = 'channel' AND news.persona IN (SELECT value FROM json_each(?5))) AND ",
    without_vector!("message", "+m.id > ?6"),
    answered!(),
    "    ORDER BY 1, 2 LIMIT ?4)
     SELECT w.id, w.text, w.version, w.persona, w.scope, w.scope_of, w.key, journal.first, journal.last
     FROM (SELECT coalesce((SELECT min(seq) FROM changes), 1) AS first,
         coalesce((SELECT max(seq) FROM changes), 0) AS last) journal
     LEFT JOIN waiting w ON true ORDER BY w.kind, w.id"
);

/// See [`greenroom_store::VectorStore::unembedded`] and [`greenroom_store::VectorStore::unembedded_of`].
pub(crate) async fn unembedded(
    conn: &mut SqliteConnection,
    space: &VectorSpace,
    personas: Option<&[PersonaName]>,
    after: Option<ItemId>,
    limit: usize,
) -> Result<Vec<Unembedded>, Fault> {
    let (memory, message) = after_each(after);
    let personas = personas.map(list);
    let mut waiting = Vec::new();
    for (sql, after) in [(MEMORIES, memory), (MESSAGES, message)] {
        let left = limit - waiting.len();
        if left == 0 || after == i64::MAX {
            continue;
        }
        let rows = sqlx::query(sql)
            .bind(space.model.as_str())
            .bind(dimension(space))
            .bind(after)
            .bind(i64::try_from(left).unwrap_or(i64::MAX))
            .bind(personas.as_deref())
            .fetch_all(&mut *conn)
            .await?;
        for row in &rows {
            waiting.push(text_of(row)?);
        }
    }
    Ok(waiting)
}

/// See [`greenroom_store::VectorStore::unembedded_since`].
pub(crate) async fn unembedded_since(
    conn: &mut SqliteConnection,
    space: &VectorSpace,
    personas: Option<&[PersonaName]>,
    since: i64,
    after: Option<ItemId>,
    limit: usize,
) -> Result<Option<NewsWaiting>, Fault> {
    let (memory, message) = after_each(after);
    let rows = sqlx::query(NEWS)
        .bind(space.model.as_str())
        .bind(dimension(space))
        .bind(memory)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .bind(personas.map(list))
        .bind(message)
        .bind(since)
        .fetch_all(conn)
        .await?;
    let mut news = NewsWaiting::default();
    for row in &rows {
        let first: i64 = column(row, 7)?;
        news.end = column(row, 8)?;
        // beyond the end: the file was replaced, for example by a backup
        if since < first - 1 || since > news.end {
            return Ok(None);
        }
        if column::<Option<i64>>(row, 0)?.is_some() {
            news.texts.push(text_of(row)?);
        }
    }
    Ok(Some(news))
}

/// The last memory and the last message of the previous page, to continue after; memories come first.
fn after_each(after: Option<ItemId>) -> (i64, i64) {
    match after {
        None => (0, 0),
        Some(ItemId::Memory(id)) => (id.0, 0),
        Some(ItemId::Message(id)) => (i64::MAX, id.0),
    }
}

fn list(names: &[PersonaName]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    format!("[{}]", names.join(","))
}

/// The text of a row: a memory's if the row has a persona, a message's if it has a channel's key.
fn text_of(row: &SqliteRow) -> Result<Unembedded, Fault> {
    let id = column(row, 0)?;
    let (item, place) = match column::<Option<&str>>(row, 3)? {
        Some(persona) => {
            let scope = scope(column(row, 4)?, column(row, 5)?)?;
            (ItemId::Memory(MemoryId(id)), Place::Memories(parsed(persona)?, scope))
        }
        None => (ItemId::Message(MessageId(id)), Place::Messages(parsed(column(row, 6)?)?)),
    };
    Ok(Unembedded { item, place, text: column(row, 1)?, version: column(row, 2)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explained::plan;

    /// The cost of a run after a turn must not grow with the store.
    #[tokio::test]
    async fn l18_news_are_looked_up_one_by_one() {
        let steps = plan(NEWS).await;
        for looked_up in [
            "SEARCH changes USING INTEGER PRIMARY KEY (rowid>?)",
            "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH m USING INDEX messages_by_id (id=?)",
            "SEARCH t USING COVERING INDEX turns_by_place (persona=? AND channel_id=?)",
        ] {
            assert!(steps.iter().any(|step| step == looked_up), "{looked_up} in {steps:#?}");
        }
        let walked = ["SCAN m", "SCAN changes", "SCAN t", "SCAN c", "SCAN vectors", "SCAN said"];
        let walks = |step: &&String| walked.iter().any(|table| step.split(" USING").next() == Some(table));
        assert_eq!(steps.iter().find(walks), None, "{steps:#?}");
    }
}
