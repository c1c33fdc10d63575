//! Finds the quotations of texts that will be forgotten: replies of personas to others, and memories made from those
//! (GR10).
//!
//! [`greenroom_store::rules::quotes`] defines a quotation.

use greenroom_core::{ChannelKey, MemoryId, MessageId};
use greenroom_store::{
    Erase, ItemId, Quote,
    rules::quotes::{Common, FORGOTTEN, OTHERS, Runs, SHOWN},
};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteRow};

use super::{ItemsToErase, find};
use crate::{
    error::Fault,
    values::{column, list, parsed},
};

/// See [`greenroom_store::EraseStore::quoting`].
pub(super) async fn quoting(conn: &mut SqliteConnection, what: &Erase) -> Result<Vec<Quote>, Fault> {
    let mut quotes = Search::of(conn, what).await?.found;
    quotes.truncate(SHOWN);
    Ok(quotes)
}

/// A search for quotations, made before the quoted texts are erased.
pub(super) struct Search {
    /// The quotations found so far.
    pub(super) found: Vec<Quote>,
    runs: Runs,
    common: Common,
    /// The only chat to search; `None` searches all.
    within: Option<ChannelKey>,
    /// The newest examined items.
    seen: LookedAt,
}

/// The newest message and the newest memory that the search has examined.
#[derive(Clone, Copy, Default)]
struct LookedAt {
    message: i64,
    memory: i64,
}

impl Search {
    pub(super) async fn of(conn: &mut SqliteConnection, what: &Erase) -> Result<Self, Fault> {
        let within = match what {
            Erase::Own { chat, .. } => Some(chat.clone()),
            _ => None,
        };
        let mut snapshot = conn.begin().await?;
        let doomed = match what {
            Erase::Older { .. } => ItemsToErase::default(),
            _ => find::all(&mut snapshot, what).await?,
        };
        let runs = Runs::of(texts(&mut snapshot, &doomed).await?.iter().map(String::as_str));
        let common = if runs.is_empty() { Common::default() } else { others(&mut snapshot, &doomed).await? };
        let (message, memory) = sqlx::query_as(
            "SELECT (SELECT coalesce(max(id), 0) FROM messages), (SELECT coalesce(max(id), 0) FROM memories)",
        )
        .fetch_one(&mut *snapshot)
        .await?;
        let mut search = Self { found: Vec::new(), runs, common, within, seen: LookedAt { message, memory } };
        search.found = search.look(&mut snapshot, &doomed, LookedAt::default()).await?;
        Ok(search)
    }

    /// Items stored after the search that quote the texts. Items that quote them and are stored after the erasure are
    /// refused when they are stored: their sources are erased.
    pub(super) async fn later(&self, conn: &mut SqliteConnection) -> Result<Vec<Quote>, Fault> {
        self.look(conn, &ItemsToErase::default(), self.seen).await
    }

    async fn look(
        &self,
        conn: &mut SqliteConnection,
        doomed: &ItemsToErase,
        after: LookedAt,
    ) -> Result<Vec<Quote>, Fault> {
        if self.runs.is_empty() {
            return Ok(Vec::new());
        }
        let mut quotes = Vec::new();
        for row in candidates(conn, doomed, self.within.as_ref(), after).await? {
            let text: &str = column(&row, 2)?;
            let Some(words) = self.runs.quoted(text, &self.common) else { continue };
            let id = column(&row, 1)?;
            let item =
                if column(&row, 0)? { ItemId::Memory(MemoryId(id)) } else { ItemId::Message(MessageId(id)) };
            let place: Option<&str> = column(&row, 4)?;
            quotes.push(Quote {
                item,
                persona: parsed(column(&row, 3)?)?,
                channel: place.map(parsed).transpose()?,
                text: text.to_owned(),
                words,
            });
        }
        Ok(quotes)
    }
}

/// The texts that will be forgotten, without the words of personas. Summaries of conversations are left out, because
/// they contain words of others too; the original texts are in the list anyway.
async fn texts(conn: &mut SqliteConnection, doomed: &ItemsToErase) -> Result<Vec<String>, Fault> {
    let texts = sqlx::query_scalar(
        "SELECT * FROM (SELECT text FROM messages WHERE author = 'user'
             AND id IN (SELECT value FROM json_each(?1)) ORDER BY id DESC LIMIT ?3)
         UNION ALL SELECT * FROM (SELECT text FROM memories WHERE tier <> 'conversation'
             AND id IN (SELECT value FROM json_each(?2)) ORDER BY id DESC LIMIT ?3)",
    )
    .bind(list(doomed.messages.iter().copied()))
    .bind(list(doomed.memories.iter().copied()))
    .bind(FORGOTTEN as i64)
    .fetch_all(conn)
    .await?;
    Ok(texts)
}

/// The words of others: of people, and of personas before the first of these texts. The names of personas too: who
/// addresses one tells nothing.
async fn others(conn: &mut SqliteConnection, doomed: &ItemsToErase) -> Result<Common, Fault> {
    let first = doomed.messages.iter().min().copied().unwrap_or(i64::MAX);
    let texts: Vec<String> = sqlx::query_scalar(
        "SELECT * FROM (SELECT text FROM messages WHERE (author = 'user' OR id < ?2)
             AND id NOT IN (SELECT value FROM json_each(?1)) ORDER BY id DESC LIMIT ?3)
         UNION ALL SELECT DISTINCT author_id FROM messages WHERE author = 'persona'",
    )
    .bind(list(doomed.messages.iter().copied()))
    .bind(first)
    .bind(OTHERS as i64)
    .fetch_all(conn)
    .await?;
    Ok(Common::of(texts.iter().map(String::as_str)))
}

/// Items that may quote: whether each is a memory, its id, its text, its persona, and the channel where it was said
/// or holds. An operator's memory never counts as a quotation.
async fn candidates(
    conn: &mut SqliteConnection,
    doomed: &ItemsToErase,
    within: Option<&ChannelKey>,
    after: LookedAt,
) -> Result<Vec<SqliteRow>, Fault> {
    let rows = sqlx::query(
        "SELECT * FROM (SELECT false, m.id, m.text, m.author_id, c.key
             FROM messages m JOIN channels c ON c.id = m.channel_id
             WHERE m.author = 'persona' AND m.id > ?6 AND m.id NOT IN (SELECT value FROM json_each(?1))
                 AND (?3 IS NULL OR (c.provider = ?3 AND c.chat_id = ?4)) ORDER BY m.id DESC LIMIT ?5)
         UNION ALL SELECT * FROM (SELECT true, m.id, m.text, m.persona,
                 CASE m.scope WHEN 'channel' THEN m.scope_of END
             FROM memories m WHERE m.trust <> 'operator' AND m.id > ?7 AND m.id NOT IN (SELECT value FROM json_each(?2))
                 AND (?3 IS NULL OR (m.scope = 'channel'
                     AND substr(m.scope_of || ':', 1, length(?3 || ':' || ?4) + 1) = ?3 || ':' || ?4 || ':'))
             ORDER BY m.id DESC LIMIT ?5)",
    )
    .bind(list(doomed.messages.iter().copied()))
    .bind(list(doomed.memories.iter().copied()))
    .bind(within.map(ChannelKey::provider))
    .bind(within.map(ChannelKey::chat_id))
    .bind(OTHERS as i64)
    .bind(after.message)
    .bind(after.memory)
    .fetch_all(conn)
    .await?;
    Ok(rows)
}
