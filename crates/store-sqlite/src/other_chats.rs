//! Other channels in which a person talks with a persona alone, and the messages there (MP1).

use std::collections::BTreeMap;

use greenroom_core::{ChannelKey, Message, MessageId, PersonaName, UserRef, Viewer};
use greenroom_store::{OTHER_CHATS, OtherChat, Presence, rules::taken_back::rest};
use sqlx::SqliteConnection;

use crate::{
    error::Fault,
    messages::{MESSAGE_COLUMNS, message, message_columns},
    scope::{seen_by, witnessed},
    values::{column, list, parsed},
};

/// The other chats, as JSON. Parameters: the persona, the current channel, its provider, the user, and the greatest
/// number of rows. A person has one row for each name they used. The index returns the channels with the most messages
/// first, so that a person with thousands of channels costs no more. Of each person at most 128 rows are examined,
/// which matters for people in many groups, or who talk with many personas.
macro_rules! other_chats {
    ($persona:literal, $channel:literal, $provider:literal, $user:literal, $limit:literal) => {
        concat!(
            "(SELECT json_group_array(json_array(key, name, messages, json(stretches))) FROM (
                 SELECT o.key, s.name, s.messages, (SELECT json_group_array(json_array(from_id, until_id) ORDER BY from_id)
                     FROM presence WHERE persona = ",
            $persona,
            "                AND channel_id = o.id) AS stretches
                 FROM (SELECT channel_id, name, messages, since FROM speakers WHERE author = 'user' AND author_id = ",
            $user,
            "        ORDER BY messages DESC, since DESC LIMIT 128) s
                 CROSS JOIN channels o ON o.id = s.channel_id
                 WHERE o.provider = ",
            $provider,
            "        AND o.group_since IS NULL AND o.key <> ",
            $channel,
            "        AND EXISTS (SELECT 1 FROM presence WHERE persona = ",
            $persona,
            "            AND channel_id = o.id)
                 ORDER BY s.messages DESC, s.since DESC LIMIT ",
            $limit,
            "))"
        )
    };
}
pub(crate) use other_chats;

/// A row of [`other_chats!`].
pub(crate) type ChatRow = (String, String, i64, Vec<(i64, Option<i64>)>);

/// The value of the limit parameter of [`other_chats!`].
pub(crate) fn limit() -> i64 {
    i64::try_from(OTHER_CHATS).unwrap_or(i64::MAX)
}

/// Merges the rows to one chat each, with all names of the person.
pub(crate) fn chats(rows: Vec<ChatRow>) -> Result<Vec<OtherChat>, Fault> {
    let mut chats: Vec<OtherChat> = Vec::with_capacity(rows.len());
    for (key, name, messages, stretches) in rows {
        let channel = parsed(&key)?;
        if let Some(known) = chats.iter_mut().find(|chat| chat.channel == channel) {
            known.names.push(name);
            known.messages += messages;
            continue;
        }
        let presence = stretches
            .into_iter()
            .map(|(from, until)| Presence { from: MessageId(from), until: until.map(MessageId) })
            .collect();
        chats.push(OtherChat { channel, presence, names: vec![name], messages });
    }
    Ok(chats)
}

/// See [`greenroom_store::ContextStore::other_chats`].
pub(crate) async fn beside(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    account: &UserRef,
    beside: &ChannelKey,
) -> Result<Vec<OtherChat>, Fault> {
    let user = account.as_str().split_once(':').map(|(_, user)| user);
    let rows: String = sqlx::query_scalar(concat!("SELECT ", other_chats!("?1", "?2", "?3", "?4", "?5")))
        .bind(persona.as_str())
        .bind(beside.as_str())
        .bind(account.provider())
        .bind(user)
        .bind(limit())
        .fetch_one(conn)
        .await?;
    chats(serde_json::from_str(&rows).map_err(Fault::unreadable)?)
}

/// The messages among the ids ?5 that the person ?4 said to the persona ?1 alone, in a channel other than ?2.
const TOLD_ALONE: &str = concat!(
    "SELECT ",
    message_columns!(),
    ", (SELECT json_group_array(text) FROM taken_back WHERE message_id = m.id)
      FROM json_each(?5) ids CROSS JOIN messages m ON m.id = ids.value
      JOIN channels c ON c.id = m.channel_id
      WHERE m.author = 'user' AND NOT m.without_memory AND c.key <> ?2 AND c.group_since IS NULL
          AND (c.provider || ':' || m.author_id = ?4 OR c.provider || ':' || m.author_id IN (
              SELECT o.account FROM links s JOIN links o ON o.person = s.person WHERE s.account = ?4))
          AND NOT EXISTS (SELECT 1 FROM channels WHERE key = ?2 AND group_since IS NOT NULL)
          AND ",
    witnessed!("true"),
    " ORDER BY m.id"
);

/// See [`greenroom_store::ContextStore::said_one_to_one`].
pub(crate) async fn said_one_to_one(
    conn: &mut SqliteConnection,
    viewer: &Viewer,
    messages: &[MessageId],
) -> Result<Vec<Message>, Fault> {
    let query = seen_by(viewer, TOLD_ALONE).bind(list(messages.iter().map(|id| id.0)));
    let mut told = Vec::new();
    for row in query.fetch_all(conn).await? {
        let message = message(&row)?;
        let gone: Vec<String> =
            serde_json::from_str(column(&row, MESSAGE_COLUMNS)?).map_err(Fault::unreadable)?;
        told.extend(rest(&message.text, &gone).map(|text| Message { text, ..message }));
    }
    Ok(told)
}

/// See [`greenroom_store::ContextStore::take_back`].
pub(crate) async fn take_back(
    conn: &mut SqliteConnection,
    message: MessageId,
    part: &str,
) -> Result<(), Fault> {
    sqlx::query(
        "INSERT OR IGNORE INTO taken_back
         SELECT id, iif(instr(text, ?2) > 0, ?2, '') FROM messages WHERE id = ?1",
    )
    .bind(message.0)
    .bind(part)
    .execute(conn)
    .await?;
    Ok(())
}

/// See [`greenroom_store::ContextStore::taken_back`].
pub(crate) async fn taken_back(
    conn: &mut SqliteConnection,
    messages: &[MessageId],
) -> Result<BTreeMap<MessageId, Vec<String>>, Fault> {
    let rows: Vec<(i64, String)> = sqlx::query_as(
        "SELECT message_id, text FROM taken_back WHERE message_id IN (SELECT value FROM json_each(?))",
    )
    .bind(list(messages.iter().map(|id| id.0)))
    .fetch_all(conn)
    .await?;
    let mut parts: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (id, text) in rows {
        parts.entry(MessageId(id)).or_default().push(text);
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    /// This query runs with every turn, so its cost must not grow with the number of other people's channels.
    #[tokio::test]
    async fn mp1_the_channels_of_a_person_are_found_by_an_index() {
        let steps =
            crate::explained::plan(concat!("SELECT ", other_chats!("?1", "?2", "?3", "?4", "?5"))).await;
        let found = "SEARCH speakers USING COVERING INDEX speakers_by_person (author_id=?)";
        assert!(steps.iter().any(|step| step == found), "{steps:#?}");
    }
}
