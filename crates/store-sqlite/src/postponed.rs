//! Postponed captures: marks on turns whose exchange was not captured while the queue was full. Erasing a turn removes
//! its mark.

use async_trait::async_trait;
use greenroom_core::{Message, TurnId};
use greenroom_store::{CaptureStore, Postponed, Result, Turn};
use sqlx::SqliteConnection;

use crate::{
    SqliteStore,
    error::Fault,
    messages::{by_id, message, message_columns},
    turns::turn,
    values::parsed,
};

#[async_trait]
impl CaptureStore for SqliteStore {
    async fn postpone_capture(&self, turn: TurnId) -> Result<()> {
        self.write(turn, |conn, turn| Box::pin(postpone(conn, *turn))).await
    }

    async fn postponed_captures(&self, limit: usize) -> Result<Vec<Postponed>> {
        self.with_store_error(oldest(&mut *self.reader().await?, limit).await)
    }

    async fn count_postponed(&self) -> Result<u64> {
        self.with_store_error(count(&mut *self.reader().await?).await)
    }

    async fn capture_settled(&self, turn: TurnId) -> Result<()> {
        self.write(turn, |conn, turn| Box::pin(settled(conn, *turn))).await
    }
}

/// See [`greenroom_store::CaptureStore::postpone_capture`].
async fn postpone(conn: &mut SqliteConnection, turn: TurnId) -> Result<(), Fault> {
    sqlx::query("INSERT OR IGNORE INTO postponed_captures SELECT id FROM turns WHERE id = ?")
        .bind(turn.to_string())
        .execute(conn)
        .await?;
    Ok(())
}

/// See [`greenroom_store::CaptureStore::capture_settled`].
async fn settled(conn: &mut SqliteConnection, turn: TurnId) -> Result<(), Fault> {
    sqlx::query("DELETE FROM postponed_captures WHERE turn_id = ?")
        .bind(turn.to_string())
        .execute(conn)
        .await?;
    Ok(())
}

/// See [`greenroom_store::CaptureStore::postponed_captures`].
async fn oldest(conn: &mut SqliteConnection, limit: usize) -> Result<Vec<Postponed>, Fault> {
    let ids: Vec<String> =
        sqlx::query_scalar("SELECT turn_id FROM postponed_captures ORDER BY turn_id LIMIT ?")
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(&mut *conn)
            .await?;
    let mut postponed = Vec::with_capacity(ids.len());
    for id in ids {
        if let Some(turn) = turn(&mut *conn, parsed(&id)?).await? {
            let burst = burst(&mut *conn, &turn).await?;
            let reply = match turn.reply {
                Some(reply) => by_id(&mut *conn, reply).await?,
                None => None,
            };
            postponed.push(Postponed { turn, burst, reply });
        }
    }
    Ok(postponed)
}

/// The messages that a turn answered: its own, and earlier ones that were coalesced with it.
async fn burst(conn: &mut SqliteConnection, turn: &Turn) -> Result<Vec<Message>, Fault> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        message_columns!(),
        " FROM messages m JOIN channels c ON c.id = m.channel_id
          WHERE m.id = ?1 OR m.id IN (SELECT trigger_id FROM turns WHERE answered_with = ?1 AND persona = ?2)
          ORDER BY m.id"
    ))
    .bind(turn.trigger.0)
    .bind(turn.persona.as_str())
    .fetch_all(conn)
    .await?;
    rows.iter().map(message).collect()
}

/// The number of marked turns.
pub(crate) async fn count(conn: &mut SqliteConnection) -> Result<u64, Fault> {
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM postponed_captures").fetch_one(conn).await?;
    Ok(count.unsigned_abs())
}
