//! The life of a turn: its begin, its single end, and its cost. `plans.rs` plans turns, `replies.rs` ends them with a
//! reply.

use async_trait::async_trait;
use greenroom_core::{ErrorCode, MessageId, PersonaName, Timestamp, TurnId, Usage};
use greenroom_store::{
    Result, StoreError, Turn, TurnCommit, TurnEnd, TurnState, TurnStore, rules::vectors::checked_new,
};
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::{
    SqliteStore, erasures,
    error::Fault,
    receipts::{self, short},
    replies::{self, Committing},
    values::{column, from_word, list, parsed, word},
};

#[async_trait]
impl TurnStore for SqliteStore {
    async fn begin_turn(&self, turn: TurnId, at: Timestamp) -> Result<()> {
        self.write((turn, at), |conn, (turn, at)| Box::pin(begin(conn, *turn, *at))).await
    }

    async fn commit_turn(&self, turn: TurnId, mut commit: TurnCommit) -> Result<MessageId> {
        let receipt = commit.receipt.take().map(|receipt| receipts::stored(&receipt)).transpose()?;
        commit.vector = commit.vector.map(checked_new).transpose()?;
        let committing = Committing { turn, commit, receipt };
        self.write(committing, |conn, committing| Box::pin(replies::commit(conn, committing))).await
    }

    async fn end_turn(&self, turn: TurnId, how: TurnEnd) -> Result<()> {
        self.write((turn, how), |conn, (turn, how)| Box::pin(end(conn, *turn, how))).await
    }

    async fn coalesce_turn(&self, turn: TurnId, answered_with: MessageId, at: Timestamp) -> Result<()> {
        self.write((turn, answered_with, at), |conn, (turn, with, at)| {
            Box::pin(coalesce(conn, *turn, *with, *at))
        })
        .await
    }

    async fn turn(&self, id: TurnId) -> Result<Option<Turn>> {
        self.with_store_error(turn(&mut *self.reader().await?, id).await)
    }

    async fn answers(&self, message: MessageId) -> Result<Vec<Turn>> {
        self.with_store_error(answers(&mut *self.reader().await?, message).await)
    }

    async fn without_reply(&self, messages: &[MessageId]) -> Result<Vec<Turn>> {
        self.with_store_error(without_reply(&mut *self.reader().await?, messages).await)
    }

    async fn used(&self, persona: &PersonaName, since: Timestamp, now: Timestamp) -> Result<Usage> {
        self.with_store_error(used(&mut *self.reader().await?, persona, since, now).await)
    }

    async fn record_side_usage(&self, persona: &PersonaName, at: Timestamp, usage: Usage) -> Result<()> {
        self.write((persona.clone(), at, usage), |conn, (persona, at, usage)| {
            Box::pin(record_side_usage(conn, persona, *at, *usage))
        })
        .await
    }
}

/// See [`greenroom_store::TurnStore::begin_turn`].
async fn begin(conn: &mut SqliteConnection, turn: TurnId, at: Timestamp) -> Result<(), Fault> {
    let begun =
        sqlx::query("UPDATE turns SET state = 'running', begun_at = ? WHERE id = ? AND state = 'waiting'")
            .bind(at.0)
            .bind(turn.to_string())
            .execute(&mut *conn)
            .await?;
    if begun.rows_affected() == 1 { Ok(()) } else { Err(unexpected(conn, turn).await?) }
}

