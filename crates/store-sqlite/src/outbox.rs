//! The outbox of undelivered replies, and the dead letters.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MessageId, PersonaName, Timestamp};
use greenroom_store::{DeadLetter, OutboxEntry, OutboxStore, Result};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore, dead_letters,
    error::Fault,
    messages::{MESSAGE_COLUMNS, message, message_columns},
    values::column,
};

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn outbox(&self, channel: &ChannelKey) -> Result<Vec<OutboxEntry>> {
        self.with_store_error(outbox(&mut *self.reader().await?, channel).await)
    }

    async fn delivered(&self, entry: i64, at: Timestamp) -> Result<()> {
        self.write((entry, at), |conn, (entry, at)| Box::pin(delivered(conn, *entry, *at))).await
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<DeadLetter>> {
        self.with_store_error(dead_letters::dead_letters(&mut *self.reader().await?, limit).await)
    }

    async fn dead_letter(&self, message: MessageId, persona: &PersonaName) -> Result<Option<DeadLetter>> {
        self.with_store_error(dead_letters::dead_letter(&mut *self.reader().await?, message, persona).await)
    }

    async fn dismiss(&self, message: MessageId, persona: &PersonaName, at: Timestamp) -> Result<bool> {
        self.write((message, persona.clone(), at), |conn, (message, persona, at)| {
            Box::pin(dead_letters::dismiss(conn, *message, persona, *at))
        })
        .await
    }
}

/// See [`greenroom_store::OutboxStore::outbox`].
async fn outbox(conn: &mut SqliteConnection, channel: &ChannelKey) -> Result<Vec<OutboxEntry>, Fault> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        message_columns!(),
        ", o.id, o.trigger_id FROM channels c JOIN outbox o ON o.channel_id = c.id
          JOIN messages m ON m.id = o.reply_id
          WHERE c.key = ? AND o.delivered_at IS NULL ORDER BY o.id"
    ))
    .bind(channel.as_str())
    .fetch_all(conn)
    .await?;
    let entry = |row: &SqliteRow| {
        Ok(OutboxEntry {
            id: column(row, MESSAGE_COLUMNS)?,
            reply: message(row)?,
            trigger: MessageId(column(row, MESSAGE_COLUMNS + 1)?),
        })
    };
    rows.iter().map(entry).collect()
}

/// See [`greenroom_store::OutboxStore::delivered`]. A repeated call changes nothing.
async fn delivered(conn: &mut SqliteConnection, entry: i64, at: Timestamp) -> Result<(), Fault> {
    sqlx::query(
        "UPDATE outbox SET delivered_at = ?, state = 'delivered' WHERE id = ? AND delivered_at IS NULL",
    )
    .bind(at.0)
    .bind(entry)
    .execute(conn)
    .await?;
    Ok(())
}
