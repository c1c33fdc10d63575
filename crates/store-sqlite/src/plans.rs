//! Applies plans: who hears a message and who answers it, together with the message or later.

use std::collections::HashSet;

use greenroom_core::{MessageId, PersonaName};
use greenroom_store::{Embedded, ItemId, NewTurn, Plan, StoreError};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    batch::{self, Batch},
    error::Fault,
    groups, presence, rooms, summaries,
    values::{column, parsed},
    vectors,
};

/// See [`greenroom_store::InboxStore::plan_turns`].
pub(crate) async fn plan(conn: &mut SqliteConnection, trigger: MessageId, plan: &Plan) -> Result<(), Fault> {
    let (model, dimension) = space(plan.vector.as_ref());
    let message = sqlx::query(
        "SELECT channel_id, (SELECT id FROM spaces WHERE model = ?2 AND dimension = ?3) FROM messages WHERE id = ?1",
    )
    .bind(trigger.0)
    .bind(model)
    .bind(dimension)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(message) = message else {
        return Err(Fault::invalid(format!("there is no message {}", trigger.0)));
    };
    let answering = sqlx::query(
        "SELECT persona FROM turns WHERE trigger_id = ? AND state NOT IN ('failed', 'cancelled')",
    )
    .bind(trigger.0)
    .fetch_all(&mut *conn)
    .await?;
    let answering =
        answering.iter().map(|row: &SqliteRow| parsed(column(row, 0)?)).collect::<Result<_, _>>()?;
    if plan.without_memory {
        summaries::set_aside(conn, trigger).await?;
    }
    let channel: i64 = column(&message, 0)?;
    let space = vectors::space_of(conn, column(&message, 1)?, plan.vector.as_ref()).await?;
    let trigger = Trigger { id: trigger, channel, space, answering };
    let mut batch = Batch::new("UPDATE messages SET unhandled = 0 WHERE channel_id = ");
    batch.push_bind(channel).push(" AND id = ").push_bind(trigger.id.0).push(";");
    if plan.group && !groups::is_marked(conn, channel).await? {
        groups::mark(&mut batch, channel, trigger.id);
    }
    settle(&mut batch, trigger, plan)?;
    batch::run(conn, batch).await
}

/// The model and the dimension of a vector, to look up their row.
pub(crate) fn space(vector: Option<&Embedded>) -> (Option<&str>, Option<i64>) {
    let space = vector.map(|new| &new.space);
    (space.map(|space| space.model.as_str()), space.map(vectors::dimension))
}

/// The planned message.
pub(crate) struct Trigger {
    pub(crate) id: MessageId,
    /// The row of its channel.
    pub(crate) channel: i64,
    /// The row of the space of its vector; set if there is a vector.
    pub(crate) space: Option<i64>,
    /// The personas that already answer it.
    pub(crate) answering: HashSet<PersonaName>,
}

/// Applies a plan to a stored message, except the columns of the message itself.
pub(crate) fn settle(batch: &mut Batch, mut trigger: Trigger, plan: &Plan) -> Result<(), Fault> {
    let Plan { turns, vector, joins, leaves, without_memory: _, group: _, undecided: _, room, decision } =
        plan;
    if let (Some(new), Some(space)) = (vector, trigger.space) {
        vectors::add(batch, space, ItemId::Message(trigger.id), new);
    }
    // before the turns, which make their personas members without recording how they joined
    for (persona, via) in joins {
        presence::begin(batch, persona, trigger.channel, trigger.id, Some(*via))?;
    }
    for turn in turns {
        if !trigger.answering.insert(turn.persona.clone()) {
            let persona = turn.persona.clone();
            return Err(StoreError::AlreadyAnswered { persona, message: trigger.id }.into());
        }
        add(batch, &trigger, turn)?;
    }
    for (persona, why) in leaves {
        // a persona that answers the message nevertheless hears it, but no later message
        let answers = turns.iter().any(|turn| turn.persona == *persona);
        let until = MessageId(trigger.id.0 + i64::from(answers));
        presence::end(batch, persona, trigger.channel, until, Some(*why))?;
    }
    if let Some(state) = room {
        rooms::put(batch, trigger.channel, state);
    }
    if let Some(decision) = decision {
        rooms::note(batch, trigger.id, trigger.id, decision);
    }
    Ok(())
}

/// Inserts a planned turn and makes its persona present from the message on. OR FAIL: see `explained.rs`.
fn add(batch: &mut Batch, trigger: &Trigger, turn: &NewTurn) -> Result<(), Fault> {
    batch.push(
        "INSERT OR FAIL INTO turns (id, persona, channel_id, trigger_id, state, planned_at, begun_at) VALUES (",
    );
    batch
        .separated(", ")
        .push_bind(turn.id.to_string())
        .push_bind(turn.persona.as_str())
        .push_bind(trigger.channel)
        .push_bind(trigger.id.0)
        .push_bind(if turn.begins { "running" } else { "waiting" })
        .push_bind(turn.at.0)
        .push_bind(turn.begins.then_some(turn.at.0))
        .push_unseparated(");");
    presence::begin(batch, &turn.persona, trigger.channel, trigger.id, None)
}

#[cfg(test)]
mod tests {
    use greenroom_core::{Timestamp, TurnId};

    use super::*;

    #[tokio::test]
    async fn s4_a_turn_is_planned_without_copies_of_pages() {
        let persona: PersonaName = "ada".parse().unwrap();
        let turn = NewTurn {
            id: TurnId(greenroom_core::Entropy::uuid(&greenroom_core::SystemEntropy)),
            persona,
            at: Timestamp(0),
            begins: true,
        };
        let trigger = Trigger { id: MessageId(1), channel: 1, space: None, answering: HashSet::new() };
        let mut batch = Batch::default();
        add(&mut batch, &trigger, &turn).unwrap();
        let turns = batch.sql().as_str().split(';').next().unwrap().to_owned();
        crate::explained::assert_cheap(&turns).await;
    }
}
