//! Who was there, and who spoke (GR2).

use async_trait::async_trait;
use greenroom_core::{Author, ChannelKey, MessageId, PersonaName};
use greenroom_store::{Presence, PresenceStore, Result};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    batch::{self, Batch},
    error::Fault,
    messages::{author, channel_id},
    values::{column, parsed},
};

#[async_trait]
impl PresenceStore for SqliteStore {
    async fn enter(&self, persona: &PersonaName, channel: &ChannelKey, from: MessageId) -> Result<()> {
        self.write((persona.clone(), channel.clone(), from), |conn, (persona, channel, from)| {
            Box::pin(async move {
                let mut batch = Batch::default();
                begin(&mut batch, persona, channel_id(conn, channel).await?, *from);
                batch::run(conn, batch).await
            })
        })
        .await
    }

    async fn leave(&self, persona: &PersonaName, channel: &ChannelKey, until: MessageId) -> Result<()> {
        self.write((persona.clone(), channel.clone(), until), |conn, (persona, channel, until)| {
            Box::pin(async move {
                let mut batch = Batch::default();
                end(&mut batch, persona, channel_id(conn, channel).await?, *until);
                batch::run(conn, batch).await
            })
        })
        .await
    }

    async fn attend(&self, channel: &ChannelKey, come: &[PersonaName], gone: &[PersonaName]) -> Result<()> {
        let attending = (channel.clone(), come.to_vec(), gone.to_vec());
        self.write(attending, |conn, (channel, come, gone)| Box::pin(attend(conn, channel, come, gone))).await
    }

    async fn present(&self, channel: &ChannelKey) -> Result<Vec<PersonaName>> {
        self.told(present(&mut *self.reader().await?, channel).await)
    }

    async fn presence(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Vec<Presence>> {
        self.told(presence(&mut *self.reader().await?, persona, channel).await)
    }
}

/// Opens a stretch of a persona in a channel from a message on, unless one is open. It begins no earlier than the last
/// one ended.
pub(crate) fn begin(batch: &mut Batch, persona: &PersonaName, channel: i64, from: MessageId) {
    batch.push("INSERT INTO presence (persona, channel_id, from_id) SELECT ").push_bind(persona.as_str());
    batch.push(", ").push_bind(channel).push(", max(").push_bind(from.0);
    batch.push(", coalesce(max(until_id), 0)) FROM presence WHERE persona = ").push_bind(persona.as_str());
    batch.push(" AND channel_id = ").push_bind(channel);
    // none of them is open
    batch.push(" HAVING count(*) = count(until_id);");
}

/// Ends the stretch of a persona that is open. A stretch in which nothing was heard is removed.
pub(crate) fn end(batch: &mut Batch, persona: &PersonaName, channel: i64, until: MessageId) {
    batch.push("DELETE FROM presence WHERE persona = ").push_bind(persona.as_str());
    batch.push(" AND channel_id = ").push_bind(channel);
    batch.push(" AND until_id IS NULL AND from_id >= ").push_bind(until.0);
    batch.push("; UPDATE presence SET until_id = ").push_bind(until.0);
    batch.push(" WHERE persona = ").push_bind(persona.as_str());
    batch.push(" AND channel_id = ").push_bind(channel).push(" AND until_id IS NULL;");
}

/// See [`PresenceStore::attend`]. Numbers of messages grow over all channels: whatever is said from now on has the next
/// one or a later one.
async fn attend(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    come: &[PersonaName],
    gone: &[PersonaName],
) -> Result<(), Fault> {
    let known: Option<(i64, i64)> =
        sqlx::query_as("SELECT c.id, i.last + 1 FROM channels c, message_ids i WHERE c.key = ?")
            .bind(channel.as_str())
            .fetch_optional(&mut *conn)
            .await?;
    let Some((channel, next)) = known else { return Ok(()) };
    let mut batch = Batch::default();
    for persona in gone {
        end(&mut batch, persona, channel, MessageId(next));
    }
    for persona in come {
        begin(&mut batch, persona, channel, MessageId(next));
    }
    if batch.sql().as_str().is_empty() { Ok(()) } else { batch::run(conn, batch).await }
}

/// See [`greenroom_store::PresenceStore::presence`].
async fn presence(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    channel: &ChannelKey,
) -> Result<Vec<Presence>, Fault> {
    let rows = sqlx::query(
        "SELECT from_id, until_id FROM presence
         WHERE persona = ? AND channel_id = (SELECT id FROM channels WHERE key = ?) ORDER BY from_id",
    )
    .bind(persona.as_str())
    .bind(channel.as_str())
    .fetch_all(conn)
    .await?;
    let stretch = |row: &SqliteRow| {
        Ok(Presence {
            from: MessageId(column(row, 0)?),
            until: column::<Option<i64>>(row, 1)?.map(MessageId),
        })
    };
    rows.iter().map(stretch).collect()
}

/// See [`greenroom_store::PresenceStore::present`].
async fn present(conn: &mut SqliteConnection, channel: &ChannelKey) -> Result<Vec<PersonaName>, Fault> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT persona FROM presence
         WHERE channel_id = (SELECT id FROM channels WHERE key = ?) AND until_id IS NULL ORDER BY persona",
    )
    .bind(channel.as_str())
    .fetch_all(conn)
    .await?;
    names.iter().map(|name| parsed(name)).collect()
}

/// See [`greenroom_store::HistoryStore::participants`].
pub(crate) async fn participants(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
) -> Result<Vec<Author>, Fault> {
    let rows = sqlx::query(
        "SELECT author, author_id, name FROM speakers
         WHERE channel_id = (SELECT id FROM channels WHERE key = ?) ORDER BY since",
    )
    .bind(channel.as_str())
    .fetch_all(conn)
    .await?;
    rows.iter().map(|row| author(column(row, 0)?, column(row, 1)?, column(row, 2)?)).collect()
}
