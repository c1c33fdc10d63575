//! Forgetting (GR10, X15): a memory, a person, a channel, or old content.
//!
//! After an erasure the store refuses everything that was derived from the erased items, so that no part of them
//! returns.

use async_trait::async_trait;
use greenroom_core::{ChannelKey, MemoryId, Timestamp, Viewer};

use crate::{Erase, Erased, ErasedSince, Forgotten, Quote, Quotes, Result, Sources};

/// Removes stored items, and tells which items were removed.
#[async_trait]
pub trait EraseStore: Send + Sync {
    /// Removes a memory that the viewer sees: row, vectors, relations, and its text in stored receipts. Returns `None`
    /// if this viewer sees no such memory. A memory that has expired but was not swept yet can be forgotten. The memory
    /// that superseded it now supersedes the memory that it had superseded. The summaries of the sessions in which it was
    /// said are removed too, because they may contain it.
    ///
    /// Receipts are blanked after the row is deleted, a few per transaction, so that other writers can proceed in
    /// between. The log is emptied last; [`Forgotten`] tells if a reader in another process prevented that. The next
    /// [`sweep`](Self::sweep) completes unfinished work.
    async fn forget(&self, viewer: &Viewer, id: MemoryId) -> Result<Option<Forgotten>>;

    /// Removes expired memories and their dependent rows, and returns their number (AS9). Also blanks what receipts
    /// still show of deleted memories, and completes an erasure or a removal that was interrupted before it cleaned the
    /// file and its log (X15, S1).
    async fn sweep(&self, now: Timestamp) -> Result<u64>;

    /// What [`erase`](Self::erase) would remove.
    async fn would_erase(&self, what: &Erase) -> Result<Erased>;

    /// Texts that would stay and that quote the texts that [`erase`](Self::erase) would remove: replies of personas to
    /// other people, and memories that no operator wrote. The search compares runs of words in a limited number of
    /// texts. A person uses the result to decide whether the quotations are erased as well. Empty for
    /// [`Erase::Older`](crate::Erase::Older).
    async fn quoting(&self, what: &Erase) -> Result<Vec<Quote>>;

    /// The platform's ids of the people's messages since a moment that [`erase`](Self::erase) would remove, with their
    /// channels. A platform may deliver them again.
    async fn events_to_erase(&self, what: &Erase, since: Timestamp) -> Result<Vec<(ChannelKey, String)>>;

    /// Removes all of it: rows, vectors, relations, summaries derived from it, outbox rows, turns with their receipts,
    /// and what other receipts show of it. For a person or a channel, also removes the names of channels that are now
    /// empty. With [`Quotes::Go`], also removes the same for everything that [`quoting`](Self::quoting) finds before
    /// and during the erasure. When the future resolves, the database file and its log contain no part of the removed
    /// texts.
    ///
    /// Works in batches, so that other writers can proceed in between; messages that arrive meanwhile are erased too.
    /// The next call completes an erasure that was interrupted, or that failed because a reader in another process kept
    /// the log from being emptied.
    async fn erase(&self, what: &Erase, quotes: Quotes) -> Result<Erased>;

    /// What was erased after the erasure with this number, by any process: forgotten, erased with another item,
    /// corrected, or swept.
    async fn erased_since(&self, after: i64) -> Result<ErasedSince>;

    /// Checks that a text may still be shown: none of its sources was erased since it was read, by any process. Returns
    /// the number of the newest erasure at the time of the check.
    ///
    /// # Errors
    /// [`StoreError::Erased`](crate::StoreError::Erased).
    async fn unerased(&self, sources: &Sources) -> Result<i64>;
}
