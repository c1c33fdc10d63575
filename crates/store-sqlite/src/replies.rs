//! Replies: each is stored with the end of its turn, what it cost, its receipt and its vector.

use std::sync::Arc;

use greenroom_core::{Author, Message, MessageId, TurnId};
use greenroom_store::TurnCommit;
use sqlx::SqliteConnection;

use crate::{
    erasures,
    error::Fault,
    receipts::{self, keep},
    turns::{tokens, unexpected},
    values::{column, parsed},
    vectors::{self, put_vector},
};

/// A reply to be committed; its receipt stands apart, as it is stored.
pub(crate) struct Committing {
    pub(crate) turn: TurnId,
    pub(crate) commit: TurnCommit,
    pub(crate) receipt: Option<receipts::Stored>,
}

/// The turn that is to end with a reply, the id the reply gets, and the newest erasure. No row where the turn is not
/// open: whether it may end is read from its own row. The writer holds the lock, so it is still true when the reply
/// is written.
const OPEN: &str = concat!(
    "SELECT t.channel_id, c.key, t.persona, (SELECT last + 1 FROM message_ids), ",
    erasures::newest_erasure!(),
    " FROM turns t JOIN channels c ON c.id = t.channel_id WHERE t.id = ? AND t.ended_at IS NULL"
);

/// Writes the reply to a turn that is open, and ends the turn with it. One row: where the journal ends.
macro_rules! commit {
    () => {
        "INSERT OR FAIL INTO messages
             (channel_id, id, turn_id, unhandled, event_id, author, author_id, author_name, text, at)
         VALUES ($1, $2, $3, 0, 'turn:' || $3, 'persona', $4, $4, $5, $6);
         UPDATE OR FAIL turns SET state = 'done', ended_at = $6, reply_id = $2, prompt_tokens = $7,
             completion_tokens = $8, estimated = $9, cost_micros = $10 WHERE id = $3;
         SELECT max(seq) FROM changes"
    };
}

const COMMIT: &str = commit!();
/// The same with a receipt, and with the vector of the reply as well, as it is most often: each call of SQLite's thread
/// costs more than a statement.
const COMMIT_WITH_RECEIPT: &str = concat!(commit!(), ";", keep!("$11", "$12", "$3", "$13", "$14"));
const COMMIT_WHOLE: &str = concat!(
    commit!(),
    ";",
    keep!("$11", "$12", "$3", "$13", "$14"),
    ";",
    put_vector!("$2", "$15", "$16", "$17")
);

/// See [`greenroom_store::TurnStore::commit_turn`]. The reply as it was stored, and where the journal ended with it
/// and its vector.
pub(crate) async fn commit(
    conn: &mut SqliteConnection,
    Committing { turn, commit, receipt }: &Committing,
) -> Result<(Arc<Message>, i64), Fault> {
    let id = turn.to_string();
    let Some(open) = sqlx::query(OPEN).bind(id.as_str()).fetch_optional(&mut *conn).await? else {
        return Err(unexpected(conn, *turn).await?);
    };
    // a reply that is made of what is gone is not stored (GR10)
    if column::<i64>(&open, 4)? > commit.sources.erased {
        erasures::check(conn, &commit.sources).await?;
    }
    let channel: i64 = column(&open, 0)?;
    let reply = Message {
        id: MessageId(column(&open, 3)?),
        channel: parsed(column(&open, 1)?)?,
        event_id: format!("turn:{turn}"),
        reply_to: None,
        author: Author::Persona { name: parsed(column(&open, 2)?)? },
        text: commit.text.clone(),
        at: commit.at,
        turn_id: Some(*turn),
    };
    let sql = match (receipt, &commit.vector) {
        (Some(_), Some(_)) => COMMIT_WHOLE,
        (Some(_), None) => COMMIT_WITH_RECEIPT,
        (None, _) => COMMIT,
    };
    let mut query = sqlx::query(sql)
        .bind(channel)
        .bind(reply.id.0)
        .bind(id.as_str())
        .bind(reply.author.name())
        .bind(commit.text.as_str())
        .bind(commit.at.0)
        .bind(tokens(commit.usage.prompt_tokens))
        .bind(tokens(commit.usage.completion_tokens))
        .bind(commit.usage.estimated)
        .bind(tokens(commit.usage.cost_micros));
    if let Some(receipt) = receipt {
        query = receipts::keeping(query, receipt);
        if let Some(vector) = &commit.vector {
            query = vectors::putting(query, vector);
        }
    }
    let rows = query.fetch_all(&mut *conn).await?;
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let end = match (&commit.vector, rows.get(2)) {
        (Some(_), Some(with_vector)) => column(with_vector, 0)?,
        (Some(vector), None) => vectors::put_with(conn, reply.id, vector).await?,
        (None, _) => column(row, 0)?,
    };
    if reply.channel.is_delivered_to() {
        sqlx::query(
            "INSERT INTO outbox (channel_id, turn_id, reply_id, trigger_id)
             SELECT channel_id, id, reply_id, trigger_id FROM turns WHERE id = ?",
        )
        .bind(id.as_str())
        .execute(&mut *conn)
        .await?;
    }
    if let Some(kept) = rows.get(1)
        && let Some(outdated) = column(kept, 0)?
    {
        receipts::outdate(conn, channel, MessageId(outdated)).await?;
    }
    Ok((Arc::new(reply), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_reply_is_written_without_copies_of_pages() {
        crate::explained::assert_cheap(COMMIT_WITH_RECEIPT).await;
    }
}
