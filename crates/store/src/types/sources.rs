//! What a text was made of: a store keeps nothing that was made of what has been erased since (GR10).

use greenroom_core::{ChannelKey, MemoryId, MessageId};

use super::ItemId;

/// What the author of a text had read before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// The number of the newest erasure when they began to read.
    pub erased: i64,
    /// What they read.
    pub items: Vec<ItemId>,
    /// They read a summary of this channel's history as well: it may be made of every message there.
    pub summary_of: Option<ChannelKey>,
}

impl Sources {
    /// Nothing can have been erased of it.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.summary_of.is_none()
    }

    /// The messages among the items.
    pub fn messages(&self) -> impl Iterator<Item = MessageId> {
        self.items.iter().filter_map(|item| match item {
            ItemId::Message(id) => Some(*id),
            ItemId::Memory(_) => None,
        })
    }

    /// The memories among the items.
    pub fn memories(&self) -> impl Iterator<Item = MemoryId> {
        self.items.iter().filter_map(|item| match item {
            ItemId::Memory(id) => Some(*id),
            ItemId::Message(_) => None,
        })
    }
}

/// Erasures since a moment that are told one by one; more of them are told as erased anywhere.
pub const ERASURES_TOLD: i64 = 1_000;

/// What was erased since a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ErasedSince {
    /// The number of the newest erasure.
    pub end: i64,
    /// The channels where something of it may have been shown.
    pub channels: Vec<ChannelKey>,
    /// Some of it may have been shown anywhere.
    pub anywhere: bool,
}

impl ErasedSince {
    /// Whether something of it may have been shown in a channel.
    pub fn reaches(&self, channel: &ChannelKey) -> bool {
        self.anywhere || self.channels.contains(channel)
    }
}
