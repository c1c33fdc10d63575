//! What an index follows: places, their entries, and the journal of what changed.

use greenroom_core::{ChannelKey, PersonaName, Scope, Tier, Timestamp};

use crate::ItemId;

/// Where items lie together: what is searched as one and seen by the same viewers (GR1).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// The messages of a channel.
    Messages(ChannelKey),
    /// A persona's memories of one scope.
    Memories(PersonaName, Scope),
}

/// An item as an index holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Which item.
    pub item: ItemId,
    /// The version of its text; messages: 1.
    pub version: u32,
    /// Its text as stored.
    pub text: String,
    /// Who said it, by name; for a memory nothing.
    pub author: Option<String>,
    /// When it was said or last written.
    pub at: Timestamp,
    /// From when on it is invisible.
    pub expires_at: Option<Timestamp>,
    /// How long it is meant to live; for a message nothing.
    pub tier: Option<Tier>,
    /// Its vector in the space asked for; nothing while it waits for one or has none.
    pub vector: Option<Vec<f32>>,
}

/// What the journal says of an item: where it stands now.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The journal's number; grows.
    pub seq: i64,
    /// Where the item lies.
    pub place: Place,
    /// Which item.
    pub item: ItemId,
    /// The item as it is now; `None` when it is gone.
    pub now: Option<Entry>,
}

/// What happened since a point in the journal.
#[derive(Debug, Clone, PartialEq)]
pub enum Changes {
    /// These, in order.
    Rows {
        /// The changes.
        rows: Vec<Change>,
        /// Up to where the journal was read; the next reading begins here.
        end: i64,
        /// The journal goes on after this.
        more: bool,
    },
    /// More than the journal keeps: read everything anew.
    Lost,
}
