//! Erasing on a large scale: a person, a channel, old items (GR10, X15).
//!
//! A reader finds the items; the writer removes them in batches, so that other writes run in between. A batch also
//! removes all rows that can only be found by its messages. So after a crash the same search finds everything that is
//! left. At the end the file is scrubbed of the remains of deleted rows; the store records that a scrub is due.

mod find;
mod memory;
mod places;
mod quotes;
mod scrub;

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MemoryId, Timestamp, Viewer};
use greenroom_store::{
    Erase, EraseStore, Erased, ErasedSince, Forgotten, ItemId, LinkStore, Quote, Quotes, Result, Sources,
    StoreError,
};
pub(crate) use memory::remove_summaries;
pub(crate) use scrub::PATIENCE;
use sqlx::{Connection, SqliteConnection};

use self::quotes::Search;
use crate::{
    SqliteStore, erasures,
    error::Fault,
    values::{list, parsed},
};

#[async_trait]
impl EraseStore for SqliteStore {
    async fn forget(&self, viewer: &Viewer, id: MemoryId) -> Result<Option<Forgotten>> {
        let named = (viewer.clone(), id);
        let forgotten =
            self.write(named, |conn, (viewer, id)| Box::pin(memory::forget(conn, viewer, *id))).await?;
        let Some(mut forgotten) = forgotten else { return Ok(None) };
        let gone = [id].into_iter().chain(forgotten.summaries.iter().copied());
        scrub::blank(self, gone.map(ItemId::Memory).collect()).await?;
        forgotten.in_log = !scrub::scrub_log(self).await?;
        Ok(Some(forgotten))
    }

    async fn sweep(&self, now: Timestamp) -> Result<u64> {
        let swept = self.write(now, |conn, now| Box::pin(memory::sweep(conn, *now))).await?;
        scrub::scrub(self).await?;
        Ok(swept)
    }

    async fn would_erase(&self, what: &Erase) -> Result<Erased> {
        self.with_store_error(would_erase(&mut *self.reader().await?, what).await)
    }

    async fn quoting(&self, what: &Erase) -> Result<Vec<Quote>> {
        self.with_store_error(quotes::quoting(&mut *self.reader().await?, what).await)
    }

    async fn events_to_erase(&self, what: &Erase, since: Timestamp) -> Result<Vec<(ChannelKey, String)>> {
        self.with_store_error(events_to_erase(&mut *self.reader().await?, what, since).await)
    }

    async fn erase(&self, what: &Erase, quotes: Quotes) -> Result<Erased> {
        erase(self, what, quotes).await
    }

    async fn erased_since(&self, after: i64) -> Result<ErasedSince> {
        self.with_store_error(erasures::since(&mut *self.reader().await?, after).await)
    }

    async fn unerased(&self, sources: &Sources) -> Result<i64> {
        self.with_store_error(erasures::unerased(&mut *self.reader().await?, sources).await)
    }
}

/// Rows that one transaction removes, not counting the replies and memories that depend on them.
const BATCH: usize = 100;

/// The ids of the items to erase.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ItemsToErase {
    messages: Vec<i64>,
    memories: Vec<i64>,
    sessions: Vec<i64>,
}

impl ItemsToErase {
    fn of<'a>(quotes: impl IntoIterator<Item = &'a Quote>) -> Self {
        let mut doomed = Self::default();
        for quote in quotes {
            match quote.item {
                ItemId::Message(id) => doomed.messages.push(id.0),
                ItemId::Memory(id) => doomed.memories.push(id.0),
            }
        }
        doomed
    }

    fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.memories.is_empty() && self.sessions.is_empty()
    }

    /// Batches for the writer; the sessions come last, because their summaries are found by them.
    fn batches(self) -> Vec<ItemsToErase> {
        let of = |ids: Vec<i64>, batch: fn(Vec<i64>) -> ItemsToErase| {
            ids.chunks(BATCH).map(|ids| batch(ids.to_vec())).collect::<Vec<_>>()
        };
        let mut batches = of(self.messages, |messages| ItemsToErase { messages, ..ItemsToErase::default() });
        batches.extend(of(self.memories, |memories| ItemsToErase { memories, ..ItemsToErase::default() }));
        batches.extend(of(self.sessions, |sessions| ItemsToErase { sessions, ..ItemsToErase::default() }));
        batches
    }
}

/// See [`greenroom_store::EraseStore::would_erase`].
async fn would_erase(conn: &mut SqliteConnection, what: &Erase) -> Result<Erased, Fault> {
    let mut snapshot = conn.begin().await?;
    let doomed = find::all(&mut snapshot, what).await?;
    count(&mut snapshot, &doomed).await
}

