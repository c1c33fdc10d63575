//! What the accounts on chat platforms store: deliveries and cursors (AD1).

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, PersonaName, Platform, Timestamp};
use greenroom_store::{
    AccountStore, AnsweredEvent, Delivery, DeliveryState, DeliveryStep, OpenDelivery, PersonActivity, Result,
    Retraction,
    rules::deliveries::{after, is_over},
};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    error::Fault,
    messages::{MESSAGE_COLUMNS, message, message_columns},
    settled,
    values::{column, from_word, parsed, word},
};

#[async_trait]
impl AccountStore for SqliteStore {
    async fn next_deliveries(&self, platform: Platform, after: i64, limit: usize) -> Result<Vec<Delivery>> {
        self.with_store_error(next(&mut *self.reader().await?, platform, after, limit).await)
    }

    async fn step_delivery(&self, delivery: i64, step: DeliveryStep, at: Timestamp) -> Result<bool> {
        self.write((delivery, step, at), |conn, (delivery, step, at)| {
            Box::pin(step_delivery(conn, *delivery, step, *at))
        })
        .await
    }

    async fn open_deliveries(&self, limit: usize) -> Result<Vec<OpenDelivery>> {
        self.with_store_error(open(&mut *self.reader().await?, limit).await)
    }

    async fn message_of_event(&self, channel: &ChannelKey, event_id: &str) -> Result<Option<Message>> {
        self.with_store_error(of_event(&mut *self.reader().await?, channel, event_id).await)
    }

    async fn message_in_chat(&self, chat: &ChannelKey, event_id: &str) -> Result<Option<Message>> {
        self.with_store_error(in_chat(&mut *self.reader().await?, chat, event_id).await)
    }

    async fn retractions(&self, platform: Platform, after: i64, limit: usize) -> Result<Vec<Retraction>> {
        self.with_store_error(settled::retractions(&mut *self.reader().await?, platform, after, limit).await)
    }

    async fn retract(&self, channel: &ChannelKey, persona: &PersonaName, event_id: &str) -> Result<()> {
        let part = (channel.clone(), persona.clone(), event_id.to_owned());
        self.write(part, |conn, (channel, persona, event_id)| {
            Box::pin(settled::retract(conn, channel, persona, event_id))
        })
        .await
    }

    async fn retracted(&self, retraction: i64) -> Result<()> {
        self.write(retraction, |conn, id| Box::pin(settled::retracted(conn, *id))).await
    }

    async fn settle(&self, marks: Vec<String>, at: Timestamp, keep_from: Timestamp) -> Result<()> {
        self.write((marks, at, keep_from), |conn, (marks, at, keep_from)| {
            Box::pin(settled::settle(conn, marks, *at, *keep_from))
        })
        .await
    }

    async fn settled(&self, marks: &[String]) -> Result<Vec<(String, Timestamp)>> {
        self.with_store_error(settled::settled(&mut *self.reader().await?, marks).await)
    }

    async fn activity_since(&self, platform: Platform, since: Timestamp) -> Result<Vec<PersonActivity>> {
        self.with_store_error(settled::activity_since(&mut *self.reader().await?, platform, since).await)
    }

    async fn cursor(&self, account: &str, name: &str) -> Result<Option<String>> {
        self.with_store_error(cursor(&mut *self.reader().await?, account, name).await)
    }

    async fn keep_cursor(&self, account: &str, name: &str, value: &str) -> Result<()> {
        let kept = [account, name, value].map(str::to_owned);
        self.write(kept, |conn, [account, name, value]| Box::pin(keep_cursor(conn, account, name, value)))
            .await
    }
}

