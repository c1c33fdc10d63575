//! Commits a reply together with the end of its turn, its cost, its receipt and its vector.

use greenroom_core::{Message, MessageId, Timestamp, TurnId, Usage};
use greenroom_store::{ItemId, TurnCommit};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    batch::{self, Batch},
    erasures,
    error::Fault,
    messages, plans, receipts,
    turns::{tokens, unexpected},
    values::{column, parsed},
    vectors,
};

/// A reply to commit; its receipt is already in its stored form.
pub(crate) struct Committing {
    pub(crate) turn: TurnId,
    pub(crate) commit: TurnCommit,
    pub(crate) receipt: Option<receipts::Stored>,
}

/// The turn to end with a reply, the id of the reply, the newest erasure, and the space of its vector. Returns no row
/// if the turn has ended. The writer has the lock, so the result is still true when the reply is written.
const OPEN: &str = concat!(
    "SELECT t.channel_id, c.key, t.persona, t.trigger_id, (SELECT last + 1 FROM message_ids), ",
    erasures::newest_erasure!(),
    ", (SELECT id FROM spaces WHERE model = ?2 AND dimension = ?3)
      FROM turns t JOIN channels c ON c.id = t.channel_id WHERE t.id = ?1 AND t.ended_at IS NULL"
);

async fn open_turn(
    conn: &mut SqliteConnection,
    turn: &str,
    commit: &TurnCommit,
) -> Result<Option<SqliteRow>, Fault> {
    let (model, dimension) = plans::space(commit.vector.as_ref());
    Ok(sqlx::query(OPEN).bind(turn).bind(model).bind(dimension).fetch_optional(conn).await?)
}

/// Ends the turn with the reply. OR FAIL: see `explained.rs`.
fn end(batch: &mut Batch, turn: &str, reply: MessageId, at: Timestamp, usage: Usage) {
    batch.push("UPDATE OR FAIL turns SET state = 'done', ended_at = ").push_bind(at.0);
    batch.push(", reply_id = ").push_bind(reply.0);
    batch.push(", prompt_tokens = ").push_bind(tokens(usage.prompt_tokens));
    batch.push(", completion_tokens = ").push_bind(tokens(usage.completion_tokens));
    batch.push(", estimated = ").push_bind(usage.estimated);
    batch.push(", cost_micros = ").push_bind(tokens(usage.cost_micros));
    batch.push(" WHERE id = ").push_bind(turn).push(";");
}

/// See [`greenroom_store::TurnStore::commit_turn`].
pub(crate) async fn commit(
    conn: &mut SqliteConnection,
    Committing { turn, commit, receipt }: &Committing,
) -> Result<MessageId, Fault> {
    let id = turn.to_string();
    let Some(open) = open_turn(conn, &id, commit).await? else {
        return Err(unexpected(conn, *turn).await?);
    };
    // a reply that was made from an erased item is not stored (GR10)
    if column::<i64>(&open, 5)? > commit.sources.erased {
        erasures::check(conn, &commit.sources).await?;
    }
    let channel: i64 = column(&open, 0)?;
    let (number, key) = (MessageId(column(&open, 4)?), parsed(column(&open, 1)?)?);
    let reply =
        Message::reply(number, key, parsed(column(&open, 2)?)?, commit.text.clone(), commit.at, *turn);
    let space = vectors::space_of(conn, column(&open, 6)?, commit.vector.as_ref()).await?;
    let mut batch = Batch::default();
    messages::insert(&mut batch, channel, &reply, commit.unhandled, false);
    end(&mut batch, &id, reply.id, commit.at, commit.usage);
    if let (Some(new), Some(space)) = (&commit.vector, space) {
        vectors::add(&mut batch, space, ItemId::Message(reply.id), new);
    }
    if let Some(receipt) = receipt {
        receipts::keep(&mut batch, channel, reply.id, receipt);
    }
    if reply.channel.is_delivered_to() {
        batch.push("INSERT INTO outbox (channel_id, turn_id, reply_id, trigger_id) VALUES (");
        batch
            .separated(", ")
            .push_bind(channel)
            .push_bind(id.as_str())
            .push_bind(reply.id.0)
            .push_bind(column::<i64>(&open, 3)?)
            .push_unseparated(");");
    }
    batch::run(conn, batch).await?;
    Ok(reply.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_turn_is_ended_without_copies_of_pages() {
        let mut batch = Batch::default();
        end(&mut batch, "", MessageId(1), Timestamp(0), Usage::default());
        crate::explained::assert_cheap(batch.sql().as_str()).await;
    }
}
