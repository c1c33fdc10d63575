//! What a persona's context in a channel is made of (FG12).

use std::sync::Arc;

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, MessageId, PersonaName, Timestamp, UserId};
use greenroom_store::{AskedPast, ContextStore, HistorySummary, Past, Presence, Result, Sources};
use sqlx::SqliteConnection;

use crate::{
    SqliteStore,
    erasures::newest_erasure,
    error::Fault,
    messages::{self, message_in, said_columns},
    scope::{heard, witnessed},
    sessions, summaries,
    values::column,
};

#[async_trait]
impl ContextStore for SqliteStore {
    async fn past(&self, asked: &AskedPast) -> Result<Past> {
        self.told(past(&mut *self.reader().await?, asked).await)
    }

    async fn context_start(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Option<MessageId>> {
        self.told(messages::context_start(&mut *self.reader().await?, persona, channel).await)
    }

    async fn reset_context(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: MessageId,
    ) -> Result<()> {
        self.write((persona.clone(), channel.clone(), after), |conn, (persona, channel, after)| {
            Box::pin(messages::reset_context(conn, persona, channel, *after))
        })
        .await
    }

    async fn unsummarised(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        after: Option<MessageId>,
        heard: bool,
        limit: usize,
    ) -> Result<Vec<Message>> {
        let conn = &mut *self.reader().await?;
        self.told(summaries::unsummarised(conn, persona, channel, after, heard, limit).await)
    }

    async fn put_summary(
        &self,
        persona: &PersonaName,
        channel: &ChannelKey,
        summary: HistorySummary,
        sources: Sources,
    ) -> Result<()> {
        let new = (persona.clone(), channel.clone(), summary, sources);
        self.write(new, |conn, new| Box::pin(summaries::put(conn, new))).await
    }
}

/// All of a past but its messages, in one row: the number of the newest erasure, the row of the channel, where the context
/// begins, whether the summary holds there, the summary, presence, and the session. One statement, because the way to
/// SQLite's thread costs more than each of its parts.
const HEAD: &str = concat!(
    "SELECT ",
    newest_erasure!(),
    ", c.id, max(coalesce(x.after_id, 0), coalesce(s.until_id, 0)), s.until_id > coalesce(x.after_id, 0),
         s.until_id, s.text, s.at,
         (SELECT json_group_array(json_array(from_id, until_id) ORDER BY from_id) FROM presence
             WHERE persona = ?1 AND channel_id = c.id),
         z.id, z.user_id, z.started_at, z.last_at
     FROM (SELECT 1) LEFT JOIN channels c ON c.key = ?2
     LEFT JOIN contexts x ON x.persona = ?1 AND x.channel_id = c.id
     LEFT JOIN summaries s ON ?3 AND s.persona = ?1 AND s.channel_id = c.id
     LEFT JOIN sessions z ON z.id = (SELECT id FROM sessions
         WHERE provider = ?4 AND chat_id = ?5 AND user_id = ?6 AND started_at <= ?7
         ORDER BY last_at DESC, id DESC LIMIT 1)"
);
const SESSION: usize = 8;

/// See [`ContextStore::past`]. The number of the newest erasure is read first: what is read after that may lack more, and
/// never less.
async fn past(conn: &mut SqliteConnection, asked: &AskedPast) -> Result<Past, Fault> {
    let head = sqlx::query(HEAD)
        .bind(asked.persona.as_str())
        .bind(asked.channel.as_str())
        .bind(asked.summarised)
        .bind(asked.channel.provider())
        .bind(asked.channel.chat_id())
        .bind(asked.user.as_ref().map(UserId::as_str))
        .bind(asked.now.0)
        .fetch_one(&mut *conn)
        .await?;
    let mut past = Past { erased: column(&head, 0)?, ..Past::default() };
    // a session is of the whole chat: there is one where nobody spoke in this thread yet
    if column::<Option<i64>>(&head, SESSION)?.is_some() {
        past.session = Some(sessions::session_in(&asked.channel, &head, SESSION)?);
    }
    let Some(channel) = column::<Option<i64>>(&head, 1)? else { return Ok(past) };
    if column::<Option<bool>>(&head, 3)? == Some(true) {
        let (until, at) = (MessageId(column(&head, 4)?), Timestamp(column(&head, 6)?));
        past.summary = Some(HistorySummary { until, text: column(&head, 5)?, at });
    }
    let stretches: Vec<(i64, Option<i64>)> =
        serde_json::from_str(column(&head, 7)?).map_err(Fault::unreadable)?;
    let stretch =
        |(from, until): (i64, Option<i64>)| Presence { from: MessageId(from), until: until.map(MessageId) };
    past.presence = stretches.into_iter().map(stretch).collect();
    let messages = sqlx::query(concat!(
        "SELECT ",
        said_columns!(),
        " FROM messages m WHERE m.channel_id = ?2 AND m.id > ?3 AND ",
        heard!("?4"),
        " ORDER BY m.id DESC LIMIT ?5"
    ))
    .bind(asked.persona.as_str())
    .bind(channel)
    .bind(column::<i64>(&head, 2)?)
    .bind(asked.heard)
    .bind(i64::try_from(asked.limit).unwrap_or(i64::MAX))
    .fetch_all(conn)
    .await?;
    for row in messages.iter().rev() {
        past.messages.push(Arc::new(message_in(&asked.channel, row)?));
    }
    Ok(past)
}
