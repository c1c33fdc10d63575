//! Forgetting (GR10, X15): a memory, a person, a channel, what is old.
//!
//! Whatever is made of something that was erased is refused afterwards, so that nothing of it comes back.

use async_trait::async_trait;
use greenroom_core::{MemoryId, Timestamp, Viewer};

use crate::{Erase, Erased, ErasedSince, Forgotten, Quote, Quotes, Result, Sources};

/// Removing what was stored, and knowing what was removed.
#[async_trait]
pub trait EraseStore: Send + Sync {
    /// Removes a memory the viewer sees: row, vectors and relations, and what stored
    /// receipts show of it. `None` when there is no such memory for this viewer. One that has
    /// expired but was not swept yet can be forgotten. What superseded it supersedes what it did.
    ///
    /// Receipts are blanked after the row is gone, a few in a transaction, so that other writers get
    /// in between, and the log is emptied at last; [`Forgotten`] says when a reader of another process
    /// kept it from that. What is left to do, the next [`sweep`](Self::sweep) does.
    async fn forget(&self, viewer: &Viewer, id: MemoryId) -> Result<Option<Forgotten>>;

    /// Removes expired memories and all that hangs on them; how many (AS9). Blanks what receipts
    /// still show of memories that are gone, and finishes what an erasure or a removal that broke off
    /// owes the file and its log (X15, S1).
    async fn sweep(&self, now: Timestamp) -> Result<u64>;

    /// What [`erase`](Self::erase) would remove.
    async fn would_erase(&self, what: &Erase) -> Result<Erased>;

    /// What quotes the texts that [`erase`](Self::erase) would remove, and would stay: replies of personas to others,
    /// and memories that are no operator's word. A bounded look at runs of words, for a person who decides
    /// whether they go as well; nothing where what is old is erased.
    async fn quoting(&self, what: &Erase) -> Result<Vec<Quote>>;

    /// Removes all of it: rows, vectors, relations, summaries made of it, outbox
    /// rows, turns with their receipts, and what other receipts show of it; with a person or a channel also
    /// the names of channels where nothing is left. Where `quotes` go, the same of all that [`quoting`](Self::quoting)
    /// finds before and while it runs. No part of the removed
    /// texts is left in the database file or its log when the future resolves.
    ///
    /// Works in batches, so that other writers get in between; what is said meanwhile goes too. One
    /// that broke off is finished by the next, as is one that failed because a reader of another
    /// process kept the log from being emptied.
    async fn erase(&self, what: &Erase, quotes: Quotes) -> Result<Erased>;

    /// What was erased after the erasure of this number, by whatever process: forgotten, taken along, corrected, or
    /// swept.
    async fn erased_since(&self, after: i64) -> Result<ErasedSince>;

    /// Whether a text may still be told: nothing that it was made of has been erased since it was read, by whatever
    /// process. The number of the newest erasure this was checked against.
    ///
    /// # Errors
    /// [`StoreError::Erased`](crate::StoreError::Erased).
    async fn unerased(&self, sources: &Sources) -> Result<i64>;
}
