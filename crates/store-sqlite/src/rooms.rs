//! Rooms: the members of a channel, the stored state of its room, and the decisions who answers a message (RM1, RM2).

use greenroom_core::{ChannelKey, MessageId, PersonaName, Timestamp};
use greenroom_store::{Departure, JoinReason, Membership, RoomRecord, StoredDecision};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    batch::Batch,
    error::Fault,
    values::{column, from_word, parsed, word},
};

/// The newest part of presence of each persona, and the state of the room, in one statement.
const ROOM: &str = "WITH here AS (SELECT id FROM channels WHERE key = ?1)
    SELECT p.persona, p.via, p.until_id IS NULL, p.ended,
        (SELECT at FROM messages WHERE channel_id = p.channel_id AND id >= p.from_id ORDER BY id LIMIT 1),
        (SELECT state FROM rooms WHERE channel_id = here.id)
    FROM here LEFT JOIN presence p ON p.channel_id = here.id
        AND NOT EXISTS (SELECT 1 FROM presence later WHERE later.persona = p.persona
            AND later.channel_id = p.channel_id AND later.from_id > p.from_id)
    ORDER BY p.persona";

/// See [`greenroom_store::PresenceStore::room`].
pub(crate) async fn room(conn: &mut SqliteConnection, channel: &ChannelKey) -> Result<RoomRecord, Fault> {
    let rows = sqlx::query(ROOM).bind(channel.as_str()).fetch_all(conn).await?;
    let state = match rows.first() {
        Some(row) => column(row, 5)?,
        None => None,
    };
    let mut members = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some(persona) = column::<Option<&str>>(row, 0)? else { continue };
        members.push(Membership {
            persona: parsed(persona)?,
            via: column::<Option<&str>>(row, 1)?.map(from_word).transpose()?,
            is_member: column(row, 2)?,
            ended: column::<Option<&str>>(row, 3)?.map(from_word).transpose()?,
            since: column::<Option<i64>>(row, 4)?.map(Timestamp),
        });
    }
    Ok(RoomRecord { members, state })
}

/// See [`greenroom_store::HistoryStore::invited`].
pub(crate) async fn invited(
    conn: &mut SqliteConnection,
    chat: Option<(&str, &str)>,
    limit: usize,
) -> Result<Vec<ChannelKey>, Fault> {
    let (provider, chat_id) = chat.unzip();
    let keys: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT c.key FROM presence p JOIN channels c ON c.id = p.channel_id
         WHERE p.until_id IS NULL AND p.via = ?4 AND (?1 IS NULL OR c.provider = ?1 AND c.chat_id = ?2)
             AND NOT EXISTS (SELECT 1 FROM messages WHERE channel_id = c.id)
         ORDER BY c.key LIMIT ?3",
    )
    .bind(provider)
    .bind(chat_id)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .bind(word(&JoinReason::Invited)?)
    .fetch_all(conn)
    .await?;
    keys.iter().map(|key| parsed(key)).collect()
}

/// Stores the state of a room.
pub(crate) fn put(batch: &mut Batch, channel: i64, state: &str) {
    batch.push("INSERT INTO rooms (channel_id, state) VALUES (").push_bind(channel);
    batch.push(", ").push_bind(state.to_owned());
    batch.push(") ON CONFLICT (channel_id) DO UPDATE SET state = excluded.state;");
}

/// Stores a decision, unless its message was deleted.
pub(crate) fn note(batch: &mut Batch, message: MessageId, after: MessageId, decision: &str) {
    batch.push("INSERT INTO decisions (message_id, after_id, decision) SELECT id, ").push_bind(after.0);
    batch.push(", ").push_bind(decision.to_owned()).push(" FROM messages WHERE id = ").push_bind(message.0);
    batch.push(" ON CONFLICT DO UPDATE SET decision = excluded.decision;");
}

/// See [`greenroom_store::InboxStore::decisions`].
pub(crate) async fn decisions(
    conn: &mut SqliteConnection,
    message: MessageId,
) -> Result<Vec<StoredDecision>, Fault> {
    let rows = sqlx::query("SELECT after_id, decision FROM decisions WHERE message_id = ? ORDER BY after_id")
        .bind(message.0)
        .fetch_all(conn)
        .await?;
    let decision =
        |row: &SqliteRow| Ok(StoredDecision { after: MessageId(column(row, 0)?), decision: column(row, 1)? });
    rows.iter().map(decision).collect()
}

/// See [`greenroom_store::PresenceStore::leave_everywhere`].
pub(crate) async fn leave_everywhere(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    why: Departure,
) -> Result<(), Fault> {
    sqlx::query(
        "UPDATE presence SET ended = ?2, until_id = max(from_id, (SELECT last + 1 FROM message_ids))
         WHERE persona = ?1 AND until_id IS NULL",
    )
    .bind(persona.as_str())
    .bind(word(&why)?)
    .execute(conn)
    .await?;
    Ok(())
}

/// See [`greenroom_store::PresenceStore::return_everywhere`]. A part of presence that ended before a message was heard
/// is reopened, because two parts cannot begin at the same message.
pub(crate) async fn return_everywhere(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO presence (persona, channel_id, from_id, via)
         SELECT persona, channel_id, max(until_id, (SELECT last + 1 FROM message_ids)), via FROM presence p
         WHERE persona = ?1 AND ended IN ('stopped', 'removed') AND via IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM presence later WHERE later.persona = p.persona
                 AND later.channel_id = p.channel_id AND later.from_id > p.from_id)
         ON CONFLICT DO UPDATE SET until_id = NULL, ended = NULL",
    )
    .bind(persona.as_str())
    .execute(conn)
    .await?;
    Ok(())
}
