//! Replies: each is stored with the end of its turn, what it cost, its receipt and its vector.

use greenroom_core::{Author, Message, MessageId, TurnId};
use greenroom_store::{ItemId, TurnCommit};
use sqlx::SqliteConnection;

use crate::{
    erasures,
    error::Fault,
    messages, receipts,
    turns::{tokens, unexpected},
    values::{column, parsed},
    vectors,
};

/// A reply to be committed; its receipt stands apart, as it is stored.
pub(crate) struct Committing {
    pub(crate) turn: TurnId,
    pub(crate) commit: TurnCommit,
    pub(crate) receipt: Option<receipts::Stored>,
}

/// The turn that is to end with a reply, the number of the reply, and the newest erasure. No row where the turn is not
/// open: whether it may end is read from its own row. The writer holds the lock, so it is still true when the reply
/// is written.
const OPEN: &str = concat!(
    "SELECT t.channel_id, c.key, t.persona, t.trigger_id, (SELECT last + 1 FROM message_ids), ",
    erasures::newest_erasure!(),
    " FROM turns t JOIN channels c ON c.id = t.channel_id WHERE t.id = ? AND t.ended_at IS NULL"
);

/// OR FAIL: see `explained.rs`.
const END: &str = "UPDATE OR FAIL turns SET state = 'done', ended_at = ?, reply_id = ?, prompt_tokens = ?,
    completion_tokens = ?, estimated = ?, cost_micros = ? WHERE id = ?";

/// See [`greenroom_store::TurnStore::commit_turn`].
pub(crate) async fn commit(
    conn: &mut SqliteConnection,
    Committing { turn, commit, receipt }: &Committing,
) -> Result<MessageId, Fault> {
    let id = turn.to_string();
    let Some(open) = sqlx::query(OPEN).bind(id.as_str()).fetch_optional(&mut *conn).await? else {
        return Err(unexpected(conn, *turn).await?);
    };
    // a reply that is made of what is gone is not stored (GR10)
    if column::<i64>(&open, 5)? > commit.sources.erased {
        erasures::check(conn, &commit.sources).await?;
    }
    let channel: i64 = column(&open, 0)?;
    let reply = Message {
        id: MessageId(column(&open, 4)?),
        channel: parsed(column(&open, 1)?)?,
        event_id: format!("turn:{turn}"),
        reply_to: None,
        author: Author::Persona { name: parsed(column(&open, 2)?)? },
        text: commit.text.clone(),
        at: commit.at,
        turn_id: Some(*turn),
    };
    messages::insert(conn, channel, &reply, false, false).await?;
    sqlx::query(END)
        .bind(commit.at.0)
        .bind(reply.id.0)
        .bind(tokens(commit.usage.prompt_tokens))
        .bind(tokens(commit.usage.completion_tokens))
        .bind(commit.usage.estimated)
        .bind(tokens(commit.usage.cost_micros))
        .bind(id.as_str())
        .execute(&mut *conn)
        .await?;
    if let Some(new) = &commit.vector {
        vectors::put_with(conn, ItemId::Message(reply.id), new).await?;
    }
    if let Some(receipt) = receipt {
        receipts::keep(conn, channel, reply.id, receipt).await?;
    }
    if reply.channel.is_delivered_to() {
        sqlx::query("INSERT INTO outbox (channel_id, turn_id, reply_id, trigger_id) VALUES (?, ?, ?, ?)")
            .bind(channel)
            .bind(id.as_str())
            .bind(reply.id.0)
            .bind(column::<i64>(&open, 3)?)
            .execute(conn)
            .await?;
    }
    Ok(reply.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_turn_is_ended_without_copies_of_pages() {
        crate::explained::assert_cheap(END).await;
    }
}
