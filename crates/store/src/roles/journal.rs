//! What a search index follows: the items of each place, and the journal of changes since they were loaded.
//!
//! These calls are no recalls: an index stores items by place, and shows them only to viewers of that place (GR1).

use async_trait::async_trait;
use greenroom_core::Timestamp;

use crate::{Changes, Entry, ItemId, Place, Result, VectorSpace};

/// Returns whether the index follows a place.
pub type WantedPlaces<'a> = &'a (dyn Fn(&Place) -> bool + Send + Sync);

/// Loads places, and the changes in them.
#[async_trait]
pub trait JournalStore: Send + Sync {
    /// The number of the newest row of the journal; 0 in an empty store.
    async fn journal_end(&self) -> Result<i64>;

    /// The changes after `after` in the places for which `wanted` returns true, with the vectors of `space`. Each item
    /// is returned once in its current state, and once more, as deleted, for a place that it left. Reads at most
    /// `limit` rows of the journal; unwanted rows are left out. A place that is wanted later is loaded whole then, with
    /// the skipped changes.
    ///
    /// When a write of a message, a memory or a vector of `space` resolves, it is in the journal. So is everything that
    /// another process committed before the call (S4). Changes of vectors of other spaces are skipped.
    async fn changes(
        &self,
        space: Option<&VectorSpace>,
        after: i64,
        wanted: WantedPlaces<'_>,
        limit: usize,
    ) -> Result<Changes>;

    /// The items of a place in the order of their ids, after the item `after`. Expired memories are excluded.
    async fn load(
        &self,
        place: &Place,
        space: Option<&VectorSpace>,
        after: Option<ItemId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>>;

    /// The last item before the newest `count` items of a place; `None` if the place has no more than `count` items.
    async fn before_newest(&self, place: &Place, count: usize) -> Result<Option<ItemId>>;
}
