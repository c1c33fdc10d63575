//! Dead letters: messages for which every turn of a persona broke (S8).

use greenroom_core::{MessageId, PersonaName, Timestamp};
use greenroom_store::{DeadLetter, TRIES};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    error::Fault,
    messages::{MESSAGE_COLUMNS, message, message_columns},
    values::{column, parsed},
};

/// The dead letters of message ?1 and persona ?2, or all where these are null. ?3 includes dismissed ones. At least ?4
/// turns broke, and none is in progress or has a reply. The named index contains only the few broken turns.
const LETTERS: &str = concat!(
    "WITH broken AS MATERIALIZED (
         SELECT trigger_id, persona, count(*) AS tries, max(rowid) AS newest
         FROM turns INDEXED BY turns_broken
         WHERE code IN ('internal', 'interrupted')
             AND (?1 IS NULL OR trigger_id = ?1) AND (?2 IS NULL OR persona = ?2)
         GROUP BY trigger_id, persona HAVING count(*) >= ?4)
     SELECT ",
    message_columns!(),
    ", b.persona, b.tries, t.note, t.ended_at
     FROM broken b JOIN turns t ON t.rowid = b.newest
     JOIN messages m ON m.id = b.trigger_id JOIN channels c ON c.id = m.channel_id
     WHERE NOT EXISTS (SELECT 1 FROM turns other WHERE other.trigger_id = b.trigger_id
             AND other.persona = b.persona AND other.state NOT IN ('failed', 'cancelled'))
         AND (?3 OR NOT EXISTS (SELECT 1 FROM dismissed_letters d
             WHERE d.message_id = b.trigger_id AND d.persona = b.persona))
     ORDER BY b.newest DESC LIMIT ?5"
);

/// See [`greenroom_store::OutboxStore::dead_letters`].
pub(crate) async fn dead_letters(
    conn: &mut SqliteConnection,
    limit: usize,
) -> Result<Vec<DeadLetter>, Fault> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    read(conn, None, false, limit).await
}

/// See [`greenroom_store::OutboxStore::dead_letter`].
pub(crate) async fn dead_letter(
    conn: &mut SqliteConnection,
    message: MessageId,
    persona: &PersonaName,
) -> Result<Option<DeadLetter>, Fault> {
    Ok(read(conn, Some((message, persona)), true, 1).await?.pop())
}

async fn read(
    conn: &mut SqliteConnection,
    of: Option<(MessageId, &PersonaName)>,
    dismissed: bool,
    limit: i64,
) -> Result<Vec<DeadLetter>, Fault> {
    let rows = sqlx::query(LETTERS)
        .bind(of.map(|(message, _)| message.0))
        .bind(of.map(|(_, persona)| persona.as_str()))
        .bind(dismissed)
        .bind(i64::from(TRIES))
        .bind(limit)
        .fetch_all(conn)
        .await?;
    let letter = |row: &SqliteRow| {
        Ok(DeadLetter {
            message: message(row)?,
            persona: parsed(column(row, MESSAGE_COLUMNS)?)?,
            tries: column(row, MESSAGE_COLUMNS + 1)?,
            why: column::<Option<String>>(row, MESSAGE_COLUMNS + 2)?.unwrap_or_default(),
            at: Timestamp(column(row, MESSAGE_COLUMNS + 3)?),
        })
    };
    rows.iter().map(letter).collect()
}

/// See [`greenroom_store::OutboxStore::dismiss`].
pub(crate) async fn dismiss(
    conn: &mut SqliteConnection,
    message: MessageId,
    persona: &PersonaName,
    at: Timestamp,
) -> Result<bool, Fault> {
    if dead_letter(conn, message, persona).await?.is_none() {
        return Ok(false);
    }
    sqlx::query(
        "INSERT INTO dismissed_letters (message_id, persona, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .bind(message.0)
    .bind(persona.as_str())
    .bind(at.0)
    .execute(conn)
    .await?;
    Ok(true)
}
