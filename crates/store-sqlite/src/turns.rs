//! Turns: planned, begun, ended once; the replies they owe, and what a crash left of them.
//! How one ends with a reply stands in `replies.rs`.

use greenroom_core::{ChannelKey, ErrorCode, Message, MessageId, PersonaName, Timestamp, TurnId, Usage};
use greenroom_store::{Embedded, NewTurn, OutboxEntry, Turn, TurnEnd, TurnState};
use sqlx::{
    Sqlite, SqliteConnection,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{
    error::Fault,
    messages::{MESSAGE_COLUMNS, message, message_columns},
    presence::arrive,
    values::{column, from_word, list, parsed, word},
    vectors::{bytes, dimension, insert_vector},
};

/// See [`greenroom_store::Store::plan_turns`]. With the channel of the message.
pub(crate) async fn plan(
    conn: &mut SqliteConnection,
    trigger: MessageId,
    turns: &[NewTurn],
    vector: Option<&Embedded>,
) -> Result<(Planned, ChannelKey), Fault> {
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
    let mut done = Planned { begun: 0, embedded, end: embedded, arrived: false };
    let channel: ChannelKey = parsed(column(&settled, 0)?)?;
    plan_each(conn, trigger, &channel, turns, &mut done).await?;
    Ok((done, channel))
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
        done.arrived |= column::<bool>(&planned, 0)?;
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
    let mut done = Planned { begun, embedded: end, end, arrived: column(row, 1)? };
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
    /// Whether a persona was not present until now.
    pub(crate) arrived: bool,
}

/// See [`greenroom_store::Store::begin_turn`].
pub(crate) async fn begin(conn: &mut SqliteConnection, turn: TurnId, at: Timestamp) -> Result<(), Fault> {
    let begun =
        sqlx::query("UPDATE turns SET state = 'running', begun_at = ? WHERE id = ? AND state = 'waiting'")
            .bind(at.0)
            .bind(turn.to_string())
            .execute(&mut *conn)
            .await?;
    if begun.rows_affected() == 1 { Ok(()) } else { Err(unexpected(conn, turn).await?) }
}

/// See [`greenroom_store::Store::end_turn`].
pub(crate) async fn end(conn: &mut SqliteConnection, turn: TurnId, end: &TurnEnd) -> Result<(), Fault> {
    if matches!(end.state, TurnState::Waiting | TurnState::Running | TurnState::Done) {
        return Err(Fault::state(format!("a turn does not end without a reply as {:?}", end.state)));
    }
    let code = end.code.map(ErrorCode::as_str);
    let ended = sqlx::query(
        "UPDATE turns SET state = ?, ended_at = ?, code = ?, note = ?, prompt_tokens = ?,
             completion_tokens = ?, estimated = ?, cost_micros = ?
         WHERE id = ? AND ended_at IS NULL",
    )
    .bind(word(&end.state)?)
    .bind(end.at.0)
    .bind(code)
    .bind(end.message.as_str())
    .bind(tokens(end.usage.prompt_tokens))
    .bind(tokens(end.usage.completion_tokens))
    .bind(end.usage.estimated)
    .bind(tokens(end.usage.cost_micros))
    .bind(turn.to_string())
    .execute(&mut *conn)
    .await?;
    if ended.rows_affected() == 1 { Ok(()) } else { Err(unexpected(conn, turn).await?) }
}

/// Why a turn is not in the state that was expected.
pub(crate) async fn unexpected(conn: &mut SqliteConnection, turn: TurnId) -> Result<Fault, Fault> {
    let state: Option<String> = sqlx::query_scalar("SELECT state FROM turns WHERE id = ?")
        .bind(turn.to_string())
        .fetch_optional(conn)
        .await?;
    Ok(Fault::state(match state {
        Some(state) => format!("turn {turn} is {state} already"),
        None => format!("there is no turn {turn}"),
    }))
}

/// The columns of a turn `t` in the channel `c`, in the order [`stored`] reads them.
macro_rules! turn_columns {
    () => {
        "t.id, t.persona, c.key, t.trigger_id, t.state, t.reply_id, t.code, t.note, t.prompt_tokens,
         t.completion_tokens, t.estimated, t.receipt, t.cost_micros"
    };
}

/// See [`greenroom_store::Store::turn`].
pub(crate) async fn turn(conn: &mut SqliteConnection, id: TurnId) -> Result<Option<Turn>, Fault> {
    let row = sqlx::query(concat!(
        "SELECT ",
        turn_columns!(),
        " FROM turns t JOIN channels c ON c.id = t.channel_id WHERE t.id = ?"
    ))
    .bind(id.to_string())
    .fetch_optional(conn)
    .await?;
    row.as_ref().map(stored).transpose()
}

/// See [`greenroom_store::Store::answers`]. A burst is answered by the turn of its last message: the next
/// one of the same persona in the same channel that was not coalesced.
pub(crate) async fn answers(conn: &mut SqliteConnection, message: MessageId) -> Result<Vec<Turn>, Fault> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        turn_columns!(),
        " FROM turns planned JOIN turns t ON t.id = CASE planned.state
              WHEN 'coalesced' THEN (SELECT later.id FROM turns later
                  WHERE later.persona = planned.persona AND later.channel_id = planned.channel_id
                      AND later.trigger_id > planned.trigger_id AND later.state <> 'coalesced'
                  ORDER BY later.trigger_id, later.rowid LIMIT 1)
              ELSE planned.id END
          JOIN channels c ON c.id = t.channel_id WHERE planned.trigger_id = ?
          ORDER BY planned.rowid"
    ))
    .bind(message.0)
    .fetch_all(conn)
    .await?;
    let mut turns: Vec<Turn> = Vec::new();
    for turn in rows.iter().map(stored) {
        let turn = turn?;
        turns.retain(|earlier| earlier.persona != turn.persona);
        turns.push(turn);
    }
    Ok(turns)
}

