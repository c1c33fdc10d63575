//! Plans: who hears a message and who answers it, settled with the message or for one that is stored.

use greenroom_core::{ChannelKey, MessageId};
use greenroom_store::{NewTurn, Plan, StoreError};
use sqlx::{
    Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{
    error::Fault,
    presence, summaries,
    values::{column, parsed},
    vectors,
};

/// What planning changed.
pub(crate) struct Planned {
    /// Where the journal ended when the message's vector was stored, or before the turns without one.
    pub(crate) embedded: i64,
    /// Where it ended after everything.
    pub(crate) end: i64,
    /// Whether a persona may have come or gone.
    pub(crate) moved: bool,
}

/// See [`greenroom_store::InboxStore::plan_turns`]. With the channel of the message.
pub(crate) async fn plan(
    conn: &mut SqliteConnection,
    trigger: MessageId,
    plan: &Plan,
) -> Result<(Planned, ChannelKey), Fault> {
    let row = sqlx::query(
        "SELECT c.id, c.key, (SELECT max(seq) FROM changes)
         FROM messages m JOIN channels c ON c.id = m.channel_id WHERE m.id = ?",
    )
    .bind(trigger.0)
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else {
        return Err(Fault::invalid(format!("there is no message {}", trigger.0)));
    };
    let at = Trigger { id: trigger, channel: column(&row, 0)?, key: &parsed(column(&row, 1)?)? };
    let end = column(&row, 2)?;
    sqlx::query("UPDATE messages SET unhandled = 0 WHERE channel_id = ? AND id = ?")
        .bind(at.channel)
        .bind(at.id.0)
        .execute(&mut *conn)
        .await?;
    Ok((settle(conn, &at, plan, end).await?, at.key.clone()))
}

/// The message that is planned for.
pub(crate) struct Trigger<'a> {
    pub(crate) id: MessageId,
    /// Its channel: the row and the key.
    pub(crate) channel: i64,
    pub(crate) key: &'a ChannelKey,
}

/// Does what a plan says of a stored message; the journal ends at `end`.
pub(crate) async fn settle(
    conn: &mut SqliteConnection,
    trigger: &Trigger<'_>,
    plan: &Plan,
    end: i64,
) -> Result<Planned, Fault> {
    let embedded = match &plan.vector {
        Some(vector) => vectors::put_with(conn, trigger.id, vector).await?,
        None => end,
    };
    let mut done = Planned { embedded, end: embedded, moved: false };
    settle_rest(conn, trigger, plan, &plan.turns, &mut done).await?;
    Ok(done)
}

/// The same without the vector and without the turns that are planned already: these are `left`.
pub(crate) async fn settle_rest(
    conn: &mut SqliteConnection,
    trigger: &Trigger<'_>,
    plan: &Plan,
    left: &[NewTurn],
    done: &mut Planned,
) -> Result<(), Fault> {
    let Plan { turns, vector: _, come, gone, aside } = plan;
    for turn in left {
        add(conn, trigger, turn, done).await?;
    }
    if *aside {
        summaries::set_aside(conn, trigger.id).await?;
    }
    for persona in gone {
        let is_meant = turns.iter().any(|turn| turn.persona == *persona);
        let until = MessageId(trigger.id.0 + i64::from(is_meant));
        presence::leave(conn, persona, trigger.key, until).await?;
    }
    if !come.is_empty() {
        presence::arrive_all(conn, come, trigger.key, trigger.id).await?;
    }
    done.moved |= !come.is_empty() || !gone.is_empty();
    Ok(())
}

/// Plans a turn, whose persona is present from the message on. One row: where the journal ends, and whether the
/// persona's presence may have begun with it. (OR FAIL: a failure undoes the whole transaction, so SQLite need
/// not keep copies of pages to undo the statement alone.)
macro_rules! add_turn {
    ($channel:literal, $trigger:literal, $persona:literal, $rest:literal) => {
        concat!(
            "INSERT OR FAIL INTO turns (channel_id, trigger_id, persona, id, state, planned_at, begun_at) VALUES (",
            $channel,
            ", ",
            $trigger,
            ", ",
            $persona,
            ", ",
            $rest,
            ");",
            $crate::presence::arrive!($persona, $channel, $trigger),
            "; SELECT max(seq), EXISTS (SELECT 1 FROM presence WHERE persona = ",
            $persona,
            " AND channel_id = ",
            $channel,
            " AND until_id IS NULL AND from_id >= ",
            $trigger,
            ") FROM changes"
        )
    };
}
pub(crate) use add_turn;

const ADD: &str = add_turn!("$1", "$2", "$3", "$4, $5, $6, $7");

/// Binds what `add_turn!()` needs beside the channel and the message.
pub(crate) fn adding<'a>(
    query: Query<'a, Sqlite, SqliteArguments>,
    turn: &'a NewTurn,
) -> Query<'a, Sqlite, SqliteArguments> {
    query
        .bind(turn.persona.as_str())
        .bind(turn.id.to_string())
        .bind(if turn.begins { "running" } else { "waiting" })
        .bind(turn.at.0)
        .bind(turn.begins.then_some(turn.at.0))
}

impl Planned {
    /// Takes in the row of `add_turn!()`.
    pub(crate) fn added(&mut self, row: &SqliteRow) -> Result<(), Fault> {
        self.end = column(row, 0)?;
        self.moved |= column::<bool>(row, 1)?;
        Ok(())
    }
}

async fn add(
    conn: &mut SqliteConnection,
    trigger: &Trigger<'_>,
    turn: &NewTurn,
    done: &mut Planned,
) -> Result<(), Fault> {
    let query = sqlx::query(ADD).bind(trigger.channel).bind(trigger.id.0);
    let added = adding(query, turn).fetch_one(&mut *conn).await;
    let added = match added {
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
            let persona = turn.persona.clone();
            return Err(StoreError::AlreadyAnswered { persona, message: trigger.id }.into());
        }
        other => other?,
    };
    done.added(&added)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn s4_a_turn_is_planned_without_copies_of_pages() {
        crate::explained::assert_cheap(ADD).await;
    }
}
