//! Plans: who hears a message and who answers it, settled with the message or for one that is stored.

use greenroom_core::{ChannelKey, Message, MessageId};
use greenroom_store::{Embedded, NewTurn, Plan};
use sqlx::{
    Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{
    error::Fault,
    presence::{self, arrive},
    summaries,
    values::{column, parsed},
    vectors::{bytes, dimension, insert_vector},
};

/// See [`greenroom_store::Store::plan_turns`]. With the channel of the message.
pub(crate) async fn plan(
    conn: &mut SqliteConnection,
    trigger: MessageId,
    plan: &Plan,
) -> Result<(Planned, ChannelKey), Fault> {
    let vector = plan.vector.as_ref();
    let settled = sqlx::query(concat!(
        "UPDATE messages SET unhandled = 0 WHERE id = $1;",
        insert_vector!("$1", "$2", "$3", "$4"),
        "SELECT c.key, (SELECT max(seq) FROM changes) FROM messages m JOIN channels c ON c.id = m.channel_id
         WHERE m.id = $1"
    ))
    .bind(trigger.0)
    .bind(vector.map(|new| new.space.model.as_str()))
    .bind(vector.map(|new| dimension(&new.space)))
    .bind(vector.map(|new| bytes(&new.vector)))
    .fetch_optional(&mut *conn)
    .await?;
    let Some(settled) = settled else {
        return Err(Fault::state(format!("there is no message {}", trigger.0)));
    };
    let embedded: i64 = column(&settled, 1)?;
    let mut done = Planned { begun: 0, embedded, end: embedded, moved: false };
    let channel: ChannelKey = parsed(column(&settled, 0)?)?;
    plan_each(conn, trigger, &channel, &plan.turns, &mut done).await?;
    done.moved |= settle_beside(conn, trigger, &channel, plan).await?;
    Ok((done, channel))
}

/// What a plan says beside the turns and the vector. Whether somebody came or went.
pub(crate) async fn settle_beside(
    conn: &mut SqliteConnection,
    message: MessageId,
    channel: &ChannelKey,
    plan: &Plan,
) -> Result<bool, Fault> {
    let Plan { turns, vector: _, come, gone, aside } = plan;
    if *aside {
        summaries::set_aside(conn, message).await?;
    }
    for persona in gone {
        let is_meant = turns.iter().any(|turn| turn.persona == *persona);
        let until = MessageId(message.0 + i64::from(is_meant));
        presence::leave(conn, persona, channel, until).await?;
    }
    if !come.is_empty() {
        presence::arrive_all(conn, come, channel, message).await?;
    }
    Ok(!come.is_empty() || !gone.is_empty())
}

async fn plan_each(
    conn: &mut SqliteConnection,
    trigger: MessageId,
    channel: &ChannelKey,
    turns: &[NewTurn],
    done: &mut Planned,
) -> Result<(), Fault> {
    for turn in turns {
        let planned = sqlx::query(concat!(
            "INSERT OR FAIL INTO turns (id, persona, channel_id, trigger_id, state, planned_at, begun_at)
             VALUES ($4, $1, (SELECT id FROM channels WHERE key = $2), $3, $6, $5, $7);",
            arrive!("$1", "(SELECT id FROM channels WHERE key = $2)", "$3"),
            "; SELECT changes(), (SELECT max(seq) FROM changes)"
        ))
        .bind(turn.persona.as_str())
        .bind(channel.as_str())
        .bind(trigger.0)
        .bind(turn.id.to_string())
        .bind(turn.at.0)
        .bind(state(turn))
        .bind(turn.begins.then_some(turn.at.0))
        .fetch_one(&mut *conn)
        .await;
        let planned = match planned {
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                return Err(Fault::state(format!(
                    "{} answers message {} already, or has answered it",
                    turn.persona, trigger.0
                )));
            }
            other => other?,
        };
        done.moved |= column::<bool>(&planned, 0)?;
        done.end = column(&planned, 1)?;
    }
    Ok(())
}

fn state(turn: &NewTurn) -> &'static str {
    if turn.begins { "running" } else { "waiting" }
}

/// Plans the turn that answers a message which was new, and stores the message's vector: what follows
/// `accept!()` and `touch!()` in [`crate::inbox`]. One row: where the journal ended, and whether the persona
/// was not present until now.
macro_rules! answer {
    () => {
        concat!(
            "INSERT OR IGNORE INTO turns (id, persona, channel_id, trigger_id, state, planned_at, begun_at)
             VALUES ($13, $14, (SELECT id FROM channels WHERE key = $1),
                 (SELECT CASE WHEN fresh THEN last END FROM message_ids), $15, $16, $17);",
            $crate::vectors::insert_vector!(
                "(SELECT CASE WHEN fresh THEN last END FROM message_ids)",
                "$18",
                "$19",
                "$20"
            ),
            $crate::presence::arrive!(
                "$14",
                "(SELECT id FROM channels WHERE key = $1)",
                "(SELECT CASE WHEN fresh THEN last END FROM message_ids)"
            ),
            "; SELECT max(seq), changes() FROM changes"
        )
    };
}
pub(crate) use answer;

/// Binds what `answer!()` needs.
pub(crate) fn answering<'a>(
    query: Query<'a, Sqlite, SqliteArguments>,
    turn: &'a NewTurn,
    vector: Option<&'a Embedded>,
) -> Query<'a, Sqlite, SqliteArguments> {
    query
        .bind(turn.id.to_string())
        .bind(turn.persona.as_str())
        .bind(state(turn))
        .bind(turn.at.0)
        .bind(turn.begins.then_some(turn.at.0))
        .bind(vector.map(|new| new.space.model.as_str()))
        .bind(vector.map(|new| dimension(&new.space)))
        .bind(vector.map(|new| bytes(&new.vector)))
}

/// Reads the row of `answer!()`, and plans the turns behind the first.
pub(crate) async fn answered(
    conn: &mut SqliteConnection,
    trigger: &Message,
    turns: &[NewTurn],
    embedded: bool,
    row: &SqliteRow,
) -> Result<Planned, Fault> {
    let end = column(row, 0)?;
    // the vector is the last that the journal tells of
    let begun = if embedded { end - 1 } else { end };
    let mut done = Planned { begun, embedded: end, end, moved: column(row, 1)? };
    plan_each(conn, trigger.id, &trigger.channel, turns.get(1..).unwrap_or_default(), &mut done).await?;
    Ok(done)
}

/// What planning changed.
pub(crate) struct Planned {
    /// Where the journal ended with the turns that were planned before the vector was stored, if any.
    pub(crate) begun: i64,
    /// Where it ended when the vector was stored.
    pub(crate) embedded: i64,
    /// Where it ended after everything.
    pub(crate) end: i64,
    /// Whether somebody came or went.
    pub(crate) moved: bool,
}
