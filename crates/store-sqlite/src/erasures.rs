//! The table of erasures: erased items by sequence number, so that nothing made from them is stored afterwards
//! (GR10).

use greenroom_core::ChannelKey;
use greenroom_store::{ERASURES_TOLD, ErasedSince, Sources, StoreError};
use sqlx::SqliteConnection;

use crate::{
    error::Fault,
    values::{list, parsed},
};

/// The number of the newest erasure.
macro_rules! newest_erasure {
    () => {
        "(SELECT coalesce(max(seq), 0) FROM erasures)"
    };
}
pub(crate) use newest_erasure;

/// The number of the newest erasure.
pub(crate) async fn newest(conn: &mut SqliteConnection) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar(concat!("SELECT ", newest_erasure!())).fetch_one(conn).await?)
}

/// Refuses an item if one of its sources has been erased since it was read. If the sources were read before the oldest
/// stored erasure, the item is refused too. A summary has every message of its channel as a source; an erased message
/// whose channel is no longer known may have been in any channel. An item made from messages of several chats is
/// refused if any chat has become a group since: private messages from the other chats must not appear there (MP1).
pub(crate) async fn check(conn: &mut SqliteConnection, sources: &Sources) -> Result<(), Fault> {
    if sources.is_empty() {
        return Ok(());
    }
    let erased: bool = sqlx::query_scalar(
        "SELECT ?1 < (SELECT coalesce(min(seq), 1) - 1 FROM erasures) OR EXISTS (
             SELECT 1 FROM erasures WHERE seq > ?1 AND (
                 item = 'message' AND item_id IN (SELECT value FROM json_each(?2))
                 OR item = 'memory' AND item_id IN (SELECT value FROM json_each(?3))
                 OR item = 'message' AND ?4 IS NOT NULL
                     AND NOT EXISTS (SELECT 1 FROM channels WHERE id = channel_id AND key <> ?4)
                 OR item = 'group' AND (SELECT count(DISTINCT c.provider || ':' || c.chat_id) > 1
                     FROM json_each(?2) CROSS JOIN messages s ON s.id = value JOIN channels c ON c.id = s.channel_id)))",
    )
    .bind(sources.erased)
    .bind(list(sources.messages().map(|id| id.0)))
    .bind(list(sources.memories().map(|id| id.0)))
    .bind(sources.summary_of.as_ref().map(ChannelKey::as_str))
    .fetch_one(conn)
    .await?;
    if erased {
        Err(gone("something this was made of has been erased meanwhile, or its chat has become a group"))
    } else {
        Ok(())
    }
}

/// See [`greenroom_store::EraseStore::unerased`].
pub(crate) async fn unerased(conn: &mut SqliteConnection, sources: &Sources) -> Result<i64, Fault> {
    // the number first: an erasure between the two reads fails the check instead of counting as checked
    let newest = newest(conn).await?;
    check(conn, sources).await?;
    Ok(newest)
}

/// The error of an item whose source is erased.
pub(crate) fn gone(what: impl Into<String>) -> Fault {
    Fault::Refused(StoreError::Erased(what.into()))
}

/// See [`greenroom_store::EraseStore::erased_since`].
pub(crate) async fn since(conn: &mut SqliteConnection, after: i64) -> Result<ErasedSince, Fault> {
    let end = newest(conn).await?;
    if end == after {
        return Ok(ErasedSince { end, ..ErasedSince::default() });
    }
    // beyond the end: the file was replaced, for example by a backup
    let reaches_back = sqlx::query_scalar::<_, bool>(
        "SELECT ?1 >= coalesce(min(seq), 1) - 1 AND ?2 - ?1 BETWEEN 0 AND ?3 FROM erasures",
    );
    if !reaches_back.bind(after).bind(end).bind(ERASURES_TOLD).fetch_one(&mut *conn).await? {
        return Ok(ErasedSince { end, anywhere: true, ..ErasedSince::default() });
    }
    let places: Vec<Option<String>> = sqlx::query_scalar(
        "SELECT DISTINCT c.key FROM erasures e LEFT JOIN channels c ON c.id = e.channel_id WHERE e.seq > ?",
    )
    .bind(after)
    .fetch_all(conn)
    .await?;
    let anywhere = places.contains(&None);
    let channels = places.iter().flatten().map(|key| parsed(key)).collect::<Result<_, _>>()?;
    Ok(ErasedSince { end, channels, anywhere })
}
