//! A channel's past as a persona has it: several statements in one call, because each call crosses
//! threads and every turn needs all of them.

use std::sync::Arc;

use greenroom_core::{MessageId, Timestamp};
use greenroom_store::{AskedPast, HistorySummary, Past, Presence};
use sqlx::{Row, SqliteConnection};

use crate::{
    erasures::newest_erasure,
    error::Fault,
    messages::{SAID_COLUMNS, message_in, said_columns},
    scope::{heard, witnessed},
    sessions::session_in,
    values::column,
};

/// How many columns each of the statements has.
const PRESENCE: usize = 2;
const SUMMARY: usize = 3;
const SESSION: usize = 4;
const ERASED: usize = 1;
const _: () = assert!(SAID_COLUMNS > SESSION);

/// See [`greenroom_store::ContextStore::past`]. By the number of its columns a row is told to be of which statement.
pub(crate) async fn past(conn: &mut SqliteConnection, asked: &AskedPast) -> Result<Past, Fault> {
    // what was erased is read first: what is read after that may lack more, and never less
    let rows = sqlx::query(concat!(
        "SELECT ",
        newest_erasure!(),
        "; SELECT until_id, text, at FROM summaries s
         WHERE ?4 AND persona = ?1 AND channel_id = (SELECT id FROM channels WHERE key = ?2)
             AND until_id > coalesce((SELECT after_id FROM contexts x
                 WHERE x.persona = ?1 AND x.channel_id = s.channel_id), 0);
         SELECT id, user_id, started_at, last_at FROM sessions
         WHERE provider = ?7 AND chat_id = ?8 AND user_id = ?5 AND started_at <= ?9
         ORDER BY last_at DESC, id DESC LIMIT 1;
         SELECT from_id, until_id FROM presence
         WHERE persona = ?1 AND channel_id = (SELECT id FROM channels WHERE key = ?2) ORDER BY from_id;
         SELECT ",
        said_columns!(),
        " FROM channels c JOIN messages m ON m.channel_id = c.id
         WHERE c.key = ?2 AND m.id > max(
             coalesce((SELECT after_id FROM contexts WHERE persona = ?1 AND channel_id = c.id), 0),
             coalesce((SELECT until_id FROM summaries
                 WHERE ?4 AND persona = ?1 AND channel_id = c.id), 0)) AND ",
        heard!("?3"),
        " ORDER BY m.id DESC LIMIT ?6"
    ))
    .bind(asked.persona.as_str())
    .bind(asked.channel.as_str())
    .bind(asked.heard)
    .bind(asked.summarised)
    .bind(asked.user.as_ref().map(|user| user.as_str()))
    .bind(i64::try_from(asked.limit).unwrap_or(i64::MAX))
    .bind(asked.channel.provider())
    .bind(asked.channel.chat_id())
    .bind(asked.now.0)
    .fetch_all(conn)
    .await?;
    let mut past = Past::default();
    for row in &rows {
        match row.len() {
            ERASED => past.erased = column(row, 0)?,
            PRESENCE => {
                let until = column::<Option<i64>>(row, 1)?.map(MessageId);
                past.presence.push(Presence { from: MessageId(column(row, 0)?), until });
            }
            SUMMARY => {
                let (until, at) = (MessageId(column(row, 0)?), Timestamp(column(row, 2)?));
                past.summary = Some(HistorySummary { until, text: column(row, 1)?, at });
            }
            SESSION => past.session = Some(session_in(&asked.channel, row)?),
            _ => past.messages.push(Arc::new(message_in(&asked.channel, row)?)),
        }
    }
    past.messages.reverse();
    Ok(past)
}
