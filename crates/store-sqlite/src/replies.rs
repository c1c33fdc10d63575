//! Replies: each is stored with the end of its turn, what it cost, its receipt and its vector.

use std::sync::{Arc, LazyLock};

use greenroom_core::{Author, Message, MessageId, TurnId};
use greenroom_store::{RECEIPTS_KEPT, TurnCommit};
use sqlx::{
    Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{
    error::Fault,
    receipts::{self, note},
    together::Together,
    turns::{tokens, unexpected},
    values::{column, parsed},
    vectors::{bytes, dimension, insert_vector},
    words,
};

/// A reply to be committed; the receipt is given apart.
pub(crate) struct Committing {
    pub(crate) turn: TurnId,
    pub(crate) commit: TurnCommit,
    pub(crate) receipt: Option<receipts::Stored>,
}

/// Writes a reply and ends its turn with it. One row: what is to be known of both, and the newest reply in
/// the channel whose receipt is one too many; nothing in it where the turn is not open.
static COMMIT: LazyLock<Together> = LazyLock::new(|| {
    Together::of(concat!(
        "INSERT OR IGNORE INTO messages
             (channel_id, id, turn_id, unhandled, event_id, author, author_id, author_name, text, at)
         VALUES ((SELECT channel_id FROM turns WHERE id = $1 AND ended_at IS NULL),
             (SELECT last + 1 FROM message_ids), $1, 0, 'turn:' || $1, 'persona',
             (SELECT persona FROM turns WHERE id = $1), (SELECT persona FROM turns WHERE id = $1), $2, $3);
         UPDATE message_ids SET fresh = changes();",
        insert_vector!("(SELECT CASE WHEN fresh THEN last END FROM message_ids)", "$9", "$10", "$11"),
        "UPDATE OR FAIL turns SET state = 'done', ended_at = $3, reply_id = (SELECT last FROM message_ids),
             prompt_tokens = $4, completion_tokens = $5, estimated = $6, cost_micros = $7, receipt = $8
         WHERE id = $1 AND (SELECT fresh FROM message_ids);
         SELECT t.reply_id, t.persona, c.id, c.key, (SELECT max(seq) FROM changes),
             (SELECT reply_id FROM turns WHERE channel_id = c.id AND receipt IS NOT NULL
              ORDER BY reply_id DESC LIMIT 1 OFFSET $14)
         FROM message_ids LEFT JOIN turns t ON t.id = $1 AND fresh LEFT JOIN channels c ON c.id = t.channel_id;",
        note!("$1", "$12", "$13")
    ))
});

/// See [`greenroom_store::Store::commit_turn`]. The replies as they were stored, and where the journal ended
/// with each.
pub(crate) async fn commit(
    conn: &mut SqliteConnection,
    committing: &[Committing],
) -> Result<Vec<(Arc<Message>, i64)>, Fault> {
    let mut done = Vec::with_capacity(committing.len());
    for (sql, these) in COMMIT.calls(committing) {
        let query = these.iter().fold(sqlx::query(sql), |query, one| one.bound(query));
        let rows = query.fetch_all(&mut *conn).await?;
        for (one, row) in these.iter().zip(&rows) {
            done.push(one.done(conn, row).await?);
        }
    }
    words::keep_up(conn, done.iter().map(|(reply, _)| reply.id)).await?;
    Ok(done)
}

impl Committing {
    fn bound<'a>(&'a self, query: Query<'a, Sqlite, SqliteArguments>) -> Query<'a, Sqlite, SqliteArguments> {
        let Self { turn, commit, receipt } = self;
        let shows = receipt.as_ref().filter(|receipt| receipt.shows());
        query
            .bind(turn.to_string())
            .bind(commit.text.as_str())
            .bind(commit.at.0)
            .bind(tokens(commit.usage.prompt_tokens))
            .bind(tokens(commit.usage.completion_tokens))
            .bind(commit.usage.estimated)
            .bind(tokens(commit.usage.cost_micros))
            .bind(receipt.as_ref().map(|receipt| receipt.json.as_str()))
            .bind(commit.vector.as_ref().map(|new| new.space.model.as_str()))
            .bind(commit.vector.as_ref().map(|new| dimension(&new.space)))
            .bind(commit.vector.as_ref().map(|new| bytes(&new.vector)))
            .bind(shows.map(|receipt| receipt.memories.as_str()))
            .bind(shows.map(|receipt| receipt.messages.as_str()))
            .bind(RECEIPTS_KEPT as i64)
    }

    async fn done(&self, conn: &mut SqliteConnection, row: &SqliteRow) -> Result<(Arc<Message>, i64), Fault> {
        // where it is not open, what was written beside it is undone with the transaction
        let Some(reply) = column(row, 0)? else { return Err(unexpected(conn, self.turn).await?) };
        let reply = Message {
            id: MessageId(reply),
            channel: parsed(column(row, 3)?)?,
            event_id: format!("turn:{}", self.turn),
            author: Author::Persona { name: parsed(column(row, 1)?)? },
            text: self.commit.text.clone(),
            at: self.commit.at,
            turn_id: Some(self.turn),
        };
        if reply.channel.is_delivered_to() {
            sqlx::query(
                "INSERT INTO outbox (channel_id, turn_id, reply_id, trigger_id)
                 SELECT channel_id, id, reply_id, trigger_id FROM turns WHERE id = ?",
            )
            .bind(self.turn.to_string())
            .execute(&mut *conn)
            .await?;
        }
        if let Some(outdated) = column(row, 5)? {
            receipts::outdated(conn, column(row, 2)?, outdated).await?;
        }
        Ok((Arc::new(reply), column(row, 4)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_reply_is_written_without_copies_of_pages() {
        crate::explained::assert_cheap(&COMMIT).await;
    }
}