/// See [`greenroom_store::TurnStore::end_turn`].
async fn end(conn: &mut SqliteConnection, turn: TurnId, end: &TurnEnd) -> Result<(), Fault> {
    if !matches!(end.state, TurnState::Failed | TurnState::Cancelled) {
        return Err(Fault::invalid(format!("a turn does not end without a reply as {:?}", end.state)));
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

/// See [`greenroom_store::TurnStore::coalesce_turn`].
async fn coalesce(
    conn: &mut SqliteConnection,
    turn: TurnId,
    answered_with: MessageId,
    at: Timestamp,
) -> Result<(), Fault> {
    let ended = sqlx::query(
        "UPDATE turns SET state = 'coalesced', answered_with = ?1, ended_at = ?2,
             note = 'answered together with a later message'
         WHERE id = ?3 AND ended_at IS NULL AND trigger_id < ?1
             AND EXISTS (SELECT 1 FROM messages WHERE id = ?1 AND channel_id = turns.channel_id)",
    )
    .bind(answered_with.0)
    .bind(at.0)
    .bind(turn.to_string())
    .execute(&mut *conn)
    .await?;
    if ended.rows_affected() == 1 {
        return Ok(());
    }
    let there: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?)")
        .bind(answered_with.0)
        .fetch_one(&mut *conn)
        .await?;
    if there {
        Err(unexpected(conn, turn).await?)
    } else {
        Err(erasures::gone(format!(
            "message {} is gone that turn {turn} was to be answered with",
            answered_with.0
        )))
    }
}

/// The error for a turn that is not in the expected state.
pub(crate) async fn unexpected(conn: &mut SqliteConnection, turn: TurnId) -> Result<Fault, Fault> {
    let state: Option<String> = sqlx::query_scalar("SELECT state FROM turns WHERE id = ?")
        .bind(turn.to_string())
        .fetch_optional(conn)
        .await?;
    Ok(match state {
        Some(state) => StoreError::TurnMoved { turn, state: from_word(&state)? }.into(),
        // a turn is deleted only together with the message it answers
        None => erasures::gone(format!("turn {turn} is gone with the message it answers")),
    })
}

/// The columns of a turn `t` in the channel `c`, in the order [`stored`] reads them.
macro_rules! turn_columns {
    () => {
        "t.id, t.persona, c.key, t.trigger_id, t.state, t.reply_id, t.code, t.note, t.prompt_tokens,
         t.completion_tokens, t.estimated, (SELECT receipt FROM receipts WHERE reply_id = t.reply_id),
         t.cost_micros, t.ended_at"
    };
}

/// See [`greenroom_store::TurnStore::turn`].
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

/// See [`greenroom_store::TurnStore::answers`]. The turn of a burst's last message answers the burst; of several, the
/// newest. That message may itself have been answered with a later one. Message ids increase, so the recursion ends.
async fn answers(conn: &mut SqliteConnection, message: MessageId) -> Result<Vec<Turn>, Fault> {
    let rows = sqlx::query(concat!(
        "WITH RECURSIVE answer (planned, id, persona, answered_with) AS (
             SELECT p.rowid, p.id, p.persona, p.answered_with FROM turns p
                 JOIN messages m ON m.id = p.trigger_id AND m.channel_id = p.channel_id
                 WHERE p.trigger_id = ?
             UNION ALL
             SELECT planned, later.id, later.persona, later.answered_with FROM answer JOIN turns later
                 ON later.rowid = (SELECT max(again.rowid) FROM turns again
                     WHERE again.trigger_id = answer.answered_with AND again.persona = answer.persona))
         SELECT ",
        turn_columns!(),
        " FROM answer JOIN turns t ON t.id = answer.id JOIN channels c ON c.id = t.channel_id
          WHERE answer.answered_with IS NULL ORDER BY answer.planned"
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

/// See [`greenroom_store::TurnStore::without_reply`].
async fn without_reply(conn: &mut SqliteConnection, messages: &[MessageId]) -> Result<Vec<Turn>, Fault> {
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
    let receipt: Option<&[u8]> = column(row, 11)?;
    Ok(Turn {
        id: parsed(column(row, 0)?)?,
        persona: parsed(column(row, 1)?)?,
        channel: parsed(column(row, 2)?)?,
        trigger: MessageId(column(row, 3)?),
        state: from_word(column(row, 4)?)?,
        reply: reply.map(MessageId),
        code: code.map(from_word).transpose()?,
        message: column(row, 7)?,
        ended_at: column::<Option<i64>>(row, 13)?.map(Timestamp),
        usage: Usage {
            prompt_tokens: column::<i64>(row, 8)?.unsigned_abs(),
            completion_tokens: column::<i64>(row, 9)?.unsigned_abs(),
            estimated: column(row, 10)?,
            cost_micros: column::<i64>(row, 12)?.unsigned_abs(),
        },
        receipt: receipt.map(short::read).transpose().map_err(Fault::unreadable)?.map(Into::into),
    })
}

/// See [`greenroom_store::TurnStore::used`].
async fn used(
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
             SELECT sum(prompt_tokens), sum(completion_tokens), sum(cost_micros) FROM side_usage
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

/// See [`greenroom_store::TurnStore::record_side_usage`].
async fn record_side_usage(
    conn: &mut SqliteConnection,
    persona: &PersonaName,
    at: Timestamp,
    usage: Usage,
) -> Result<(), Fault> {
    sqlx::query("INSERT INTO side_usage VALUES (?, ?, ?, ?, ?)")
        .bind(persona.as_str())
        .bind(at.0)
        .bind(tokens(usage.prompt_tokens))
        .bind(tokens(usage.completion_tokens))
        .bind(tokens(usage.cost_micros))
        .execute(conn)
        .await?;
    Ok(())
}

/// A token count as SQLite stores it, limited so that an absurd count of an endpoint cannot overflow a sum.
pub(crate) fn tokens(count: u64) -> i64 {
    i64::try_from(count.min(1 << 40)).unwrap_or(0)
}