/// See [`greenroom_store::EraseStore::events_to_erase`].
async fn events_to_erase(
    conn: &mut SqliteConnection,
    what: &Erase,
    since: Timestamp,
) -> Result<Vec<(ChannelKey, String)>, Fault> {
    let mut snapshot = conn.begin().await?;
    let doomed = find::all(&mut snapshot, what).await?;
    let events: Vec<(String, String)> = sqlx::query_as(
        "SELECT c.key, m.event_id FROM json_each(?1) d CROSS JOIN messages m ON m.id = d.value
             CROSS JOIN channels c ON c.id = m.channel_id
         WHERE m.author = 'user' AND m.at >= ?2",
    )
    .bind(list(doomed.messages))
    .bind(since.0)
    .fetch_all(&mut *snapshot)
    .await?;
    events.into_iter().map(|(channel, event)| Ok((parsed(&channel)?, event))).collect()
}

/// See [`greenroom_store::EraseStore::erase`]. Messages that arrive meanwhile are erased too.
async fn erase(store: &SqliteStore, what: &Erase, quotes: Quotes) -> Result<Erased, StoreError> {
    let mut erased = Erased::default();
    let search = match quotes {
        Quotes::Stay => None,
        Quotes::Go => Some(store.with_store_error(Search::of(&mut *store.reader().await?, what).await)?),
    };
    // quotations are found by the quoted texts, so the quotations are erased first
    let mut doomed = ItemsToErase::of(search.iter().flat_map(|search| &search.found));
    loop {
        erase_batches(store, what, doomed, &mut erased).await?;
        doomed = store.with_store_error(find::all(&mut *store.reader().await?, what).await)?;
        if doomed.is_empty() {
            break;
        }
    }
    if let Some(search) = search {
        let later = store.with_store_error(search.later(&mut *store.reader().await?).await)?;
        erase_batches(store, what, ItemsToErase::of(&later), &mut erased).await?;
    }
    if !matches!(what, Erase::Older { .. }) {
        store.write((), |conn, ()| Box::pin(places::forget(conn))).await?;
    }
    if let Erase::Person(person) = what {
        for account in store.linked(person).await?.iter().chain([person]) {
            store.unlink(account).await?;
        }
    }
    scrub::scrub_patiently(store).await?;
    Ok(erased)
}

async fn erase_batches(
    store: &SqliteStore,
    what: &Erase,
    doomed: ItemsToErase,
    erased: &mut Erased,
) -> Result<(), StoreError> {
    for batch in doomed.batches() {
        let batch = (what.clone(), batch);
        let gone = store.write(batch, |conn, (what, batch)| Box::pin(remove(conn, what, batch))).await?;
        *erased += gone;
    }
    Ok(())
}

// The rows that depend on the messages of a list.
const SUMMARIES: &str = "DELETE FROM summaries WHERE channel_id IN
    (SELECT channel_id FROM messages WHERE id IN (SELECT value FROM json_each(?)))";
const RECEIPTS: &str = "DELETE FROM receipts WHERE reply_id IN
    (SELECT reply_id FROM turns WHERE trigger_id IN (SELECT value FROM json_each(?)))";
const TURNS: &str = "DELETE FROM turns WHERE trigger_id IN (SELECT value FROM json_each(?))";
/// A turn whose reply is erased as a quotation becomes a failed turn: its message may be answered again.
const ANSWERED_BY_A_REPLY: &str =
    "UPDATE turns SET state = 'failed', code = 'forgotten_meanwhile', note = 'its reply was forgotten'
     WHERE reply_id IN (SELECT value FROM json_each(?))";
/// The same for a turn whose message was answered together with an erased message.
const ANSWERED_WITH_ANOTHER: &str =
    "UPDATE turns SET state = 'failed', code = 'forgotten_meanwhile', answered_with = NULL,
         note = 'the message it was answered with was forgotten'
     WHERE answered_with IN (SELECT value FROM json_each(?))";

/// Records the platform ids of the sent parts of these replies, so that the platforms delete them.
const RETRACTIONS: &str = "INSERT INTO retractions (channel, persona, event_id)
    SELECT c.key, t.persona, p.event_id FROM outbox o JOIN channels c ON c.id = o.channel_id
        JOIN turns t ON t.id = o.turn_id JOIN sent_parts p ON p.outbox_id = o.id
    WHERE o.reply_id IN (SELECT value FROM json_each(?)) AND p.event_id IS NOT NULL ORDER BY o.id, p.part";

