//! Which chats are groups (MP1): the mark, and what is deleted when it is set.

use greenroom_core::{ChannelKey, MessageId};
use sqlx::SqliteConnection;

use crate::{batch::Batch, error::Fault};

/// The channels of the chat of the channel with this row.
const OF_CHAT: &str =
    "(SELECT c.id FROM channels c JOIN channels one ON one.provider = c.provider AND one.chat_id = c.chat_id
      WHERE one.id = ";

/// Marks a chat with all its threads as a group from this message on. The chat must not be marked yet.
///
/// The private memories that the personas in this chat have of its people count as erased where they may have been
/// shown: a turn in progress is not stored, and its result is not sent to listeners (GR10). So do messages from these
/// people's other chats; one row of erasures covers all of them, and is omitted if the chat has no earlier message. The
/// receipts of the private conversation are deleted, because they show recalled memories. If the chat has several
/// channels, the rows of erasures name no channel.
pub(crate) fn mark(batch: &mut Batch, channel: i64, since: MessageId) {
    batch.push("UPDATE channels SET group_since = ").push_bind(since.0);
    batch.push(" WHERE id IN ").push(OF_CHAT).push_bind(channel).push(");");
    batch.push("DELETE FROM receipts WHERE channel_id IN ").push(OF_CHAT).push_bind(channel).push(");");
    batch.push("INSERT INTO erasures (item, item_id, channel_id) SELECT 'group', ").push_bind(since.0);
    batch.push(", iif(count(*) = 1, min(id), NULL) FROM channels WHERE id IN ").push(OF_CHAT);
    batch
        .push_bind(channel)
        .push(") HAVING EXISTS (SELECT 1 FROM messages WHERE channel_id IN ")
        .push(OF_CHAT);
    batch.push_bind(channel).push(") AND id < ").push_bind(since.0).push(");");
    batch.push(
        "INSERT INTO erasures (item, item_id, channel_id)
             SELECT 'memory', m.id, (SELECT iif(count(*) = 1, min(id), NULL) FROM channels
                 WHERE provider = one.provider AND chat_id = one.chat_id)
             FROM channels one CROSS JOIN memories m
             WHERE m.persona IN (SELECT author_id FROM speakers WHERE author = 'persona' AND channel_id IN ",
    );
    batch.push(OF_CHAT).push_bind(channel);
    batch.push(") UNION SELECT persona FROM turns WHERE ended_at IS NULL AND channel_id IN ");
    batch.push(OF_CHAT).push_bind(channel);
    batch.push(
        ")) AND m.scope = 'private' AND m.scope_of IN (
                 WITH people AS (SELECT one.provider || ':' || user_id AS account FROM sessions
                     WHERE provider = one.provider AND chat_id = one.chat_id)
                 SELECT account FROM people UNION SELECT o.account FROM people
                     JOIN links s ON s.account = people.account JOIN links o ON o.person = s.person)
             AND one.id = ",
    );
    batch.push_bind(channel).push(" ORDER BY m.id;");
}

/// Whether the chat of a channel is marked as a group.
pub(crate) async fn is_marked(conn: &mut SqliteConnection, channel: i64) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar("SELECT group_since IS NOT NULL FROM channels WHERE id = ?")
        .bind(channel)
        .fetch_one(conn)
        .await?)
}

/// See [`greenroom_store::HistoryStore::group_since`].
pub(crate) async fn since(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
) -> Result<Option<MessageId>, Fault> {
    let since: Option<i64> =
        sqlx::query_scalar("SELECT min(group_since) FROM channels WHERE provider = ? AND chat_id = ?")
            .bind(channel.provider())
            .bind(channel.chat_id())
            .fetch_one(conn)
            .await?;
    Ok(since.map(MessageId))
}
