//! Presence: which personas were in a channel, and who spoke there (GR2).

use async_trait::async_trait;
use greenroom_core::{Author, ChannelKey, MessageId, PersonaName};
use greenroom_store::{Departure, JoinReason, MembershipChange, Presence, PresenceStore, Result, RoomRecord};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    batch::{self, Batch},
    error::Fault,
    messages::{author, channel_id},
    rooms,
    values::{column, parsed, word},
};

#[async_trait]
impl PresenceStore for SqliteStore {
    async fn enter(&self, persona: &PersonaName, channel: &ChannelKey, from: MessageId) -> Result<()> {
        self.write((persona.clone(), channel.clone(), from), |conn, (persona, channel, from)| {
            Box::pin(async move {
                let mut batch = Batch::default();
                begin(&mut batch, persona, channel_id(conn, channel).await?, *from, None)?;
                batch::run(conn, batch).await
            })
        })
        .await
    }

    async fn leave(&self, persona: &PersonaName, channel: &ChannelKey, until: MessageId) -> Result<()> {
        self.write((persona.clone(), channel.clone(), until), |conn, (persona, channel, until)| {
            Box::pin(async move {
                let mut batch = Batch::default();
                end(&mut batch, persona, channel_id(conn, channel).await?, *until, None)?;
                batch::run(conn, batch).await
            })
        })
        .await
    }

    async fn attend(&self, channel: &ChannelKey, attendance: &MembershipChange) -> Result<()> {
        let attending = (channel.clone(), attendance.clone());
        self.write(attending, |conn, (channel, attendance)| Box::pin(attend(conn, channel, attendance))).await
    }

    async fn leave_everywhere(&self, persona: &PersonaName, why: Departure) -> Result<()> {
        self.write((persona.clone(), why), |conn, (persona, why)| {
            Box::pin(rooms::leave_everywhere(conn, persona, *why))
        })
        .await
    }

    async fn return_everywhere(&self, persona: &PersonaName) -> Result<()> {
        self.write(persona.clone(), |conn, persona| Box::pin(rooms::return_everywhere(conn, persona))).await
    }

    async fn room(&self, channel: &ChannelKey) -> Result<RoomRecord> {
        self.with_store_error(rooms::room(&mut *self.reader().await?, channel).await)
    }

    async fn put_room(&self, channel: &ChannelKey, state: &str) -> Result<()> {
        self.write((channel.clone(), state.to_owned()), |conn, (channel, state)| {
            Box::pin(async move {
                let mut batch = Batch::default();
                rooms::put(&mut batch, channel_id(conn, channel).await?, state);
                batch::run(conn, batch).await
            })
        })
        .await
    }

    async fn present(&self, channel: &ChannelKey) -> Result<Vec<PersonaName>> {
        self.with_store_error(present(&mut *self.reader().await?, channel).await)
    }

    async fn presence(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Vec<Presence>> {
        self.with_store_error(presence(&mut *self.reader().await?, persona, channel).await)
    }
}

/// Opens a part of presence of a persona in a channel from a message on, unless one is open. It begins no earlier than
/// the last one ended.
pub(crate) fn begin(
    batch: &mut Batch,
    persona: &PersonaName,
    channel: i64,
    from: MessageId,
    via: Option<JoinReason>,
) -> Result<(), Fault> {
    batch.push("INSERT INTO presence (persona, channel_id, via, from_id) SELECT ");
    batch.push_bind(persona.as_str()).push(", ").push_bind(channel);
    match &via {
        Some(via) => drop(batch.push(", ").push_bind(word(via)?)),
        // a persona that was stopped and is now addressed keeps the reason for its membership
        None => {
            batch.push(", (SELECT CASE WHEN ended IN ('stopped', 'removed') THEN via END FROM presence WHERE persona = ");
            batch.push_bind(persona.as_str()).push(" AND channel_id = ").push_bind(channel);
            batch.push(" ORDER BY from_id DESC LIMIT 1)");
        }
    }
    batch.push(", max(").push_bind(from.0);
    batch.push(", coalesce(max(until_id), 0)) FROM presence WHERE persona = ").push_bind(persona.as_str());
    batch.push(" AND channel_id = ").push_bind(channel);
    // inserts nothing if one is open; an empty one may begin at the same message and is reopened
    batch.push(" HAVING count(*) = count(until_id)");
    batch.push(" ON CONFLICT DO UPDATE SET until_id = NULL, ended = NULL, via = excluded.via;");
    Ok(())
}

/// Ends the open part of presence of a persona. Without a reason, a part in which nothing was heard is deleted. A
/// persona that is absent and is dismissed stays absent: its newest part gets the new reason.
pub(crate) fn end(
    batch: &mut Batch,
    persona: &PersonaName,
    channel: i64,
    until: MessageId,
    why: Option<Departure>,
) -> Result<(), Fault> {
    let Some(why) = why else {
        batch.push("DELETE FROM presence WHERE persona = ").push_bind(persona.as_str());
        batch.push(" AND channel_id = ").push_bind(channel);
        batch.push(" AND until_id IS NULL AND from_id >= ").push_bind(until.0);
        batch.push("; UPDATE presence SET until_id = ").push_bind(until.0);
        batch.push(" WHERE persona = ").push_bind(persona.as_str());
        batch.push(" AND channel_id = ").push_bind(channel).push(" AND until_id IS NULL;");
        return Ok(());
    };
    batch.push("UPDATE presence SET ended = ").push_bind(word(&why)?);
    // from_id: a part in which nothing was heard ends at the message where it begins
    batch.push(", until_id = coalesce(until_id, max(from_id, ").push_bind(until.0);
    batch.push(")) WHERE persona = ").push_bind(persona.as_str());
    batch.push(" AND channel_id = ").push_bind(channel);
    batch.push(" AND (until_id IS NULL OR ").push_bind(why == Departure::Left);
    batch.push(") AND from_id = (SELECT max(from_id) FROM presence WHERE persona = ");
    batch.push_bind(persona.as_str()).push(" AND channel_id = ").push_bind(channel).push(");");
    Ok(())
}

/// See [`PresenceStore::attend`]. Message ids increase over all channels: every later message has the next id or a
/// greater one.
async fn attend(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    MembershipChange { joins, leaves }: &MembershipChange,
) -> Result<(), Fault> {
    let channel = channel_id(conn, channel).await?;
    let next: i64 = sqlx::query_scalar("SELECT last + 1 FROM message_ids").fetch_one(&mut *conn).await?;
    let mut batch = Batch::default();
    for (persona, why) in leaves {
        end(&mut batch, persona, channel, MessageId(next), Some(*why))?;
    }
    for (persona, via) in joins {
        begin(&mut batch, persona, channel, MessageId(next), Some(*via))?;
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