/// A name that an author used in a channel: the channel, and the columns of the author.
type Speaker = (i64, String, String, String);

/// The speakers of these messages.
async fn speakers_of(conn: &mut SqliteConnection, messages: &[i64]) -> Result<Vec<Speaker>, Fault> {
    let speakers = sqlx::query_as(
        "SELECT DISTINCT channel_id, author, author_id, author_name FROM messages
         WHERE id IN (SELECT value FROM json_each(?))",
    )
    .bind(list(messages.iter().copied()))
    .fetch_all(conn)
    .await?;
    Ok(speakers)
}

/// Deletes a speaker of a channel who has no message left there.
async fn forget_absent(
    conn: &mut SqliteConnection,
    (channel, author, id, name): &Speaker,
) -> Result<(), Fault> {
    sqlx::query(
        "DELETE FROM speakers WHERE channel_id = ?1 AND author = ?2 AND author_id = ?3 AND name = ?4
             AND NOT EXISTS (SELECT 1 FROM messages
                 WHERE channel_id = ?1 AND author = ?2 AND author_id = ?3 AND author_name = ?4)",
    )
    .bind(channel)
    .bind(author)
    .bind(id)
    .bind(name)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes a batch with all dependent rows; returns the counts.
async fn remove(conn: &mut SqliteConnection, what: &Erase, batch: &ItemsToErase) -> Result<Erased, Fault> {
    // a reply may have been stored since the batch was found
    let doomed = find::with_what_follows(conn, what, batch).await?;
    let erased = count(conn, &doomed).await?;
    let speakers = speakers_of(conn, &doomed.messages).await?;
    if matches!(what, Erase::Message(_)) {
        sqlx::query(RETRACTIONS).bind(list(doomed.messages.iter().copied())).execute(&mut *conn).await?;
    }
    for (sql, ids) in [
        (SUMMARIES, &doomed.messages),
        (RECEIPTS, &doomed.messages),
        (TURNS, &doomed.messages),
        (ANSWERED_BY_A_REPLY, &doomed.messages),
        (ANSWERED_WITH_ANOTHER, &doomed.messages),
        ("DELETE FROM memories WHERE id IN (SELECT value FROM json_each(?))", &doomed.memories),
        ("DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?))", &doomed.messages),
        ("DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?))", &doomed.sessions),
    ] {
        sqlx::query(sql).bind(list(ids.iter().copied())).execute(&mut *conn).await?;
    }
    for speaker in &speakers {
        forget_absent(conn, speaker).await?;
    }
    sqlx::query(scrub::OWE_ALL).execute(conn).await?;
    Ok(erased)
}

/// Counts the items and their dependent rows.
async fn count(conn: &mut SqliteConnection, doomed: &ItemsToErase) -> Result<Erased, Fault> {
    let (summaries, vectors, relations, outbox, turns): (i64, i64, i64, i64, i64) = sqlx::query_as(
        "WITH lost AS (SELECT value AS id FROM json_each(?1)),
              forgotten AS (SELECT value AS id FROM json_each(?2))
         SELECT
             (SELECT count(*) FROM summaries
              WHERE channel_id IN (SELECT channel_id FROM messages WHERE id IN lost)),
             (SELECT count(vector) FROM vectors WHERE item = 'message' AND item_id IN lost)
                 + (SELECT count(vector) FROM vectors WHERE item = 'memory' AND item_id IN forgotten),
             (SELECT count(*) FROM (SELECT * FROM relations WHERE from_id IN forgotten
                                    UNION SELECT * FROM relations WHERE to_id IN forgotten)),
             (SELECT count(*) FROM (
                  SELECT o.id FROM outbox o JOIN turns t ON t.id = o.turn_id
                  WHERE o.delivered_at IS NULL AND t.trigger_id IN lost
                  UNION SELECT id FROM outbox WHERE delivered_at IS NULL AND reply_id IN lost)),
             (SELECT count(*) FROM turns WHERE trigger_id IN lost)",
    )
    .bind(list(doomed.messages.iter().copied()))
    .bind(list(doomed.memories.iter().copied()))
    .fetch_one(conn)
    .await?;
    let (messages, memories) = (doomed.messages.len() as u64, doomed.memories.len() as u64);
    Ok(Erased {
        messages,
        memories,
        summaries: summaries.unsigned_abs(),
        vectors: vectors.unsigned_abs(),
        relations: relations.unsigned_abs(),
        outbox: outbox.unsigned_abs(),
        turns: turns.unsigned_abs(),
        sessions: doomed.sessions.len() as u64,
    })
}
