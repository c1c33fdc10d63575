//! What an index follows: places, their entries, and the journal of what changed.

use greenroom_core::{ChannelKey, PersonaName, Scope, Tier, Timestamp};

use crate::ItemId;

/// A set of items that are searched together and seen by the same viewers (GR1).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// The messages of a channel.
    Messages(ChannelKey),
    /// A persona's memories of one scope.
    Memories(PersonaName, Scope),
}

/// An item as an index stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Which item.
    pub item: ItemId,
    /// The version of its text; 1 for a message.
    pub version: u32,
    /// Its text as stored.
    pub text: String,
    /// The name of its author; `None` for a memory.
    pub author: Option<String>,
    /// When it was said or last written.
    pub at: Timestamp,
    /// From when on it is expired and invisible.
    pub expires_at: Option<Timestamp>,
    /// How long it is meant to live; `None` for a message.
    pub tier: Option<Tier>,
    /// Its vector in the requested space; `None` while it waits for one or has none.
    pub vector: Option<Vec<f32>>,
}

/// A change of an item, with its current state.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The number of the row in the journal; it increases.
    pub seq: i64,
    /// The place of the item.
    pub place: Place,
    /// Which item.
    pub item: ItemId,
    /// The item as it is now; `None` if it was deleted, or left the place.
    pub now: Option<Entry>,
}

/// The changes after a position in the journal.
#[derive(Debug, Clone, PartialEq)]
pub enum Changes {
    /// The changes in order.
    Rows {
        /// The changes.
        rows: Vec<Change>,
        /// The position up to which the journal was read; the next read begins here.
        end: i64,
        /// Whether the journal has more rows after this.
        more: bool,
    },
    /// The journal no longer reaches back so far: the caller has to load everything again.
    Lost,
}
