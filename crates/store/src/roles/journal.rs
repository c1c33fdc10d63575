//! What an index follows: places as they are, and the journal of what changed since.
//!
//! No recalls: an index keeps what it reads by place, and shows it only to viewers of that place (GR1).

use async_trait::async_trait;
use greenroom_core::Timestamp;

use crate::{Changes, Entry, ItemId, Place, Result, VectorSpace};

/// Which places an index follows.
pub type WantedPlaces<'a> = &'a (dyn Fn(&Place) -> bool + Send + Sync);

/// Places to load, and what changed in them.
#[async_trait]
pub trait JournalStore: Send + Sync {
    /// The number of the newest row of the journal; 0 in an empty store.
    async fn journal_end(&self) -> Result<i64>;

    /// What changed after `after` in the places that `wanted` names, with the vectors of `space`: each item once, as it
    /// stands now, and once more, as gone, for a place it left. At most `limit` rows, some of which may be left out as
    /// not wanted. A place that nobody wanted when it was asked about is loaded later, and so with what was passed over.
    /// Every write of a message, a memory or a vector of `space` is in the journal when its future
    /// resolves, and so is what another process has committed when the call begins (S4). Vectors of other spaces are
    /// passed over.
    async fn changes(
        &self,
        space: Option<&VectorSpace>,
        after: i64,
        wanted: WantedPlaces<'_>,
        limit: usize,
    ) -> Result<Changes>;

    /// The items of a place in the order of their ids, after one of them. Expired memories are not
    /// among them.
    async fn load(
        &self,
        place: &Place,
        space: Option<&VectorSpace>,
        after: Option<ItemId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Entry>>;

    /// The item before the newest `count` of a place; nothing where there are no more than that.
    async fn before_newest(&self, place: &Place, count: usize) -> Result<Option<ItemId>>;
}
