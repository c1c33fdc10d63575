//! Plans: who hears a message and who answers it, settled with the message or for one that is stored.

use greenroom_core::MessageId;
use greenroom_store::{ItemId, NewTurn, Plan, StoreError};
use sqlx::SqliteConnection;

use crate::{error::Fault, presence, summaries, vectors};

/// See [`greenroom_store::InboxStore::plan_turns`].
pub(crate) async fn plan(conn: &mut SqliteConnection, trigger: MessageId, plan: &Plan) -> Result<(), Fault> {
    let channel: Option<i64> = sqlx::query_scalar("SELECT channel_id FROM messages WHERE id = ?")
        .bind(trigger.0)
        .fetch_optional(&mut *conn)
        .await?;
    let Some(channel) = channel else {
        return Err(Fault::invalid(format!("there is no message {}", trigger.0)));
    };
    let at = Trigger { id: trigger, channel };
    sqlx::query("UPDATE messages SET unhandled = 0 WHERE channel_id = ? AND id = ?")
        .bind(at.channel)
        .bind(at.id.0)
        .execute(&mut *conn)
        .await?;
    if plan.aside {
        summaries::set_aside(conn, trigger).await?;
    }
    settle(conn, &at, plan).await
}

/// The message that is planned for.
#[derive(Clone, Copy)]
pub(crate) struct Trigger {
    pub(crate) id: MessageId,
    /// The row of its channel.
    pub(crate) channel: i64,
}

/// Does what a plan says of a stored message, but for marks of the message itself.
pub(crate) async fn settle(conn: &mut SqliteConnection, trigger: &Trigger, plan: &Plan) -> Result<(), Fault> {
    let Plan { turns, vector, come, gone, aside: _ } = plan;
    if let Some(new) = vector {
        vectors::put_with(conn, ItemId::Message(trigger.id), new).await?;
    }
    for turn in turns {
        add(conn, trigger, turn).await?;
    }
    for persona in gone {
        // a persona that is to answer the message all the same hears it, and nothing after it
        let answers = turns.iter().any(|turn| turn.persona == *persona);
        let until = MessageId(trigger.id.0 + i64::from(answers));
        presence::end(conn, persona, trigger.channel, until).await?;
    }
    for persona in come {
        presence::begin(conn, persona, trigger.channel, trigger.id).await?;
    }
    Ok(())
}

/// OR FAIL: see `explained.rs`.
const ADD: &str =
    "INSERT OR FAIL INTO turns (id, persona, channel_id, trigger_id, state, planned_at, begun_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)";

/// Plans a turn, whose persona is present from the message on.
async fn add(conn: &mut SqliteConnection, trigger: &Trigger, turn: &NewTurn) -> Result<(), Fault> {
    let added = sqlx::query(ADD)
        .bind(turn.id.to_string())
        .bind(turn.persona.as_str())
        .bind(trigger.channel)
        .bind(trigger.id.0)
        .bind(if turn.begins { "running" } else { "waiting" })
        .bind(turn.at.0)
        .bind(turn.begins.then_some(turn.at.0))
        .execute(&mut *conn)
        .await;
    if let Err(sqlx::Error::Database(error)) = &added
        && error.is_unique_violation()
    {
        let persona = turn.persona.clone();
        return Err(StoreError::AlreadyAnswered { persona, message: trigger.id }.into());
    }
    added?;
    presence::begin(conn, &turn.persona, trigger.channel, trigger.id).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_turn_is_planned_without_copies_of_pages() {
        crate::explained::assert_cheap(ADD).await;
    }
}