/// The oldest unfinished reply of each channel, found through the index of waiting deliveries.
const NEXT: &str = concat!(
    "SELECT ",
    message_columns!(),
    ", o.id, o.begun_at,
         (SELECT group_concat(part, ',') FROM sent_parts WHERE outbox_id = o.id),
         CASE WHEN t.turn_id IS NULL THEN t.event_id ELSE (
             SELECT p.event_id FROM outbox a JOIN sent_parts p ON p.outbox_id = a.id
             WHERE a.reply_id = t.id AND p.event_id IS NOT NULL ORDER BY p.part DESC LIMIT 1) END,
         answered.persona
     FROM outbox o JOIN channels c ON c.id = o.channel_id JOIN messages m ON m.id = o.reply_id
     LEFT JOIN messages t ON t.id = o.trigger_id LEFT JOIN turns answered ON answered.id = t.turn_id
     WHERE c.provider = ? AND o.id > ? AND o.id IN (
         SELECT min(id) FROM outbox WHERE delivered_at IS NULL AND state <> 'dead' GROUP BY channel_id)
     ORDER BY o.id LIMIT ?"
);

async fn next(
    conn: &mut SqliteConnection,
    platform: Platform,
    last: i64,
    limit: usize,
) -> Result<Vec<Delivery>, Fault> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = sqlx::query(NEXT).bind(platform.as_str()).bind(last).bind(limit).fetch_all(conn).await?;
    let delivery = |row: &SqliteRow| {
        let over: Option<&str> = column(row, MESSAGE_COLUMNS + 2)?;
        let mut over =
            over.into_iter().flat_map(|over| over.split(',')).map(parsed).collect::<Result<Vec<u32>, _>>()?;
        over.sort_unstable();
        let persona: Option<&str> = column(row, MESSAGE_COLUMNS + 4)?;
        let persona = persona.map(parsed).transpose()?;
        let event_id: Option<String> = column(row, MESSAGE_COLUMNS + 3)?;
        Ok(Delivery {
            id: column(row, MESSAGE_COLUMNS)?,
            reply: message(row)?,
            begun_at: column::<Option<i64>>(row, MESSAGE_COLUMNS + 1)?.map(Timestamp),
            answers: event_id.map(|event_id| AnsweredEvent { event_id, persona }),
            over,
        })
    };
    rows.iter().map(delivery).collect()
}

async fn step_delivery(
    conn: &mut SqliteConnection,
    id: i64,
    step: &DeliveryStep,
    at: Timestamp,
) -> Result<bool, Fault> {
    let known = sqlx::query(
        "SELECT state, begun_at, note, EXISTS (SELECT 1 FROM sent_parts WHERE outbox_id = ?1 AND uncertain)
         FROM outbox WHERE id = ?1",
    )
    .bind(id)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = known else { return Ok(false) };
    let state: DeliveryState = from_word(column(&row, 0)?)?;
    let (mut begun_at, mut note): (Option<i64>, Option<String>) = (column(&row, 1)?, column(&row, 2)?);
    let uncertain = column(&row, 3)? || matches!(step, DeliveryStep::Part { uncertain: Some(_), .. });
    let Some(next) = after(state, step, uncertain) else { return Ok(false) };
    match step {
        DeliveryStep::Begun => begun_at = Some(at.0),
        DeliveryStep::Part { number, event_id, uncertain, .. } => {
            begun_at = None;
            note = uncertain.clone().or(note);
            sqlx::query("INSERT INTO sent_parts (outbox_id, part, event_id, uncertain) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
                .bind(id)
                .bind(number)
                .bind(event_id.as_deref())
                .bind(uncertain.is_some())
                .execute(&mut *conn)
                .await?;
        }
        DeliveryStep::NotSent => begun_at = None,
        DeliveryStep::Dead(why) => {
            begun_at = None;
            note = Some(why.clone());
        }
        // the note stays: it tells that an operator knows of the reply
        DeliveryStep::Resend => {
            sqlx::query("DELETE FROM sent_parts WHERE outbox_id = ? AND uncertain")
                .bind(id)
                .execute(&mut *conn)
                .await?;
        }
        DeliveryStep::Drop => {}
    }
    sqlx::query("UPDATE outbox SET state = ?, begun_at = ?, note = ?, delivered_at = ? WHERE id = ?")
        .bind(word(&next)?)
        .bind(begun_at)
        .bind(note)
        .bind(is_over(next).then_some(at.0))
        .bind(id)
        .execute(conn)
        .await?;
    Ok(true)
}

const OPEN: &str = concat!(
    "SELECT ",
    message_columns!(),
    ", o.id, o.state, o.note
     FROM outbox o JOIN channels c ON c.id = o.channel_id JOIN messages m ON m.id = o.reply_id
     WHERE c.provider <> 'terminal' AND o.id IN (
         SELECT id FROM outbox WHERE delivered_at IS NULL UNION ALL SELECT id FROM outbox WHERE state = 'uncertain')
     ORDER BY o.id LIMIT ?"
);

async fn open(conn: &mut SqliteConnection, limit: usize) -> Result<Vec<OpenDelivery>, Fault> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = sqlx::query(OPEN).bind(limit).fetch_all(conn).await?;
    let delivery = |row: &SqliteRow| {
        let reply = message(row)?;
        Ok(OpenDelivery {
            id: column(row, MESSAGE_COLUMNS)?,
            channel: reply.channel,
            persona: parsed(reply.author.name())?,
            text: reply.text,
            state: from_word(column(row, MESSAGE_COLUMNS + 1)?)?,
            why: column(row, MESSAGE_COLUMNS + 2)?,
            at: reply.at,
        })
    };
    rows.iter().map(delivery).collect()
}