/// See [`greenroom_store::Store::without_reply`].
pub(crate) async fn without_reply(
    conn: &mut SqliteConnection,
    messages: &[MessageId],
) -> Result<Vec<Turn>, Fault> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        turn_columns!(),
        " FROM turns t JOIN channels c ON c.id = t.channel_id
          WHERE t.trigger_id IN (SELECT value FROM json_each(?)) AND t.state IN ('failed', 'cancelled')
          ORDER BY t.trigger_id, t.rowid"
    ))
    .bind(list(messages.iter().map(|id| id.0)))
    .fetch_all(conn)
    .await?;
    rows.iter().map(stored).collect()
}

/// The turn of a row that begins with `turn_columns!()`.
fn stored(row: &SqliteRow) -> Result<Turn, Fault> {
    let reply: Option<i64> = column(row, 5)?;
    let code: Option<&str> = column(row, 6)?;
    let receipt: Option<&str> = column(row, 11)?;
    Ok(Turn {
        id: parsed(column(row, 0)?)?,
        persona: parsed(column(row, 1)?)?,
        channel: parsed(column(row, 2)?)?,
        trigger: MessageId(column(row, 3)?),
        state: from_word(column(row, 4)?)?,
        reply: reply.map(MessageId),
        code: code.map(from_word).transpose()?,
        message: column(row, 7)?,
        usage: Usage {
            prompt_tokens: column::<i64>(row, 8)?.unsigned_abs(),
            completion_tokens: column::<i64>(row, 9)?.unsigned_abs(),
            estimated: column(row, 10)?,
            cost_micros: column::<i64>(row, 12)?.unsigned_abs(),
        },
        receipt: receipt.map(serde_json::from_str).transpose().map_err(Fault::unreadable)?,
    })
}

/// See [`greenroom_store::Store::used`].
pub(crate) async fn used(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    since: Timestamp,
    now: Timestamp,
) -> Result<Usage, Fault> {
    let row = sqlx::query(
        "SELECT coalesce(sum(p), 0), coalesce(sum(c), 0), coalesce(sum(m), 0) FROM (
             SELECT sum(prompt_tokens) p, sum(completion_tokens) c, sum(cost_micros) m FROM turns
             WHERE persona = ?1 AND ended_at BETWEEN ?2 AND ?3
             UNION ALL
             SELECT sum(prompt_tokens), sum(completion_tokens), sum(cost_micros) FROM used_aside
             WHERE persona = ?1 AND at BETWEEN ?2 AND ?3)",
    )
    .bind(persona.as_str())
    .bind(since.0)
    .bind(now.0)
    .fetch_one(conn)
    .await?;
    let sum = |index| column::<i64>(&row, index).map(i64::unsigned_abs);
    Ok(Usage { prompt_tokens: sum(0)?, completion_tokens: sum(1)?, estimated: false, cost_micros: sum(2)? })
}

/// See [`greenroom_store::Store::use_aside`].
pub(crate) async fn use_aside(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    at: Timestamp,
    usage: Usage,
) -> Result<(), Fault> {
    sqlx::query("INSERT INTO used_aside VALUES (?, ?, ?, ?, ?)")
        .bind(persona.as_str())
        .bind(at.0)
        .bind(tokens(usage.prompt_tokens))
        .bind(tokens(usage.completion_tokens))
        .bind(tokens(usage.cost_micros))
        .execute(conn)
        .await?;
    Ok(())
}

/// See [`greenroom_store::Store::outbox`].
pub(crate) async fn outbox(
    conn: &mut SqliteConnection,
    channel: &ChannelKey,
) -> Result<Vec<OutboxEntry>, Fault> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        message_columns!(),
        ", o.id, o.trigger_id FROM channels c JOIN outbox o ON o.channel_id = c.id
          JOIN messages m ON m.id = o.reply_id
          WHERE c.key = ? AND o.delivered_at IS NULL ORDER BY o.id"
    ))
    .bind(channel.as_str())
    .fetch_all(conn)
    .await?;
    let entry = |row: &SqliteRow| {
        Ok(OutboxEntry {
            id: column(row, MESSAGE_COLUMNS)?,
            reply: message(row)?,
            trigger: MessageId(column(row, MESSAGE_COLUMNS + 1)?),
        })
    };
    rows.iter().map(entry).collect()
}

/// See [`greenroom_store::Store::delivered`]. A second time changes nothing.
pub(crate) async fn delivered(conn: &mut SqliteConnection, entry: i64, at: Timestamp) -> Result<(), Fault> {
    sqlx::query("UPDATE outbox SET delivered_at = ? WHERE id = ? AND delivered_at IS NULL")
        .bind(at.0)
        .bind(entry)
        .execute(conn)
        .await?;
    Ok(())
}

/// Token counts as SQLite holds them; what an endpoint made up must not overflow their sum.
pub(crate) fn tokens(count: u64) -> i64 {
    i64::try_from(count.min(1 << 40)).unwrap_or(0)
}
