//! The stored parts of a persona's context in a channel (FG12).

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use greenroom_core::{ChannelKey, Message, MessageId, PersonaName, Timestamp, UserId, UserRef, Viewer};
use greenroom_store::{
    AskedPast, ContextStore, HistorySummary, Linked, OtherChat, Past, Presence, Result, Sources,
};
use serde::de::DeserializeOwned;
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore,
    erasures::newest_erasure,
    error::Fault,
    messages,
    other_chats::{self, ChatRow, other_chats},
    scope::{heard, witnessed},
    sessions, summaries,
    values::{column, parsed},
};

#[async_trait]
impl ContextStore for SqliteStore {
    async fn past(&self, asked: &AskedPast) -> Result<Past> {
        self.with_store_error(past(&mut *self.reader().await?, asked).await)
    }

    async fn other_chats(
        &self,
        persona: &PersonaName,
        account: &UserRef,
        beside: &ChannelKey,
    ) -> Result<Vec<OtherChat>> {
        self.with_store_error(other_chats::beside(&mut *self.reader().await?, persona, account, beside).await)
    }

    async fn said_one_to_one(&self, viewer: &Viewer, messages: &[MessageId]) -> Result<Vec<Message>> {
        self.with_store_error(
            other_chats::said_one_to_one(&mut *self.reader().await?, viewer, messages).await,
        )
    }

    async fn take_back(&self, message: MessageId, part: &str) -> Result<()> {
        self.write((message, part.to_owned()), |conn, (message, part)| {
            Box::pin(other_chats::take_back(conn, *message, part))
        })
        .await
    }

    async fn taken_back(&self, messages: &[MessageId]) -> Result<BTreeMap<MessageId, Vec<String>>> {
        self.with_store_error(other_chats::taken_back(&mut *self.reader().await?, messages).await)
    }

    async fn context_start(&self, persona: &PersonaName, channel: &ChannelKey) -> Result<Option<MessageId>> {
        self.with_store_error(messages::context_start(&mut *self.reader().await?, persona, channel).await)
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
        self.with_store_error(summaries::unsummarised(conn, persona, channel, after, heard, limit).await)
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

/// A past in one row: the number of the newest erasure, whether the summary is valid there, the summary, presence,
/// messages, the person's other accounts and chats, and the session.
///
/// One statement with one row, because a call to SQLite's thread costs more than each of the parts, and sqlx passes
/// every row and value between threads separately. One statement is also one snapshot.
const PAST: &str = concat!(
    "WITH head AS (
         SELECT (SELECT id FROM channels WHERE key = ?2) AS channel_id,
             (SELECT after_id FROM contexts WHERE persona = ?1
                 AND channel_id = (SELECT id FROM channels WHERE key = ?2)) AS reset)
     SELECT ",
    newest_erasure!(),
    ", s.until_id > coalesce(head.reset, 0), s.until_id, s.text, s.at,
         (SELECT json_group_array(json_array(from_id, until_id) ORDER BY from_id) FROM presence
             WHERE persona = ?1 AND channel_id = head.channel_id),
         (SELECT json_group_array(json_array(id, event_id, author, author_id, author_name, text, at, turn_id, reply_to)
                 ORDER BY id) FROM (
             SELECT * FROM messages m WHERE m.channel_id = head.channel_id
                 AND m.id > max(coalesce(head.reset, 0), coalesce(s.until_id, 0)) AND ",
    heard!("?8"),
    "        ORDER BY m.id DESC LIMIT ?9)),
         (SELECT json_group_array(account) FROM (SELECT account FROM links WHERE account <> ?10
             AND person = (SELECT person FROM links WHERE account = ?10) ORDER BY account)),
         ",
    other_chats!("?1", "?2", "?4", "?6", "?11"),
    ",
         z.id, z.user_id, z.started_at, z.last_at
     FROM head LEFT JOIN summaries s ON ?3 AND s.persona = ?1 AND s.channel_id = head.channel_id
     LEFT JOIN sessions z ON z.id = (SELECT id FROM sessions
         WHERE provider = ?4 AND chat_id = ?5 AND user_id = ?6 AND started_at <= ?7
         ORDER BY last_at DESC, id DESC LIMIT 1)"
);
const SESSION: usize = 9;

/// A message as [`PAST`] returns it.
type MessageRow = (i64, String, String, String, String, String, i64, Option<String>, Option<String>);

/// See [`ContextStore::past`].
async fn past(conn: &mut SqliteConnection, asked: &AskedPast) -> Result<Past, Fault> {
    let account = asked.user.as_ref().map(|user| UserRef::new(&asked.channel, user));
    let row = sqlx::query(PAST)
        .bind(asked.persona.as_str())
        .bind(asked.channel.as_str())
        .bind(asked.summarised)
        .bind(asked.channel.provider())
        .bind(asked.channel.chat_id())
        .bind(asked.user.as_ref().map(UserId::as_str))
        .bind(asked.now.0)
        .bind(asked.heard)
        .bind(i64::try_from(asked.limit).unwrap_or(i64::MAX))
        .bind(account.as_ref().map(UserRef::as_str))
        .bind(if asked.other_chats { other_chats::limit() } else { 0 })
        .fetch_one(conn)
        .await?;
    let mut past = Past { erased: column(&row, 0)?, ..Past::default() };
    // a session belongs to the whole chat: it may exist before this thread has a message
    if column::<Option<i64>>(&row, SESSION)?.is_some() {
        past.session = Some(sessions::session_in(&asked.channel, &row, SESSION)?);
    }
    if column::<Option<bool>>(&row, 1)? == Some(true) {
        let (until, at) = (MessageId(column(&row, 2)?), Timestamp(column(&row, 4)?));
        past.summary = Some(HistorySummary { until, text: column(&row, 3)?, at });
    }
    let stretches: Vec<(i64, Option<i64>)> = json(&row, 5)?;
    let stretch =
        |(from, until): (i64, Option<i64>)| Presence { from: MessageId(from), until: until.map(MessageId) };
    past.presence = stretches.into_iter().map(stretch).collect();
    for said in json::<Vec<MessageRow>>(&row, 6)? {
        past.messages.push(Arc::new(message(&asked.channel, said)?));
    }
    if let Some(account) = account {
        let others =
            json::<Vec<String>>(&row, 7)?.iter().map(|other| parsed(other)).collect::<Result<_, _>>()?;
        past.linked = Some(Linked { account, others });
        if asked.other_chats {
            past.other_chats = Some(other_chats::chats(json::<Vec<ChatRow>>(&row, 8)?)?);
        }
    }
    Ok(past)
}

fn json<T: DeserializeOwned>(row: &SqliteRow, index: usize) -> Result<T, Fault> {
    serde_json::from_str(column(row, index)?).map_err(Fault::unreadable)
}

fn message(channel: &ChannelKey, said: MessageRow) -> Result<Message, Fault> {
    let (id, event_id, author, author_id, author_name, text, at, turn_id, reply_to) = said;
    Ok(Message {
        id: MessageId(id),
        channel: channel.clone(),
        event_id,
        reply_to,
        author: messages::author(&author, &author_id, author_name)?,
        text,
        at: Timestamp(at),
        turn_id: turn_id.as_deref().map(parsed).transpose()?,
    })
}