const OF_EVENT: &str = concat!(
    "SELECT ",
    message_columns!(),
    " FROM channels c JOIN messages m ON m.channel_id = c.id
     WHERE c.key = ?1 AND m.event_id = ?2 AND m.turn_id IS NULL
     UNION ALL SELECT * FROM (SELECT ",
    message_columns!(),
    " FROM sent_parts p JOIN outbox o ON o.id = p.outbox_id JOIN channels c ON c.id = o.channel_id
     JOIN messages m ON m.id = o.reply_id WHERE p.event_id = ?2 AND c.key = ?1 ORDER BY o.id LIMIT 1)
     LIMIT 1"
);

async fn of_event(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
    event_id: &str,
) -> Result<Option<Message>, Fault> {
    let row = sqlx::query(OF_EVENT).bind(channel.as_str()).bind(event_id).fetch_optional(conn).await?;
    row.as_ref().map(message).transpose()
}

const IN_CHAT: &str = concat!(
    "SELECT ",
    message_columns!(),
    " FROM channels c JOIN messages m ON m.channel_id = c.id
     WHERE c.provider = ?1 AND c.chat_id = ?2 AND m.event_id = ?3 AND m.turn_id IS NULL ORDER BY m.id LIMIT 1"
);

async fn in_chat(
    conn: &mut SqliteConnection,
    chat: &ChannelKey,
    event_id: &str,
) -> Result<Option<Message>, Fault> {
    let row = sqlx::query(IN_CHAT).bind(chat.provider()).bind(chat.chat_id()).bind(event_id);
    row.fetch_optional(conn).await?.as_ref().map(message).transpose()
}

async fn cursor(conn: &mut SqliteConnection, account: &str, name: &str) -> Result<Option<String>, Fault> {
    let row =
        sqlx::query("SELECT value FROM cursors WHERE account = ? AND name = ?").bind(account).bind(name);
    row.fetch_optional(conn).await?.map(|row| column(&row, 0)).transpose()
}

async fn keep_cursor(
    conn: &mut SqliteConnection,
    account: &str,
    name: &str,
    value: &str,
) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO cursors (account, name, value) VALUES (?, ?, ?)
         ON CONFLICT (account, name) DO UPDATE SET value = excluded.value",
    )
    .bind(account)
    .bind(name)
    .bind(value)
    .execute(conn)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This query runs for every event and every reply, so its cost must not grow with the history.
    #[tokio::test]
    async fn ad1_deliveries_and_events_are_found_by_indexes() {
        for sql in [NEXT, OF_EVENT, IN_CHAT, OPEN] {
            let steps = crate::explained::plan(sql).await;
            let scans = steps.iter().filter(|step| step.starts_with("SCAN") && !step.contains("USING"));
            let scans: Vec<_> =
                scans.filter(|step| !step.contains("subquery") && !step.contains("CONSTANT")).collect();
            assert!(scans.is_empty(), "{steps:#?}");
        }
    }
}
